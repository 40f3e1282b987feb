#include "keys/certificate.h"

#include <algorithm>

#include "keys/host_pattern.h"
#include "keys/key_type.h"
#include "keys/signature.h"
#include "keys/text_words.h"

namespace plumb {
namespace {

/// Names in ascending order, each once (PROTOCOL.certkeys).
Result<std::vector<CertificateOption>> parse_options(Bytes packed) {
  std::vector<CertificateOption> options;
  Reader reader(packed);
  while (reader.remaining() != 0) {
    const std::string_view name = reader.text();
    const Bytes data = reader.string();
    if (!reader.ok()) return fail(ErrorCode::kFormat, "the options of the certificate are cut short");
    if (!options.empty() && name <= options.back().name) {
      return fail(ErrorCode::kFormat, "the options of the certificate are not in order");
    }
    options.push_back({std::string(name), {data.begin(), data.end()}});
  }
  return options;
}

Result<std::vector<std::string>> parse_principals(Bytes packed) {
  std::vector<std::string> principals;
  Reader reader(packed);
  while (reader.remaining() != 0) {
    principals.emplace_back(reader.text());
    if (!reader.ok()) return fail(ErrorCode::kFormat, "the principals of the certificate are cut short");
    if (principals.size() > kMaxPrincipals) {
      return fail(ErrorCode::kLimit, "the certificate has more than 256 principals");
    }
  }
  return principals;
}

/// Security keys may sign certificates; a certificate may not (no chains), and SHA-1 is not in the table.
Result<std::string> check_signature(const PublicKey& authority, Bytes signed_part, Bytes signature) {
  const std::string_view algorithm = Reader(signature).text();
  const SignatureAlgorithm* known = find_signature_algorithm(algorithm);
  if (known == nullptr || known->is_certificate()) {
    return fail(ErrorCode::kUnsupported,
                "the certificate is signed with an algorithm that is not accepted, such as ssh-rsa (SHA-1); sign it "
                "again with: ssh-keygen -s CA -t rsa-sha2-512");
  }
  const Result<Verified> verified = authority.verify(algorithm, signed_part, signature);
  if (verified) return std::string(algorithm);
  if (verified.error().code != ErrorCode::kHostKey) return tl::unexpected(verified.error());
  return fail(ErrorCode::kHostKey, "the signature of the certificate is not its authority's");
}

}  // namespace

Result<Certificate> parse_certificate(Bytes blob, Reader& reader, const KeyLimits& limits) {
  const uint64_t serial = reader.u64();
  const uint32_t kind = reader.u32();
  const std::string_view key_id = reader.text();
  const Bytes principals_field = reader.string();
  const UnixTime valid_after = reader.u64();
  const UnixTime valid_before = reader.u64();
  const Bytes critical_field = reader.string();
  const Bytes extensions_field = reader.string();
  reader.string();  // reserved
  const Bytes authority_blob = reader.string();
  const Bytes signed_part = blob.first(blob.size() - reader.remaining());
  const Bytes signature = reader.string();
  if (!reader.done()) return fail(ErrorCode::kFormat, "the certificate is cut short or has bytes left over");
  if (kind != static_cast<uint32_t>(CertificateKind::kUser) && kind != static_cast<uint32_t>(CertificateKind::kHost)) {
    return fail(ErrorCode::kFormat, "the certificate is neither for a user nor for a host");
  }
  // Looked at before it is parsed: certificates within certificates would be parsed as deep as the blob allows.
  const KeyType* authority_type = find_key_type(Reader(authority_blob).text());
  if (authority_type != nullptr && Reader(authority_blob).text() == authority_type->certificate_name) {
    return fail(ErrorCode::kFormat, "the certificate is signed by another certificate, which the format forbids");
  }
  auto principals = parse_principals(principals_field);
  if (!principals) return tl::unexpected(principals.error());
  auto critical = parse_options(critical_field);
  if (!critical) return tl::unexpected(critical.error());
  auto extensions = parse_options(extensions_field);
  if (!extensions) return tl::unexpected(extensions.error());
  Result<PublicKey> authority = PublicKey::parse(authority_blob, limits);
  if (!authority) return tl::unexpected(authority.error());
  Result<std::string> algorithm = check_signature(*authority, signed_part, signature);
  if (!algorithm) return tl::unexpected(algorithm.error());
  return Certificate{.serial = serial,
                     .kind = static_cast<CertificateKind>(kind),
                     .key_id = std::string(key_id),
                     .principals = *std::move(principals),
                     .valid_after = valid_after,
                     .valid_before = valid_before,
                     .critical_options = *std::move(critical),
                     .extensions = *std::move(extensions),
                     .authority = *std::move(authority),
                     .authority_algorithm = *std::move(algorithm)};
}

Result<void> check_certificate(const Certificate& certificate, CertificateKind kind, UnixTime now) {
  const ErrorCode code = kind == CertificateKind::kHost ? ErrorCode::kHostKey : ErrorCode::kAuth;
  if (certificate.kind != kind) {
    return kind == CertificateKind::kHost ? fail(code, "the certificate is a user's, not a host's")
                                          : fail(code, "the certificate is a host's, not a user's");
  }
  if (now < certificate.valid_after) return fail(code, "the certificate is not valid yet");
  if (now >= certificate.valid_before) return fail(code, "the certificate has expired");
  return {};
}

Result<void> check_host_certificate(const Certificate& certificate, std::string_view host, UnixTime now) {
  if (const auto checked = check_certificate(certificate, CertificateKind::kHost, now); !checked) return checked;
  if (!certificate.critical_options.empty()) {
    return fail(ErrorCode::kHostKey, "the certificate has a critical option that is not known for hosts");
  }
  const std::string name = to_lower(host);
  const bool named = std::any_of(certificate.principals.begin(), certificate.principals.end(),
                                 [&](const std::string& principal) { return match_pattern(name, principal); });
  if (!named) return fail(ErrorCode::kHostKey, "the certificate is for another host name");
  return {};
}

}  // namespace plumb
