#include "packet/identification.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/packet/suites.h"

namespace plumb {
namespace {

using testing::append;

using Outcome = Result<std::optional<std::string>>;

/// Feeds `text` in pieces of `chunk` bytes until the reader has an answer; what was not needed stays in `rest`.
Outcome read(IdentificationReader& reader, std::string_view text, size_t chunk, std::string* rest = nullptr) {
  Buffer in{1 << 20};
  Outcome outcome = reader.next(in);
  while (outcome && !*outcome && !text.empty()) {
    append(in, as_bytes(text.substr(0, chunk)));
    text.remove_prefix(std::min(chunk, text.size()));
    outcome = reader.next(in);
  }
  if (rest != nullptr) *rest = std::string(as_text(in.data())) + std::string(text);
  return outcome;
}

Outcome read_from_server(std::string_view text, size_t chunk = 1 << 20) {
  IdentificationReader reader(true);
  return read(reader, text, chunk);
}

Outcome read_from_client(std::string_view text, size_t chunk = 1 << 20) {
  IdentificationReader reader(false);
  return read(reader, text, chunk);
}

void expect_read(const Outcome& outcome, std::string_view identification) {
  ASSERT_TRUE(outcome.has_value()) << outcome.error().text;
  ASSERT_TRUE(outcome->has_value()) << "the reader wants more";
  EXPECT_EQ(**outcome, identification);
}

void expect_refused(const Outcome& outcome, ErrorCode code) {
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().code, code) << outcome.error().text;
}

std::string lines_before() {
  std::string text = "hello\r\n\r\n";
  for (int i = 0; i < 20; i++) text += "Zeile " + std::to_string(i) + ": größer als ASCII, \xe2\x9c\x93\n";
  return text;
}

TEST(Identification, C16_ClientSkipsLinesBefore) {
  IdentificationReader reader(true);
  expect_read(read(reader, lines_before() + "SSH-2.0-x\r\n", 1 << 20), "SSH-2.0-x");
  ASSERT_EQ(reader.lines_before().size(), 22u);
  EXPECT_EQ(reader.lines_before()[0], "hello");
  EXPECT_EQ(reader.lines_before()[1], "");
  EXPECT_EQ(reader.lines_before()[2], "Zeile 0: größer als ASCII, \xe2\x9c\x93");
}

TEST(Identification, C16_LineThatOnlyLooksLikeOneIsSkipped) {
  expect_read(read_from_server("ssh-2.0-small\r\nSSH\r\n SSH-2.0-indented\r\nS\nSSH-2.0-x\r\n"), "SSH-2.0-x");
}

TEST(Identification, C16_ServerAllowsNoLineBefore) {
  expect_refused(read_from_client("GET / HTTP/1.1\r\n\r\n"), ErrorCode::kProtocol);
  expect_refused(read_from_client("SSX"), ErrorCode::kProtocol);  // at once, without waiting for the line's end
  expect_refused(read_from_client("\r\nSSH-2.0-x\r\n"), ErrorCode::kProtocol);
  expect_read(read_from_client("SSH-2.0-x\r\n"), "SSH-2.0-x");
}

TEST(Identification, C17_EndlessLineIsGivenUp) {
  IdentificationReader reader(true);
  Buffer in{1 << 20};
  size_t fed = 0;
  Outcome outcome;
  do {
    append(in, as_bytes(std::string(100, 'A')));
    fed += 100;
    outcome = reader.next(in);
  } while (outcome && fed < (1 << 20));
  expect_refused(outcome, ErrorCode::kLimit);
  EXPECT_LE(fed, kMaxBytesBeforeIdentification + 100);
  EXPECT_TRUE(reader.lines_before().empty());
}

TEST(Identification, C17_EndlessIdentificationIsGivenUp) {
  expect_refused(read_from_server("SSH-2.0-" + std::string(1 << 19, 'A'), 64), ErrorCode::kLimit);
  expect_refused(read_from_client("SSH-2.0-" + std::string(1 << 19, 'A'), 64), ErrorCode::kLimit);
}

TEST(Identification, C17_ManyShortLinesAreGivenUp) {
  std::string text;
  for (int i = 0; i < 100000; i++) text += "\n";
  IdentificationReader reader(true);
  expect_refused(read(reader, text, 1000), ErrorCode::kLimit);
  EXPECT_EQ(reader.lines_before().size(), kMaxLinesBeforeIdentification);
}

TEST(Identification, C17_AsManyLinesAsAllowedArePassed) {
  std::string text;
  for (size_t i = 0; i < kMaxLinesBeforeIdentification; i++) text += "line\r\n";
  expect_read(read_from_server(text + "SSH-2.0-x\r\n", 7), "SSH-2.0-x");
  expect_read(read_from_server(std::string(8191, 'A') + "\nSSH-2.0-x\r\n"), "SSH-2.0-x");
  expect_refused(read_from_server(std::string(8192, 'A') + "\nSSH-2.0-x\r\n"), ErrorCode::kLimit);
}

TEST(Identification, C18_LineEndingIsStrippedAndNothingElse) {
  expect_read(read_from_server("SSH-2.0-a\n"), "SSH-2.0-a");
  expect_read(read_from_server("SSH-2.0-a b c  \r\n"), "SSH-2.0-a b c  ");
  expect_read(read_from_server("SSH-1.99-a\r\n"), "SSH-1.99-a");
  expect_read(read_from_server("SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n"), "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3");
}

TEST(Identification, C18_OddOnesAreRefused) {
  using namespace std::string_view_literals;
  expect_refused(read_from_server("SSH-2.0-\r\n"), ErrorCode::kProtocol);
  expect_refused(read_from_server("SSH-1.5-x\r\n"), ErrorCode::kUnsupported);
  expect_refused(read_from_server("SSH-2.0-a\0b\r\n"sv), ErrorCode::kProtocol);
  expect_refused(read_from_server("SSH-2.0-a\rb\r\n"), ErrorCode::kProtocol);
  expect_refused(read_from_server("SSH-\r\n"), ErrorCode::kUnsupported);
  expect_refused(read_from_server("SSH-3.0-x\r\n"), ErrorCode::kUnsupported);
  expect_refused(read_from_server("SSH-2.0\r\n"), ErrorCode::kUnsupported);
  expect_refused(read_from_server("a\0b\r\nSSH-2.0-x\r\n"sv), ErrorCode::kProtocol);
}

TEST(Identification, C19_UpTo255BytesWithCrLf) {
  const std::string longest = "SSH-2.0-" + std::string(245, 'x');
  for (size_t chunk : {size_t{1}, size_t{254}, size_t{4096}}) {
    expect_read(read_from_server(longest + "\r\n", chunk), longest);
    expect_refused(read_from_server(longest + "x\r\n", chunk), ErrorCode::kLimit);
  }
}

TEST(Identification, C20_GluedOrTornTheSame) {
  const std::string first_flight = lines_before() + "SSH-2.0-x y\r\n";
  const std::string kexinit(20000, '\n');
  const std::string all = first_flight + kexinit;
  for (size_t chunk = 1; chunk <= first_flight.size() + 1; chunk++) {
    IdentificationReader reader(true);
    std::string rest;
    expect_read(read(reader, all, chunk, &rest), "SSH-2.0-x y");
    ASSERT_EQ(rest, kexinit) << "in pieces of " << chunk;
    ASSERT_EQ(reader.lines_before().size(), 22u);
  }
}

TEST(Identification, OursIsWellFormed) {
  EXPECT_EQ(make_identification("Plumbline_0.1"), "SSH-2.0-Plumbline_0.1");
  expect_read(read_from_client(make_identification("Plumbline_0.1") + "\r\n"), "SSH-2.0-Plumbline_0.1");
}

TEST(IdentificationDeathTest, MalformedSoftwareVersionAborts) {
  EXPECT_DEATH(make_identification(""), "check failed");
  EXPECT_DEATH(make_identification("a b"), "check failed");
  EXPECT_DEATH(make_identification("a-b"), "check failed");
  EXPECT_DEATH(make_identification("a\r"), "check failed");
  EXPECT_DEATH(make_identification("\xc3\xa4"), "check failed");
  EXPECT_DEATH(make_identification(std::string(246, 'x')), "check failed");
}

}  // namespace
}  // namespace plumb
