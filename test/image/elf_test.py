#!/usr/bin/env python3
"""elf.py finds each fault in a program that has it, and none in a program that has none."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import elf

SOURCE = r"""
#include <stdio.h>
#include <string.h>
int main(int count, char** words) {
    char copy[16];
    memcpy(copy, words[0], (unsigned long)count);
    puts(copy);
    puts(__FILE__);
    return 0;
}
"""
GOOD = ("-O2", "-fPIE", "-pie", "-fstack-protector-strong", "-D_FORTIFY_SOURCE=2", "-s",
        "-Wl,-z,relro", "-Wl,-z,now", "-Wl,-z,noexecstack",
        "-Wl,--disable-new-dtags")  # fmt: skip
# Promise -> flags that break it, and it alone.
BROKEN = {
    "position independence": ("-no-pie", "-fno-PIE"),
    "read-only relocations": ("-Wl,-z,lazy",),
    "stack": ("-Wl,-z,execstack",),
    "stack protector": ("-fno-stack-protector",),
    "FORTIFY": ("-U_FORTIFY_SOURCE",),
    "search path": ("-Wl,-rpath,/opt/lib",),
    "debug information": ("-g",),
    "paths": ("-ffile-prefix-map=source.c=/home/user/source.c",),
}


class ElfTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sluice-elf-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def broken_promises(self, *flags):
        (self.folder / "source.c").write_text(SOURCE)
        kept = [flag for flag in GOOD if not ("-g" in flags and flag == "-s")]
        subprocess.run(
            [sys.argv[1], "-x", "c", *kept, *flags, "source.c", "-o", "program"],
            check=True, cwd=self.folder)  # fmt: skip
        found = elf.faults((self.folder / "program").read_bytes(), ("/home/user",))
        return [promise for promise, fault in found if fault]

    def test_finds_no_fault_in_a_hardened_program(self):
        self.assertEqual(self.broken_promises(), [])

    def test_finds_each_fault_alone(self):
        for promise, flags in BROKEN.items():
            with self.subTest(promise=promise):
                self.assertEqual(self.broken_promises(*flags), [promise])

    def test_refuses_other_files(self):
        with self.assertRaisesRegex(ValueError, "not a 64-bit little-endian ELF file"):
            elf.faults(b"#!/bin/sh\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
