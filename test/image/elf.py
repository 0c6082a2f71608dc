#!/usr/bin/env python3
"""Checks that a program is hardened and free of debug information, by reading its ELF file.

    elf.py PROGRAM [TEXT...]    none of the TEXTs, such as the build's folder, may be in it

Prints a line for each fault, and ends with `N passed, N failed`.
"""

import pathlib
import re
import struct
import sys

INTERP, GNU_STACK, GNU_RELRO, DYNAMIC_SEGMENT = 3, 0x6474E551, 0x6474E552, 2
NULL, STRTAB, SYMTAB, RPATH, TEXTREL, BIND_NOW, RUNPATH, FLAGS, FLAGS_1 = (
    0, 5, 6, 15, 22, 24, 29, 30, 0x6FFFFFFB)  # fmt: skip
SHARED_OBJECT = 3
MACHINES = {62: "amd64", 183: "arm64"}  # as images name processors
FLAG_TEXTREL, FLAG_BIND_NOW, FLAG_1_NOW, FLAG_1_PIE = 4, 8, 1, 0x08000000


class Elf:
    """A 64-bit little-endian program: amd64 and arm64 have no other."""

    def __init__(self, data):
        if data[:6] != b"\x7fELF\x02\x01":
            raise ValueError("not a 64-bit little-endian ELF file")
        self.data = data
        self.type, self.machine = struct.unpack_from("<HH", data, 16)
        segments, sections = struct.unpack_from("<QQ", data, 32)
        size, count, section_size, section_count, names = struct.unpack_from("<HHHHH", data, 54)
        self.segments = [
            struct.unpack_from("<IIQQQQQQ", data, segments + size * at) for at in range(count)
        ]
        headers = [
            struct.unpack_from("<IIQQQQ", data, sections + section_size * at)
            for at in range(section_count)
        ]
        self.sections = {}  # name -> (offset, size)
        for name, _, _, _, offset, length in headers:
            self.sections[self.text_at(headers[names][4] + name)] = (offset, length)
        self.dynamic = {}
        for kind, _, offset, _, _, length, _, _ in self.segments:
            if kind != DYNAMIC_SEGMENT:
                continue
            for tag, value in struct.iter_unpack("<qQ", data[offset : offset + length]):
                if tag == NULL:
                    break
                self.dynamic[tag] = value

    def text_at(self, offset):
        return self.data[offset : self.data.index(b"\0", offset)].decode()

    def segment(self, kind):
        return next((each for each in self.segments if each[0] == kind), None)

    def imported(self):
        """Names of the functions that the libraries have."""
        symbols, size = self.sections[".dynsym"]
        names, _ = self.sections[".dynstr"]
        found = set()
        for name, _, _, section, _, _ in struct.iter_unpack(
            "<IBBHQQ", self.data[symbols : symbols + size]
        ):
            if section == 0 and name:
                found.add(self.text_at(names + name))
        return found


def faults(data, forbidden=()):
    """(promise, fault or None) for each promise."""
    elf = Elf(data)
    flags, flags_1 = elf.dynamic.get(FLAGS, 0), elf.dynamic.get(FLAGS_1, 0)
    imported = elf.imported() if ".dynsym" in elf.sections else set()
    checked = {name for name in imported if re.fullmatch(r"__\w+_chk", name)}
    stack = elf.segment(GNU_STACK)
    is_pie = elf.type == SHARED_OBJECT and elf.segment(INTERP) and flags_1 & FLAG_1_PIE
    is_now = BIND_NOW in elf.dynamic or flags & FLAG_BIND_NOW or flags_1 & FLAG_1_NOW
    is_relro = elf.segment(GNU_RELRO) and is_now
    debug = sorted(
        name for name in elf.sections
        if name.startswith((".debug", ".zdebug", ".gnu_debug", ".stab")) or name == ".symtab"
    )  # fmt: skip
    found = sorted({text for text in forbidden if text.encode() in data})
    return [
        ("position independence", None if is_pie else "is not a position-independent executable"),
        ("read-only relocations", None if is_relro else "has relocations that stay writable"),
        ("stack", None if stack and not stack[1] & 1 else "has a stack that is executable"),
        ("text", "has relocations in its text"
         if TEXTREL in elf.dynamic or flags & FLAG_TEXTREL else None),
        ("stack protector", None if "__stack_chk_fail" in imported
         else "does not call __stack_chk_fail: built without -fstack-protector"),
        ("FORTIFY", None if checked
         else "calls no checked function such as __memcpy_chk: built without _FORTIFY_SOURCE"),
        ("search path", "has a search path of libraries"
         if RPATH in elf.dynamic or RUNPATH in elf.dynamic else None),
        ("debug information", f"has the sections {', '.join(debug)}" if debug else None),
        ("paths", f"contains {', '.join(found)}" if found else None),
    ]  # fmt: skip


def main():
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    found = faults(pathlib.Path(sys.argv[1]).read_bytes(), sys.argv[2:])
    wrong = [(promise, fault) for promise, fault in found if fault]
    for promise, fault in wrong:
        print(f"FAILED: {promise}: {sys.argv[1]} {fault}")
    print(f"{len(found) - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
