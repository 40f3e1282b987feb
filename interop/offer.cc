#include "interop/offer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace plumb {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kInputLimit = kMaxWireSize + kMaxBytesBeforeIdentification;

std::string system_words(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

}  // namespace

OfferReader::OfferReader(bool from_server) : input_(kInputLimit), identification_reader_(from_server) {}

Result<std::optional<Offer>> OfferReader::take(Bytes bytes) {
  const MutBytes space = input_.space(bytes.size());
  if (space.size() < bytes.size()) return fail(ErrorCode::kLimit, "the peer sends without end");
  std::copy(bytes.begin(), bytes.end(), space.begin());
  input_.commit(bytes.size());
  if (identification_.empty()) {
    const auto line = identification_reader_.next(input_);
    if (!line) return tl::unexpected(line.error());
    if (!*line) return std::nullopt;
    identification_ = **line;
  }
  const auto packet = packets_.next(input_);
  if (!packet) return tl::unexpected(packet.error());
  if (!*packet) return std::nullopt;
  const Bytes payload = (*packet)->payload;
  if (payload[0] != Proposal::kId) return fail(ErrorCode::kProtocol, "the first packet is not KEXINIT");
  auto proposal = parse_proposal(payload);
  if (!proposal) return tl::unexpected(proposal.error());
  return Offer{identification_, *std::move(proposal)};
}

tl::expected<Offer, std::string> ask_peer(int socket, bool from_server, std::chrono::milliseconds timeout) {
  // Some wait for it before they go on.
  const std::string hello = make_identification("Plumbline_0.1") + "\r\n";
  if (send(socket, hello.data(), hello.size(), MSG_NOSIGNAL) < 0) return tl::unexpected(system_words("cannot send"));
  OfferReader reader(from_server);
  const auto deadline = Clock::now() + timeout;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd polled{socket, POLLIN, 0};
    if (left <= 0 || poll(&polled, 1, static_cast<int>(left)) == 0)
      return tl::unexpected(std::string("no KEXINIT came in time"));
    std::array<uint8_t, 4096> chunk;
    const ssize_t n = recv(socket, chunk.data(), chunk.size(), 0);
    if (n < 0) return tl::unexpected(system_words("cannot receive"));
    if (n == 0) return tl::unexpected(std::string("the connection was closed before KEXINIT"));
    auto offer = reader.take(Bytes(chunk).first(static_cast<size_t>(n)));
    if (!offer) return tl::unexpected(describe(offer.error()));
    if (*offer) return **std::move(offer);
  }
}

tl::expected<Offer, std::string> ask_server(uint16_t port, std::chrono::milliseconds timeout) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  tl::expected<Offer, std::string> offer;
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    offer = ask_peer(fd, true, timeout);
  } else {
    offer = tl::unexpected(system_words("cannot connect"));
  }
  close(fd);
  return offer;
}

}  // namespace plumb
