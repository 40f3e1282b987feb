#include "keys/signature.h"

#include <gtest/gtest.h>
#include <openssl/err.h>

#include <string>

#include "keys/private_key.h"
#include "keys/public_key.h"
#include "tests/keys/libcrypto_signer.h"
#include "tests/keys/ssh_blobs.h"
#include "tests/testing/seeded_random.h"
#include "tests/testing/vector_file.h"

namespace plumb::testing {
namespace {

constexpr std::string_view kMessage = "what was signed";

/// A foreign key and the algorithm that it signs under.
struct Signer {
  std::string_view algorithm;
  LibcryptoSigner key;
  PublicKey public_key() const { return PublicKey::parse(key.blob()).value(); }
};

/// One for each line of the table.
std::vector<Signer> one_signer_for_each_algorithm() {
  std::vector<Signer> signers;
  for (const SignatureAlgorithm& algorithm : signature_algorithms()) {
    signers.push_back({algorithm.name, LibcryptoSigner::of_type(algorithm.key_type)});
  }
  return signers;
}

ErrorCode refusal(const Result<Verified>& result) {
  EXPECT_FALSE(result.has_value());
  if (result) return ErrorCode::kUsage;
  EXPECT_STRNE(result.error().text, "");
  return result.error().code;
}

TEST(SignatureTable, NamesAndKeyTypes) {
  std::vector<std::string_view> names;
  for (const SignatureAlgorithm& algorithm : signature_algorithms()) {
    names.push_back(algorithm.name);
    EXPECT_EQ(find_signature_algorithm(algorithm.name), &algorithm);
  }
  EXPECT_EQ(names,
            (std::vector<std::string_view>{"ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384",
                                           "ecdsa-sha2-nistp521", "sk-ssh-ed25519@openssh.com",
                                           "sk-ecdsa-sha2-nistp256@openssh.com", "rsa-sha2-512", "rsa-sha2-256"}));
  ASSERT_EQ(certificate_algorithms().size(), signature_algorithms().size());
  for (size_t i = 0; i < names.size(); i++) {
    const SignatureAlgorithm& certificate = certificate_algorithms()[i];
    const std::string_view stem = names[i].substr(0, names[i].find('@'));
    EXPECT_EQ(certificate.name, std::string(stem) + "-cert-v01@openssh.com");
    EXPECT_EQ(certificate.signed_as, names[i]);
    EXPECT_EQ(certificate.verify, signature_algorithms()[i].verify);
    EXPECT_EQ(find_signature_algorithm(certificate.name), &certificate);
  }
  EXPECT_EQ(find_signature_algorithm("ssh-rsa"), nullptr) << "SHA-1 is not accepted";
  EXPECT_EQ(find_signature_algorithm(""), nullptr);
}

TEST(SignatureTable, C45_RsaKeysOfferBothAlgorithms) {
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(algorithms_of_key_type("ssh-rsa"), (Names{"rsa-sha2-512", "rsa-sha2-256"}));
  EXPECT_EQ(algorithms_of_key_type("ssh-rsa-cert-v01@openssh.com"),
            (Names{"rsa-sha2-512-cert-v01@openssh.com", "rsa-sha2-256-cert-v01@openssh.com"}));
  EXPECT_EQ(algorithms_of_key_type("ssh-ed25519"), Names{"ssh-ed25519"});
  EXPECT_EQ(algorithms_of_key_type("rsa-sha2-512"), Names{});
}

TEST(Signature, Rfc8032AndRfc6979) {
  for_each_vector("signatures.txt", [](Vector& vector) {
    const std::string algorithm = vector.text("ALGORITHM");
    const auto message = vector.bytes("MESSAGE");
    std::vector<uint8_t> inner;
    std::vector<uint8_t> blob;
    if (algorithm == "ssh-ed25519") {
      blob = ed25519_blob(vector.bytes("PUBLIC"));
      inner = vector.bytes("SIGNATURE");
      const auto key = ed25519_from_seed(vector.bytes("SEED"));
      EXPECT_EQ(key->public_key(), PublicKey::parse(blob).value());
      EXPECT_EQ(key->sign(algorithm, message).value(), signature_blob(algorithm, inner));
    } else {
      blob = ecdsa_blob(vector.bytes("PUBLIC"));
      inner = ecdsa_inner(vector.bytes("R"), vector.bytes("S"));
    }
    const PublicKey key = PublicKey::parse(blob).value();
    EXPECT_TRUE(key.verify(algorithm, message, signature_blob(algorithm, inner)).has_value());
    EXPECT_EQ(refusal(key.verify(algorithm, as_bytes("something else"), signature_blob(algorithm, inner))),
              ErrorCode::kHostKey);
  });
}

TEST(Signature, LibcryptoSignsAndWeVerify) {
  SeededRandom random;
  for (const Signer& signer : one_signer_for_each_algorithm()) {
    SCOPED_TRACE(signer.algorithm);
    const PublicKey key = signer.public_key();
    for (size_t size : {0, 1, 32, 63, 64, 65, 1000}) {
      const std::vector<uint8_t> message = random.bytes(size);
      const auto blob = signer.key.sign_blob(signer.algorithm, message);
      EXPECT_TRUE(key.verify(signer.algorithm, message, blob).has_value()) << size;
    }
  }
}

TEST(Signature, WeSignEd25519AndLibcryptoVerifiesAndSignsTheSame) {
  SeededRandom random;
  for (size_t size = 0; size < 200; size += 9) {
    const std::vector<uint8_t> seed = random.bytes(32);
    const std::vector<uint8_t> message = random.bytes(size);
    const auto key = ed25519_from_seed(seed);
    const auto blob = key->sign("ssh-ed25519", message);
    ASSERT_TRUE(blob.has_value());
    const LibcryptoSigner judge = LibcryptoSigner::ed25519(seed);
    EXPECT_EQ(*blob, signature_blob("ssh-ed25519", judge.sign("ssh-ed25519", message)));
    EXPECT_TRUE(LibcryptoSigner::verify_ed25519(key->public_key().blob().last(32), message, Bytes(*blob).last(64)));
    EXPECT_TRUE(key->public_key().verify("ssh-ed25519", message, *blob).has_value());
  }
}

TEST(Signature, Ed25519KeysSignUnderTheirOwnAlgorithmOnly) {
  SeededRandom random;
  const auto key = generate_ed25519(random);
  for (std::string_view algorithm : {"rsa-sha2-512", "ecdsa-sha2-nistp256", "", "ssh-ed25519-cert-v01@openssh.com"}) {
    const auto signature = key->sign(algorithm, as_bytes(kMessage));
    ASSERT_FALSE(signature.has_value());
    EXPECT_EQ(signature.error().code, ErrorCode::kUnsupported);
  }
}

TEST(Signature, GeneratedKeysDiffer) {
  SeededRandom random;
  const auto one = generate_ed25519(random);
  const auto other = generate_ed25519(random);
  EXPECT_FALSE(one->public_key() == other->public_key());
}

TEST(Signature, C47_NameInTheBlobIsTheNegotiatedOne) {
  const LibcryptoSigner rsa = LibcryptoSigner::rsa(2048);
  const PublicKey key = PublicKey::parse(rsa.blob()).value();
  const Bytes message = as_bytes(kMessage);
  for (std::string_view negotiated : {"rsa-sha2-512", "rsa-sha2-256"}) {
    for (std::string_view used : {"rsa-sha2-512", "rsa-sha2-256", "ssh-rsa"}) {
      SCOPED_TRACE(std::string(negotiated) + " negotiated, " + std::string(used) + " used");
      const auto result = key.verify(negotiated, message, signature_blob(used, rsa.sign(used, message)));
      if (used == negotiated) {
        EXPECT_TRUE(result.has_value());
      } else {
        EXPECT_EQ(refusal(result), ErrorCode::kHostKey);
        // Nor does a right name on another algorithm's signature help.
        EXPECT_EQ(refusal(key.verify(negotiated, message, signature_blob(negotiated, rsa.sign(used, message)))),
                  ErrorCode::kHostKey);
      }
    }
  }
  EXPECT_EQ(refusal(key.verify("ssh-rsa", message, signature_blob("ssh-rsa", rsa.sign("ssh-rsa", message)))),
            ErrorCode::kUnsupported);
}

TEST(Signature, C47_KeyOfAnotherTypeIsRefusedThoughItsSignatureIsGood) {
  const std::vector<Signer> signers = one_signer_for_each_algorithm();
  for (const Signer& signer : signers) {
    const auto inner = signer.key.sign(signer.algorithm, as_bytes(kMessage));
    for (const Signer& other : signers) {
      if (other.algorithm == signer.algorithm) continue;
      SCOPED_TRACE(std::string(other.algorithm) + " negotiated, " + std::string(signer.algorithm) + " shown");
      for (std::string_view named : {signer.algorithm, other.algorithm}) {
        const auto result =
            signer.public_key().verify(other.algorithm, as_bytes(kMessage), signature_blob(named, inner));
        EXPECT_EQ(refusal(result), ErrorCode::kHostKey) << "named " << named;
      }
    }
  }
}

TEST(Signature, C48_ShortEcdsaNumbersAreAccepted) {
  const LibcryptoSigner signer = LibcryptoSigner::ecdsa_p256();
  const PublicKey key = PublicKey::parse(signer.blob()).value();
  bool short_r = false, short_s = false, top_bit_r = false;
  for (int i = 0; i < 20000 && !(short_r && short_s && top_bit_r); i++) {
    const std::string message = std::to_string(i);
    const auto [r, s] = signer.sign_ecdsa(as_bytes(message));
    const bool interesting = r[0] == 0 || s[0] == 0 || (r[0] >= 0x80 && !top_bit_r);
    if (!interesting) continue;
    short_r |= r[0] == 0;
    short_s |= s[0] == 0;
    top_bit_r |= r[0] >= 0x80;
    const auto blob = signature_blob("ecdsa-sha2-nistp256", ecdsa_inner(r, s));
    EXPECT_TRUE(key.verify("ecdsa-sha2-nistp256", as_bytes(message), blob).has_value());
  }
  EXPECT_TRUE(short_r && short_s && top_bit_r) << "20000 signatures without one of the shapes";
}

TEST(Signature, C48_EcdsaNumbersOutOfRangeAreRefused) {
  const LibcryptoSigner signer = LibcryptoSigner::ecdsa_p256();
  const PublicKey key = PublicKey::parse(signer.blob()).value();
  const auto [r, s] = signer.sign_ecdsa(as_bytes(kMessage));
  const auto order = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");
  const auto verify = [&](Bytes inner) {
    return refusal(key.verify("ecdsa-sha2-nistp256", as_bytes(kMessage), signature_blob("ecdsa-sha2-nistp256", inner)));
  };
  EXPECT_EQ(verify(ecdsa_inner({}, s)), ErrorCode::kHostKey);
  EXPECT_EQ(verify(ecdsa_inner(r, {})), ErrorCode::kHostKey);
  EXPECT_EQ(verify(ecdsa_inner(order, s)), ErrorCode::kHostKey);
  EXPECT_EQ(verify(ecdsa_inner(r, order)), ErrorCode::kHostKey);
  EXPECT_EQ(verify(ecdsa_inner(concat({hex("01"), r}), s)), ErrorCode::kHostKey);
  EXPECT_EQ(verify(ecdsa_inner(std::vector<uint8_t>(100000, 0x11), s)), ErrorCode::kHostKey);
  EXPECT_EQ(verify(ecdsa_inner(s, r)), ErrorCode::kHostKey);

  const auto good = ecdsa_inner(r, s);
  EXPECT_EQ(verify({}), ErrorCode::kFormat);
  EXPECT_EQ(verify(concat({good, hex("00")})), ErrorCode::kFormat);
  EXPECT_EQ(verify(concat({r, s})), ErrorCode::kFormat) << "P1363 form without lengths";
  // A number with a sign bit is negative, one with a needless zero byte is not an mpint (RFC 4251 §5).
  const auto zero_and_s = ecdsa_inner({}, s);
  EXPECT_EQ(verify(concat({hex("00000001 80"), Bytes(zero_and_s).subspan(4)})), ErrorCode::kFormat);
  EXPECT_EQ(verify(concat({hex("00000002 0001"), Bytes(zero_and_s).subspan(4)})), ErrorCode::kFormat);
}

TEST(Signature, C48_Ed25519SizesAreExact) {
  const auto key = ed25519_from_seed(std::vector<uint8_t>(32, 3));
  const auto blob = key->sign("ssh-ed25519", as_bytes(kMessage)).value();
  const Bytes good = Bytes(blob).last(64);
  for (size_t size : {0, 1, 32, 63, 65, 128}) {
    std::vector<uint8_t> inner(good.begin(), good.end());
    inner.resize(size);
    EXPECT_EQ(
        refusal(key->public_key().verify("ssh-ed25519", as_bytes(kMessage), signature_blob("ssh-ed25519", inner))),
        ErrorCode::kFormat)
        << size;
  }
}

TEST(Signature, C48_RsaSignatureWithoutItsLeadingZeroIsAccepted) {
  const LibcryptoSigner signer = LibcryptoSigner::rsa(2048);
  const PublicKey key = PublicKey::parse(signer.blob()).value();
  for (int i = 0;; i++) {
    ASSERT_LT(i, 10000) << "no signature with a leading zero byte";
    const std::string message = std::to_string(i);
    const auto inner = signer.sign("rsa-sha2-256", as_bytes(message));
    ASSERT_EQ(inner.size(), 256u);
    if (inner[0] != 0) continue;
    const auto verify = [&](Bytes signature) {
      return key.verify("rsa-sha2-256", as_bytes(message), signature_blob("rsa-sha2-256", signature));
    };
    EXPECT_TRUE(verify(inner).has_value());
    EXPECT_TRUE(verify(Bytes(inner).subspan(1)).has_value());
    EXPECT_EQ(refusal(verify(concat({hex("00"), inner}))), ErrorCode::kFormat);
    EXPECT_EQ(refusal(verify({})), ErrorCode::kFormat);
    EXPECT_EQ(refusal(verify(Bytes(inner).first(255))), ErrorCode::kHostKey);
    return;
  }
}

TEST(Signature, C48_TruncatedAtEveryLengthAndWithTrailingBytesIsRefused) {
  for (const Signer& signer : one_signer_for_each_algorithm()) {
    SCOPED_TRACE(signer.algorithm);
    const PublicKey key = signer.public_key();
    const auto blob = signer.key.sign_blob(signer.algorithm, as_bytes(kMessage));
    for (size_t size = 0; size < blob.size(); size++) {
      EXPECT_EQ(refusal(key.verify(signer.algorithm, as_bytes(kMessage), Bytes(blob).first(size))), ErrorCode::kFormat);
    }
    EXPECT_EQ(refusal(key.verify(signer.algorithm, as_bytes(kMessage), concat({blob, hex("00")}))), ErrorCode::kFormat);
    EXPECT_EQ(refusal(key.verify(signer.algorithm, as_bytes(kMessage), signature_blob(signer.algorithm, {}))),
              ErrorCode::kFormat);
  }
}

TEST(Signature, EveryByteFlippedIsRefused) {
  for (const Signer& signer : one_signer_for_each_algorithm()) {
    SCOPED_TRACE(signer.algorithm);
    const PublicKey key = signer.public_key();
    const auto blob = signer.key.sign_blob(signer.algorithm, as_bytes(kMessage));
    for (size_t i = 0; i < blob.size(); i++) {
      std::vector<uint8_t> flipped = blob;
      flipped[i] ^= static_cast<uint8_t>(1u << (i % 8));
      EXPECT_FALSE(key.verify(signer.algorithm, as_bytes(kMessage), flipped).has_value()) << "byte " << i;
    }
    std::string message(kMessage);
    message[3] ^= 1;
    EXPECT_EQ(refusal(key.verify(signer.algorithm, as_bytes(message), blob)), ErrorCode::kHostKey);
  }
}

TEST(Signature, RefusalsLeaveNothingInLibcryptosErrorQueue) {
  ERR_clear_error();
  for (const Signer& signer : one_signer_for_each_algorithm()) {
    const auto blob = signer.key.sign_blob(signer.algorithm, as_bytes(kMessage));
    ERR_clear_error();
    EXPECT_FALSE(signer.public_key().verify(signer.algorithm, as_bytes("other"), blob).has_value());
    EXPECT_EQ(ERR_peek_error(), 0u) << signer.algorithm;
  }
  EXPECT_FALSE(PublicKey::parse(ecdsa_blob(std::vector<uint8_t>(65, 4))).has_value());
  EXPECT_EQ(ERR_peek_error(), 0u);
}

}  // namespace
}  // namespace plumb::testing
