// run_exec against a server whose every step is written here.
#include "forward/exec_client.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "ciphers/drbg.h"
#include "core/message_ids.h"
#include "session/messages.h"
#include "tests/forward/scripted_peer.h"

namespace plumb {
namespace {

using ::testing::HasSubstr;
using testing::Received;
using testing::ScriptedPeer;
using testing::ScriptedServer;

constexpr uint32_t kClientChannel = 0;

/// A pipe; both ends are closed with the object unless taken.
struct Pipe {
  Pipe() { EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0); }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  void close_end(int i) {
    if (ends[i] >= 0) close(ends[i]);
    ends[i] = -1;
  }
  std::string read_all() {
    close_end(1);
    std::string text;
    char buffer[4096];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(n));
    return text;
  }
  int ends[2] = {-1, -1};
};

class ExecClientTest : public ::testing::Test {
 protected:
  ExecRequest request_to(const ScriptedPeer& peer) {
    ExecRequest request;
    request.host = "127.0.0.1";
    request.port = peer.port();
    request.user = "user";
    request.command = "the command";
    request.keys = {key_.get()};
    request.host_key = [](const PublicKey&) -> Result<void> { return {}; };
    return request;
  }

  std::unique_ptr<PrivateKey> key_ = generate_ed25519(system_random());
};

/// What the server sends in place of a plain reply to exec.
void on_exec(ScriptedServer& server, std::function<void()> then) {
  server.intercept = [&server, then = std::move(then)](const Received& packet) {
    if (packet.number() != msg::kChannelRequest) return false;
    server.send(ChannelSuccess{kClientChannel});
    then();
    return true;
  };
}

void send_data(ScriptedServer& server, std::string_view text) {
  server.send(ChannelDataMessage{kClientChannel, as_bytes(text)});
}

void send_status(ScriptedServer& server, uint8_t status) {
  const uint8_t body[4] = {0, 0, 0, status};
  server.send(
      ChannelRequest{.recipient = kClientChannel, .request = "exit-status", .want_reply = false, .rest = Bytes(body)});
}

TEST_F(ExecClientTest, C66StatusCountsWheneverItComes) {
  struct Order {
    const char* name;
    std::function<void(ScriptedServer&)> send;
  };
  const Order orders[] = {
      {"data, EOF, status, CLOSE",
       [](ScriptedServer& s) {
         send_data(s, "all of it");
         s.send(ChannelEofMessage{kClientChannel});
         send_status(s, 7);
         s.send(ChannelClose{kClientChannel});
       }},
      {"status, data, EOF, CLOSE",
       [](ScriptedServer& s) {
         send_status(s, 7);
         send_data(s, "all of it");
         s.send(ChannelEofMessage{kClientChannel});
         s.send(ChannelClose{kClientChannel});
       }},
      {"data, status, CLOSE",
       [](ScriptedServer& s) {
         send_data(s, "all of it");
         send_status(s, 7);
         s.send(ChannelClose{kClientChannel});
       }},
  };
  for (const Order& order : orders) {
    ScriptedPeer peer([&](ScriptedServer& s) { on_exec(s, [&] { order.send(s); }); });
    Pipe output;
    ExecRequest request = request_to(peer);
    request.output_fd = output.ends[1];
    const ExecOutcome outcome = run_exec(request);
    EXPECT_EQ(outcome.stage, ExecOutcome::Stage::kDone) << order.name << ": " << outcome.error_detail;
    EXPECT_TRUE(outcome.exited) << order.name;
    EXPECT_EQ(outcome.exit_status, 7u) << order.name;
    EXPECT_EQ(output.read_all(), "all of it") << order.name;
    peer.join();
    EXPECT_THAT(peer.server().faults(), ::testing::IsEmpty()) << order.name;
  }
}

TEST_F(ExecClientTest, C66NoStatusIsNotZero) {
  ScriptedPeer peer([](ScriptedServer& s) {
    on_exec(s, [&s] {
      send_data(s, "kept");
      s.send(ChannelClose{kClientChannel});
    });
  });
  Pipe output;
  ExecRequest request = request_to(peer);
  request.output_fd = output.ends[1];
  const ExecOutcome outcome = run_exec(request);
  EXPECT_EQ(outcome.stage, ExecOutcome::Stage::kDone);
  EXPECT_FALSE(outcome.exited);
  EXPECT_EQ(output.read_all(), "kept");
}

TEST_F(ExecClientTest, ConnectionThatBreaksKeepsWhatCameBefore) {
  ScriptedPeer peer([](ScriptedServer& s) {
    on_exec(s, [&s] {
      send_data(s, "half of it");
      s.send(Disconnect{.reason = 2, .description = "no\x1b[31m more", .language = {}});
    });
  });
  Pipe output;
  ExecRequest request = request_to(peer);
  request.output_fd = output.ends[1];
  const ExecOutcome outcome = run_exec(request);
  EXPECT_EQ(outcome.stage, ExecOutcome::Stage::kSession);
  EXPECT_THAT(outcome.error_detail, HasSubstr("ended the connection: no[31m more"));
  EXPECT_EQ(output.read_all(), "half of it");
}

TEST_F(ExecClientTest, C52EndOfInputNeedsNoWindow) {
  // The window takes exactly the input; a server that waits for EOF before it reads would wait for ever.
  ScriptedPeer peer(
      [](ScriptedServer& s) {
        s.intercept = [&s](const Received& packet) {
          if (packet.number() != msg::kChannelEof) return false;
          send_status(s, 0);
          s.send(ChannelClose{kClientChannel});
          return true;
        };
      },
      testing::with([](ScriptedServer::Options& o) { o.window = 5; }));
  Pipe input;
  ASSERT_EQ(write(input.ends[1], "12345", 5), 5);
  input.close_end(1);
  ExecRequest request = request_to(peer);
  request.input_fd = input.ends[0];
  request.total_timeout = std::chrono::seconds(20);
  const ExecOutcome outcome = run_exec(request);
  EXPECT_EQ(outcome.stage, ExecOutcome::Stage::kDone) << outcome.error_detail;
  peer.join();
  EXPECT_EQ(as_text(peer.server().channel_bytes()), "12345");
}

TEST_F(ExecClientTest, C52InputGoesThroughASmallWindowByteByByte) {
  ScriptedPeer peer(
      [](ScriptedServer& s) {
        s.intercept = [&s](const Received& packet) {
          if (packet.number() == msg::kChannelData) s.send(ChannelWindowAdjust{kClientChannel, 1});
          if (packet.number() == msg::kChannelEof) s.send(ChannelClose{kClientChannel});
          return false;
        };
      },
      testing::with([](ScriptedServer::Options& o) { o.window = 1; }));
  std::string text;
  for (int i = 0; i < 6000; i++) text += static_cast<char>('a' + i % 26);
  Pipe input;
  ASSERT_EQ(write(input.ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  input.close_end(1);
  ExecRequest request = request_to(peer);
  request.input_fd = input.ends[0];
  const ExecOutcome outcome = run_exec(request);
  EXPECT_EQ(outcome.stage, ExecOutcome::Stage::kDone) << outcome.error_detail;
  EXPECT_EQ(outcome.bytes_out, text.size());
  peer.join();
  EXPECT_EQ(as_text(peer.server().channel_bytes()), text);
}

TEST_F(ExecClientTest, EndsWithTheCommandThoughInputStaysOpen) {
  ScriptedPeer peer([](ScriptedServer& s) {
    on_exec(s, [&s] {
      send_status(s, 0);
      s.send(ChannelClose{kClientChannel});
    });
  });
  Pipe input;
  ExecRequest request = request_to(peer);
  request.input_fd = input.ends[0];
  EXPECT_EQ(run_exec(request).stage, ExecOutcome::Stage::kDone);
}

TEST_F(ExecClientTest, C67ReaderThatHasGoneEndsTheRun) {
  ScriptedPeer peer([](ScriptedServer& s) { on_exec(s, [&s] { send_data(s, "nobody reads this"); }); });
  Pipe output;
  output.close_end(0);
  ExecRequest request = request_to(peer);
  request.output_fd = output.ends[1];
  const ExecOutcome outcome = run_exec(request);
  EXPECT_EQ(outcome.stage, ExecOutcome::Stage::kSession);
  EXPECT_EQ(outcome.error.os_error, EPIPE);
  peer.join();
  EXPECT_EQ(peer.server().count(msg::kChannelClose), 1u);
  EXPECT_EQ(peer.server().count(msg::kDisconnect), 1u);
}

TEST_F(ExecClientTest, LostErrorOutputDoesNotEndTheCommand) {
  ScriptedPeer peer([](ScriptedServer& s) {
    on_exec(s, [&s] {
      s.send(ChannelExtendedData{kClientChannel, 1, as_bytes("a warning")});
      send_data(s, "the result");
      send_status(s, 0);
      s.send(ChannelClose{kClientChannel});
    });
  });
  Pipe output, error;
  error.close_end(0);
  ExecRequest request = request_to(peer);
  request.output_fd = output.ends[1];
  request.error_fd = error.ends[1];
  EXPECT_EQ(run_exec(request).stage, ExecOutcome::Stage::kDone);
  EXPECT_EQ(output.read_all(), "the result");
}

TEST_F(ExecClientTest, C59SlowReaderGetsEverythingAndCreditWaitsForIt) {
  // The output pipe holds 64 KiB and nobody reads: what is granted back cannot be more than what was written.
  constexpr size_t kChunks = 60;
  const std::string chunk(32 * 1024, 'x');
  ScriptedPeer peer([&](ScriptedServer& s) {
    on_exec(s, [&] {
      for (size_t i = 0; i < kChunks; i++) send_data(s, chunk);
      send_status(s, 0);
      s.send(ChannelClose{kClientChannel});
    });
  });
  Pipe output;
  std::string got;
  std::thread reader([&] {
    // Long enough for all of it to have arrived; if it has not, the test merely sees less.
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    char buffer[10'000];
    while (got.size() < kChunks * chunk.size()) {
      const ssize_t n = read(output.ends[0], buffer, sizeof buffer);
      if (n <= 0) return;
      got.append(buffer, static_cast<size_t>(n));
    }
  });
  ExecRequest request = request_to(peer);
  request.output_fd = output.ends[1];
  const ExecOutcome outcome = run_exec(request);
  output.close_end(1);
  reader.join();
  EXPECT_EQ(outcome.stage, ExecOutcome::Stage::kDone) << outcome.error_detail;
  EXPECT_EQ(outcome.bytes_in, kChunks * chunk.size());
  EXPECT_EQ(got.size(), kChunks * chunk.size());
}

TEST_F(ExecClientTest, RefusedCommandIsAnError) {
  ScriptedPeer peer([](ScriptedServer& s) {
    s.intercept = [&s](const Received& packet) {
      if (packet.number() != msg::kChannelRequest) return false;
      s.send(ChannelFailure{kClientChannel});
      return true;
    };
  });
  const ExecOutcome outcome = run_exec(request_to(peer));
  EXPECT_EQ(outcome.stage, ExecOutcome::Stage::kSession);
  EXPECT_THAT(outcome.error_detail, HasSubstr("the exec request was refused"));
}

TEST_F(ExecClientTest, RefusedSessionIsAnError) {
  ScriptedPeer peer([](ScriptedServer& s) {
    s.intercept = [&s](const Received& packet) {
      if (packet.number() != msg::kChannelOpen) return false;
      s.send(ChannelOpenFailure{.recipient = kClientChannel, .reason = 1, .description = "not today", .language = {}});
      return true;
    };
  });
  const ExecOutcome outcome = run_exec(request_to(peer));
  EXPECT_EQ(outcome.stage, ExecOutcome::Stage::kSession);
  EXPECT_THAT(outcome.error_detail, HasSubstr("opens no session: not today"));
}

TEST_F(ExecClientTest, CredentialsAreTriedInOrderAndEachOnce) {
  ScriptedPeer peer(nullptr, testing::with([](ScriptedServer::Options& o) { o.accept_keys = false; }));
  const auto second = generate_ed25519(system_random());
  ExecRequest request = request_to(peer);
  request.keys.push_back(second.get());
  int asked = 0;
  request.password = [&asked] {
    asked++;
    return SecretBytes(as_bytes("wrong"));
  };
  const ExecOutcome outcome = run_exec(request);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(outcome.stage, ExecOutcome::Stage::kAuth);
  EXPECT_EQ(outcome.error.code, ErrorCode::kAuth);
  EXPECT_THAT(outcome.error_detail, HasSubstr("refused with publickey (2 keys), password"));
  EXPECT_THAT(outcome.error_detail, HasSubstr("the server takes publickey,password"));
}

TEST_F(ExecClientTest, PasswordIsNotAskedForWhereTheServerTakesNone) {
  ScriptedPeer peer(nullptr, testing::with([](ScriptedServer::Options& o) {
                      o.accept_keys = false;
                      o.auth_methods = {"publickey"};
                    }));
  ExecRequest request = request_to(peer);
  request.password = [] {
    ADD_FAILURE() << "asked";
    return SecretBytes();
  };
  EXPECT_EQ(run_exec(request).stage, ExecOutcome::Stage::kAuth);
}

TEST_F(ExecClientTest, BannerIsShownWithoutControls) {
  ScriptedPeer peer([](ScriptedServer& s) {
    s.intercept = [&s](const Received& packet) {
      if (packet.number() == msg::kServiceRequest) {
        s.send(ServiceAccept{"ssh-userauth"});
        s.send(UserauthBanner{.text = "\x1b]0;title\x07welcome\n", .language = {}});
        return true;
      }
      if (packet.number() == msg::kChannelRequest) s.send(ChannelClose{kClientChannel});
      return false;
    };
  });
  ExecRequest request = request_to(peer);
  std::string shown;
  request.banner = [&shown](std::string_view text) { shown += text; };
  const ExecOutcome outcome = run_exec(request);
  EXPECT_EQ(shown, "]0;titlewelcome\n");
  EXPECT_EQ(outcome.banner, shown);
}

TEST_F(ExecClientTest, RejectedHostKeyEndsTheRunBeforeAnythingIsShown) {
  ScriptedPeer peer(nullptr);
  ExecRequest request = request_to(peer);
  request.host_key = [](const PublicKey&) -> Result<void> { return fail(ErrorCode::kHostKey, "not this one"); };
  const ExecOutcome outcome = run_exec(request);
  EXPECT_EQ(outcome.stage, ExecOutcome::Stage::kHandshake);
  EXPECT_EQ(outcome.error.code, ErrorCode::kHostKey);
  peer.join();
  EXPECT_EQ(peer.server().count(msg::kNewKeys), 0u);
  EXPECT_EQ(peer.server().count(msg::kServiceRequest), 0u);
}

TEST_F(ExecClientTest, TotalTimeoutEndsACommandThatNeverEnds) {
  ScriptedPeer peer([](ScriptedServer& s) { on_exec(s, [&s] { send_data(s, "and then nothing"); }); });
  ExecRequest request = request_to(peer);
  request.total_timeout = std::chrono::milliseconds(500);
  const ExecOutcome outcome = run_exec(request);
  EXPECT_EQ(outcome.stage, ExecOutcome::Stage::kSession);
  EXPECT_EQ(outcome.error.code, ErrorCode::kTimeout);
}

TEST_F(ExecClientTest, TotalTimeoutEndsAnOutputThatNobodyReads) {
  const std::string chunk(32 * 1024, 'x');
  ScriptedPeer peer([&](ScriptedServer& s) {
    on_exec(s, [&] {
      for (int i = 0; i < 20; i++) send_data(s, chunk);
      send_status(s, 0);
      s.send(ChannelClose{kClientChannel});
    });
  });
  Pipe output;
  ExecRequest request = request_to(peer);
  request.output_fd = output.ends[1];
  request.total_timeout = std::chrono::milliseconds(500);
  EXPECT_EQ(run_exec(request).error.code, ErrorCode::kTimeout);
}

TEST_F(ExecClientTest, SilentServerEndsWithTheHandshakeTimeout) {
  auto runtime = Runtime::create();
  ASSERT_TRUE(runtime);
  auto acceptor = listen(**runtime, "127.0.0.1", 0);
  ASSERT_TRUE(acceptor);
  ExecRequest request;
  request.host = "127.0.0.1";
  request.port = acceptor->local_endpoint().port();
  request.user = "user";
  request.host_key = [](const PublicKey&) -> Result<void> { return {}; };
  request.config.timeouts.handshake = std::chrono::milliseconds(300);
  const ExecOutcome outcome = run_exec(request);
  EXPECT_EQ(outcome.stage, ExecOutcome::Stage::kHandshake);
  EXPECT_EQ(outcome.error.code, ErrorCode::kTimeout);
  EXPECT_THAT(outcome.error_detail, HasSubstr("did not identify itself in time"));
}

TEST_F(ExecClientTest, ProgressNamesWhatWasNegotiated) {
  ScriptedPeer peer([](ScriptedServer& s) { on_exec(s, [&s] { s.send(ChannelClose{kClientChannel}); }); });
  ExecRequest request = request_to(peer);
  std::string lines;
  request.progress = [&lines](std::string_view line) { lines += std::string(line) + "\n"; };
  const ExecOutcome outcome = run_exec(request);
  EXPECT_THAT(lines, HasSubstr("connected to 127.0.0.1 port"));
  EXPECT_THAT(lines, HasSubstr("server is SSH-2.0-Scripted"));
  ASSERT_TRUE(outcome.agreed);
  EXPECT_THAT(lines, HasSubstr(std::string(outcome.agreed->kex->name)));
  EXPECT_THAT(lines, HasSubstr("authenticated as user"));
  EXPECT_EQ(outcome.server_identification, "SSH-2.0-Scripted");
}

}  // namespace
}  // namespace plumb
