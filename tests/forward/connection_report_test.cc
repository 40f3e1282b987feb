// What a peer says is shown without steering the terminal.
#include "forward/connection_report.h"
#include "forward/untrusted_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb {
namespace {

using testing::HasSubstr;

TEST(ConnectionReportTest, ControlsAreRemovedAndTextIsKept) {
  EXPECT_EQ(without_controls("a\x1b[2J\tb\r\n\x07\x7f"), "a[2J\tb\n");
  EXPECT_EQ(without_controls("gr\xc3\xbc\xc3\x9f Gott"), "gr\xc3\xbc\xc3\x9f Gott");
  EXPECT_EQ(without_controls("C1 \xc2\x9b"
                             "31m"),
            "C1 31m");
  EXPECT_EQ(without_controls("cut \xc2"), "cut \xc2");
  EXPECT_EQ(on_one_line("two\nlines\n"), "two lines");
}

TEST(ConnectionReportTest, EndNamesPlaceCauseAndDetail) {
  LoginRequest request;
  request.host = "example.org";
  request.port = 2222;
  const event::Closed no_common{
      {ErrorCode::kNoCommon, 0, "no algorithm in common"}, false, 3, "cipher: ours a, theirs b"};
  EXPECT_THAT(explain_end(request, ConnectionOutcome::Stage::kHandshake, no_common, ""),
              HasSubstr("example.org port 2222: no algorithm in common (cipher: ours a, theirs b); name an algorithm"));
  const event::Closed said_why{{ErrorCode::kClosed, 0, "x"}, true, 2, "Too many authentication failures"};
  EXPECT_EQ(explain_end(request, ConnectionOutcome::Stage::kAuth, said_why, ""),
            "example.org port 2222 ended the connection: Too many authentication failures");
  const event::Closed reset{{ErrorCode::kClosed, 0, "the server closed the connection"}, true, 0, ""};
  EXPECT_EQ(explain_end(request, ConnectionOutcome::Stage::kSession, reset, "Connection reset by peer"),
            "example.org port 2222: the server closed the connection: Connection reset by peer");
}

}  // namespace
}  // namespace plumb
