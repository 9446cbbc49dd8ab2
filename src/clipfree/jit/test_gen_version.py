#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a version depends on: each file that the sources include at any depth, and no other."""
import contextlib
import io
import re
import tempfile
import unittest
from pathlib import Path

import gen_version

FILES = {
    "src/jit/code.c": '#include "jit/code.h"\n#include <string.h>\n#include "unit/task.h"\n',
    "src/jit/code.h": '#include "beside.h"\n',
    "src/jit/beside.h": "struct beside;\n",
    "src/unit/task.h": '  # include "unit/deep.h"\n#include "unit/made.h"\n',
    "src/unit/deep.h": '#include "unit/task.h"\nstruct deep { int at; };\n',
    "src/unit/other.h": "struct other;\n",
    "build/unit/made.h": "#define MADE 1\n",
}
READ = {name for name in FILES if name != "src/unit/other.h"}


class Version(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        for name, text in FILES.items():
            self.write(name, text)

    def write(self, name, text):
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text, encoding="utf-8")

    def version(self, llvm="19.1.7"):
        output, depfile = self.folder / "version.h", self.folder / "version.d"
        gen_version.main(output, depfile, llvm, self.folder / "src", self.folder / "build", "--", self.folder / "src/jit/code.c")
        self.depends = {str(Path(name).relative_to(self.folder.resolve())) for name in depfile.read_text().split(": ")[1].split()}
        return re.search('CF_JIT_VERSION "(.+)"', output.read_text())[1]

    def test_depends_on_all_that_is_included_and_on_nothing_else(self):
        first = self.version()
        self.assertEqual(self.depends, READ)
        for name, text in FILES.items():
            self.write(name, text + "/* another */\n")
            self.assertEqual(self.version() != first, name in READ, name)
            self.write(name, text)
        self.assertEqual(self.version(), first)

    def test_depends_on_the_compiler(self):
        self.assertNotEqual(self.version("19.1.7"), self.version("20.1.0"))

    def test_names_an_include_that_is_nowhere(self):
        (self.folder / "build/unit/made.h").unlink()
        with self.assertRaises(SystemExit) as failed, contextlib.redirect_stderr(io.StringIO()):
            self.version()
        self.assertIn("unit/made.h", str(failed.exception))


if __name__ == "__main__":
    unittest.main()
