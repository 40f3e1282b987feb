#!/usr/bin/env python3
"""Executes the generated AES-GCM loops on a model of the CPU, so that they are judged on machines which lack their
instructions too. The judge is AES, counter mode and GHASH as FIPS 197 and SP 800-38D write them.

    generated_loops_test.py FILE…       each a *_loops.inc of tools/generate_kernels.py
"""
import random
import re
import sys

MASK = (1 << 128) - 1


# AES, on blocks as bytes.

def times2(a):
    return (a << 1) ^ (0x11b if a & 0x80 else 0)


def sbox():
    box, p, q = [0x63] * 256, 1, 1
    while True:
        p ^= times2(p)  # times 3
        for shift in (1, 2, 4):  # divided by 3
            q ^= q << shift & 0xff
        q ^= 0x09 if q & 0x80 else 0
        box[p] = 0x63 ^ q ^ (q << 1 | q >> 7) & 0xff ^ (q << 2 | q >> 6) & 0xff ^ (q << 3 | q >> 5) & 0xff ^ (
            q << 4 | q >> 4) & 0xff
        if p == 1:
            return box


SBOX = sbox()


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b))


def aes_round(block, key, last):
    """ShiftRows, SubBytes, MixColumns unless `last`, AddRoundKey; also what vaesenc and vaesenclast do."""
    s = [SBOX[block[(i + 4 * (i % 4)) % 16]] for i in range(16)]
    if not last:
        mixed = []
        for c in range(0, 16, 4):
            for r in range(4):
                a, b = s[c + r], s[c + (r + 1) % 4]
                mixed.append(times2(a) ^ times2(b) ^ b ^ s[c + (r + 2) % 4] ^ s[c + (r + 3) % 4])
        s = mixed
    return xor(s, key)


def expand(key):
    size = len(key) // 4
    words, rcon = [key[4 * i:4 * i + 4] for i in range(size)], 1
    while len(words) < 4 * (size + 7):
        t = words[-1]
        if len(words) % size == 0:
            t = xor(bytes(SBOX[b] for b in t[1:] + t[:1]), bytes([rcon, 0, 0, 0]))
            rcon = times2(rcon)
        elif size == 8 and len(words) % 8 == 4:
            t = bytes(SBOX[b] for b in t)
        words.append(xor(words[-size], t))
    return [b"".join(words[i:i + 4]) for i in range(0, len(words), 4)]


def encrypt(keys, block):
    block = xor(block, keys[0])
    for i in range(1, len(keys)):
        block = aes_round(block, keys[i], i == len(keys) - 1)
    return block


def ghash_multiply(x, y):
    """SP 800-38D §6.3, on blocks as big-endian numbers."""
    z = 0
    for i in range(128):
        if x >> (127 - i) & 1:
            z ^= y
        y = y >> 1 ^ (0xe1 << 120 if y & 1 else 0)
    return z


# The CPU: registers of 64 bytes, memory in named regions.

def clmul(a, b):
    product = 0
    while b:
        if b & 1:
            product ^= a
        a, b = a << 1, b >> 1
    return product


class Cpu:
    def __init__(self, text):
        self.lines, self.labels, self.memory = [], {}, {}
        for line in (raw.strip() for raw in text.splitlines()):
            if line.endswith(":"):
                self.labels[line[:-1]] = len(self.lines)
                self.memory[line[:-1]] = bytearray()
                data = line[:-1]
            elif line.startswith(".quad"):
                for word in line[5:].split(","):
                    self.memory[data] += int(word, 0).to_bytes(8, "little")
            elif line and not line.startswith((".", "//", "asm(", ")")):
                self.lines.append(line)
        self.vector = [bytes(64)] * 32
        self.general = {}  # numbers, and pointers as (region, offset)
        self.argument = {}  # GcmLoop's members behind its vectors, by their offset

    def where(self, operand):
        offset, base = re.fullmatch(r"([-\w.]*)\(%(\w+)\)", operand).groups()
        if base == "rip":
            return self.memory[offset], 0
        region, at = self.general[base]
        return self.memory[region], at + int(offset)

    def load(self, operand, size):
        if operand.startswith("%"):
            return self.vector[int(operand[4:])][:size]
        region, at = self.where(operand)
        assert 0 <= at and at + size <= len(region), f"{operand} is outside"
        return bytes(region[at:at + size])

    def store(self, operand, value):
        if operand.startswith("%"):
            self.vector[int(operand[4:])] = value + bytes(64 - len(value))
            return
        region, at = self.where(operand)
        assert 0 <= at and at + len(value) <= len(region), f"{operand} is outside"
        region[at:at + len(value)] = value

    def vectors(self, name, operands):
        if not name.startswith("v"):  # SSE: the second source is overwritten
            name = "v" + name
            if name not in ("vmovdqu", "vmovdqa", "vpshufd"):
                operands.append(operands[-1])
        size = {"x": 16, "y": 32, "z": 64}[max(o[1] for o in operands if o.startswith("%") and "mm" in o)]
        if name in ("vextracti128", "vextracti64x4"):
            half = size // 2
            return self.store(operands[2], self.load(operands[1], size)[half:])
        immediate = int(operands.pop(0)[1:], 0) if operands[0].startswith("$") else 0
        inputs = [self.load(o, size) for o in operands[:-1]]
        if name == "vpternlogd":
            assert immediate == 0x96
            inputs.append(self.load(operands[-1], size))
        lanes = [self.lane(name, immediate, *(v[i:i + 16] for v in inputs)) for i in range(0, size, 16)]
        return self.store(operands[-1], b"".join(lanes))

    @staticmethod
    def lane(name, immediate, a, b=None, c=None):
        """One 128-bit lane; operands in the order of the assembly, the last source first."""
        if name in ("vmovdqu", "vmovdqa", "vmovdqu64"):
            return a
        if name in ("vpxor", "vpxord"):
            return xor(a, b)
        if name == "vpternlogd":
            return xor(xor(a, b), c)
        if name == "vpaddd":
            return b"".join((int.from_bytes(a[i:i + 4], "little") + int.from_bytes(b[i:i + 4], "little") &
                             0xffffffff).to_bytes(4, "little") for i in range(0, 16, 4))
        if name == "vpshufb":
            return bytes(0 if i & 0x80 else b[i & 15] for i in a)
        if name == "vpshufd":
            return b"".join(a[4 * k:4 * k + 4] for k in (immediate >> 2 * i & 3 for i in range(4)))
        if name == "vpclmulqdq":
            half = lambda v, high: int.from_bytes(v[8:] if high else v[:8], "little")
            return clmul(half(b, immediate & 1), half(a, immediate & 16)).to_bytes(16, "little")
        if name in ("vaesenc", "vaesenclast"):
            return aes_round(b, a, name == "vaesenclast")
        raise ValueError(f"unknown instruction {name}")

    def run(self, function):
        at, carry, zero = self.labels[function], False, False
        while True:
            name, _, rest = self.lines[at].partition(" ")
            operands = re.findall(r"[-\w.]*\(%\w+\)|[$%][-\w]+|\.L\w+", rest)
            at += 1
            if name == "ret":
                return
            if name == "mov":
                self.general[operands[1][1:]] = self.argument[int(operands[0].removesuffix("(%rdi)"))]
            elif name == "add" and operands[1] == "%al":
                total = (self.general["eax"] & 0xff) + int(operands[0][1:])
                carry, self.general["eax"] = total > 0xff, total & 0xff
            elif name == "add":
                region, offset = self.general[operands[1][1:]]
                self.general[operands[1][1:]] = (region, offset + int(operands[0][1:]))
            elif name == "dec":
                self.general[operands[0][1:]] -= 1
                zero = self.general[operands[0][1:]] == 0
            elif name == "jmp" or name == "jc" and carry or name == "jnz" and not zero:
                at = self.labels[operands[0]]
            elif name == "vzeroupper":
                self.vector = [v[:16] + bytes(48) for v in self.vector[:16]] + self.vector[16:]
            elif name not in ("jc", "jnz"):
                self.vectors(name, operands)


def check(path, text, isa, size, key_size, behind):
    source = random.Random(f"{path} {key_size} {behind}")
    keys, lanes, batch = expand(source.randbytes(key_size)), size // 16, 8 * size
    h = int.from_bytes(encrypt(keys, bytes(16)), "big")
    nonce, first, batches = source.randbytes(12), 256 * source.randrange(1 << 23) + 256 - 3 * batch // 32, 3  # the second carries
    y = source.getrandbits(128)
    data = source.randbytes(batch * (batches + behind))

    power, powers = h, []
    for _ in range(batch // 16):  # kept as H^i·x^-1: one bit up, and what falls out comes back (ghash_wide.h)
        powers.insert(0, (power << 1 & MASK) ^ (0xc2 << 120 | 1 if power >> 127 else 0))
        power = ghash_multiply(power, h)
    folded = [(p >> 64 ^ p & (1 << 64) - 1) * (1 << 64 | 1) for p in powers]

    cpu = Cpu(text)
    as_vectors = lambda numbers: bytearray(b"".join(n.to_bytes(16, "little") for n in numbers))
    counters = b"".join(nonce + (first + i).to_bytes(4, "big") for i in range(lanes))
    cpu.memory.update(round_keys=bytearray(b"".join(k * lanes for k in keys)), powers=as_vectors(powers),
                      folded=as_vectors(folded), data=bytearray(data),
                      loop=bytearray(counters + y.to_bytes(16, "little") + bytes(size - 16)))
    fields = [("round_keys", 0), ("powers", 0), ("folded", 0), ("data", behind * batch), ("data", 0), batches, first]
    cpu.argument = {2 * size + 8 * i: field for i, field in enumerate(fields)}
    cpu.general["rdi"] = ("loop", 0)
    cpu.run(f"plumb_gcm_{isa}_{len(keys) - 1}")

    plain = data[behind * batch:]
    stream = b"".join(encrypt(keys, nonce + (first + i).to_bytes(4, "big")) for i in range(len(plain) // 16))
    out = bytes(cpu.memory["data"])
    assert out[behind * batch:] == xor(plain, stream), "counter mode differs"
    # Opening hashes what it decrypts; sealing what the batch before has become.
    hashed = data if not behind else data[:batch] + out[batch:batches * batch]
    for i in range(0, batches * batch, 16):
        y = ghash_multiply(y ^ int.from_bytes(hashed[i:i + 16], "big"), h)
    got = cpu.memory["loop"][size:2 * size]
    assert got == y.to_bytes(16, "little") + bytes(size - 16), "GHASH differs"
    moved = b"".join(nonce + (first + i + batches * batch // 16).to_bytes(4, "big") for i in range(lanes))
    assert cpu.memory["loop"][:size] == moved, "the counter was not moved on"


def main():
    fips197 = encrypt(expand(bytes(range(16))), bytes.fromhex("00112233445566778899aabbccddeeff"))
    assert fips197.hex() == "69c4e0d86a7b0430d8cdb78070b4c55a", "the judge is wrong"
    assert len(sys.argv) > 1, "no file was named"
    for path in sys.argv[1:]:
        text = open(path, encoding="ascii").read()
        isa = re.search(r"plumb_gcm_(\w+?)_\d+:", text).group(1)
        size = {"aesni": 16, "vaes256": 32, "vaes512": 64}[isa]
        for key_size in (16, 24, 32):
            for behind in (0, 1):
                check(path, text, isa, size, key_size, behind)
        print(f"{path}: 6 runs of 3 batches agree")


if __name__ == "__main__":
    main()
