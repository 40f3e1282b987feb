#!/usr/bin/env python3
"""What scripts rely on from handshake_bench: options, exit codes, the JSON. Never how fast anything is.

Exits 3 where a private sshd cannot be started, so that CTest shows it as skipped."""
import json
import subprocess
import sys
import unittest

PROGRAM = ""
METHOD = "curve25519-sha256"


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=100)


class HandshakeBench(unittest.TestCase):
    def test_json_keeps_every_sample_of_every_client(self):
        done = run("--methods", METHOD, "--rounds", "1", "--json", "-")
        if done.returncode == 3:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["schema"], "plumb.handshake_bench/1")
        self.assertTrue(report["openssh"].startswith("OpenSSH_"), report["openssh"])
        for key in ("cpu", "kernels", "libcrypto", "compiler", "time_utc"):
            self.assertTrue(report["environment"][key], key)
        rows = report["results"]
        self.assertEqual([row["client"] for row in rows], ["plumb exec", "ssh", "in-process"])
        for row in rows:
            self.assertEqual(row["method"], METHOD)
            self.assertEqual(len(row["samples"]["seconds"]), 1)
            self.assertEqual(len(row["samples"]["cpu_seconds"]), 1)
            self.assertAlmostEqual(row["per_second"] * row["samples"]["seconds"][0], 1)
            # A KEXINIT, a key exchange, an authentication and a session do not fit into less; nothing is sent twice.
            for way in ("bytes_sent", "bytes_received"):
                self.assertTrue(1000 < row[way] < 20000, row)

    def test_a_mistake_is_one_sentence_and_exit_2(self):
        for arguments in (["--methods", "rot13"], ["--methods", METHOD + ","], ["--rounds", "0"], ["--no-such-option"],
                          ["more"]):
            done = run(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
            self.assertTrue(done.stderr.startswith("handshake_bench: "), done.stderr)

    def test_what_is_missing_is_said(self):
        done = run("--plumb", "/no/such/plumb")
        self.assertEqual(done.returncode, 3)
        self.assertIn("/no/such/plumb", done.stderr)

    def test_help_tells_what_the_figures_are(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        for word in ("--methods", "--rounds", "--json", "processor time"):
            self.assertIn(word, done.stdout)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    result = unittest.main(exit=False).result
    sys.exit(1 if not result.wasSuccessful() else 3 if result.skipped else 0)
