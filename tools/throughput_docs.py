#!/usr/bin/env python3
"""Carries out the experiments of docs/where-throughput-goes.md and keeps their figures in docs/bench/.

    throughput_docs.py BIN [--samples N] [--only dispatch|chunking|ghash]

BIN is the folder of cipher_bench, ssh_bench and plumb, such as build/release/bin. The tables are filled in by bench_docs.py.
What is not asked for stays as it was kept."""
import argparse
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

SCHEMA = "plumb.throughput_docs/1"
STORE = "docs/bench/where_throughput_goes.json"
TOOLS = pathlib.Path(__file__).resolve().parent
MIB = 1 << 20

GCM = "aes256-gcm@openssh.com"
CHACHA = "chacha20-poly1305@openssh.com"
BULK, PER_BLOCK = "raw aes256-ctr", "raw aes256-ctr, 16 bytes a call"
SIZES = [16, 64, 256, 1024, 4096, 32768]

ROUND_TRIPS = [0, 20, 100]  # ms
# Bytes of a request and requests in flight, as `sftp -B -R` takes them.
PLANS = [(32768, 1), (32768, 16), (32768, 64), (32768, 256), (261120, 64)]
SFTP, PLUMB = "sftp by itself", "plumb by itself"
CLIENTS = [*PLANS, SFTP, PLUMB]
OPENSSH_WINDOW = 2 * MIB  # of a channel, under its client as under its server
SECONDS = 4  # that a transfer over a delayed path should take: requests in flight grow from one
MOST_MIB = 96

KERNELS = ["", "gcm=portable", "gcm=bitwise"]
CIPHER_SAMPLES = 31  # half a millisecond each


def say(text):
    print("throughput_docs: " + text, file=sys.stderr)


def report_of(command, **environment):
    say(" ".join(f"{k}={v}" for k, v in environment.items()) + " " + " ".join(map(str, command)))
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, **environment})
    if not done.stdout:
        sys.exit(f"throughput_docs: {command[0]} gave no report: {done.stderr.strip()}")
    return json.loads(done.stdout)


def four_digits(value):
    return float(f"{value:.4g}")


# What a cipher costs per call: blocks one by one against whole packets, and packets of every size.

def run_dispatch(bin_folder, _):
    common = ["--operation", "seal", "--samples", str(CIPHER_SAMPLES), "--json", "-"]
    ctr = report_of([bin_folder / "cipher_bench", "--primitives", "--cipher", BULK, "--cipher", PER_BLOCK,
                     "--size", "32768", *common])
    sizes = [word for size in SIZES for word in ("--size", str(size))]
    packets = report_of([bin_folder / "cipher_bench", "--cipher", GCM, "--cipher", CHACHA, *sizes, *common])
    keep = ("cipher", "operation", "bytes", "implementation", "ours", "cycles_per_byte", "ns_per_packet", "gigabytes_per_second")
    rows = [{k: four_digits(r[k]) if isinstance(r[k], float) else r[k] for k in keep}
            for r in ctr["results"] + packets["results"]]
    return {"environment": ctr["environment"], "samples": CIPHER_SAMPLES, "rows": rows}


# What SFTP's requests allow over a path.

class Target:
    """A private sshd (tools/bench_target.sh) for as long as the `with` lasts."""

    def __enter__(self):
        self.place = tempfile.TemporaryDirectory(prefix="throughput_docs-")
        self.folder = pathlib.Path(self.place.name)
        self.script("up")
        lines = (self.folder / ".env").read_text().splitlines()
        found = dict(line.removeprefix("PLUMB_BENCH_").split("=", 1) for line in lines if not line.startswith("#"))
        self.host, self.port, self.user, self.key = (found[name] for name in ("HOST", "PORT", "USER", "KEY"))
        self.host_key = " ".join(pathlib.Path(found["KNOWN_HOSTS"]).read_text().split()[1:])
        return self

    def __exit__(self, *_):
        self.script("down")
        self.place.cleanup()

    def script(self, command):
        subprocess.run([TOOLS / "bench_target.sh", command], cwd=self.folder, check=True)


class Path:
    """`plumb relay` in front of a target; without a delay the target itself."""

    def __init__(self, target, plumb, round_trip):
        self.target, self.port, self.relay = target, target.port, None
        if round_trip > 0:
            self.relay = subprocess.Popen([plumb, "relay", "--delay", f"{round_trip / 2}ms", f"{target.host}:{target.port}"],
                                          stderr=subprocess.PIPE, text=True)
            self.port = re.search(r"port (\d+)", self.relay.stderr.readline()).group(1)
        self.known_hosts = target.folder / f"known_hosts-{round_trip}"
        self.known_hosts.write_text(f"[{target.host}]:{self.port} {target.host_key}\n")

    def close(self):
        if self.relay is not None:
            self.relay.terminate()
            self.relay.wait()

    def copy(self, client, direction, plumb, source):
        """How long a client takes from its start to its end for one file, in seconds."""
        login, sink = f"{self.target.user}@{self.target.host}", self.target.folder / "sink"
        options = ["-P", self.port, "-i", self.target.key, "-o", f"UserKnownHostsFile={self.known_hosts}",
                   "-o", "StrictHostKeyChecking=yes", "-o", "BatchMode=yes"]
        batch = f"{direction} {source} {sink}\n"
        if client == PLUMB:
            ends = [f"{login}:{source}", sink] if direction == "get" else [source, f"{login}:{sink}"]
            words = [plumb, direction, *options, *ends]
        else:
            plan = [] if client == SFTP else ["-B", str(client[0]), "-R", str(client[1])]
            words = ["sftp", "-q", "-b", "-", "-F", "none", *options, *plan, login]
        start = time.monotonic()
        subprocess.run(words, input=batch, text=True, check=True, stdout=subprocess.DEVNULL)
        return time.monotonic() - start


def allowed(client, round_trip):
    """Bytes a second that the requests of a plan and OpenSSH's window let through."""
    under_way = min(OPENSSH_WINDOW, client[0] * client[1]) if client in PLANS else OPENSSH_WINDOW
    return under_way / (round_trip / 1000)


def mib_for(client, round_trip):
    if round_trip == 0:
        return MOST_MIB
    return max(1, min(MOST_MIB, round(allowed(client, round_trip) * SECONDS / MIB)))


def zeros(folder, mib):
    path = folder / f"zeros-{mib}"
    if not path.exists():
        with open(path, "wb") as file:
            file.truncate(mib * MIB)
    return path


def run_chunking(bin_folder, samples):
    """One sample of each in every round, of which the fastest counts; what connecting takes is taken off, as an empty file
    tells it."""
    plumb = bin_folder / "plumb"
    clients = CLIENTS
    if not re.search(r"^ +get ", subprocess.run([plumb, "--help"], stdout=subprocess.PIPE, text=True).stdout, re.M):
        say("this plumb has no get; its rows are left out")
        clients = [c for c in CLIENTS if c != PLUMB]
    cases = [(round_trip, direction, client)
             for round_trip in ROUND_TRIPS for client in clients for direction in ("get", "put")]
    seconds = {case: [] for case in cases}
    bare = {case: [] for case in cases if case[2] not in PLANS}
    with Target() as target:
        paths = {round_trip: Path(target, plumb, round_trip) for round_trip in ROUND_TRIPS}
        try:
            for number in range(samples):
                say(f"chunking, round {number + 1} of {samples}")
                for case in cases:
                    round_trip, direction, client = case
                    copied = functools.partial(paths[round_trip].copy, client, direction, plumb)
                    seconds[case].append(copied(zeros(target.folder, mib_for(client, round_trip))))
                    if case in bare:
                        bare[case].append(copied(zeros(target.folder, 0)))
        finally:
            for path in paths.values():
                path.close()
    rows = []
    for (round_trip, direction, client), taken in seconds.items():
        mib = mib_for(client, round_trip)
        connecting = min(bare[round_trip, direction, PLUMB if client == PLUMB else SFTP])
        rows.append({"round_trip_ms": round_trip, "direction": direction, "client": client_name(client), "mib": mib,
                     "mib_per_second": four_digits(mib / (min(taken) - connecting)),
                     "connecting_seconds": round(connecting, 3), "seconds": [round(s, 3) for s in taken]})
    version = subprocess.run(["ssh", "-V"], stderr=subprocess.PIPE, text=True).stderr.split(",")[0].strip()
    return {"openssh": version, "samples": samples, "rows": rows}


# Whether a slow GHASH is found.

def run_ghash(bin_folder, samples):
    alone = report_of([bin_folder / "cipher_bench", "--cipher", GCM, "--size", "32768", "--samples",
                       str(CIPHER_SAMPLES), "--operation", "seal", "--operation", "open", "--json", "-"])
    keep = ("operation", "implementation", "gigabytes_per_second", "cycles_per_byte")
    store = {"samples": samples, "transfers": [], "alone": [
        {k: four_digits(r[k]) if isinstance(r[k], float) else r[k] for k in keep} for r in alone["results"]]}
    for kernels in KERNELS:
        report = report_of([bin_folder / "ssh_bench", "--mib", "64", "--rounds", str(samples), "--ciphers", GCM,
                            "--workloads", "download,upload,get,put", "--json", "-"], PLUMB_KERNELS=kernels)
        run = report["runs"][0]
        rates = {(r["workload"], r["client"]): r.get("bytes_per_second") for r in run["results"]}
        for row in run["results"]:
            if row["client"] != "plumb" or "binds" not in row:
                continue
            rival = rates.get((row["workload"], "sftp" if row["workload"] in ("get", "put") else "ssh"))
            store["transfers"].append({
                "kernels": kernels, "workload": row["workload"], "mib_per_second": four_digits(row["bytes_per_second"] / MIB),
                "times_openssh": four_digits(row["bytes_per_second"] / rival) if rival else None,
                "binds": row["binds"]["layer"], "binds_why": row["binds"]["why"],
                "costs": row["costs"]["layer"], "costs_why": row["costs"]["why"]})
    return store


# The tables: each a head and rows of cells, from what was kept.

def per_block_table(store):
    by_name = {}
    for row in store["dispatch"]["rows"]:
        if row["cipher"] in (BULK, PER_BLOCK):
            by_name.setdefault(row["implementation"], {})[row["cipher"]] = row["cycles_per_byte"]
    rows = [[name, f"{of[BULK]:.2f}", f"{of[PER_BLOCK]:.2f}", f"{16 * of[PER_BLOCK]:.0f}", f"{of[PER_BLOCK] / of[BULK]:.1f}"]
            for name, of in by_name.items() if len(of) == 2]
    return ["aes256-ctr", "cycles/B, 32 KiB a call", "cycles/B, 16 bytes a call", "cycles a call", "times as slow"], rows


def packet_size_table(store):
    rows = []
    for cipher in (GCM, CHACHA):
        found = [r for r in store["dispatch"]["rows"] if r["cipher"] == cipher]
        best = next(r["implementation"] for r in found if r["ours"])
        for name in (best, "libcrypto"):
            of = {r["bytes"]: r for r in found if r["implementation"] == name}
            rows.append([cipher, name, *(f"{of[size]['cycles_per_byte']:.2f}" for size in SIZES)])
    return ["cycles/B", "", *(f"{size} B" for size in SIZES)], rows


def client_name(client):
    if client not in PLANS:
        return client
    size, in_flight = client
    return f"{size // 1024} KiB × {in_flight}"


def chunking_table(store):
    rates = {(r["client"], r["direction"], r["round_trip_ms"]): r["mib_per_second"] for r in store["chunking"]["rows"]}
    rows = []
    for client in CLIENTS:
        name = client_name(client)
        if (name, "get", 0) not in rates:
            continue
        cells = [f"{client[0] * client[1] / MIB:.2f}" if client in PLANS else ""]
        for round_trip in ROUND_TRIPS:
            for direction in ("get", "put"):
                rate = rates[name, direction, round_trip]
                cells.append(f"{rate / rates[SFTP, direction, 0]:.2f} ×" if round_trip == 0 else f"{rate:.1f}")
            if round_trip > 0:
                cells.append("" if client == PLUMB else f"{allowed(client, round_trip) / MIB:.1f}")
        rows.append([name, *cells])
    head = ["request × in flight", "MiB asked for", "no delay: get", "put"]
    for round_trip in ROUND_TRIPS[1:]:
        head += [f"{round_trip} ms: get", "put", "allowed"]
    return head, rows


def ghash_alone_table(store):
    rows = []
    names = list(dict.fromkeys(r["implementation"] for r in store["ghash"]["alone"]))
    rate = {(r["implementation"], r["operation"]): r for r in store["ghash"]["alone"]}
    for name in names:
        seal, opened = rate[name, "seal"], rate[name, "open"]
        rows.append([name, f"{seal['cycles_per_byte']:.2f}", f"{opened['cycles_per_byte']:.2f}",
                     f"{opened['cycles_per_byte'] / rate[names[0], 'open']['cycles_per_byte']:.0f}"])
    return ["aes256-gcm, 32 KiB", "cycles/B, seal", "open", "times the first"], rows


def ghash_transfer_table(store):
    usual = {r["workload"]: r["mib_per_second"] for r in store["ghash"]["transfers"] if not r["kernels"]}
    rows = [[r["workload"], f"`{r['kernels']}`" if r["kernels"] else "as chosen", f"{r['mib_per_second']:.0f}",
             f"{r['mib_per_second'] / usual[r['workload']]:.2f}",
             "" if r["times_openssh"] is None else f"{r['times_openssh']:.2f}", f"**{r['binds']}**", r["binds_why"]]
            for r in sorted(store["ghash"]["transfers"], key=lambda r: list(usual).index(r["workload"]))]
    return ["", "`PLUMB_KERNELS`", "MiB/s", "of the chosen", "times OpenSSH", "binds", "why"], rows


TABLES = {"per block": per_block_table, "packet sizes": packet_size_table, "chunking": chunking_table,
          "ghash alone": ghash_alone_table, "ghash transfers": ghash_transfer_table}


def described(store, name):
    """Where and how an experiment was measured."""
    of = store[name]
    e = store["dispatch"]["environment"]
    openssh = store["chunking"]["openssh"]
    taken = "the fastest" if name == "chunking" else "medians"
    return f"{e['cpu']}, {e['cpus']} CPUs; {e['compiler']}, {e['build_type']}; {openssh}; {taken} of {of['samples']} samples."


EXPERIMENTS = {"dispatch": run_dispatch, "chunking": run_chunking, "ghash": run_ghash}


def save(path, store):
    """One row per line, so that a new measurement is a readable difference."""
    text = json.dumps(store, ensure_ascii=False, indent=1)
    path.write_text(re.sub(r"\{\s*([^{}]*?)\s*\}", lambda m: "{" + re.sub(r"\s*\n\s*", " ", m[1]) + "}", text) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--only", choices=EXPERIMENTS, action="append")
    parser.add_argument("--root", type=pathlib.Path, default=TOOLS.parent)
    args = parser.parse_args()
    path = args.root / STORE
    store = json.loads(path.read_text()) if path.exists() else {"schema": SCHEMA}
    for name in args.only or EXPERIMENTS:
        store[name] = EXPERIMENTS[name](args.bin.resolve(), args.samples)
        save(path, store)


if __name__ == "__main__":
    main()
