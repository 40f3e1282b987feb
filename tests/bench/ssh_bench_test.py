#!/usr/bin/env python3
"""What scripts rely on from ssh_bench: options, exit codes, the JSON, what is read from figures that a link forces. Never
how fast anything is.

Exits 3 where a private sshd cannot be started, so that CTest shows it as skipped."""
import glob
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ""
CIPHER = "aes128-gcm@openssh.com"


def clean_environment():
    return {name: value for name, value in os.environ.items() if not name.startswith("PLUMB_BENCH_")}


def becomes_true(question):
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if question():
            return True
        time.sleep(0.05)
    return False


def run(*arguments, **environment):
    with tempfile.TemporaryDirectory() as folder:  # no .env but what a test puts there
        env_file = environment.pop("env_file", None)
        if env_file:
            with open(os.path.join(folder, ".env"), "w", encoding="ascii") as file:
                file.write(env_file)
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=300, cwd=folder,
                              env={**clean_environment(), **environment})


def report_of(test, *arguments, **environment):
    done = run(*arguments, "--rounds", "1", "--json", "-", **environment)
    if done.returncode == 3:
        test.skipTest(done.stderr)
    test.assertEqual(done.returncode, 0, done.stderr)
    return json.loads(done.stdout), done.stderr


def row_of(report, workload, client="plumb"):
    return next(row for row in report["runs"][0]["results"]
                if row["workload"] == workload and row["client"] == client)


class SshBench(unittest.TestCase):
    def test_json_keeps_every_sample_of_every_client(self):
        report, _ = report_of(self, "--ciphers", f"defaults,{CIPHER}", "--mib", "2")
        self.assertEqual(report["schema"], "plumb.ssh_bench/2")
        self.assertEqual(len(report["runs"]), 1)
        one = report["runs"][0]
        self.assertIn("a private sshd, OpenSSH_", one["target"])
        self.assertGreater(one["tcp"]["bytes_per_second"], 0)
        self.assertEqual([cipher["cipher"] for cipher in one["ciphers"]], ["defaults", CIPHER])
        self.assertEqual(one["ciphers"][1]["agreed"], CIPHER)
        self.assertGreater(one["ciphers"][1]["alone"]["open"], 0)
        cases = {(row["cipher"], row["workload"], row["client"]) for row in one["results"]}
        self.assertEqual(cases, {(c, w, p) for c in ("defaults", CIPHER) for workloads, clients in (
            (("handshake", "download", "upload", "duplex"), ("plumb", "ssh", "libssh", "libssh2")),
            (("empty-file", "get", "put"), ("plumb", "sftp", "scp", "libssh", "libssh2")))
            for w in workloads for p in clients})
        for row in one["results"]:
            if "failed" in row:  # a rival that is not here, or has no such cipher
                self.assertTrue(row["client"].startswith("libssh"), row)
                continue
            moves = row["workload"] not in ("handshake", "empty-file")
            self.assertEqual(len(row["samples"]["seconds"]), 1)
            self.assertGreater(row["samples"]["peak_bytes"][0], 1 << 20)
            self.assertEqual("bytes_per_second" in row or "too_short" in row, moves)
            self.assertEqual("binds" in row, row["client"] == "plumb" and "bytes_per_second" in row)
            self.assertIn("system_calls" if report["system_calls_by"] else "system_calls_unknown", row)
        phases = row_of(report, "handshake")["phases"]
        for phase in ("connect", "keys", "login", "first_byte"):
            self.assertGreater(phases[f"{phase}_seconds"], 0, phases)

    def test_what_is_too_short_gets_no_rate(self):
        report, _ = report_of(self, "--ciphers", CIPHER, "--workloads", "download", "--mib", "1")
        row, base = (row_of(report, workload) for workload in ("download", "handshake"))
        short = row["samples"]["seconds"][0] < 1.1 * base["samples"]["seconds"][0]
        self.assertEqual("too_short" in row, short)
        self.assertEqual("bytes_per_second" in row, not short)
        self.assertEqual(row.get("too_short", ""), "takes hardly longer than the handshake: give more to move with --mib"
                         if short else "")

    def test_a_bench_that_is_killed_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            bench = subprocess.Popen([PROGRAM, "--ciphers", CIPHER, "--mib", "1", "--rounds", "999"], cwd=folder,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=clean_environment())
            self.addCleanup(bench.wait)
            self.addCleanup(bench.kill)
            left = lambda: [path for parent in {"/dev/shm", "/tmp", tempfile.gettempdir()}
                            for path in glob.glob(os.path.join(parent, f"plumb-{bench.pid}-*"))]
            self.assertTrue(becomes_true(lambda: left() or bench.poll() is not None))
            if bench.poll() == 3:
                self.skipTest("a private sshd does not start here")
            bench.kill()
            self.assertTrue(becomes_true(lambda: not left()), left())

    def test_libssh2_says_that_it_knows_no_aead(self):
        report, text = report_of(self, "--ciphers", CIPHER, "--workloads", "download", "--mib", "1")
        self.assertIn("failed", row_of(report, "download", "libssh2"))
        self.assertEqual(text.count("libssh2 1"), 1 if "has no aes128-gcm" in text else 0)

    def test_a_cipher_that_cannot_connect_is_a_row(self):
        report, text = report_of(self, "--ciphers", f"aes128-cbc,{CIPHER}", "--workloads", "download", "--mib", "1")
        failed = [row for row in report["runs"][0]["results"]
                  if row["cipher"] == "aes128-cbc" and row["client"] == "plumb"]
        self.assertTrue(all("failed" in row for row in failed))
        self.assertEqual(text.count("no common cipher"), 1)

    def test_a_thin_link_is_what_binds(self):
        report, _ = report_of(self, "--ciphers", CIPHER, "--workloads", "download", "--mib", "4", "--rtt", "10ms",
                              "--rate", "64mbit")
        self.assertEqual(row_of(report, "download")["binds"]["layer"], "link")
        self.assertEqual(report["runs"][0]["link_bytes_per_second"], 8e6)
        self.assertGreater(report["runs"][0]["round_trip_seconds"], 0.01)

    def test_a_window_that_is_held_is_named(self):
        report, _ = report_of(self, "--ciphers", CIPHER, "--workloads", "download", "--mib", "8", "--rtt", "20ms",
                              "--hold-window", "64K")
        binds = row_of(report, "download")["binds"]
        self.assertEqual(binds["layer"], "window")
        self.assertIn("64 KiB of window", binds["why"])

    def test_one_request_at_a_time_is_named(self):
        report, _ = report_of(self, "--ciphers", CIPHER, "--workloads", "get,put", "--mib", "8", "--rtt", "20ms",
                              "--hold-flight", "1")
        for workload in ("get", "put"):
            self.assertEqual(row_of(report, workload)["binds"]["layer"], "requests")

    def test_a_write_for_each_packet_is_named(self):
        report, _ = report_of(self, "--ciphers", CIPHER, "--workloads", "upload", "--mib", "64", "--hold-write", "33K")
        row = row_of(report, "upload")
        if not report["system_calls_by"]:
            self.skipTest(row["system_calls_unknown"])
        self.assertEqual(row["costs"]["layer"], "system calls")
        self.assertIn("one for each packet", row["costs"]["why"])

    def test_a_slow_cipher_is_convicted(self):
        report, _ = report_of(self, "--ciphers", CIPHER, "--workloads", "download", "--mib", "16",
                              PLUMB_KERNELS="gcm=bitwise")
        self.assertEqual(row_of(report, "download")["costs"]["layer"], "cipher")

    def test_several_round_trips(self):
        report, _ = report_of(self, "--ciphers", CIPHER, "--workloads", "download", "--mib", "1", "--rtt", "0,5,20ms")
        self.assertEqual([one.get("link_round_trip_seconds") for one in report["runs"]], [None, 0.005, 0.02])

    def test_html_report_needs_nothing_from_elsewhere(self):
        done = run("--ciphers", CIPHER, "--mib", "1", "--rounds", "1", "--html", "-")
        if done.returncode == 3:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("<!doctype html>"))
        self.assertTrue(done.stdout.endswith("</html>\n"))
        self.assertIn("<svg ", done.stdout)
        for foreign in ("<script", "http:", "https:", "url(", "@import", "<link"):
            self.assertNotIn(foreign, done.stdout)

    def test_targets_decide_the_exit_code(self):
        done = run("--ciphers", CIPHER, "--workloads", "download", "--mib", "64", "--rounds", "1", "--targets", "--rtt",
                   "0ms")
        if done.returncode == 3:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 1 if "\nMISSED" in done.stdout else 0, done.stdout)
        self.assertIn("download, aes128-gcm@openssh.com: CPU per GiB, of ssh", done.stdout)

    def test_a_host_that_nobody_has_is_named(self):
        for done in (run("--host", "127.0.0.1", "--port", "1"), run(PLUMB_BENCH_HOST="127.0.0.1", PLUMB_BENCH_PORT="1"),
                     run(env_file="# the machine\nPLUMB_BENCH_HOST='127.0.0.1'\nexport PLUMB_BENCH_PORT=1\n")):
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("127.0.0.1 port 1", done.stderr)

    def test_a_mistake_is_one_sentence(self):
        for arguments, code in ((["--ciphers", "rot13"], 2), (["--rounds", "0"], 2), (["--rtt", "soon"], 2),
                                (["--host", "127.0.0.1", "--rate", "1gbit"], 2), (["--port", "22"], 3),
                                (["--host", "a", "--key", "/no/such/key"], 3), (["--workloads", "cook"], 2),
                                (["--hold-window", "1"], 2)):
            done = run(*arguments)
            self.assertEqual(done.returncode, code, (arguments, done.stderr))
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
            self.assertTrue(done.stderr.startswith("ssh_bench: "), done.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    result = unittest.main(exit=False).result
    sys.exit(1 if not result.wasSuccessful() else 3 if result.skipped else 0)
