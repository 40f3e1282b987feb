#!/usr/bin/env python3
"""Puts measured figures into the documentation, so that nobody types one.

    bench_docs.py run PROGRAM    runs cipher_bench or handshake_bench for the figures of docs/ and keeps them in docs/bench/
                                 (throughput_docs.py does so for where-throughput-goes.md)
    bench_docs.py fill           writes the tables of docs/*.md anew from there
    bench_docs.py check          exits 1 if a page says anything else than what is kept

A page names a table in a pair of comments, and whatever stands between them is replaced:

    <!-- figures: large -->
    <!-- end of figures -->

--root DIR is the project's folder; the default is this script's parent.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

import throughput_docs

SCHEMA = "plumb.bench_docs/1"
CIPHERS = "docs/bench/cipher_bench.json"
HANDSHAKES = "docs/bench/handshake_bench.json"
THROUGHPUT = throughput_docs.STORE  # its script measures
BLOCK = re.compile(r"(<!-- figures: ([a-z0-9 -]+) -->\n).*?(<!-- end of figures -->)", re.DOTALL)

AEADS = ["chacha20-poly1305@openssh.com", "aes256-gcm@openssh.com", "aes128-gcm@openssh.com"]
CTR_256 = ("aes128-ctr", "hmac-sha2-256-etm@openssh.com")
CTR_512 = ("aes256-ctr", "hmac-sha2-512-etm@openssh.com")
SUITES = [(cipher, None) for cipher in AEADS] + [CTR_256, CTR_512]
RIVALS = ["libcrypto", "ipsec-mb", "libsodium", "openssh composition"]
DIRECTIONS = ["--operation", "seal", "--operation", "open"]

# One line per run of cipher_bench that the pages need.
RUNS = [
    [*(word for cipher in AEADS for word in ("--cipher", cipher)), *DIRECTIONS],
    ["--cipher", CTR_256[0], "--mac", CTR_256[1], "--at-once", "1", *DIRECTIONS],
    ["--cipher", CTR_512[0], "--mac", CTR_512[1], "--at-once", "1", *DIRECTIONS],
    ["--cipher", CTR_256[0], "--mac", CTR_256[1], "--at-once", "3", "--at-once", "8", "--size", "64", "--size", "32768",
     *DIRECTIONS],
    ["--cipher", CTR_512[0], "--mac", CTR_512[1], "--at-once", "3", "--at-once", "8", "--size", "64", "--size", "32768",
     *DIRECTIONS],
    ["--cipher", AEADS[0], "--no-look-ahead", "--size", "64", *DIRECTIONS],
    ["--primitives", "--size", "64", "--size", "1024", "--size", "32768"],
    ["--targets"],
]


def rounded(row):
    """Four digits of each figure: more are noise."""
    return {k: float(f"{v:.4g}") if isinstance(v, float) else v for k, v in row.items() if k != "samples"}


def report_of(command):
    print("bench_docs: " + " ".join(command), file=sys.stderr)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if not done.stdout:
        sys.exit(f"bench_docs: {' '.join(command)} gave no report (exit {done.returncode})")
    return json.loads(done.stdout)


def run_handshakes(program, samples):
    report = report_of([program, "--rounds", str(samples), "--json", "-"])
    return {"schema": SCHEMA, "samples": samples, "environment": report["environment"], "openssh": report["openssh"],
            "results": [rounded(row) for row in report["results"]]}


def run_ciphers(program, samples):
    """Condensed: medians and spread of every case, the targets' rows, the first run's environment."""
    store = {"schema": SCHEMA, "samples": samples, "results": [], "targets": []}
    for arguments in RUNS:
        report = report_of([program, *arguments, "--samples", str(samples), "--json", "-"])
        store.setdefault("environment", report["environment"])
        if "targets" in report:
            store["targets"] = report["targets"]
            continue
        store["results"] += [rounded(row) for row in report["results"]]
    for row in store["targets"]:
        for key in ("measured", "cycles_per_byte", "ns_per_packet"):
            if key in row:
                row[key] = float(f"{row[key]:.4g}")
    return store


def save(path, store):
    """One row per line, so that a new measurement is a readable difference."""
    path.parent.mkdir(exist_ok=True)
    lines = []
    for key, value in store.items():
        if isinstance(value, list):
            rows = ",\n".join("  " + json.dumps(row) for row in value)
            lines.append(f"{json.dumps(key)}: [\n{rows}\n]")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value)}")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


class Figures:
    """Rows of what was kept, found by what they measure."""

    def __init__(self, ciphers, handshakes, throughput):
        self.store = ciphers
        self.rows = ciphers["results"]
        self.handshakes = handshakes
        self.throughput = throughput

    def find(self, cipher, mac, operation, size, at_once=1, look_ahead=True):
        """Ours first, best first; then the rivals."""
        return [r for r in self.rows
                if (r["cipher"], r.get("mac"), r["operation"], r["bytes"], r["at_once"], r["look_ahead"])
                == (cipher, mac, operation, size, at_once, look_ahead)]

    def best_of_ours(self, *case, **more):
        return next((r for r in self.find(*case, **more) if r["ours"]), None)

    def rival(self, name, *case, **more):
        return next((r for r in self.find(*case, **more) if r["implementation"] == name), None)

    def sizes(self):
        return sorted({r["bytes"] for r in self.rows if (r["cipher"], r.get("mac")) in SUITES and r["at_once"] == 1})


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def suite_name(cipher, mac):
    return cipher if mac is None else f"{cipher} + {mac}"


def size_name(size):
    return f"{size // 1024} KiB" if size >= 1024 and size % 1024 == 0 else f"{size} B"


def large(row):
    return "" if row is None else f"{row['gigabytes_per_second']:.1f} ({row['cycles_per_byte']:.3f})"


def small(row):
    return "" if row is None else f"{row['ns_per_packet']:.0f} ns"


def against_rivals(figures, size, cell):
    rows = []
    for cipher, mac in SUITES:
        for operation in ("seal", "open"):
            case = (cipher, mac, operation, size)
            ours = figures.best_of_ours(*case)
            if ours is None:
                continue
            rows.append([suite_name(cipher, mac), operation, "**" + cell(ours) + "**",
                         *(cell(figures.rival(name, *case)) for name in RIVALS)])
    return table(["", "", "plumbline", *RIVALS], rows)


def by_size(figures):
    sizes = figures.sizes()
    rows = []
    for cipher, mac in SUITES:
        for who in ("plumbline", *RIVALS):
            found = [figures.best_of_ours(cipher, mac, "seal", s) if who == "plumbline"
                     else figures.rival(who, cipher, mac, "seal", s) for s in sizes]
            if any(found):
                rows.append([suite_name(cipher, mac), who,
                             *("" if r is None else f"{r['cycles_per_byte']:.2f}" for r in found)])
    return table(["", "", *(size_name(s) for s in sizes)], rows)


def at_once(figures):
    rows = []
    for cipher, mac in (CTR_256, CTR_512):
        for size, cell in ((64, small), (32768, large)):
            for operation in ("seal", "open"):
                cells = [cell(figures.best_of_ours(cipher, mac, operation, size, at_once=n)) for n in (1, 3, 8)]
                reference = cell(figures.rival("libcrypto", cipher, mac, operation, size))
                rows.append([suite_name(cipher, mac), f"{operation}, {size_name(size)}", *cells, reference])
    return table(["", "", "one", "three at once", "eight at once", "libcrypto, one"], rows)


def look_ahead(figures):
    rows = []
    for operation in ("seal", "open"):
        case = (AEADS[0], None, operation, 64)
        rows.append([operation, small(figures.best_of_ours(*case)),
                     small(figures.best_of_ours(*case, look_ahead=False)), small(figures.rival("libcrypto", *case))])
    return table(["64 bytes", "with look-ahead", "without", "libcrypto"], rows)


def kernels(figures, cipher):
    """Every implementation of one raw primitive or AEAD, at its three sizes."""
    sizes = (64, 1024, 32768)
    cells = {}
    for size in sizes:
        for row in figures.find(cipher, None, "seal", size):
            cells.setdefault(row["implementation"], {})[size] = row
    return table(["cycles per byte", *(size_name(s) for s in sizes)],
                 [[name, *(f"{by[s]['cycles_per_byte']:.3f}" if s in by else "" for s in sizes)]
                  for name, by in cells.items()])


def targets(figures):
    rows = []
    for t in figures.store["targets"]:
        mask = f", `PLUMB_CPU={t['cpu_mask']}`" if t["cpu_mask"] else ""
        measured = f"{t['measured']:.2f}" if "measured" in t else ""
        verdict = t["verdict"] if t["verdict"] == "met" else f"**{t['verdict']}**"
        rows.append([suite_name(t["cipher"], t.get("mac")), f"{size_name(t['bytes'])}, {t['label']}{mask}", t["rival"],
                     f"{t['wanted']:.2f}", measured, verdict])
    return table(["", "", "times as fast as", "wanted", "measured", ""], rows)


def handshakes(figures):
    by_method = {}
    for row in figures.handshakes["results"]:
        by_method.setdefault(row["method"], {})[row["client"]] = row
    clients = ("plumb exec", "ssh", "in-process")
    rows = [[f"`{method}`", *(f"{of[c]['per_second']:.1f}" for c in clients), *(f"{of[c]['cpu_ms']:.2f}" for c in clients),
             *(f"{of[c]['bytes_sent']} / {of[c]['bytes_received']}" for c in clients[:2])]
            for method, of in by_method.items()]
    return table(["", "a second: plumb exec", "ssh", "in-process", "CPU, ms: plumb exec", "ssh", "in-process",
                  "bytes sent / received: plumb exec", "ssh"], rows)


def handshake_environment(figures):
    e = figures.handshakes["environment"]
    return (f"{e['cpu']}, {e['cpus']} CPUs; {e['compiler']}, {e['build_type']}; {figures.handshakes['openssh']}; "
            f"medians of {figures.handshakes['samples']} rounds, {e['time_utc']}.")


def environment(figures):
    e = figures.store["environment"]
    rivals = ", ".join(f"{name} {version}" for name, version in e["rivals"].items() if version)
    return (f"{e['cpu']} with {e['cpu_features']}; {e['compiler']}, {e['build_type']}; {rivals}; "
            f"medians of {figures.store['samples']} samples, {e['time_utc']}.")


TABLES = {
    "environment": environment,
    "handshakes": handshakes,
    "handshake environment": handshake_environment,
    "large": lambda f: against_rivals(f, 32768, large),
    "small": lambda f: against_rivals(f, 64, small),
    "sizes": by_size,
    "at once": at_once,
    "look-ahead": look_ahead,
    "targets": targets,
    "aes128-ctr": lambda f: kernels(f, "raw aes128-ctr"),
    "aes256-ctr": lambda f: kernels(f, "raw aes256-ctr"),
    "chacha20": lambda f: kernels(f, "raw chacha20"),
    "poly1305": lambda f: kernels(f, "raw poly1305"),
    "hmac-sha2-256": lambda f: kernels(f, "raw hmac-sha2-256"),
    "hmac-sha2-512": lambda f: kernels(f, "raw hmac-sha2-512"),
    "aes128-gcm": lambda f: kernels(f, "aes128-gcm@openssh.com"),
    "aes256-gcm": lambda f: kernels(f, "aes256-gcm@openssh.com"),
    "chacha20-poly1305": lambda f: kernels(f, "chacha20-poly1305@openssh.com"),
    **{name: lambda f, rows=rows: table(*rows(f.throughput)) for name, rows in throughput_docs.TABLES.items()},
    **{f"{name} environment": lambda f, name=name: throughput_docs.described(f.throughput, name)
       for name in throughput_docs.EXPERIMENTS},
}


def filled(text, figures, page):
    def replace(match):
        if match[2] not in TABLES:
            sys.exit(f"bench_docs: {page} asks for figures called '{match[2]}'; there are: {', '.join(TABLES)}")
        return match[1] + TABLES[match[2]](figures) + "\n" + match[3]
    return BLOCK.sub(replace, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--samples", type=int, default=31)
    parser.add_argument("action", choices=["run", "fill", "check"])
    parser.add_argument("program", nargs="?")
    args = parser.parse_args()
    if args.action == "run":
        runs = {"cipher_bench": (CIPHERS, run_ciphers), "handshake_bench": (HANDSHAKES, run_handshakes)}
        name = pathlib.Path(args.program or "").name
        if name not in runs:
            parser.error("run needs the path of cipher_bench or handshake_bench")
        path, measured = runs[name]
        save(args.root / path, measured(args.program, args.samples))
        return
    figures = Figures(*(json.loads((args.root / path).read_text()) for path in (CIPHERS, HANDSHAKES, THROUGHPUT)))
    differing = []
    pages = 0
    for page in sorted((args.root / "docs").glob("*.md")):
        text = page.read_text()
        pages += BLOCK.search(text) is not None
        wanted = filled(text, figures, page.name)
        if wanted == text:
            continue
        differing.append(page.name)
        if args.action == "fill":
            page.write_text(wanted)
    if args.action == "fill":
        print("bench_docs: wrote " + (", ".join(differing) or "nothing, all agree"))
        return
    if pages == 0:
        sys.exit("bench_docs: no page has figures; is --root right?")
    if differing:
        sys.exit(f"bench_docs: {', '.join(differing)} and docs/bench/ disagree; tools/bench_docs.py fill mends it")
    print(f"bench_docs: {pages} pages agree with docs/bench/")


if __name__ == "__main__":
    main()
