#include <nlohmann/json.hpp>

#include "bench/ssh_report.h"

namespace plumb {
namespace {

using Json = nlohmann::json;

constexpr double kGib = 1 << 30;

Json json_of(const Reading& reading) { return {{"layer", layer_name(reading.layer)}, {"why", reading.why}}; }

template <class T>
void set(Json& json, const char* name, const std::optional<T>& value) {
  if (value) json[name] = *value;
}

void add_phases(Json& json, const TransferRow& row) {
  const auto times = phase_times(row);
  if (!times) return;
  Json& phases = json["phases"] = {{"first_byte_seconds", times->first_byte}};
  set(phases, "connect_seconds", times->connect);
  set(phases, "keys_seconds", times->keys);
  set(phases, "login_seconds", times->login);
}

void add_transfer(Json& json, const SshRun& run, const TransferRow& row) {
  if (too_short(run, row)) json["too_short"] = kTooShort;
  const auto transfer = transfer_of(run, row);
  if (!transfer) return;
  json["bytes_per_second"] = transfer->bytes_per_second;
  json["spread"] = transfer->spread;
  json["cpu_seconds_per_gib"] = transfer->cpu_per_gib;
  if (transfer->calls_per_gib) json["system_calls_per_gib"] = *transfer->calls_per_gib;
  if (!row.ours()) return;
  const LayerFigures figures = figures_of(run, row, *transfer);
  json["binds"] = json_of(read_layers(figures));
  json["costs"] = json_of(read_costs(figures));
  for (const Ceiling& ceiling : ceilings_of(figures))
    json["ceilings"].push_back(
        {{"layer", layer_name(ceiling.layer)}, {"bytes_per_second", ceiling.rate}, {"why", ceiling.why}});
}

Json json_of(const SshRun& run, const TransferRow& row) {
  Json json{{"cipher", row.cipher}, {"workload", row.workload->name}, {"client", row.client->name}};
  if (!row.failure.empty()) json["failed"] = row.failure;
  json["samples"] = {{"seconds", all_of(row, &RunCost::seconds)},
                     {"cpu_seconds", all_of(row, &RunCost::cpu_seconds)},
                     {"system_seconds", all_of(row, &RunCost::system_seconds)},
                     {"peak_bytes", all_of(row, &RunCost::peak_bytes)}};
  if (row.calls) json["system_calls"] = {{"all", row.calls->all}, {"sends", row.calls->sends}};
  if (!row.calls) json["system_calls_unknown"] = row.calls.error();
  add_phases(json, row);
  add_transfer(json, run, row);
  return json;
}

Json json_of(const SshRun& run) {
  Json json{{"target", run.target},
            {"own_server", run.own_server},
            {"mib", run.mib},
            {"counted_mib", run.counted_mib},
            {"round_trip_seconds", run.round_trip}};
  set(json, "link_round_trip_seconds", run.link_round_trip);
  set(json, "link_bytes_per_second", run.link);
  set(json, "held_window", run.held_window);
  set(json, "held_flight", run.held_flight);
  if (run.tcp)
    json["tcp"] = {{"bytes_per_second", run.tcp->bytes_per_second},
                   {"receive_cpu_seconds_per_gib", run.tcp->receive_cpu * kGib},
                   {"send_cpu_seconds_per_gib", run.tcp->send_cpu * kGib}};
  for (const CipherRow& cipher : run.ciphers) {
    Json one{{"cipher", cipher.cipher}, {"agreed", cipher.agreed}};
    if (cipher.rate) one["alone"] = {{"seal", cipher.rate->seal}, {"open", cipher.rate->open}};
    json["ciphers"].push_back(std::move(one));
  }
  json["results"] = Json::array();
  for (const TransferRow& row : run.rows) json["results"].push_back(json_of(run, row));
  return json;
}

Json json_of(const Bounds& bounds) {
  Json json{{"cipher", bounds.cipher}};
  if (bounds.echoes) json["echo_seconds"] = bounds.echoes->seconds;
  if (!bounds.echoes) json["echo_failed"] = bounds.echoes.error();
  if (bounds.stopped_here) json["stopped_here_bytes"] = *bounds.stopped_here;
  if (!bounds.stopped_here) json["stopped_here_failed"] = bounds.stopped_here.error();
  if (bounds.stopped_there) json["stopped_there_bytes"] = *bounds.stopped_there;
  if (!bounds.stopped_there) json["stopped_there_failed"] = bounds.stopped_there.error();
  return json;
}

}  // namespace

void add_to(Json& json, const SshReport& report) {
  json["system_calls_by"] = report.counted_by;
  for (const SshRun& run : report.runs) json["runs"].push_back(json_of(run));
  if (report.bounds) json["bounds"] = json_of(*report.bounds);
  for (const TargetVerdict& v : report.verdicts)
    json["targets"].push_back({{"what", v.what},
                               {"wanted", v.wanted},
                               {"measured", v.measured},
                               {"at_most", v.at_most},
                               {"verdict", v.met() ? "met" : "missed"}});
  for (const std::string& why : report.not_judged) json["not_judged"].push_back(why);
}

}  // namespace plumb
