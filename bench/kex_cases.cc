#include "bench/kex_cases.h"

#include <algorithm>

#include "bench/baseline_kex_libcrypto.h"
#include "ciphers/drbg.h"
#include "ciphers/kernels.h"
#include "core/check.h"
#include "kex/dh_kem.h"
#include "kex/group_exchange.h"
#include "kex/methods.h"
#include "kex/mlkem768.h"
#include "kex/sntrup761.h"

namespace plumb {
namespace {

/// One generator for all, cheap beside what is timed.
RandomSource& random() {
  static ChaChaDrbg drbg(system_random(), host_kernels());
  return drbg;
}

bool same(Bytes a, Bytes b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

/// A client's private value serves once, so its second step is timed together with the first. The group of a group
/// exchange is that of group 16, the nearest of the named ones to what a client of ours asks for.
void add_method(std::vector<KexCase>& cases, const KexMethod& method) {
  const auto start = [&method]() -> std::unique_ptr<KemClient> {
    return method.is_group_exchange() ? start_dh(modp_group16(), random()) : method.start(random());
  };
  const auto respond = [&method](Bytes value) {
    return method.is_group_exchange() ? respond_dh(modp_group16(), value, random()) : method.respond(value, random());
  };
  const std::shared_ptr<KemClient> client = start();
  const std::vector<uint8_t> client_value(client->public_value().begin(), client->public_value().end());
  const KemResponse answer = respond(client_value).value();
  const std::vector<uint8_t> server_value = answer.public_value;
  const Result<SharedSecret> k = client->finish(server_value);
  PLUMB_CHECK(k && same(k->value.bytes(), answer.secret.value.bytes()));

  const std::string name(method.name);
  cases.push_back({name, "start", "plumbline", client_value.size(), [start] { (void)start(); }});
  cases.push_back({name, "respond", "plumbline", server_value.size(),
                   [respond, client_value] { PLUMB_CHECK(respond(client_value).has_value()); }});
  cases.push_back({name, "start+finish", "plumbline", client_value.size(),
                   [start, server_value] { PLUMB_CHECK(start()->finish(server_value).has_value()); }});
}

void add_mlkem(std::vector<KexCase>& cases, const KemKernels& kernels) {
  const std::string who = std::string("plumbline ") + kernels.mlkem->name;
  std::vector<uint8_t> seed(kMlkemSeedSize), message(kMlkemMessageSize);
  random().fill(seed);
  random().fill(message);
  const auto key = std::make_shared<MlkemPrivateKey>(seed, kernels);
  const auto sent =
      std::make_shared<MlkemEncapsulation>(mlkem_encapsulate(key->public_key(), message, kernels).value());
  PLUMB_CHECK(same(key->decapsulate(sent->ciphertext).bytes(), sent->secret.bytes()));
  cases.push_back({"ML-KEM-768", "keygen", who, kMlkemPublicSize, [=] { MlkemPrivateKey(seed, kernels); }});
  cases.push_back({"ML-KEM-768", "encaps", who, kMlkemCiphertextSize,
                   [=] { PLUMB_CHECK(mlkem_encapsulate(key->public_key(), message, kernels).has_value()); }});
  cases.push_back({"ML-KEM-768", "decaps", who, 0, [=] { (void)key->decapsulate(sent->ciphertext); }});
}

void add_sntrup(std::vector<KexCase>& cases, const KemKernels& kernels) {
  const std::string who = std::string("plumbline ") + kernels.sntrup->name;
  const auto key = std::make_shared<SntrupPrivateKey>(random(), kernels);
  const auto sent =
      std::make_shared<SntrupEncapsulation>(sntrup_encapsulate(key->public_key(), random(), kernels).value());
  PLUMB_CHECK(same(key->decapsulate(sent->ciphertext).bytes(), sent->secret.bytes()));
  cases.push_back({"sntrup761", "keygen", who, kSntrupPublicSize, [=] { SntrupPrivateKey(random(), kernels); }});
  cases.push_back({"sntrup761", "encaps", who, kSntrupCiphertextSize,
                   [=] { PLUMB_CHECK(sntrup_encapsulate(key->public_key(), random(), kernels).has_value()); }});
  cases.push_back({"sntrup761", "decaps", who, 0, [=] { (void)key->decapsulate(sent->ciphertext); }});
}

}  // namespace

std::vector<KexCase> kex_cases() {
  std::vector<KexCase> cases;
  static const std::vector<KemKernels> sets = all_kem_kernel_sets(host_cpu());  // the cases refer to them
  for (const KemKernels& kernels : sets) {
    add_mlkem(cases, kernels);
    add_sntrup(cases, kernels);
  }
  for (const KexMethod& method : kex_methods()) {
    add_method(cases, method);
    add_libcrypto_kex(cases, method.name);
  }
  return cases;
}

}  // namespace plumb
