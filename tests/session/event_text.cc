#include "tests/session/event_text.h"

#include "core/encoding.h"

namespace plumb::testing {
namespace {

struct Printer {
  static std::string id(ChannelId channel) { return " " + std::to_string(channel); }
  std::string operator()(const event::Idle&) { return "Idle"; }
  std::string operator()(const event::HostKey& e) {
    return "HostKey " + std::string(e.algorithm) + " " + e.key->fingerprint();
  }
  std::string operator()(const event::KeysChanged& e) { return "KeysChanged " + std::to_string(e.count); }
  std::string operator()(const event::Banner& e) { return "Banner " + std::string(e.text); }
  std::string operator()(const event::AuthNeeded& e) {
    return "AuthNeeded " + join_name_list(e.methods) + (e.after_failure ? " failed" : "") +
           (e.partial_success ? " partial" : "");
  }
  std::string operator()(const event::Authenticated&) { return "Authenticated"; }
  std::string operator()(const event::ChannelOpened& e) { return "ChannelOpened" + id(e.channel); }
  std::string operator()(const event::ChannelOpenFailed& e) {
    return "ChannelOpenFailed" + id(e.channel) + " " + std::to_string(e.reason) + " " + std::string(e.description);
  }
  std::string operator()(const event::ChannelData& e) {
    return "ChannelData" + id(e.channel) + (e.is_stderr ? " err " : " out ") + to_hex(e.data);
  }
  std::string operator()(const event::ChannelWritable& e) { return "ChannelWritable" + id(e.channel); }
  std::string operator()(const event::ChannelRequestReply& e) {
    return "ChannelRequestReply" + id(e.channel) + (e.success ? " yes" : " no");
  }
  std::string operator()(const event::ChannelEof& e) { return "ChannelEof" + id(e.channel); }
  std::string operator()(const event::ExitStatus& e) {
    return "ExitStatus" + id(e.channel) + " " + std::to_string(e.status);
  }
  std::string operator()(const event::ExitSignal& e) {
    return "ExitSignal" + id(e.channel) + " " + std::string(e.signal) + (e.core_dumped ? " core " : " ") +
           std::string(e.message);
  }
  std::string operator()(const event::PasswordChangeNeeded& e) {
    return "PasswordChangeNeeded " + std::string(e.prompt);
  }
  std::string operator()(const event::KeyboardPrompts& e) {
    std::string text = "KeyboardPrompts " + std::string(e.name) + "/" + std::string(e.instruction);
    for (const Prompt& prompt : e.prompts) text += " " + std::string(prompt.text) + (prompt.echo ? "+" : "-");
    return text;
  }
  std::string operator()(const event::AuthAttempt& e) {
    return "AuthAttempt " + std::string(e.user) + std::visit(*this, e.attempt);
  }
  std::string operator()(const attempt::None&) { return " none"; }
  std::string operator()(const attempt::KeyQuery& a) { return " query " + std::string(a.algorithm); }
  std::string operator()(const attempt::SignedKey& a) { return " signed " + std::string(a.algorithm); }
  std::string operator()(const attempt::Password& a) { return " password " + std::string(a.password); }
  std::string operator()(const attempt::PasswordChange& a) {
    return " password " + std::string(a.old_password) + " to " + std::string(a.new_password);
  }
  std::string operator()(const attempt::KeyboardStart& a) { return " keyboard " + std::string(a.submethods); }
  std::string operator()(const attempt::KeyboardAnswers& a) {
    std::string text = " answers";
    for (const std::string_view answer : a.answers) text += " " + std::string(answer);
    return text;
  }
  std::string operator()(const event::HostKeys& e) {
    std::string text = "HostKeys";
    for (const PublicKey& key : e.keys) text += " " + key.fingerprint();
    return text;
  }
  std::string operator()(const event::ChannelEndOfWrite& e) { return "ChannelEndOfWrite" + id(e.channel); }
  std::string operator()(const event::ChannelOpenRequested& e) {
    return "ChannelOpenRequested" + id(e.channel) + " " + named(e.target);
  }
  std::string operator()(const event::ChannelRequested& e) {
    return "ChannelRequested" + id(e.channel) + " " + named(e.request) + (e.want_reply ? " ?" : "");
  }
  std::string operator()(const event::GlobalRequested& e) {
    return "GlobalRequested " + named(e.request) + (e.want_reply ? " ?" : "");
  }
  std::string operator()(const event::GlobalReply& e) {
    return "GlobalReply " + std::to_string(e.request) + (e.success ? " yes " : " no ") + to_hex(e.body);
  }
  template <class Variant>
  static std::string named(const Variant& body) {
    return std::string(name_of(body)) + std::visit(
                                            [](const auto& b) {
                                              MessagePrinter printer;
                                              std::decay_t<decltype(b)>::fields(b, printer);
                                              return printer.take();
                                            },
                                            body);
  }
  std::string operator()(const event::ChannelClosed& e) { return "ChannelClosed" + id(e.channel); }
  std::string operator()(const event::Closed& e) {
    return std::string("Closed ") + e.error.text + (e.by_peer ? " by peer " : " by us ") + std::to_string(e.reason) +
           " " + e.description;
  }
};

}  // namespace

std::string to_text(const Event& event) { return std::visit(Printer{}, event); }

}  // namespace plumb::testing
