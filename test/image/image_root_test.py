#!/usr/bin/env python3
"""image_root.py finds the libraries of a program, also of one that this machine cannot run."""

import pathlib
import platform
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "charts"))

import image_root  # noqa: E402

OTHER = {"x86_64": "aarch64", "aarch64": "x86_64"}[platform.machine()]
NUMBERS = {name: number for number, name in image_root.PROCESSORS.items()}


class ImageRootTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sluice-image-root-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.program = self.folder / "program"
        (self.folder / "source.c").write_text("double sin(double);\nint main(int n, char** w)"
                                              "{ (void)w; return (int)sin(n); }\n")  # fmt: skip
        subprocess.run([sys.argv[1], "-x", "c", "source.c", "-o", "program", "-lm"],
                       check=True, cwd=self.folder)  # fmt: skip

    def claim(self, machine):
        """The program states another processor."""
        data = bytearray(self.program.read_bytes())
        struct.pack_into("<H", data, 18, machine)
        self.program.write_bytes(data)

    def test_the_names_in_the_files_lead_to_what_the_loader_finds(self):
        found = image_root.linked_libraries(self.program)
        self.assertTrue([path for path in found if "libm.so" in path], found)
        stated = image_root.foreign_libraries(self.program, platform.machine())
        self.assertEqual(stated, found)

    def test_the_libraries_of_another_processor_are_not_those_of_this_one(self):
        self.claim(NUMBERS[OTHER])
        self.assertEqual(image_root.processor_of(self.program), OTHER)
        places = []
        try:
            places = image_root.linked_libraries(self.program)
        except SystemExit as error:
            self.assertIn("cannot find a library", str(error))
        self.assertFalse([path for path in places if f"{platform.machine()}-linux" in path])

    def test_other_files_are_refused(self):
        for spoil in (lambda: self.claim(40), lambda: self.program.write_text("#!/bin/sh\n")):
            spoil()
            with self.assertRaisesRegex(SystemExit, "is not a program for amd64 or arm64"):
                image_root.linked_libraries(self.program)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
