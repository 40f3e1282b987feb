#include "session/auth_server.h"

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

// Queries for keys that would do, and questions and answers, count as no refusal; they do not go on for ever either
// (OpenSSH, auth2.c).
constexpr uint32_t kMaxAttempts = 1024;

constexpr Error kTooManyTries{ErrorCode::kAuth, 0, "too many authentication failures"};

}  // namespace

Result<std::optional<Event>> AuthServer::handle(Bytes payload) {
  switch (payload[0]) {
    case msg::kServiceRequest: return on_service_request(payload);
    case msg::kExtInfo: {
      // Nothing that clients say of themselves is of use here, but it must be well formed.
      if (const Result<ExtInfo> info = parse_ext_info(payload); !info) return tl::unexpected(info.error());
      return std::nullopt;
    }
    case msg::kUserauthRequest: return on_request(payload);
    case msg::kUserauthInfoResponse: return on_info_response(payload);
    default: return fail(ErrorCode::kProtocol, "a message that is not the authentication protocol's");
  }
}

Result<std::optional<Event>> AuthServer::on_service_request(Bytes payload) {
  const Result<ServiceRequest> request = parse_message<ServiceRequest>(payload);
  if (!request) return tl::unexpected(request.error());
  if (request->service != kUserauthService)
    return fail(ErrorCode::kProtocol, "the client asked for another service than ssh-userauth");
  send_message(transport_, ServiceAccept{kUserauthService});
  step_ = Step::kListening;
  transport_.set_phase(Phase::kAuth);
  return std::nullopt;
}

Result<std::optional<Event>> AuthServer::on_request(Bytes payload) {
  PLUMB_CHECK(step_ == Step::kListening || step_ == Step::kPromptsSent);
  message_ = SecretBytes(payload);
  if (holds_password(payload)) transport_.wipe_message(payload);
  const Result<UserauthRequest> request = parse_message<UserauthRequest>(message_.bytes());
  if (!request) return tl::unexpected(request.error());
  if (attempts_++ == kMaxAttempts) return tl::unexpected(kTooManyTries);
  if (attempts_ == 1) {
    user_ = request->user;
    service_ = request->service;
  }
  // What was reached so far belongs to the first name (RFC 4252 §5); OpenSSH ends the connection as well.
  if (request->user != user_ || request->service != service_)
    return fail(ErrorCode::kProtocol, "the client changed the user name or the service during authentication");
  step_ = Step::kListening;
  free_ = attempts_ == 1 && request->method == "none";
  send_banner();
  if (request->service != kConnectionService) return turn_down();
  Result<std::optional<attempt::Any>> attempt = read_attempt(*request);
  if (!attempt) return tl::unexpected(attempt.error());
  if (!*attempt) return turn_down();
  return ask(**std::move(attempt));
}

/// What the client tries; nullopt if it cannot succeed, whatever the driver says.
Result<std::optional<attempt::Any>> AuthServer::read_attempt(const UserauthRequest& request) {
  if (request.method == "none") return attempt::None{};
  const std::string_view method = request.method == kHostbound ? "publickey" : request.method;
  if (!contains_name(methods_, method)) return std::nullopt;
  if (method == "publickey") return read_publickey();
  if (method == "password") return read_password(request.rest);
  if (method != "keyboard-interactive") return std::nullopt;
  const auto keyboard = parse_message<UserauthKeyboard>(message_.bytes());
  if (!keyboard) return tl::unexpected(keyboard.error());
  return attempt::KeyboardStart{keyboard->submethods};
}

Result<std::optional<attempt::Any>> AuthServer::read_publickey() {
  const Bytes payload = message_.bytes();
  Reader reader(payload.subspan(1));
  MessageReader visitor(reader);
  UserauthPublickey request;
  UserauthPublickey::fields(request, visitor);
  const size_t signed_size = payload.size() - reader.remaining();
  const Bytes signature = request.has_signature ? reader.string() : Bytes();
  if (!reader.done()) return fail(ErrorCode::kProtocol, "the fields of a message do not fit its length");

  if (!takes_algorithm(request.algorithm)) return std::nullopt;
  Result<PublicKey> key = PublicKey::parse(request.key);
  if (!key || key->type() != find_signature_algorithm(request.algorithm)->key_type) return std::nullopt;
  if (request.method == kHostbound) {
    const Bytes shown = transport_.exchange().host_key().blob();
    if (!std::equal(shown.begin(), shown.end(), request.host_key.begin(), request.host_key.end())) return std::nullopt;
  }
  key_ = *std::move(key);
  algorithm_ = request.algorithm;
  if (!request.has_signature) return attempt::KeyQuery{&*key_, algorithm_};

  std::vector<uint8_t> message;
  Writer(message).string(transport_.exchange().session_id());
  Writer(message).raw(payload.first(signed_size));
  const Result<Verified> verified = key_->verify(algorithm_, message, signature);
  if (!verified) return std::nullopt;
  return attempt::SignedKey{&*key_, algorithm_, *verified};
}

Result<std::optional<attempt::Any>> AuthServer::read_password(Bytes rest) {
  Reader reader(rest);
  const bool change = reader.boolean();
  const std::string_view password = reader.text();
  const std::string_view new_password = change ? reader.text() : std::string_view();
  if (!reader.done()) return fail(ErrorCode::kProtocol, "the fields of a message do not fit its length");
  if (change) return attempt::PasswordChange{password, new_password};
  return attempt::Password{password};
}

bool AuthServer::takes_algorithm(std::string_view algorithm) const {
  const SignatureAlgorithm* spec = find_signature_algorithm(algorithm);
  if (spec == nullptr) return false;
  const NameList& taken = config_.algorithms.signatures;
  return taken.empty() || contains_name(taken, spec->signed_as);
}

Result<std::optional<Event>> AuthServer::on_info_response(Bytes payload) {
  if (step_ != Step::kPromptsSent)
    return fail(ErrorCode::kProtocol, "the client answered questions that were not asked");
  message_ = SecretBytes(payload);
  transport_.wipe_message(payload);
  Reader reader(message_.bytes().subspan(1));
  if (reader.u32() != prompts_)
    return fail(ErrorCode::kProtocol, "the client answered more or fewer questions than asked");
  attempt::KeyboardAnswers told;
  for (uint32_t i = 0; i < prompts_; i++) told.answers.push_back(reader.text());
  if (!reader.done()) return fail(ErrorCode::kProtocol, "the fields of a message do not fit its length");
  if (attempts_++ == kMaxAttempts) return tl::unexpected(kTooManyTries);
  return ask(std::move(told));
}

event::AuthAttempt AuthServer::ask(attempt::Any attempt) {
  step_ = Step::kVerdict;
  query_ = std::holds_alternative<attempt::KeyQuery>(attempt);
  password_ =
      std::holds_alternative<attempt::Password>(attempt) || std::holds_alternative<attempt::PasswordChange>(attempt);
  keyboard_ = std::holds_alternative<attempt::KeyboardStart>(attempt) ||
              std::holds_alternative<attempt::KeyboardAnswers>(attempt);
  return {user_, std::move(attempt)};
}

void AuthServer::send_banner() {
  if (banner_sent_ || config_.auth.banner.empty()) return;
  banner_sent_ = true;
  send_message(transport_, UserauthBanner{config_.auth.banner, ""});
}

/// An attempt that the driver need not hear of.
Result<std::optional<Event>> AuthServer::turn_down() {
  step_ = Step::kVerdict;
  if (Result<void> refused = refuse(); !refused) return tl::unexpected(refused.error());
  return std::nullopt;
}

void AuthServer::answer() {
  PLUMB_CHECK(step_ == Step::kVerdict);
  step_ = Step::kListening;
  message_ = SecretBytes();
}

void AuthServer::accept() {
  answer();
  if (query_) return send_message(transport_, UserauthPkOk{algorithm_, key_->blob()});
  step_ = Step::kDone;
  send_message(transport_, UserauthSuccess{});
  transport_.set_phase(Phase::kRunning);
}

void AuthServer::accept_partially(NameList methods) {
  answer();
  PLUMB_CHECK(!query_);
  methods_ = std::move(methods);
  send_message(transport_, UserauthFailure{methods_, true});
}

Result<void> AuthServer::refuse() {
  answer();
  if (!free_ && ++refusals_ >= config_.auth.max_tries) return tl::unexpected(kTooManyTries);
  send_message(transport_, UserauthFailure{methods_, false});
  return {};
}

void AuthServer::ask_prompts(std::string_view name, std::string_view instruction, const std::vector<Prompt>& prompts) {
  answer();
  PLUMB_CHECK(keyboard_ && prompts.size() <= kMaxPrompts);
  step_ = Step::kPromptsSent;
  prompts_ = static_cast<uint32_t>(prompts.size());
  std::vector<uint8_t> pairs;
  Writer writer(pairs);
  for (const Prompt& prompt : prompts) {
    writer.text(prompt.text);
    writer.boolean(prompt.echo);
  }
  send_message(transport_,
               UserauthInfoRequest{
                   .name = name, .instruction = instruction, .language = {}, .count = prompts_, .prompts = pairs});
}

void AuthServer::ask_password_change(std::string_view prompt) {
  answer();
  PLUMB_CHECK(password_);
  send_message(transport_, UserauthPasswdChangereq{prompt, ""});
}

}  // namespace plumb
