#!/usr/bin/env python3
"""What scripts rely on from cipher_bench: options, exit codes, the JSON. Never how fast anything is."""
import json
import os
import subprocess
import sys
import unittest

PROGRAM = ""
SHORT = ["--samples", "1", "--seconds", "0.00001"]


def run(*arguments, **environment):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=100,
                          env={**os.environ, **environment})


class CipherBench(unittest.TestCase):
    def test_json_keeps_every_sample_and_the_environment(self):
        done = run("--quick", "--size", "64", "--samples", "2", "--seconds", "0.00001", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["schema"], "plumb.cipher_bench/2")
        for key in ("cpu", "cpu_features", "kernels", "libcrypto", "libsodium", "compiler", "rivals", "time_utc"):
            self.assertTrue(report["environment"][key], key)
        self.assertTrue(all(len(row["samples"]) == 2 for row in report["results"]))

    def test_every_cipher_of_the_table_is_measured_against_libcrypto(self):
        names = run("--list-ciphers").stdout.split()
        report = json.loads(run("--size", "64", *SHORT, "--json", "-").stdout)
        rows = report["results"]
        measured = {row["cipher"] for row in rows} | {row.get("mac") for row in rows} - {None}
        self.assertEqual(measured, set(names))
        for operation in ("seal", "open", "seal+open"):
            rivals = {row["cipher"] for row in rows
                      if row["operation"] == operation and row["implementation"] == "libcrypto"}
            self.assertEqual(rivals, {row["cipher"] for row in rows})

    def test_several_packets_in_one_call_are_a_case_of_their_own(self):
        done = run("--cipher", "aes128-ctr", "--size", "64", *SHORT, "--json", "-")
        rows = json.loads(done.stdout)["results"]
        at_once = {(row["mac"].endswith("-etm@openssh.com"), row["operation"], row["at_once"]) for row in rows}
        self.assertEqual(at_once, {(True, o, n) for o in ("seal", "open", "seal+open") for n in (1, 3, 8)} |
                         {(False, o, 1) for o in ("seal", "open", "seal+open")})

    def test_sequence_numbers_that_do_not_follow_each_other(self):
        done = run("--quick", "--cipher", "chacha20-poly1305@openssh.com", "--no-look-ahead", *SHORT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("seal, no look-ahead", done.stdout)

    def test_primitives_are_compared_and_the_price_of_single_blocks_is_told(self):
        done = run("--primitives", "--size", "1024", *SHORT)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("aes128-ctr", "aes256-ctr", "chacha20", "poly1305", "hmac-sha2-256", "hmac-sha2-512"):
            self.assertIn(f"\nraw {name}\n", done.stdout)
        self.assertRegex(done.stdout, r"libcrypto: aes256-ctr in bulk is [0-9.]+ times as fast as 16 bytes a call: ")

    def test_html_report_needs_nothing_from_elsewhere(self):
        done = run("--quick", "--cipher", "aes256-gcm@openssh.com", *SHORT, "--html", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("<!doctype html>"))
        self.assertTrue(done.stdout.endswith("</html>\n"))
        self.assertIn("<svg ", done.stdout)
        self.assertIn("prefers-color-scheme: dark", done.stdout)
        for foreign in ("<script", "http:", "https:", "url(", "@import", "<link"):
            self.assertNotIn(foreign, done.stdout)

    def test_targets_are_judged_on_masked_cpus_too(self):
        done = run("--targets", *SHORT, "--json", "-", PLUMB_CPU="")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        rows = json.loads(done.stdout)["targets"]
        self.assertEqual({row["cpu_mask"] for row in rows}, {"", "-avx512", "-avx512,-vaes,-vpclmul"})
        verdicts = {row["verdict"] for row in rows}
        self.assertLessEqual(verdicts, {"met", "missed", "not judged"})
        self.assertEqual(done.returncode, 1 if "missed" in verdicts else 0)
        for row in rows:
            self.assertTrue(row["verdict"] == "not judged" or row["measured"] > 0, row)

    def test_a_mask_that_no_target_is_set_for(self):
        done = run("--targets", *SHORT, PLUMB_CPU="-aesni")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no target is set for PLUMB_CPU=-aesni", done.stdout)

    def test_table_stands_on_stdout(self):
        done = run("--quick", "--cipher", "aes256-gcm@openssh.com", *SHORT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("vs libcrypto", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_a_masked_cpu_gets_portable_kernels(self):
        self.assertIn("gcm=portable", run("--cpu", PLUMB_CPU="none").stdout)

    def test_a_kernel_is_chosen_by_name_and_the_slow_one_is_measured(self):
        self.assertIn("gcm=bitwise", run("--cpu", PLUMB_KERNELS="gcm=bitwise").stdout)
        done = run("--cpu", PLUMB_KERNELS="gcm=quick")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("PLUMB_KERNELS=gcm=quick", done.stderr)
        self.assertIn("plumbline bitwise", run("--quick", "--cipher", "aes256-gcm@openssh.com", *SHORT).stdout)

    def test_a_mistake_is_one_sentence_and_exit_2(self):
        for arguments in (["--cipher", "rot13"], ["--size", "17"], ["--samples", "0"], ["--operation", "melt"], ["--no-such-option"]):
            done = run(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
            self.assertTrue(done.stderr.startswith("cipher_bench: "), done.stderr)

    def test_an_unwritable_file_is_exit_3(self):
        for option in ("--json", "--html"):
            done = run("--size", "64", "--cipher", "aes128-gcm@openssh.com", *SHORT, option, "/no/such/folder/x")
            self.assertEqual(done.returncode, 3)
            self.assertIn("/no/such/folder/x", done.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
