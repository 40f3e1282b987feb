#!/usr/bin/env python3
"""Checks that a room includes only what the ladder allows.

    check_layers.py --root DIR --room NAME --rooms LOWER… --third-party PREFIX…

Three kinds of include, three rules:
  "room/file.h"    the room must be NAME itself or one of LOWER
  <std_header>     no slash and no .h: always allowed
  <other.h>        a file suffix (`*_openssl.cc`), a named file, or a PREFIX of the room must permit it
"""
import argparse
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)')

# A file's suffix is its permission.
SUFFIXES = {
    "_openssl.cc": ("openssl/",),
    "_sodium.cc": ("sodium.h",),
}
ISA_SUFFIX = re.compile(r"_(ssse3|aesni|pclmul|avx2|avx512|ifma|shani|vaes256|vaes512|vpclmul256|vpclmul512)\.(cc|h)$")

# Single files that stand at an edge of the house.
FILES = {
    "core/result.h": ("tl/expected.hpp",),
    "core/random.cc": ("sys/random.h",),
    "core/cpu.cc": ("cpuid.h",),
    "core/ct.h": ("valgrind/memcheck.h",),
    "keys/address_match.cc": ("arpa/inet.h",),  # inet_pton, which is pure
    "sftp/posix_accounts.cc": ("grp.h", "pwd.h", "unistd.h"),
    "sftp/posix_attrs.cc": ("unistd.h",),
    "sftp/posix_attrs.h": ("sys/",),
    "sftp/posix_directory.cc": ("fcntl.h",),
    "sftp/posix_directory.h": ("dirent.h", "sys/"),
    "sftp/posix_file.cc": ("fcntl.h", "unistd.h"),
    "sftp/posix_files.cc": ("fcntl.h", "sys/", "unistd.h"),
    "sftp/posix_walk.cc": ("fcntl.h", "sys/", "unistd.h"),
    "net/local_stream.cc": ("poll.h", "sys/", "unistd.h"),
    "forward/local_file.cc": ("fcntl.h", "poll.h", "signal.h", "sys/", "unistd.h"),
    "forward/account.cc": ("pwd.h", "unistd.h"),
    "forward/account.h": ("sys/types.h",),
    "forward/child_process.cc": ("fcntl.h", "signal.h", "spawn.h", "sys/", "unistd.h"),
    "forward/child_process.h": ("sys/types.h",),
    "forward/disk_thread.cc": ("sys/resource.h",),
    "forward/pty.cc": ("fcntl.h", "stdlib.h", "sys/", "termios.h", "unistd.h"),
    "forward/server.h": ("tl/expected.hpp",),
    "forward/terminal_flags.cc": ("termios.h", "unistd.h"),
    "forward/terminal_flags.h": ("termios.h",),
    "forward/trusted_file.cc": ("fcntl.h", "stdlib.h", "sys/", "unistd.h"),
    "forward/trusted_file.h": ("sys/types.h",),
}


def allowed_system(path, header, third_party):
    if "/" not in header and not header.endswith(".h"):
        return True
    prefixes = list(third_party) + list(FILES.get(path.as_posix(), ()))
    for suffix, extra in SUFFIXES.items():
        if path.name.endswith(suffix):
            prefixes += extra
    if ISA_SUFFIX.search(path.name):
        prefixes.append("immintrin.h")
    return any(header.startswith(p) for p in prefixes)


def check(root, room, rooms, third_party):
    faults = []
    files = sorted(p for p in (root / room).rglob("*") if p.suffix in (".h", ".cc"))
    for file in files:
        path = file.relative_to(root)
        for number, line in enumerate(file.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            own, system = match.groups()
            if own is not None:
                target = own.split("/")[0]
                if target != room and target not in rooms:
                    faults.append(f'{path}:{number}: {room} may not include "{own}"')
                elif not (root / own).is_file():
                    faults.append(f'{path}:{number}: write the include from the project root: "{own}"')
            elif not allowed_system(path, system, third_party):
                faults.append(f"{path}:{number}: <{system}> is not permitted in this file")
    return files, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--room", required=True)
    parser.add_argument("--rooms", nargs="*", default=[])
    parser.add_argument("--third-party", nargs="*", default=[])
    args = parser.parse_args()
    files, faults = check(args.root, args.room, args.rooms, args.third_party)
    if not files:
        sys.exit(f"{args.room}: no source file found; is --root right?")
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{args.room}: {len(files)} files, {len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
