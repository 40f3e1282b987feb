// Injected slowness is named: each layer in turn is made the one that binds.
#include "bench/reading.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

constexpr double kMib = 1 << 20;

// A fast path and a fast client that carry 400 MiB/s because the server makes no more.
LayerFigures fast() {
  LayerFigures figures;
  figures.rate = 400 * kMib;
  figures.cpu_share = 0.4;
  figures.cipher = 3000 * kMib;
  figures.tcp = 2000 * kMib;
  figures.round_trip = 0.0001;
  figures.window = 2 * kMib;
  return figures;
}

TEST(Reading, AnIdleClientWaitsForTheServer) {
  const Reading reading = read_layers(fast());
  EXPECT_EQ(reading.layer, Layer::kServer);
  EXPECT_NE(reading.why.find("busy for 40 % of the time"), std::string::npos) << reading.why;
}

TEST(Reading, ASlowCipherIsConvicted) {
  // The GHASH of the dartssh2 of 2026: 1.9 MiB/s, and the whole client with it.
  LayerFigures figures = fast();
  figures.cipher = 1.9 * kMib;
  figures.rate = 1.85 * kMib;
  figures.cpu_share = 0.99;
  const Reading reading = read_layers(figures);
  EXPECT_EQ(reading.layer, Layer::kCipher);
  EXPECT_NE(reading.why.find("98 % of that with the cipher"), std::string::npos) << reading.why;
}

TEST(Reading, AFastCipherInASlowClientIsNot) {
  LayerFigures figures = fast();
  figures.rate = 100 * kMib;
  figures.cpu_share = 1;
  const Reading reading = read_layers(figures);
  EXPECT_EQ(reading.layer, Layer::kTransport);
  EXPECT_NE(reading.why.find("97 % of that outside the cipher"), std::string::npos) << reading.why;
}

TEST(Reading, AWindowOfALongPath) {
  LayerFigures figures = fast();
  figures.round_trip = 0.1;
  figures.rate = 19 * kMib;
  figures.cpu_share = 0.05;
  const Reading reading = read_layers(figures);
  EXPECT_EQ(reading.layer, Layer::kWindow);
  EXPECT_NE(reading.why.find("2.0 MiB of window in a round trip of 100.0 ms allow 20 MiB/s"), std::string::npos)
      << reading.why;
}

TEST(Reading, TheLinkBeforeAWindowThatAllowsMore) {
  LayerFigures figures = fast();
  figures.round_trip = 0.1;
  figures.window = 32 * kMib;
  figures.link = 119 * kMib;
  figures.tcp.reset();
  figures.rate = 110 * kMib;
  EXPECT_EQ(read_layers(figures).layer, Layer::kLink);
}

TEST(Reading, TcpItself) {
  LayerFigures figures = fast();
  figures.rate = 1700 * kMib;
  figures.cpu_share = 1;
  EXPECT_EQ(read_layers(figures).layer, Layer::kTcp);
}

TEST(Reading, WithoutAnyCeilingTheCoreDecides) {
  LayerFigures figures;
  figures.rate = 100 * kMib;
  figures.cpu_share = 0.95;
  EXPECT_EQ(read_layers(figures).layer, Layer::kTransport);
  figures.cpu_share = 0.2;
  EXPECT_EQ(read_layers(figures).layer, Layer::kServer);
}

}  // namespace
}  // namespace plumb
