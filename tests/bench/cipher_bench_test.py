#!/usr/bin/env python3
"""What scripts rely on from cipher_bench: options, exit codes, the JSON. Never how fast anything is."""
import json
import os
import subprocess
import sys
import unittest

PROGRAM = ""
SHORT = ["--samples", "1", "--seconds", "0.0001"]


def run(*arguments, **environment):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=100,
                          env={**os.environ, **environment})


class CipherBench(unittest.TestCase):
    def test_json_keeps_every_sample_and_the_environment(self):
        done = run("--size", "64", "--samples", "2", "--seconds", "0.0001", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["schema"], "plumb.cipher_bench/1")
        for key in ("cpu", "cpu_features", "kernels", "libcrypto", "libsodium", "compiler", "time_utc"):
            self.assertTrue(report["environment"][key], key)
        self.assertTrue(all(len(row["samples"]) == 2 for row in report["results"]))

    def test_every_cipher_of_the_table_is_measured_against_libcrypto(self):
        names = run("--list-ciphers").stdout.split()
        report = json.loads(run("--size", "64", *SHORT, "--json", "-").stdout)
        rows = report["results"]
        measured = {row["cipher"] for row in rows} | {row.get("mac") for row in rows} - {None}
        self.assertEqual(measured, set(names))
        for operation in ("seal", "open"):
            rivals = {row["cipher"] for row in rows
                      if row["operation"] == operation and row["implementation"] == "libcrypto"}
            self.assertEqual(rivals, {row["cipher"] for row in rows})

    def test_table_stands_on_stdout(self):
        done = run("--quick", "--cipher", "aes256-gcm@openssh.com", *SHORT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("vs libcrypto", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_a_masked_cpu_gets_portable_kernels(self):
        self.assertIn("gcm=portable", run("--cpu", PLUMB_CPU="none").stdout)

    def test_a_mistake_is_one_sentence_and_exit_2(self):
        for arguments in (["--cipher", "rot13"], ["--size", "17"], ["--samples", "0"], ["--no-such-option"]):
            done = run(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
            self.assertTrue(done.stderr.startswith("cipher_bench: "), done.stderr)

    def test_an_unwritable_json_file_is_exit_3(self):
        done = run("--size", "64", "--cipher", "aes128-gcm@openssh.com", *SHORT, "--json", "/no/such/folder/x.json")
        self.assertEqual(done.returncode, 3)
        self.assertIn("/no/such/folder/x.json", done.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
