#!/usr/bin/env python3
"""tools/bench_target.sh: a target is put up, measured and taken down without a trace.

    bench_target_test.py SCRIPT SSH_BENCH PROVIDER

Exits 3 where this system cannot have such a target, or would have to install something first: CTest shows it as skipped."""
import os
import pathlib
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest

SCRIPT = SSH_BENCH = PROVIDER = ""
# What the providers would otherwise install or make, which a test must not.
PROGRAMS = {"local": ["sshd", "ssh-keygen", "pgrep"], "netns": ["ip", "unshare"],
            "qemu": ["qemu-system-x86_64", "mke2fs", "cpio"]}
LIMIT = {"local": 100, "netns": 200, "qemu": 900}
# Emulated, a machine moves some MiB a second.
AMOUNT = {"local": ["--mib", "1", "--rounds", "1", "--workloads", "download,get"], "netns": ["--quick"],
          "qemu": ["--mib", "1", "--rounds", "1"]}


def suite():
    """A Debian release whose system is there already."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "plumbline"
    for name in ("bookworm", "trixie"):
        root = pathlib.Path(os.environ.get(f"PLUMB_{name.upper()}") or cache / name)
        if (root / "complete").exists():
            return name
    return None


def missing():
    """Why this system cannot have the target, or None."""
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    for program in PROGRAMS["local"] + PROGRAMS[PROVIDER]:
        if shutil.which(program, path=path) is None:
            return f"{program} is not installed"
    if PROVIDER != "local" and suite() is None:
        return f"no Debian system is in the cache; `tools/bench_target.sh up --provider {PROVIDER}` makes one"
    return None


def runs(process):
    """Whether a process lives. One that ended and that nobody has asked about does not."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except FileNotFoundError:
        return False


def becomes_true(question):
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if question():
            return True
        time.sleep(0.05)
    return False


class Target(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bench_target-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.addCleanup(self.script, "down")

    def script(self, *arguments):
        return subprocess.run([SCRIPT, *arguments], cwd=self.folder, capture_output=True, text=True,
                              timeout=LIMIT[PROVIDER], stdin=subprocess.DEVNULL)

    def up(self, *arguments):
        words = ["up", "--provider", PROVIDER, *arguments]
        return self.script(*words, *(["--suite", suite()] if PROVIDER != "local" else []))

    def assert_up(self, *arguments):
        done = self.up(*arguments)
        if done.returncode == 3:
            self.skipTest(done.stderr.strip().splitlines()[-1])
        self.assertEqual(done.returncode, 0, done.stderr)

    def environment(self):
        lines = (self.folder / ".env").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines if not line.startswith("#"))

    def process(self):
        return int(re.search(r", process (\d+)$", self.script("status").stderr.strip()).group(1))

    def assert_nothing_left(self, process=None):
        self.assertEqual(list(self.folder.iterdir()), [])
        if process is not None:
            self.assertFalse(runs(process))
        mounts = pathlib.Path("/proc/self/mounts").read_text()
        self.assertNotIn(str(self.folder), mounts)
        users = subprocess.run(["pgrep", "-f", str(self.folder)], capture_output=True, text=True)
        self.assertEqual(users.stdout, "")

    def assert_refused(self, done, code, *words):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)


class Life(Target):
    def test_up_measured_down_nothing_left(self):
        self.assert_up()
        names = {"PLUMB_BENCH_" + name for name in ("HOST", "PORT", "USER", "KEY", "KNOWN_HOSTS")}
        where = self.environment()
        self.assertEqual(set(where), names)
        self.assertEqual(stat.S_IMODE((self.folder / ".env").stat().st_mode), 0o600)
        key = pathlib.Path(where["PLUMB_BENCH_KEY"])
        self.assertEqual(stat.S_IMODE(key.stat().st_mode), 0o600)
        self.assertIn("throw-away key of tools/bench_target.sh", key.with_suffix(".pub").read_text())
        process = self.process()
        link = re.search(r"^link=\"?(.*?)\"?$", (self.folder / ".cache/bench-target/target").read_text(), re.M).group(1)
        self.assert_refused(self.up(), 1, "a target is here already", PROVIDER, "down")

        done = subprocess.run([SSH_BENCH, *AMOUNT[PROVIDER], "--ciphers", "aes128-gcm@openssh.com"],
                              cwd=self.folder, capture_output=True, text=True, timeout=LIMIT[PROVIDER])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"{where['PLUMB_BENCH_USER']}@{where['PLUMB_BENCH_HOST']} port {where['PLUMB_BENCH_PORT']}",
                      done.stdout)
        failed = [line for line in done.stdout.splitlines() if " failed: " in line]
        self.assertTrue(all("libssh" in line for line in failed), failed)  # that is not here, or knows no such cipher

        done = self.script("down")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_nothing_left(process)
        if where["PLUMB_BENCH_HOST"] == "127.0.0.1":  # any other address may be somebody's now
            with self.assertRaises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", int(where["PLUMB_BENCH_PORT"])), timeout=10).close()
        else:
            links = subprocess.run(["ip", "-o", "link"], capture_output=True, text=True).stdout
            self.assertNotIn(link, links)
        self.assert_refused(self.script("status"), 1, "no target is up")
        self.assert_refused(self.script("down"), 1, "no target is up")

    def test_interrupted_up_leaves_nothing(self):
        words = ["up", "--provider", PROVIDER, *(["--suite", suite()] if PROVIDER != "local" else [])]
        running = subprocess.Popen([SCRIPT, *words], cwd=self.folder, stderr=subprocess.PIPE, text=True)
        until = time.monotonic() + LIMIT[PROVIDER]
        while not (self.folder / ".cache/bench-target/target").exists() and running.poll() is None:
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)
        running.send_signal(signal.SIGTERM)
        message = running.communicate(timeout=LIMIT[PROVIDER])[1]
        if running.returncode == 3:
            self.skipTest(message.strip().splitlines()[-1])
        self.assertEqual(running.returncode, 130, message)
        self.assertIn("nothing is left", message)
        self.assert_nothing_left()

    def test_aead_only(self):
        if PROVIDER == "qemu":
            self.skipTest("the system of netns, which is judged there")
        self.assert_up("--aead-only")
        where = self.environment()
        ssh = ["ssh", "-F", "none", "-o", "BatchMode=yes", "-i", where["PLUMB_BENCH_KEY"],
               "-o", f"UserKnownHostsFile={where['PLUMB_BENCH_KNOWN_HOSTS']}", "-p", where["PLUMB_BENCH_PORT"],
               "-l", where["PLUMB_BENCH_USER"], where["PLUMB_BENCH_HOST"]]
        for cipher, code in (("aes256-gcm@openssh.com", 0), ("aes256-ctr", 255)):
            done = subprocess.run([*ssh, "-c", cipher, "true"], capture_output=True, text=True, timeout=LIMIT[PROVIDER])
            self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn("no matching cipher", done.stderr)


class Refusals(Target):
    """The same for all providers, so judged with one."""

    def setUp(self):
        if PROVIDER != "local":
            self.skipTest("judged with the provider local")
        super().setUp()

    def test_a_mistake_is_one_sentence_and_exit_2(self):
        for words in ([], ["melt"], ["up", "--provider", "docker"], ["up", "--provider"], ["up", "--suite", "trixie"],
                      ["up", "--provider", "netns", "--suite", "sid"], ["up", "--emulate"], ["down", "now"]):
            self.assert_refused(self.script(*words), 2)
        self.assert_nothing_left()

    def test_an_env_file_of_somebody_else_is_kept(self):
        (self.folder / ".env").write_text("PLUMB_BENCH_HOST=example.org\n")
        self.assert_refused(self.up(), 1, ".env", "move it away")
        self.assertEqual((self.folder / ".env").read_text(), "PLUMB_BENCH_HOST=example.org\n")

    def test_a_bench_that_is_killed_leaves_no_folder_on_the_target(self):
        folders = lambda: {path for parent in ("/dev/shm", "/tmp")
                           for path in pathlib.Path(parent).glob("ssh_bench-*")}
        before = folders()
        self.assert_up()
        bench = subprocess.Popen([SSH_BENCH, "--mib", "1", "--rounds", "999"], cwd=self.folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(bench.wait)
        self.addCleanup(bench.kill)
        self.assertTrue(becomes_true(lambda: folders() - before))
        bench.kill()
        self.assertTrue(becomes_true(lambda: not folders() - before), folders())

    def test_a_server_that_ended_by_itself_is_told_and_tidied_up(self):
        self.assert_up()
        os.kill(self.process(), signal.SIGKILL)
        time.sleep(0.2)
        self.assert_refused(self.script("status"), 1, "its server is gone", "down")
        self.assertEqual(self.script("down").returncode, 0)
        self.assert_nothing_left()


if __name__ == "__main__":
    SCRIPT, SSH_BENCH, PROVIDER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    if why := missing():
        print(f"skipped: {why}", file=sys.stderr)
        sys.exit(3)
    outcome = unittest.main(argv=sys.argv[:1], exit=False).result
    if not outcome.wasSuccessful():
        sys.exit(1)
    for test, why in outcome.skipped:
        print(f"skipped: {test.id()}: {why}", file=sys.stderr)
    sys.exit(3 if len(outcome.skipped) == outcome.testsRun else 0)
