#include "tests/interop/prompting_server.h"

#include "core/check.h"
#include "net/tcp.h"

namespace plumb::testing {
namespace {

constexpr std::string_view kSecret = "secret";
constexpr uint32_t kStatus = 3;

ConnectionConfig config_of(PromptingRule rule, const PrivateKey& host_key) {
  ConnectionConfig config;
  config.role = Role::kServer;
  config.host_keys = {&host_key};
  config.takes_channels = {open::Session::kName};
  config.auth.methods = {rule == PromptingRule::kTwoQuestions ? "keyboard-interactive" : "publickey"};
  return config;
}

}  // namespace

PromptingServer::PromptingServer(PromptingRule rule)
    : host_key_(generate_ed25519(system_random())), connection_(config_of(rule, *host_key_), Runtime::now()) {
  auto runtime = Runtime::create();
  PLUMB_CHECK(runtime);
  runtime_ = *std::move(runtime);
  auto acceptor = listen(*runtime_, "127.0.0.1", 0);
  PLUMB_CHECK(acceptor);
  port_ = acceptor->local_endpoint().port();
  thread_ = std::thread([this, listener = *std::move(acceptor)]() mutable {
    Tcp::socket socket = listener.accept();
    PLUMB_CHECK(prepare_for_ssh(socket));
    const auto pump = ConnectionPump::make(std::move(socket), connection_, *this);
    pump->wake();
    runtime_->io().run();
  });
}

PromptingServer::~PromptingServer() { thread_.join(); }

void PromptingServer::on_event(const Event& event) {
  if (const auto* asked = std::get_if<event::AuthAttempt>(&event)) return judge(asked->attempt);
  if (const auto* open = std::get_if<event::ChannelOpenRequested>(&event))
    return connection_.accept_channel(open->channel);
  const auto* asked = std::get_if<event::ChannelRequested>(&event);
  if (asked == nullptr) return;
  const bool runs = std::holds_alternative<request::Exec>(asked->request);
  if (asked->want_reply) connection_.reply_request(asked->channel, runs);
  if (!runs) return;
  connection_.send_exit_status(asked->channel, kStatus);
  connection_.send_eof(asked->channel);
  connection_.close(asked->channel);
}

void PromptingServer::judge(const attempt::Any& attempt) {
  const auto verdict = [this](bool good) { good ? connection_.accept_auth() : connection_.refuse_auth(); };
  if (std::holds_alternative<attempt::KeyboardStart>(attempt))
    return connection_.ask_prompts("", "Two questions.", {{"First: ", false}, {"Second: ", true}});
  if (const auto* typed = std::get_if<attempt::KeyboardAnswers>(&attempt))
    return verdict(typed->answers == std::vector<std::string_view>{kSecret, kSecret});
  if (std::holds_alternative<attempt::SignedKey>(attempt)) return connection_.accept_auth_partially({"password"});
  if (const auto* password = std::get_if<attempt::Password>(&attempt)) return verdict(password->password == kSecret);
  verdict(std::holds_alternative<attempt::KeyQuery>(attempt));
}

}  // namespace plumb::testing
