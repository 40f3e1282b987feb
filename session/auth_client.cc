#include "session/auth_client.h"

#include <algorithm>
#include <functional>
#include <span>

#include "core/check.h"
#include "core/endian.h"
#include "core/wire.h"
#include "keys/signature.h"
#include "session/ext_info.h"
#include "session/messages.h"

namespace plumb {
namespace {

constexpr std::string_view kUserauthService = "ssh-userauth";
constexpr std::string_view kConnectionService = "ssh-connection";

// `head` and then each secret as a string, put together at its final size, so that no vector that grows leaves a copy
// of a password behind.
SecretBytes join(Bytes head, std::span<const SecretBytes> secrets) {
  size_t size = head.size();
  for (const SecretBytes& secret : secrets) size += 4 + secret.size();
  SecretBytes payload(size);
  uint8_t* out = std::copy(head.begin(), head.end(), payload.bytes().data());
  for (const SecretBytes& secret : secrets) {
    store_be32(out, static_cast<uint32_t>(secret.size()));
    out = std::copy(secret.bytes().begin(), secret.bytes().end(), out + 4);
  }
  return payload;
}

}  // namespace

void AuthClient::start() {
  PLUMB_CHECK(step_ == Step::kIdle);
  step_ = Step::kService;
  send_message(transport_, ServiceRequest{kUserauthService});
}

Result<std::optional<Event>> AuthClient::handle(Bytes payload) {
  switch (payload[0]) {
    case msg::kServiceAccept: return on_service_accept(payload);
    case msg::kExtInfo: return on_ext_info(payload);
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

Result<std::optional<Event>> AuthClient::on_ext_info(Bytes payload) {
  Result<ExtInfo> info = parse_ext_info(payload);
  if (!info) return tl::unexpected(info.error());
  if (info->server_sig_algs) server_sig_algs_ = std::move(info->server_sig_algs);
  hostbound_ |= info->hostbound;
  return std::nullopt;
}

Event AuthClient::refused() {
  step_ = Step::kNeeded;
  key_ = nullptr;
  return event::AuthNeeded{methods_, true, false};
}

Result<std::optional<Event>> AuthClient::on_failure(Bytes payload) {
  Result<UserauthFailure> failure = parse_message<UserauthFailure>(payload);
  if (!failure) return tl::unexpected(failure.error());
  if (!servers_turn()) return fail(ErrorCode::kProtocol, "the server refused an authentication that was not asked for");
  methods_ = std::move(failure->methods);
  step_ = Step::kNeeded;
  key_ = nullptr;
  return event::AuthNeeded{methods_, !failure->partial_success, failure->partial_success};
}

Result<std::optional<Event>> AuthClient::on_success(Bytes payload) {
  if (const auto success = parse_message<UserauthSuccess>(payload); !success) return tl::unexpected(success.error());
  // A server that lets everybody in answers any request so, the query of the publickey method included (asyncssh).
  if (!servers_turn()) return fail(ErrorCode::kProtocol, "the server granted an authentication that was not asked for");
  step_ = Step::kDone;
  key_ = nullptr;
  transport_.set_phase(Phase::kRunning);
  return event::Authenticated{};
}

Result<std::optional<Event>> AuthClient::on_method_message(Bytes payload) {
  switch (step_) {
    case Step::kQuery: return on_pk_ok(payload);
    case Step::kPassword: return on_change_request(payload);
    case Step::kKeyboard: return on_info_request(payload);
    default: return fail(ErrorCode::kProtocol, "the server went on with an authentication that was not asked for");
  }
}

Result<std::optional<Event>> AuthClient::on_pk_ok(Bytes payload) {
  const Result<UserauthPkOk> ok = parse_message<UserauthPkOk>(payload);
  if (!ok) return tl::unexpected(ok.error());
  const Bytes blob = key_->public_key().blob();
  if (ok->algorithm != algorithm_ || !std::equal(ok->key.begin(), ok->key.end(), blob.begin(), blob.end()))
    return fail(ErrorCode::kProtocol, "the server accepted another key than the one that was offered");
  return sign();
}

Result<std::optional<Event>> AuthClient::on_change_request(Bytes payload) {
  const auto change = parse_message<UserauthPasswdChangereq>(payload);
  if (!change) return tl::unexpected(change.error());
  step_ = Step::kChangeNeeded;
  return event::PasswordChangeNeeded{change->prompt};
}

Result<std::optional<Event>> AuthClient::on_info_request(Bytes payload) {
  const auto request = parse_message<UserauthInfoRequest>(payload);
  if (!request) return tl::unexpected(request.error());
  if (request->count > kMaxPrompts) return fail(ErrorCode::kLimit, "the server asks more than 100 questions at once");
  event::KeyboardPrompts told{request->name, request->instruction, {}};
  Reader reader(request->prompts);
  for (uint32_t i = 0; i < request->count; i++) {
    const std::string_view text = reader.text();
    told.prompts.push_back({text, reader.boolean()});
  }
  if (!reader.done()) return fail(ErrorCode::kProtocol, "the questions of the server do not fit their number");
  step_ = Step::kPromptsWaiting;
  prompts_ = told.prompts.size();
  return told;
}

UserauthPublickey AuthClient::publickey_request(bool has_signature) const {
  UserauthPublickey request{.user = user_,
                            .service = kConnectionService,
                            .has_signature = has_signature,
                            .algorithm = algorithm_,
                            .key = key_->public_key().blob()};
  if (!hostbound_) return request;
  request.method = kHostbound;
  request.host_key = transport_.exchange().host_key().blob();
  return request;
}

std::optional<Event> AuthClient::sign() {
  const UserauthPublickey request = publickey_request(true);
  std::vector<uint8_t> signed_part;
  Writer(signed_part).string(transport_.exchange().session_id());
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
  std::vector<std::string_view> ours = algorithms_of_key_type(key_type);
  if (ours.empty()) return key_type;
  // Lists have plain names (RFC 8308 §3.1); a certificate signs as its key does.
  const auto is_in = [](const NameList& names) {
    return [&](std::string_view name) { return contains_name(names, find_signature_algorithm(name)->signed_as); };
  };
  // Only RSA has a choice. Without a word from the server the strongest is tried (RFC 8332 §3.3).
  if (std::ranges::any_of(ours, is_in(signatures_))) std::erase_if(ours, std::not_fn(is_in(signatures_)));
  if (!server_sig_algs_) return ours.front();
  const auto taken = std::ranges::find_if(ours, is_in(*server_sig_algs_));
  return taken != ours.end() ? *taken : ours.front();
}

void AuthClient::begin_attempt(std::string_view user, Step step) {
  PLUMB_CHECK(drivers_turn());
  step_ = step;
  user_ = user;
}

void AuthClient::none(std::string_view user) {
  begin_attempt(user, Step::kNone);
  send_message(transport_, UserauthRequest{.user = user_, .service = kConnectionService, .method = "none", .rest = {}});
}

void AuthClient::publickey(std::string_view user, const PrivateKey& key) {
  begin_attempt(user, Step::kQuery);
  key_ = &key;
  algorithm_ = choose_algorithm(key.public_key().type());
  send_message(transport_, publickey_request(false));
}

void AuthClient::password(std::string_view user, SecretBytes password) {
  begin_attempt(user, Step::kPassword);
  const std::vector<uint8_t> head = to_payload(UserauthPassword{.user = user_, .service = kConnectionService});
  transport_.send_secret(join(head, {&password, 1}));
}

void AuthClient::change_password(SecretBytes old_password, SecretBytes new_password) {
  PLUMB_CHECK(step_ == Step::kChangeNeeded);
  step_ = Step::kPassword;
  const std::vector<uint8_t> head =
      to_payload(UserauthPassword{.user = user_, .service = kConnectionService, .change = true});
  const SecretBytes both[] = {std::move(old_password), std::move(new_password)};
  transport_.send_secret(join(head, both));
}

void AuthClient::keyboard(std::string_view user) {
  begin_attempt(user, Step::kKeyboard);
  send_message(transport_, UserauthKeyboard{.user = user_, .service = kConnectionService});
}

void AuthClient::answer_prompts(std::vector<SecretBytes> answers) {
  PLUMB_CHECK(step_ == Step::kPromptsWaiting && answers.size() == prompts_);
  step_ = Step::kKeyboard;
  std::vector<uint8_t> head{msg::kUserauthInfoResponse};
  Writer(head).u32(static_cast<uint32_t>(answers.size()));
  transport_.send_secret(join(head, answers));
}

}  // namespace plumb
