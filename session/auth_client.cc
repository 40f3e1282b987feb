#include "session/auth_client.h"

#include <algorithm>

#include "core/check.h"
#include "core/wire.h"
#include "keys/signature.h"
#include "session/ext_info.h"
#include "session/messages.h"

namespace plumb {
namespace {

constexpr std::string_view kUserauthService = "ssh-userauth";
constexpr std::string_view kConnectionService = "ssh-connection";

}  // namespace

void AuthClient::start() {
  PLUMB_CHECK(step_ == Step::kIdle);
  step_ = Step::kService;
  send_message(transport_, ServiceRequest{kUserauthService});
}

Result<std::optional<Event>> AuthClient::handle(Bytes payload) {
  switch (payload[0]) {
    case msg::kServiceAccept: return on_service_accept(payload);
    case msg::kExtInfo: {
      Result<ExtInfo> info = parse_ext_info(payload);
      if (!info) return tl::unexpected(info.error());
      if (info->server_sig_algs) server_sig_algs_ = std::move(info->server_sig_algs);
      return std::nullopt;
    }
    case msg::kUserauthFailure: return on_failure(payload);
    case msg::kUserauthSuccess: return on_success(payload);
    case msg::kUserauthBanner: {
      const Result<UserauthBanner> banner = parse_message<UserauthBanner>(payload);
      if (!banner) return tl::unexpected(banner.error());
      return event::Banner{banner->text};
    }
    case msg::kUserauthPkOk: return on_method_message(payload);
    default: return fail(ErrorCode::kProtocol, "a message that is not the authentication protocol's");
  }
}

Result<std::optional<Event>> AuthClient::on_service_accept(Bytes payload) {
  const Result<ServiceAccept> accept = parse_message<ServiceAccept>(payload);
  if (!accept) return tl::unexpected(accept.error());
  if (accept->service != kUserauthService)
    return fail(ErrorCode::kProtocol, "the server accepted a service that was not asked for");
  step_ = Step::kNeeded;
  transport_.set_phase(Phase::kAuth);
  return event::AuthNeeded{{}, false, false};
}

Event AuthClient::refused() {
  step_ = Step::kNeeded;
  key_ = nullptr;
  return event::AuthNeeded{methods_, true, false};
}

Result<std::optional<Event>> AuthClient::on_failure(Bytes payload) {
  Result<UserauthFailure> failure = parse_message<UserauthFailure>(payload);
  if (!failure) return tl::unexpected(failure.error());
  if (!attempt_runs()) return fail(ErrorCode::kProtocol, "the server refused an authentication that was not asked for");
  methods_ = std::move(failure->methods);
  step_ = Step::kNeeded;
  key_ = nullptr;
  return event::AuthNeeded{methods_, !failure->partial_success, failure->partial_success};
}

Result<std::optional<Event>> AuthClient::on_success(Bytes payload) {
  if (const auto success = parse_message<UserauthSuccess>(payload); !success) return tl::unexpected(success.error());
  // A server that lets everybody in answers any request so, the query of the publickey method included (asyncssh).
  if (!attempt_runs()) return fail(ErrorCode::kProtocol, "the server granted an authentication that was not asked for");
  step_ = Step::kDone;
  key_ = nullptr;
  transport_.set_phase(Phase::kRunning);
  return event::Authenticated{};
}

Result<std::optional<Event>> AuthClient::on_method_message(Bytes payload) {
  // 60 is USERAUTH_PASSWD_CHANGEREQ here; we cannot change passwords, and may try something else (RFC 4252 §8).
  if (step_ == Step::kPassword) return refused();
  if (step_ != Step::kQuery) return fail(ErrorCode::kProtocol, "the server accepted a key that was not offered");
  const Result<UserauthPkOk> ok = parse_message<UserauthPkOk>(payload);
  if (!ok) return tl::unexpected(ok.error());
  const Bytes blob = key_->public_key().blob();
  if (ok->algorithm != algorithm_ || !std::equal(ok->key.begin(), ok->key.end(), blob.begin(), blob.end()))
    return fail(ErrorCode::kProtocol, "the server accepted another key than the one that was offered");
  return sign(transport_.exchange().session_id());
}

std::optional<Event> AuthClient::sign(Bytes session_id) {
  const UserauthPublickey request{.user = user_,
                                  .service = kConnectionService,
                                  .has_signature = true,
                                  .algorithm = algorithm_,
                                  .key = key_->public_key().blob()};
  std::vector<uint8_t> signed_part;
  Writer(signed_part).string(session_id);
  write_message(request, signed_part);
  const Result<std::vector<uint8_t>> signature = key_->sign(algorithm_, signed_part);
  if (!signature) return refused();  // a key that cannot sign is as good as refused

  std::vector<uint8_t> payload = to_payload(request);
  Writer(payload).string(*signature);
  const MutBytes space = transport_.begin(SendClass::kControl, payload.size());
  std::copy(payload.begin(), payload.end(), space.begin());
  transport_.commit(payload.size());
  step_ = Step::kSigned;
  return std::nullopt;
}

std::string_view AuthClient::choose_algorithm(std::string_view key_type) const {
  const std::vector<std::string_view> ours = algorithms_of_key_type(key_type);
  if (ours.empty()) return key_type;
  // Only RSA has a choice. Without a word from the server the strongest is tried (RFC 8332 §3.3).
  for (std::string_view algorithm : ours) {
    if (server_sig_algs_ && contains_name(*server_sig_algs_, algorithm)) return algorithm;
  }
  return ours.front();
}

void AuthClient::publickey(std::string_view user, const PrivateKey& key) {
  PLUMB_CHECK(step_ == Step::kNeeded);
  step_ = Step::kQuery;
  user_ = user;
  key_ = &key;
  algorithm_ = choose_algorithm(key.public_key().type());
  send_message(transport_, UserauthPublickey{.user = user_,
                                             .service = kConnectionService,
                                             .has_signature = false,
                                             .algorithm = algorithm_,
                                             .key = key.public_key().blob()});
}

void AuthClient::password(std::string_view user, SecretBytes password) {
  PLUMB_CHECK(step_ == Step::kNeeded);
  step_ = Step::kPassword;
  user_ = user;
  std::vector<uint8_t> head = to_payload(UserauthPassword{.user = user_, .service = kConnectionService});
  Writer(head).u32(static_cast<uint32_t>(password.size()));
  // Put together at its final size, so that no vector that grows leaves a copy of the password behind.
  SecretBytes payload(head.size() + password.size());
  std::copy(head.begin(), head.end(), payload.bytes().begin());
  std::copy(password.bytes().begin(), password.bytes().end(), payload.bytes().begin() + head.size());
  transport_.send_secret(std::move(payload));
}

}  // namespace plumb
