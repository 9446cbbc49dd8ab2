# SPDX-License-Identifier: MIT
"""What tests of clipfree why share: its command line, and a frame to ask about.

Programs that import it take arguments CLIPFREE-WHY CLIPFREE-ASM.
"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "look"))
import captures  # noqa: E402
import schemas  # noqa: E402

WHY = Path(sys.argv.pop(1)).resolve()
ASM = Path(sys.argv.pop(1)).resolve()
RED, BLUE = (1, 0, 0, 1), (0, 0, 1, 1)


def why(path, *arguments):
    """Its exit status, its answer, which is as the schema says, or None, and messages."""
    done = subprocess.run([WHY, "--json", path, *arguments], capture_output=True, text=True, check=False)
    answer = json.loads(done.stdout) if done.returncode == 0 else None
    assert answer is not None or not done.stdout, done.stdout
    fault = answer and schemas.fault("why", answer)
    assert not fault, fault
    return done.returncode, answer, done.stderr


def triangle(z=0.0):
    """Corners of a triangle that covers everything, counter-clockwise."""
    return [(-1, -1, z, 1), (3, -1, z, 1), (-1, 3, z, 1)]


class Case(unittest.TestCase):
    """A capture with a frame of 8x8 pixels, cleared to black, depth 1 and stencil 0."""

    def begin(self, samples=1, with_zs=True, size=8):
        self.capture = captures.Captured(ASM)
        self.color = self.capture.surface("r8g8b8a8_unorm", size, size, samples)
        zs = self.capture.surface("z24_unorm_s8_uint", size, size, samples) if with_zs else None
        self.capture.frame(self.color, zs, width_px=size, height_px=size, samples=samples)
        self.clear(depth=with_zs, max_x_px=size, max_y_px=size)

    def clear(self, depth=True, depth_value=1.0, **values):
        values = {"max_x_px": 8, "max_y_px": 8} | values
        self.capture.packet("clear", colors=1, depth=depth, stencil=depth, depth_value=depth_value,
                            stencil_write_mask=0xff, color=[0, 0, 0, captures.bits_of_float(1.0)], **values)

    def triangle(self, color=RED, z=0.0):
        self.capture.vertices(triangle(z), [color] * 3)
        self.capture.draw()

    def ask(self, *arguments, pixel="3,2"):
        """The answer, after the submission's end."""
        if self.capture.commands:
            self.capture.submit()
        with tempfile.NamedTemporaryFile() as file:
            self.capture.write(file.name)
            status, answer, error = why(file.name, *arguments, pixel)
        self.assertEqual((status, error), (0, ""))  # what the watchdog ended, too, is in the answer alone
        return answer

    def assert_cause(self, kind, draw, *words):
        """What is said of a draw that does not show."""
        answer = self.ask(str(draw))
        self.assertEqual(answer["cause"]["kind"], kind, answer["verdict"])
        self.assertEqual(answer["cause"]["draw"], draw)
        self.assertIn(f"Draw {draw} does not show", answer["verdict"])
        for word in words:
            self.assertIn(word, answer["verdict"])
        self.assertEqual(answer["color"][0], {"r": 0, "g": 0, "b": 0, "a": 1})
        return answer
