// Connections recorded with OpenSSH, met again without it: from the same seed and the peer's bytes, in any chunking, we
// must send what we sent then, to the byte, and tell the same events. The peer understood every byte of it.
#include "tests/session/transcript.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "kex/methods.h"
#include "keys/signature.h"
#include "tests/session/test_server.h"
#include "tests/testing/seeded_random.h"

namespace plumb::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = PLUMB_TRANSCRIPTS;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void expect_replay(const TranscriptCase& which, const Transcript& recorded, const std::function<size_t()>& piece) {
  const std::unique_ptr<TestEnd> end = transcript_end(which, recorded.user);
  end->poll();
  const std::vector<uint8_t> input = recorded.sent(false);
  for (Bytes rest = input; !rest.empty();) {
    const size_t n = std::min(rest.size(), piece());
    end->feed(rest.first(n));
    rest = rest.subspan(n);
  }
  EXPECT_EQ(end->events(), recorded.events);
  EXPECT_TRUE(end->take_output() == recorded.sent(true)) << "other output";
}

class TranscriptTest : public ::testing::TestWithParam<TranscriptCase> {};

TEST_P(TranscriptTest, C11C12C20AnyChunkingGivesTheRecordedOutputAndEvents) {
  const std::string text = text_of(kFolder / GetParam().file());
  ASSERT_FALSE(text.empty()) << "no " << GetParam().file() << ": record it as tests/transcripts/README.md says";
  const Result<Transcript> recorded = parse_transcript(text);
  ASSERT_TRUE(recorded) << recorded.error().text;
  ASSERT_TRUE(recorded->peer.starts_with("SSH-2.0-OpenSSH_")) << recorded->peer;
  ASSERT_FALSE(recorded->events.empty());
  for (const size_t size : {SIZE_MAX, size_t{1}}) expect_replay(GetParam(), *recorded, [size] { return size; });
  SeededRandom random;
  for (int round = 0; round < 3; round++) {
    const uint64_t largest = uint64_t{8} << (4 * round);
    expect_replay(GetParam(), *recorded, [&] { return 1 + random.below(largest); });
  }
}

// What makes the recording worth its place: a login, data both ways under the first keys and under the second.
TEST_P(TranscriptTest, HoldsAWholeConnection) {
  const Result<Transcript> recorded = parse_transcript(text_of(kFolder / GetParam().file()));
  ASSERT_TRUE(recorded);
  const auto count = [&](std::string_view prefix) {
    return std::ranges::count_if(recorded->events, [&](const std::string& e) { return e.starts_with(prefix); });
  };
  EXPECT_EQ(count(GetParam().role == Role::kClient ? "Authenticated" : "AuthAttempt user signed ssh-ed25519"), 1);
  EXPECT_EQ(count("KeysChanged"), 2);
  EXPECT_EQ(count("ChannelEof"), 1);
  EXPECT_GE(count("ChannelData"), 1);
  EXPECT_EQ(count("ChannelClosed"), 1);
  EXPECT_TRUE(recorded->events.back().starts_with("Closed")) << recorded->events.back();
}

std::string test_name(const ::testing::TestParamInfo<TranscriptCase>& info) {
  std::string name = info.param.file();
  name.resize(name.size() - std::string_view(".txt").size());
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(OpenSsh, TranscriptTest, ::testing::ValuesIn(transcript_cases()), test_name);

TEST(Transcripts, EveryFileBelongsToACase) {
  std::vector<std::string> expected, found;
  for (const TranscriptCase& which : transcript_cases()) expected.push_back(which.file());
  for (const char* role : {"client", "server"})
    for (const auto& entry : fs::directory_iterator(kFolder / role))
      found.push_back(std::string(role) + "/" + entry.path().filename().string());
  std::ranges::sort(expected);
  std::ranges::sort(found);
  EXPECT_EQ(found, expected);
}

TEST(Transcripts, OtherLinesAreRefused) {
  EXPECT_TRUE(parse_transcript("# about\npeer x\nuser y\n> AAAA\n< AAAA\n! Idle\n"));
  for (const char* text : {"x\n", "> A\n", "\n", "peers x\n"}) EXPECT_FALSE(parse_transcript(text)) << text;
}

// A replay is possible because nothing is drawn from elsewhere. Here for the methods that the recorded peer lacks, too.
TEST(InjectedRandomness, EveryKexMethodTakesItFromTheConfigurationAlone) {
  for (const KexMethod& method : kex_methods()) {
    const auto run = [&method] {
      ConnectionConfig config;
      config.algorithms.kex = {std::string(method.name)};
      config.algorithms.host_keys = {"ssh-ed25519"};
      TestClient client(config);
      TestServer server(config);
      std::vector<uint8_t> wire;
      for (bool moved = true; moved;) {
        client.poll();
        const std::vector<uint8_t> up = client.take_output();
        server.feed(up);
        const std::vector<uint8_t> down = server.take_output();
        client.feed(down);
        wire.insert(wire.end(), up.begin(), up.end());
        wire.insert(wire.end(), down.begin(), down.end());
        moved = !up.empty() || !down.empty();
      }
      EXPECT_TRUE(client.authenticated()) << client.closed_text();
      return wire;
    };
    EXPECT_TRUE(run() == run()) << method.name;
  }
}

// The only thing of a connection that a seed does not repeat: libcrypto draws the nonces of ECDSA itself.
TEST(InjectedRandomness, EcdsaAloneSignsWithRandomnessOfItsOwn) {
  for (const char* type : {"ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384"}) {
    const Result<std::unique_ptr<StoredKey>> key = generate_key(type, system_random(), 0);
    ASSERT_TRUE(key) << key.error().text;
    const std::string_view algorithm = algorithms_of_key_type(type).front();
    const Bytes data = as_bytes("data");
    const bool repeats = (*key)->sign(algorithm, data).value() == (*key)->sign(algorithm, data).value();
    EXPECT_EQ(repeats, !std::string_view(type).starts_with("ecdsa")) << type;
  }
}

}  // namespace
}  // namespace plumb::testing
