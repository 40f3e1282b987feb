#include "session/ext_info.h"

#include "core/message_ids.h"
#include "core/wire.h"
#include "keys/signature.h"

namespace plumb {
namespace {

constexpr std::string_view kHostboundExtension = "publickey-hostbound@openssh.com";
constexpr std::string_view kHostboundVersion = "0";

}  // namespace

Result<ExtInfo> parse_ext_info(Bytes payload) {
  Reader reader(payload);
  if (reader.u8() != msg::kExtInfo) return fail(ErrorCode::kProtocol, "a message of another type stood for EXT_INFO");
  const uint32_t count = reader.u32();
  if (count > kMaxExtensions) return fail(ErrorCode::kProtocol, "EXT_INFO announces too many extensions");
  ExtInfo info;
  for (uint32_t i = 0; i < count && reader.ok(); i++) {
    const std::string_view name = reader.text();
    const std::string_view value = reader.text();
    if (name == kHostboundExtension && value == kHostboundVersion) info.hostbound = true;
    if (name != "server-sig-algs") continue;
    Result<NameList> names = parse_name_list(value);
    if (!names) return fail(ErrorCode::kProtocol, "server-sig-algs in EXT_INFO is not a list of names");
    info.server_sig_algs = *std::move(names);
  }
  if (!reader.done()) return fail(ErrorCode::kProtocol, "the extensions in EXT_INFO do not fit its length");
  return info;
}

std::vector<uint8_t> server_ext_info(const NameList& signatures) {
  NameList algorithms = signatures;
  if (algorithms.empty()) {
    for (const SignatureAlgorithm& algorithm : signature_algorithms()) algorithms.emplace_back(algorithm.name);
  }
  std::vector<uint8_t> payload;
  Writer writer(payload);
  writer.u8(msg::kExtInfo);
  writer.u32(2);
  writer.text("server-sig-algs");
  writer.name_list(algorithms);
  writer.text(kHostboundExtension);
  writer.text(kHostboundVersion);
  return payload;
}

}  // namespace plumb
