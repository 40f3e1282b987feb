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
  EXPECT_EQ(reading.layer, Layer::kFraming);
  EXPECT_NE(reading.why.find("97 % of that outside cipher and system calls"), std::string::npos) << reading.why;
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

TEST(Reading, ACoreThatOthersHaveIsBusyToo) {
  LayerFigures figures = fast();
  figures.cipher = 9 * kMib;
  figures.rate = 2 * kMib;
  figures.cpu_share = 0.25;
  figures.wait_share = 0.7;
  const Reading reading = read_layers(figures);
  EXPECT_EQ(reading.layer, Layer::kCipher);
  EXPECT_NE(reading.why.find("for 70 % of the time others had it"), std::string::npos) << reading.why;
}

TEST(Reading, OneSftpRequestAtATime) {
  LayerFigures figures = fast();
  figures.flight = 1;
  figures.rate = 120 * kMib;
  EXPECT_EQ(read_layers(figures).layer, Layer::kRequests);
  figures.round_trip = 0.01;
  figures.window = 32 * kMib;
  figures.rate = 22 * kMib;
  const Reading reading = read_layers(figures);
  EXPECT_EQ(reading.layer, Layer::kRequests);
  EXPECT_NE(reading.why.find("requests one at a time in a round trip of 10.0 ms allow 25 MiB/s"), std::string::npos)
      << reading.why;
}

TEST(Reading, AWriteForEachPacketIsWhatOurTimeGoesTo) {
  LayerFigures figures = fast();
  figures.system_share = 0.3;
  figures.sending = true;
  figures.sends_per_gib = 33500;
  const Reading costs = read_costs(figures);
  EXPECT_EQ(costs.layer, Layer::kSystemCalls);
  EXPECT_NE(costs.why.find("33500 writes per GiB to the socket, one for each packet"), std::string::npos) << costs.why;
  EXPECT_EQ(read_layers(figures).layer, Layer::kServer);
  figures.cpu_share = 0.95;
  EXPECT_EQ(read_layers(figures).layer, Layer::kSystemCalls);
  figures.sends_per_gib = 4000;
  EXPECT_EQ(read_costs(figures).why.find("one for each packet"), std::string::npos);
}

TEST(Reading, CostsAreSharesOfTheCoresTime) {
  LayerFigures figures = fast();
  figures.rate = 300 * kMib;
  figures.system_share = 0.25;
  figures.tcp_cpu = 0.13 / (1 << 30);
  const Reading costs = read_costs(figures);
  EXPECT_EQ(costs.layer, Layer::kSystemCalls);
  EXPECT_EQ(costs.why, "62 % of that in system calls; TCP alone costs 10 %");
  figures.system_share = 0.05;
  EXPECT_EQ(read_costs(figures).layer, Layer::kFraming);
}

TEST(Reading, CeilingsInTheOrderOfTheLayers) {
  LayerFigures figures = fast();
  figures.link = 119 * kMib;
  figures.flight = 32 * kMib;
  std::string names;
  for (const Ceiling& ceiling : ceilings_of(figures)) names += std::string(layer_name(ceiling.layer)) + " ";
  EXPECT_EQ(names, "link TCP window requests cipher framing ");
}

TEST(Reading, WithoutAnyCeilingTheCoreDecides) {
  LayerFigures figures;
  figures.rate = 100 * kMib;
  figures.cpu_share = 0.95;
  EXPECT_EQ(read_layers(figures).layer, Layer::kFraming);
  figures.cpu_share = 0.2;
  EXPECT_EQ(read_layers(figures).layer, Layer::kServer);
}

}  // namespace
}  // namespace plumb
