#!/usr/bin/env python3
"""Writes the hot loops of the AES-GCM kernels as assembly, in the order and in the registers that the compiler misses.

    tools/generate_kernels.py            writes every file of FILES
    tools/generate_kernels.py --check    compares instead; status 1 if a file is not what this program writes

A loop takes batches of eight vectors: CTR of one batch beside the GHASH of one batch of ciphertext, which is the same one
when opening and the one before when sealing. Per batch:

  counters   big-endian, counted up by one addition each; made anew by byte swaps when the low byte carries
  rounds     all eight vectors in lock step, instructions of GHASH spread evenly between them
  GHASH      Karatsuba, the vector that needs y last, one reduction
  last round its key is added to the data beforehand, which waits for nothing

The C++ side, with the layout of the loop's only argument, is ciphers/gcm/gcm_wide.h. A file is one asm declaration, to be
included by its kernel's C++ file: its symbols are that object's own, and build tools see it change as they see any header.
"""
import argparse
import pathlib
import sys

VECTORS = 8
ROOT = pathlib.Path(__file__).resolve().parent.parent


class Isa:
    """The vectors of an instruction set: the letter in a register's name, bytes of one, how many registers."""

    def __init__(self, name, letter, size, registers):
        self.name, self.letter, self.size, self.registers = name, letter, size, registers
        self.three_operands = letter != "x"  # SSE's instructions overwrite their second source
        self.move = "vmovdqu" if self.three_operands else "movdqu"

    def op(self, name, a, b, into):
        """`name` of b and a; `a` may be memory, aligned if under SSE, and starts with an immediate where there is one."""
        if self.three_operands:
            return [f"v{name} {a}, {b}, {into}"]
        return ([] if b == into else [f"movdqa {b}, {into}"]) + [f"{name} {a}, {into}"]

    def copy(self, name, a, into):
        """An instruction of one source: a move or pshufd."""
        return [f"{'v' if self.three_operands else ''}{name} {a}, {into}"]


AESNI = Isa("aesni", "x", 16, 16)
VAES256 = Isa("vaes256", "y", 32, 16)

FILES = {f"ciphers/gcm/gcm_{isa.name}_loops.inc": isa for isa in (AESNI, VAES256)}


class Field:
    """Offsets of GcmLoop's members."""

    def __init__(self, isa):
        names = ["round_keys", "powers", "folded", "data", "hashed", "count", "number"]
        self.counters, self.y = 0, isa.size
        for i, name in enumerate(names):
            setattr(self, name, 2 * isa.size + 8 * i)


class Loop:
    """One loop for one key size. %rdi: GcmLoop; %rsi: round keys; %rdx, %rcx: powers of H and the sums of their halves;
    %r8: data; %r9: what is hashed; %r10: batches left; %al: low byte of the counter."""

    def __init__(self, isa, rounds):
        self.isa, self.rounds = isa, rounds
        self.name = f"plumb_gcm_{isa.name}_{rounds}"
        free = [f"%{isa.letter}mm{i}" for i in range(isa.registers)]
        take = lambda: free.pop(0)
        self.block = [take() for _ in range(VECTORS)]
        self.low, self.middle, self.high = take(), take(), take()
        self.temp = [take(), take()]
        self.key, self.counter, self.y = take(), take(), take()
        # What is left holds constants and round keys; the others stay in memory.
        self.constant = {name: take() if free else f".L{isa.name}_{name}(%rip)" for name in ("swap", "one", "fold")}
        self.key_in = {i: take() for i in range(rounds + 1) if free}

    def round_key(self, i):
        """Loads and a register for round key i."""
        if i in self.key_in:
            return [], self.key_in[i]
        return self.isa.copy("movdqu", f"{self.isa.size * i}(%rsi)", self.key), self.key

    def add(self, a, into):
        return self.isa.op("pxor", a, into, into)

    def counters(self):
        """Counter blocks plus round key 0, and the next batch's counter."""
        code, key = self.round_key(0)
        for block in self.block:
            code += self.isa.op("pxor", key, self.counter, block)
            code += self.isa.op("paddd", self.constant["one"], self.counter, self.counter)
        return code

    def carrying_counters(self):
        """The same where the low byte carries: counted as numbers."""
        swap, number = self.constant["swap"], self.temp[0]
        code, key = self.round_key(0)
        code += self.isa.op("pshufb", swap, self.counter, number)
        for block in self.block:
            code += self.isa.op("pxor", key, self.counter, block)
            code += self.isa.op("paddd", f".L{self.isa.name}_one_number(%rip)", number, number)
            code += self.isa.op("pshufb", swap, number, self.counter)
        return code

    def aes_rounds(self):
        code = []
        for i in range(1, self.rounds):
            load, key = self.round_key(i)
            code += load
            for block in self.block:
                code += self.isa.op("aesenc", key, block, block)
        return code

    def last_round(self):
        code, key = self.round_key(self.rounds)
        for j, block in enumerate(self.block):
            here, temp = f"{self.isa.size * j}(%r8)", self.temp[j % 2]
            if self.isa.three_operands:
                code += self.isa.op("pxor", here, key, temp)
            else:
                code += self.isa.copy("movdqu", here, temp) + self.add(key, temp)
            code += self.isa.op("aesenclast", temp, block, block) + self.isa.copy("movdqu", block, here)
        return code

    def factors(self, j):
        """Vector j of what is hashed, byte-swapped, in temp 0; y is added to vector 0."""
        d = self.temp[0]
        code = self.isa.copy("movdqu", f"{self.isa.size * j}(%r9)", d)
        code += self.isa.op("pshufb", self.constant["swap"], d, d)
        return code + (self.add(self.y, d) if j == 0 else [])

    def products(self, j, low, middle, high):
        """Karatsuba products of temp 0, vector j's, as three pieces of code; `middle` may be temp 0 itself."""
        at, (d, t) = self.isa.size * j, self.temp
        return (self.isa.op("pclmulqdq", f"$0x00, {at}(%rdx)", d, low),
                self.isa.op("pclmulqdq", f"$0x11, {at}(%rdx)", d, high),
                self.isa.copy("pshufd", f"$0x4e, {d}", t) + self.add(t, d) +
                self.isa.op("pclmulqdq", f"$0x00, {at}(%rcx)", d, middle))

    def multiply(self, j):
        """Adds the products of vector j to the sums."""
        d, t = self.temp
        low, high, middle = self.products(j, t, d, t)
        return (self.factors(j) + low + self.add(t, self.low) + high + self.add(t, self.high) + middle +
                self.add(d, self.middle))

    def ghash(self):
        code = self.factors(1) + sum(self.products(1, self.low, self.middle, self.high), [])
        for j in list(range(2, VECTORS)) + [0]:
            code += self.multiply(j)
        return code + self.reduction()

    def reduction(self):
        """ghash_reduce of ciphers/ghash/ghash_wide.h, and the lanes added up in the first one, zeros in the others."""
        d, t = self.temp
        code = self.add(self.low, self.middle) + self.add(self.high, self.middle)
        for low, into in ((self.low, self.middle), (self.middle, self.high)):
            code += self.isa.op("pclmulqdq", f"$0x00, {self.constant['fold']}", low, t)
            code += self.isa.copy("pshufd", f"$0x4e, {low}", d) + self.add(t, into) + self.add(d, into)
        if self.isa.size == 16:
            return code + self.isa.copy("movdqa", self.high, self.y)
        as_lane = lambda register: register.replace(self.isa.letter + "mm", "xmm")
        return code + [f"vextracti128 $1, {self.high}, {as_lane(t)}",
                       f"vpxor {as_lane(t)}, {as_lane(self.high)}, {as_lane(self.y)}"]

    def text(self):
        isa, field = self.isa, Field(self.isa)
        argument = lambda name: f"{getattr(field, name)}(%rdi)"
        load = [f"mov {argument('round_keys')}, %rsi", f"mov {argument('powers')}, %rdx", f"mov {argument('folded')}, %rcx",
                f"mov {argument('data')}, %r8", f"mov {argument('hashed')}, %r9", f"mov {argument('count')}, %r10",
                f"mov {argument('number')}, %eax",
                f"{isa.move} {argument('counters')}, {self.counter}", f"{isa.move} {argument('y')}, {self.y}"]
        load += [f"{isa.move} .L{isa.name}_{name}(%rip), {register}" for name, register in self.constant.items()
                 if register.startswith("%")]
        load += [f"{isa.move} {isa.size * i}(%rsi), {register}" for i, register in self.key_in.items()]
        batch = isa.size * VECTORS
        step = [f"add ${batch}, %r8", f"add ${batch}, %r9", "dec %r10"]
        done = [f"{isa.move} {self.counter}, {argument('counters')}", f"{isa.move} {self.y}, {argument('y')}",
                *(["vzeroupper"] if isa.three_operands else []), "ret"]
        lines = ["\t.p2align 6", f"\t.type {self.name}, @function", f"{self.name}:"] + indent(load)
        lines += ["\t.p2align 5", f".L{self.name}_batch:", f"\tadd ${batch // 16}, %al", f"\tjc .L{self.name}_carry"]
        lines += indent(self.counters()) + [f".L{self.name}_rounds:"]
        lines += indent(spread(self.aes_rounds(), self.ghash()) + self.last_round() + step)
        lines += [f"\tjnz .L{self.name}_batch"] + indent(done)
        lines += [f".L{self.name}_carry:"] + indent(self.carrying_counters()) + [f"\tjmp .L{self.name}_rounds"]
        return lines + [f"\t.size {self.name}, .-{self.name}"]


def indent(code):
    return ["\t" + line for line in code]


def spread(main, others):
    """`others` evenly between the instructions of `main`; both in their order."""
    code, taken = [], 0
    for i, line in enumerate(main):
        code.append(line)
        until = (i + 1) * len(others) // len(main)
        code += others[taken:until]
        taken = until
    return code


def constants(isa):
    lanes, blocks = isa.size // 16, isa.size // 16
    rows = {"swap": "0x08090a0b0c0d0e0f, 0x0001020304050607",  # reverses the bytes of a block
            "one": f"0, {blocks << 56:#x}",  # one vector of blocks in a big-endian counter's last byte
            "one_number": f"{blocks}, 0",
            "fold": "0xc200000000000000, 0"}  # ghash_reduce's polynomial
    lines = ["\t.p2align 6"]
    for name, row in rows.items():
        lines += [f".L{isa.name}_{name}:"] + [f"\t.quad {row}"] * lanes
    return lines


def file_text(isa):
    lines = ["// Written by tools/generate_kernels.py; not to be edited.", 'asm(R"(', "\t.pushsection .rodata"]
    lines += constants(isa) + ["\t.popsection", "\t.pushsection .text"]
    for rounds in (10, 12, 14):
        lines += Loop(isa, rounds).text()
    return "\n".join(lines + ["\t.popsection", ')");']) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare the files instead of writing them")
    check = parser.parse_args().check
    stale = 0
    for name, isa in FILES.items():
        path, text = ROOT / name, file_text(isa)
        if not check:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            print(f"{name} is not what tools/generate_kernels.py writes; run it and look at the difference",
                  file=sys.stderr)
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
