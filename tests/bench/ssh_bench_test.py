#!/usr/bin/env python3
"""What scripts rely on from ssh_bench: options, exit codes, the JSON, what is read from figures that a link forces. Never
how fast anything is.

Exits 3 where a private sshd cannot be started, so that CTest shows it as skipped."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
CIPHER = "aes128-gcm@openssh.com"


def run(*arguments, **environment):
    with tempfile.TemporaryDirectory() as folder:  # no .env but what a test puts there
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PLUMB_BENCH_")}
        env_file = environment.pop("env_file", None)
        if env_file:
            with open(os.path.join(folder, ".env"), "w", encoding="ascii") as file:
                file.write(env_file)
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=100, cwd=folder,
                              env={**clean, **environment})


def report_of(test, *arguments):
    done = run(*arguments, "--rounds", "1", "--json", "-")
    if done.returncode == 3:
        test.skipTest(done.stderr)
    test.assertEqual(done.returncode, 0, done.stderr)
    return json.loads(done.stdout), done.stderr


class SshBench(unittest.TestCase):
    def test_json_keeps_every_sample_of_every_client(self):
        report, _ = report_of(self, "--ciphers", f"defaults,{CIPHER}", "--mib", "8")
        self.assertEqual(report["schema"], "plumb.ssh_bench/1")
        self.assertIn("a private sshd, OpenSSH_", report["target"])
        self.assertGreater(report["tcp"]["bytes_per_second"], 0)
        self.assertEqual([one["cipher"] for one in report["ciphers"]], ["defaults", CIPHER])
        self.assertEqual(report["ciphers"][1]["agreed"], CIPHER)
        self.assertGreater(report["ciphers"][1]["alone"]["open"], 0)
        rows = report["results"]
        cases = {(row["cipher"], row["workload"], row["client"]) for row in rows}
        self.assertEqual(cases, {(c, w, p) for c in ("defaults", CIPHER)
                                 for w in ("start", "download", "upload", "duplex") for p in ("plumb", "ssh")})
        for row in rows:
            self.assertEqual(len(row["samples"]["seconds"]), 1)
            self.assertGreater(row["samples"]["peak_bytes"][0], 1 << 20)
            self.assertEqual("bytes_per_second" in row, row["workload"] != "start")
            self.assertEqual("binds" in row, row["workload"] != "start" and row["client"] == "plumb")

    def test_a_cipher_that_cannot_connect_is_a_row(self):
        report, text = report_of(self, "--ciphers", f"aes128-cbc,{CIPHER}", "--mib", "1")
        failed = [row for row in report["results"] if row["cipher"] == "aes128-cbc"]
        self.assertTrue(all("failed" in row for row in failed))
        self.assertEqual(text.count("no common cipher"), 1)

    def test_a_thin_link_is_what_binds(self):
        report, _ = report_of(self, "--ciphers", CIPHER, "--mib", "4", "--delay", "5ms", "--rate", "64mbit")
        layers = {row["workload"]: row["binds"]["layer"] for row in report["results"] if "binds" in row}
        self.assertEqual(layers["download"], "link")
        self.assertEqual(report["link_bytes_per_second"], 8e6)
        self.assertGreater(report["round_trip_seconds"], 0.01)

    def test_targets_decide_the_exit_code(self):
        done = run("--ciphers", CIPHER, "--mib", "1", "--rounds", "1", "--targets")
        if done.returncode == 3:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 1 if "\nMISSED" in done.stdout else 0, done.stdout)
        self.assertIn("download, aes128-gcm@openssh.com: client CPU per GiB, of ssh's", done.stdout)

    def test_a_host_that_nobody_has_is_named(self):
        for done in (run("--host", "127.0.0.1", "--port", "1"), run(PLUMB_BENCH_HOST="127.0.0.1", PLUMB_BENCH_PORT="1"),
                     run(env_file="# the machine\nPLUMB_BENCH_HOST='127.0.0.1'\nexport PLUMB_BENCH_PORT=1\n")):
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("127.0.0.1 port 1", done.stderr)

    def test_a_mistake_is_one_sentence(self):
        for arguments, code in ((["--ciphers", "rot13"], 2), (["--rounds", "0"], 2), (["--delay", "soon"], 2),
                                (["--host", "127.0.0.1", "--rate", "1gbit"], 2), (["--port", "22"], 3),
                                (["--host", "a", "--key", "/no/such/key"], 3), (["--plumb", "/no/such/plumb"], 3)):
            done = run(*arguments)
            self.assertEqual(done.returncode, code, (arguments, done.stderr))
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
            self.assertTrue(done.stderr.startswith("ssh_bench: "), done.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    result = unittest.main(exit=False).result
    sys.exit(1 if not result.wasSuccessful() else 3 if result.skipped else 0)
