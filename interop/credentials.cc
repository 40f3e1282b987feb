#include "interop/credentials.h"

#include <mutex>

#include "core/check.h"
#include "interop/key_pairs.h"
#include "interop/private_server.h"
#include "interop/scratch_folder.h"
#include "interop/subprocess.h"
#include "keys/key_file.h"
#include "keys/public_line.h"
#include "keys/signature.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

template <class T>
using Expected = tl::expected<T, std::string>;

/// ssh-keygen's type, as `key_pair` takes it, of the keys that sign under `algorithm`, certified or not.
std::string key_pair_type(const SignatureAlgorithm& algorithm) {
  if (algorithm.signed_as == "ssh-ed25519") return "ed25519";
  if (algorithm.signed_as == "ecdsa-sha2-nistp256") return "ecdsa";
  if (algorithm.signed_as == "ecdsa-sha2-nistp384") return "ecdsa384";
  if (algorithm.signed_as == "ecdsa-sha2-nistp521") return "ecdsa521";
  return "rsa";
}

/// The certificate of `key` by `authority`, which ssh-keygen puts beside it.
Expected<fs::path> certify(const fs::path& key, const fs::path& authority, bool host) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  fs::path certificate = key.string() + "-cert.pub";
  if (fs::exists(certificate)) return certificate;
  ProgramRequest keygen;
  keygen.argv = {"ssh-keygen", "-q", "-s", authority.string(), "-I", "matrix", "-n", host ? "127.0.0.1" : login_user()};
  if (host) keygen.argv.emplace_back("-h");
  keygen.argv.push_back(key.string() + ".pub");
  const ProgramResult made = run_program(keygen);
  if (made.exit_code != 0) return tl::unexpected("ssh-keygen failed: " + made.error);
  return certificate;
}

Expected<Credential> make_credential(const std::string& owner, std::string_view algorithm) {
  const SignatureAlgorithm* const spec = find_signature_algorithm(algorithm);
  PLUMB_CHECK(spec != nullptr && !spec->security_key);
  const std::string type = key_pair_type(*spec);
  // A certificate is of another key than the plain one: nobody can mistake it for a key that he knows.
  const auto key = key_pair(spec->is_certificate() ? "certified_" + owner : owner, type);
  if (!key) return tl::unexpected(key.error());
  if (!spec->is_certificate()) return Credential{*key, {}, text_of(key->string() + ".pub")};
  const auto authority = key_pair("authority", type);
  if (!authority) return tl::unexpected(authority.error());
  return certify(*key, *authority, owner == "host").map([&](const fs::path& certificate) {
    return Credential{*key, certificate, text_of(authority->string() + ".pub")};
  });
}

}  // namespace

tl::expected<Credential, std::string> host_credential(std::string_view algorithm) {
  return make_credential("host", algorithm);
}

tl::expected<Credential, std::string> user_credential(std::string_view algorithm) {
  return make_credential("client", algorithm);
}

std::string authorized_keys_line(const Credential& user) {
  return (user.certified() ? "cert-authority " : "") + user.trusted;
}

tl::expected<std::shared_ptr<const PrivateKey>, std::string> load_credential(const Credential& credential) {
  auto file = parse_key_file(text_of(credential.key));
  if (!file) return tl::unexpected("a key that ssh-keygen made cannot be read: " + describe(file.error()));
  std::shared_ptr<const PrivateKey> key = std::move(file->key);
  if (!credential.certified()) return key;
  auto certificate = parse_public_file(text_of(credential.certificate));
  if (!certificate)
    return tl::unexpected("a certificate that ssh-keygen made cannot be read: " + describe(certificate.error()));
  auto certified = CertifiedKey::make(key, std::move(certificate->key));
  if (!certified) return tl::unexpected(describe(certified.error()));
  return *std::move(certified);
}

}  // namespace plumb
