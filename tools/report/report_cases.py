# SPDX-License-Identifier: MIT
"""What the tests of clipfree report share: its command line, captures made by hand, .npy files.

Programs that import it take arguments CLIPFREE-REPORT CLIPFREE-REPLAY CLIPFREE-ASM.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "look"))
from captures import Captured, packed  # noqa: E402, F401

MEASURE, REPLAY, ASM = (Path(sys.argv.pop(1)).resolve() for _ in range(3))
STAGES = ("vertex", "fragment")
# Fragment programs; frag_x is 0.5, 1.5, ... A colour is 1 1 1 1.
WHITE = "movi v0, 1.0\noutf 0, v0\noutf 1, v0\noutf 2, v0\noutf 3, v0\nend\n"
ODD = "sys v1, frag_x\nfmul v1, v1, 0.5\nffract v1, v1\nflt v2, 0.5, v1\n"   # v2: the column is odd
# An odd column runs 3 of the 5 instructions inside and waits at endif; an even one runs 2 and waits at else.
BRANCHES = ODD + "movi v0, 0.0\nif v2, other\n" + 3 * "fadd v0, v0, 1.0\n" + "other:\nelse last\nfadd v0, v0, 0.5\n" \
    "fadd v0, v0, 0.5\nlast:\nendif\noutf 0, v0\noutf 1, v0\noutf 2, v0\noutf 3, v0\nend\n"
KILLS = ODD + "kill v2, last\nmovi v0, 1.0\noutf 0, v0\noutf 1, v0\noutf 2, v0\noutf 3, v0\nlast:\nend\n"


def measure(*arguments, **options):
    return subprocess.run([MEASURE, *map(str, arguments)], capture_output=True, text=True, check=False, **options)


def report(*arguments, **options):
    """The command line that users have, on the build that is tested."""
    environment = dict(os.environ, CLIPFREE_BUILD=str(MEASURE.parents[2]))
    return subprocess.run([HERE / "report", *map(str, arguments)], capture_output=True, text=True, check=False,
                          env=environment, **options)


def read_npy(path):
    """The rows of an array of dwords."""
    data = Path(path).read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00"
    head_B = struct.unpack_from("<H", data, 8)[0]
    assert (10 + head_B) % 64 == 0
    head = eval(data[10:10 + head_B])  # a dictionary, by NumPy's definition of the format
    assert head["descr"] == "<u4" and head["fortran_order"] is False
    height, width = head["shape"]
    values = struct.unpack_from(f"<{width * height}I", data, 10 + head_B)
    assert len(data) == 10 + head_B + 4 * width * height
    return [values[y * width:(y + 1) * width] for y in range(height)]


class Made(unittest.TestCase):
    """A capture made by hand, in a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "frame.cap"
        self.capture = Captured(ASM)

    def begin(self, size_px=64, depth=False, samples=1):
        """Bind a frame buffer."""
        self.color = self.capture.surface("r8g8b8a8_unorm", size_px, size_px, samples)
        self.zs = self.capture.surface("z24_unorm_s8_uint", size_px, size_px, samples) if depth else None
        self.capture.frame(self.color, self.zs, size_px, size_px, samples)
        if depth:
            self.capture.packet("clear", max_x_px=size_px, max_y_px=size_px, depth=True, depth_value=1.0)
            self.capture.packet("depth_stencil", depth_test=True, depth_write=True, depth_func="less")

    def fragments(self, text, **values):
        program = self.capture.program("fragment", text,
                                       **({"vector_regs": 3, "outputs": 4, "color_outputs": 1} | values))
        self.capture.packet("shader", stage="fragment", program=program)
        return program

    def quad(self, z=0.0, x=(-1, 1), y=(-1, 1)):
        """A rectangle of two triangles, in clip space."""
        corners = [(x[i], y[j], z, 1) for i, j in ((0, 0), (1, 0), (0, 1), (0, 1), (1, 0), (1, 1))]
        self.capture.vertices(corners, [(1, 1, 1, 1)] * 6)
        self.capture.draw(count=6)

    def write(self):
        self.capture.submit()
        self.capture.write(self.path)

    def measured(self, *options):
        """The report, and the maps of its last target."""
        done = measure(*options, self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def map(self, name):
        path = self.folder / "map.npy"
        self.measured("--map", name, path)
        return read_npy(path)

    def refused(self, message, *arguments, command=report, **options):
        """It says so, and leaves no file."""
        before = sorted(self.folder.iterdir())
        self.assertTrue(message, "any text has an empty one in it")
        done = command(*arguments, **options)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn(message, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(sorted(self.folder.iterdir()), before)
