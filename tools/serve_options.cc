#include "tools/serve_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>

#include "kex/methods.h"
#include "packet/cipher_suite.h"
#include "session/server_offer.h"
#include "tools/client_options.h"
#include "tools/file_text.h"
#include "tools/setting_values.h"

namespace plumb {
namespace {

constexpr uint16_t kPort = 2222;

constexpr const char* kModuliFile = "/etc/ssh/moduli";  // sshd's

/// "::1", "127.0.0.1:2222", "[::1]:2222".
struct Place {
  std::string address;
  std::optional<std::string> port;
};

Place split_place(const std::string& text) {
  if (text.starts_with('[')) {
    const size_t bracket = text.find("]:");
    if (bracket != std::string::npos) return {text.substr(1, bracket - 1), text.substr(bracket + 2)};
    return {text.ends_with(']') ? text.substr(1, text.size() - 2) : text, std::nullopt};
  }
  const size_t colon = text.find(':');
  if (colon == std::string::npos || text.find(':', colon + 1) != std::string::npos) return {text, std::nullopt};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

Checked<uint16_t> read_listen_port(const std::string& text) {
  if (text == "0") return uint16_t{0};
  return read_port(text);
}

Checked<void> read_addresses(const ServeArguments& a, ServeOptions& options) {
  uint16_t port = kPort;
  if (a.port) {
    if (const Checked<void> read = store(read_listen_port(*a.port), port); !read)
      return tl::unexpected("--port: " + read.error());
  }
  for (const std::string& text : a.listen) {
    const Place place = split_place(text);
    ListenAddress address{place.address, port};
    asio::error_code not_numeric;
    asio::ip::make_address(place.address, not_numeric);
    if (not_numeric)
      return tl::unexpected(
          fmt::format("--listen: '{}' is not a numeric address; write 0.0.0.0 or :: for all of them", text));
    if (place.port) {
      if (const Checked<void> read = store(read_listen_port(*place.port), address.port); !read)
        return tl::unexpected("--listen: " + read.error());
    }
    options.addresses.push_back(address);
  }
  if (options.addresses.empty()) options.addresses = {{.address = "127.0.0.1", .port = port}};
  return {};
}

/// The groups for group exchange: of the file that was named, else of sshd's. Where that is not there, or has none that
/// is long enough, those of RFC 3526 serve.
Checked<void> read_moduli(ServeOptions& options) {
  const auto is_group_exchange = [](const std::string& name) { return find_kex_method(name)->is_group_exchange(); };
  ConnectionConfig& connection = options.server.connection;
  if (std::ranges::none_of(connection.algorithms.kex, is_group_exchange)) {
    if (!options.moduli_file) return {};
    const auto method = std::ranges::find_if(kex_methods(), &KexMethod::is_group_exchange);
    return tl::unexpected(fmt::format(
        "-o ModuliFile: it serves group exchange, which is not offered; add -o KexAlgorithms=+{}", method->name));
  }
  const std::string path = options.moduli_file.value_or(kModuliFile);
  const Result<SecretBytes> text = read_file(path);
  if (!text && text.error().os_error == ENOENT && !options.moduli_file) return {};
  Result<Moduli> moduli = text.and_then([](const SecretBytes& read) { return Moduli::parse(read.bytes()); });
  if (!moduli) return tl::unexpected(fmt::format("-o ModuliFile: {}: {}", path, describe(moduli.error())));
  if (options.moduli_file && moduli->size() == 0)
    return tl::unexpected(fmt::format("-o ModuliFile: {} has no group of 2048 to 8192 bits; leave it out", path));
  connection.moduli = *std::move(moduli);
  return {};
}

/// A folder that confines nothing would be a promise.
Checked<void> check_sftp_root(const SessionRules& sessions) {
  if (sessions.sftp_root.empty()) return {};
  const auto sftp = sessions.subsystems.find("sftp");
  if (is_internal_sftp(sftp->second)) return {};
  return tl::unexpected(fmt::format(
      "-o SftpRoot confines {}, but -o Subsystem names another program for sftp; leave one out", kInternalSftp));
}

bool is_aead_only(const Algorithms& algorithms) {
  const auto is_aead = [](const std::string& name) { return find_cipher(name)->aead; };
  return algorithms.macs_c2s.empty() && std::ranges::all_of(algorithms.ciphers_c2s, is_aead);
}

}  // namespace

ServeOptions serve_defaults() {
  ServeOptions options;
  ConnectionConfig& connection = options.server.connection;
  connection.algorithms = server_offer();
  connection.update_host_keys = true;
  connection.timeouts.handshake = connection.timeouts.auth;
  return options;
}

void add_serve_options(CLI::App& command, ServeArguments& a) {
  command.add_option("--listen", a.listen, "numeric address[:port], may be given again; 127.0.0.1 if not given")
      ->type_name("ADDR")
      ->allow_extra_args(false);
  command.add_option("-p,--port", a.port, "port, 2222 if not given; 0: one that is free")->type_name("PORT");
  command.add_option("--host-key", a.host_keys, "private key file, may be given again; made once if not given")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command.add_option("--authorized-keys", a.authorized_keys, "who may come in; ~/.ssh/authorized_keys if not given")
      ->type_name("FILE");
  command.add_flag("--aead-only", a.aead_only, "offer no cipher that needs a MAC, and no MAC");
  command.add_option("-o", a.settings, "as in sshd_config(5): " + serve_setting_names())
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command.add_flag("-v,--verbose", a.verbose, "say more on standard error: algorithms, keys that were asked about");
}

Checked<ServeOptions> read_serve_options(const ServeArguments& a) {
  ServeOptions options = serve_defaults();
  options.verbose = a.verbose;
  const Result<Account> account = Account::own();
  if (!account) return tl::unexpected(describe(account.error()));
  options.server.access.account = *account;
  Algorithms& algorithms = options.server.connection.algorithms;
  if (a.aead_only) algorithms = aead_only(std::move(algorithms));
  for (const std::string& setting : a.settings) {
    if (const Checked<void> applied = apply_serve_setting(setting, options); !applied)
      return tl::unexpected(applied.error());
  }
  if (const Checked<void> read = read_addresses(a, options); !read) return tl::unexpected(read.error());
  if (const Checked<void> read = read_moduli(options); !read) return tl::unexpected(read.error());
  if (const Checked<void> good = check_sftp_root(options.server.sessions); !good) return tl::unexpected(good.error());
  options.host_key_files.insert(options.host_key_files.begin(), a.host_keys.begin(), a.host_keys.end());
  if (a.authorized_keys) options.server.access.authorized_keys_files = {absolute_path(*a.authorized_keys)};
  if (a.aead_only && !is_aead_only(algorithms))
    return tl::unexpected(std::string("--aead-only and the -o Ciphers or MACs contradict each other; leave one out"));
  return options;
}

}  // namespace plumb
