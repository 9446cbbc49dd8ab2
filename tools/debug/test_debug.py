#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clipfree debug on captures made by hand: positions, lines, values, breakpoints and faults of a program whose every
step is known, at the terminal and through the protocol; stepping gives what the GPU drew; wrong requests get a message
that says what may be asked.

Usage: test_debug.py CLIPFREE-DEBUG CLIPFREE-ASM
"""
import json
import random
import re
import socket
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "look"))
import captures  # noqa: E402

HERE = Path(__file__).resolve().parent
DEBUG = Path(sys.argv.pop(1)).resolve()
ASM = Path(sys.argv.pop(1)).resolve()
SEED = 17
SOURCE = """uniform float zero;
uniform float table[3];
varying vec2 place;
void main()
{
   float sum = place.x + place.y;
   for (float i = 0.0; i < 3.0; i++)
      sum += i;
   float d = sum / zero;
   float n = d - d;
   float t = table[int(i)];
   gl_FragColor = vec4(sum, n, t, 1.0);
}
"""
PROGRAM = """ldvar v0, 0, smooth
ldvar v1, 1, smooth
fadd v2, v0, v1
movi v3, 0.0
loop
next:
fge v4, v3, 3.0
brk v4, last
fadd v2, v2, v3
fadd v3, v3, 1.0
last:
endloop next
fdiv v5, v2, u0
fsub v6, v5, v5
f2i v7, v3
ldu v8, 0[v7 + 1]
outf 0, v2
outf 1, v6
outf 2, v8
outf 3, 1.0
end
"""
# instruction: line
LINES = {0: 6, 1: 6, 2: 6, 3: 7, 4: 7, 5: 7, 6: 7, 7: 8, 8: 7, 9: 7, 10: 9, 11: 10, 12: 11, 13: 11, 14: 12, 15: 12,
         16: 12, 17: 12}
NIR = "shader: fragment\n  %0 = fadd place.x, place.y\n  %1 = fadd a, " + 60 * "x" + "\n"
NIR_LINES = {2: 2, 8: 3, 9: 3}
# instructions in the order in which they run: three times round the loop
ORDER = [0, 1, 2, 3, 4] + 3 * [5, 6, 7, 8, 9] + [5, 6, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]
STOP = re.compile(r"step (\d+) of (\d+)\n(?:.*:(\d+)   (.*)\n)?=>\s+(\d+)  (.*)\n")


def capture(path, notes=True, draws=1, corners=((-1, -1), (3, -1), (-1, 3)), clear=False):
    """A frame of 8x8 pixels; place is (0.5, 0.25) everywhere."""
    c = captures.Captured(ASM)
    color = c.surface("r8g8b8a8_unorm", 8, 8)
    c.frame(color)
    fragment = c.program("fragment", PROGRAM, vector_regs=9, outputs=4, inputs=4, color_outputs=1)
    c.packet("shader", stage="fragment", program=fragment)
    c.packet("constants", stage="fragment", bank=0, size_B=16, address=c.put(bytes(16)))
    if notes:
        c.note(fragment, (captures.SOURCE, SOURCE),
               (captures.UNIFORM, captures.packed_variable(0), "uniform float zero"),
               (captures.UNIFORM, captures.packed_variable(1, elements=3, stride_dw=1), "uniform float table[3]"),
               (captures.INPUT, captures.packed_variable(0, rows=2), "in vec2 place"),
               (captures.LINES, captures.packed_lines(*LINES.items())), (captures.NIR, NIR),
               (captures.NIR_LINES, struct.pack("<19I", *(NIR_LINES.get(i, 0) for i in range(19)))))
    c.vertices([(x, y, 0, 1) for x, y in corners], [(0.5, 0.25, 0, 1)] * 3)
    for _ in range(draws):
        c.draw()
    if clear:
        c.packet("clear", colors=1, max_x_px=8, max_y_px=8)
    places = c.submit()
    c.write(path)
    return places


def debug(*arguments, commands=()):
    done = subprocess.run([DEBUG, *map(str, arguments)], input="".join(f"{line}\n" for line in commands),
                          capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout, done.stderr


def one_program(path, text, **values):
    """A frame of 8x8 pixels by this fragment program."""
    c = captures.Captured(ASM)
    c.frame(c.surface("r8g8b8a8_unorm", 8, 8))
    c.packet("shader", stage="fragment", program=c.program("fragment", text, vector_regs=4, outputs=4,
                                                           color_outputs=1, **values))
    c.packet("constants", stage="fragment", bank=0, size_B=16, address=c.put(bytes(16)))
    c.vertices([(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)], [(0.5, 0.25, 0, 1)] * 3)
    c.draw()
    c.submit()
    c.write(path)


def textured(path, bound=True, offsets=None):
    """A frame of 8x8 pixels whose program samples unit 3, with a texture or without, and has a uniform that is not
    there. With texel offsets the texture is cleared before."""
    c = captures.Captured(ASM)
    texels = c.put(bytes(64))
    if offsets is not None:
        surface = captures.packed("surface", address=texels, width_px=4, height_px=4, format="r8g8b8a8_unorm",
                                  row_pitch_B=16, layout="linear", size_B=64)
        c.frame((c.put(surface), texels), width_px=4, height_px=4)
        c.packet("clear", colors=1, min_x_px=3, max_x_px=4, min_y_px=1, max_y_px=2)
    c.frame(c.surface("r8g8b8a8_unorm", 8, 8))
    text = "ldvar v0, 0, smooth\ntex v4.xyzw, 3, v0, 0.5, 0.0, 0.0, implicit\nout 0, v4\nend\n"
    if offsets is not None:
        text = f"movi v1, {offsets:#x}\ngrad 6, 0.0\ngrad 7, v1\n" + text.replace("implicit", "implicit_at")
    program = c.program("fragment", text, vector_regs=8, inputs=4, outputs=4, color_outputs=1, needs_helpers=True)
    c.note(program, (captures.UNIFORM, captures.packed_variable(9), "uniform float far"),
           (captures.UNIFORM, captures.packed_variable(3, scalar=captures.SAMPLER), "uniform sampler2D image"))
    c.packet("shader", stage="fragment", program=program)
    c.packet("constants", stage="fragment", bank=0, size_B=16, address=c.put(bytes(16)))
    if bound:
        texture = captures.packed("texture", address=texels, size_B=64, format="r8g8b8a8_unorm", kind="t2d",
                                  width_px=4, height_px=4, depth_px=1, layers=1, level_row_pitch_B=[16],
                                  level_layer_pitch_B=[64])
        c.packet("bind_texture", stage="fragment", unit=3, texture=c.put(texture),
                 sampler=c.put(captures.packed("sampler", max_lod=15.0)))
    c.vertices([(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)], [(0.5, 0, 0, 1)] * 3)
    c.draw()
    c.submit()
    c.write(path)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "capture"

    def at(self, *commands, arguments=("--pixel", "3,2"), **of_capture):
        """What the commands print, and their stops: [(step, line, instruction)], the first one where it begins."""
        capture(self.path, **of_capture)
        status, out, error = debug(self.path, *arguments, commands=commands)
        self.assertEqual((status, error), (0, ""), error)
        return out, [(int(step), int(line or 0), int(pc)) for step, _, line, _, pc, _ in STOP.findall(out)]


class Steps(Case):
    def test_instructions(self):
        """Forwards, and back again."""
        _, stops = self.at(*["ni"] * 40, *["bi"] * 40)
        there = [(n, pc) for n, pc in enumerate(ORDER)]
        seen = [(n, pc) for n, _, pc in stops]
        # a step at an end stays there
        self.assertEqual(seen, there + [there[-1]] * (41 - len(there)) + there[-2::-1] + [there[0]] * (41 - len(there)))

    def test_lines(self):
        _, stops = self.at(*["n"] * 20)
        lines = [line for _, line, _ in stops]
        self.assertEqual(lines[:13], [6, 7, 8, 7, 8, 7, 8, 7, 9, 10, 11, 12, 12])

    def test_lines_back(self):
        _, stops = self.at("end", *["b"] * 20)
        forwards = self.at(*["n"] * 20)[1]
        self.assertEqual(stops[2:],
                         list(reversed(sorted(set(forwards))))[1:] + [stops[0]] * (20 - len(set(forwards)) + 1))

    def test_random_walk(self):
        """Any way through the program ends where the shortest one does, with the same values."""
        chance, at, commands, expected = random.Random(SEED), 0, [], []
        for _ in range(200):
            n, back = chance.randrange(1, 30), chance.random() < 0.5
            at = max(0, at - n) if back else min(len(ORDER) - 1, at + n)
            commands += [f"{'bi' if back else 'ni'} {n}", "p v2"]
            rounds = sum(1 for pc in ORDER[:at] if pc == 7)
            expected.append((at, 0.75 + sum(range(rounds)) if 2 in ORDER[:at] else None))
        out, stops = self.at(*commands)
        values = re.findall(r"^([0-9.]+)$|(v2 has no value here)", out, re.MULTILINE)
        seen = [(stop[0], float(value) if value else None) for stop, (value, _) in zip(stops[1:], values)]
        self.assertEqual(seen, expected, f"seed {SEED}")

    def test_vertices(self):
        out, stops = self.at("info inputs", "end", "info outputs", arguments=("--draw", "0", "--vertex", "1"))
        self.assertIn("vertex 1 of 1", out)
        self.assertIn("gl_Position = (3, -1, 0, 1)", out)
        self.assertEqual(len(stops), 2)

    def test_alive(self):
        """A step back brings back lanes that became helpers."""
        one_program(self.path, "sys v0, helper\ndemote 1, last\nlast:\nend\n", sysvals=1 << 10, uses_kill=True)
        _, out, error = debug(self.path, "--pixel", "3,2", commands=("ni 2", "start", "ni", "p int(v0)"))
        self.assertTrue(out.endswith("\n0\n"), out + error)

    def test_no_lines(self):
        out, stops = self.at("n", "n", notes=False)
        self.assertIn("no lines are known: steps are instructions", out)
        self.assertEqual([step for step, _, _ in stops], [0, 1, 2])

    def test_all_of_a_draw(self):
        """Vertices, then fragments: from one breakpoint to the next, and back."""
        out, stops = self.at("break pixel 5,6", "c", "break @13", "delete 1", "c", "rc", "rc", "c",
                             arguments=("--draw", "0"))
        self.assertIn("lane 0, vertex 0 of 0", out)
        self.assertIn("pixel 5,6, step 0", out)
        self.assertEqual([pc for _, _, pc in stops[1:3]], [0, 0] if stops[2][2] == 0 else [0, 13])


class Values(Case):
    def test_names(self):
        out, _ = self.at("info inputs", "info uniforms", "p place", "p place.y", "p table[2]", "p zero",
                         "p place.x * 4 + 1 == 3",
                         "p table[3]", "p nothing", "p place.z", "p place + 1", "p (1", "p", "p int(v0)")
        for words in ("place = (0.5, 0.25)", "zero = 0", "table = 3 elements", "(0.5, 0.25)\n0.25\n0\n0\n1\n",
                      "index 3 is out of range; it has 3",
                      "nothing is no variable of this program that is kept, and no register",
                      "it has no component z", "+ takes numbers", ") is missing", "a value is missing",
                      "v0 has no value here (yet)"):
            self.assertIn(words, out)

    def test_refused(self):
        out, _ = self.at("p table[place]", "p abs(place)", "p -place", "p !place", "p " + 70 * "-" + "1",
                         "p " + 60 * "-" + "1",
                         "p half(1)")
        for words in ("an index is a number", "abs takes a number; choose a component", "there is no function half"):
            self.assertIn(words, out)
        self.assertEqual(out.count("! and - take numbers; choose a component"), 2)
        self.assertEqual(out.count("it is nested too deep"), 1)

    def test_results(self):
        out, _ = self.at("n", "info outputs", "ni", "info line", "end", "info outputs", "lanes gl_FragColor.x", "asm",
                         "l")
        self.assertIn("gl_FragColor = (-, -, -, -)", out)
        self.assertIn("v3 = 0 (0x00000000)   3: movi v3, 0x00000000", out)
        self.assertIn("gl_FragColor = (3.75, nan, 0, 1)", out)
        self.assertEqual(out.count(" 3.75\n"), 32, "all lanes")
        self.assertIn("=>  12     gl_FragColor = vec4(sum, n, t, 1.0);", out)

    def test_side_by_side(self):
        out, _ = self.at("side")
        blank = 40 * " "
        self.assertIn(f"    6 {'float sum = place.x + place.y;':34} {47 * ' '}=>   0  ldvar", out)
        self.assertIn(f"{blank}    2 {'%0 = fadd place.x, place.y':40}      2  fadd v2, v0, v1\n", out)
        self.assertIn(f"    3 {'%1 = fadd a, ' + 26 * 'x'}~      8  fadd v3, v3, 1.0\n", out)
        self.assertIn("the capture has no NIR", self.at("side", notes=False)[0])

    def test_not_there(self):
        """What is not bound has no value."""
        for bound in True, False:
            textured(self.path, bound)
            _, out, _ = debug(self.path, "--pixel", "3,2",
                              commands=("info samplers", "info uniforms", "p far", "p u3", "p u4"))
            self.assertIn("image = unit 3: t2d, 4 x 4, levels 0 to 0" if bound else "image = no texture: samples are",
                          out)
            self.assertIn("far = -\nfar has no value here (yet)\n0\nu4 has no value here (yet)\n", out)

    def test_bits(self):
        out, _ = self.at("ni 3", "p int(v2)", "p uint(v2)", "p v2")
        self.assertTrue(out.endswith("1061158912\n1061158912\n0.75\n"), out)


class Locals(Case):
    """A program that keeps its variables in scratch: half is assigned once, sum three times."""
    KEPT = """sts [0 + 0], 0
sts [0 + 1], 0
ldvar v0, 0, smooth
sts [0 + 0], v0
lds v1, [0 + 0]
fadd v1, v1, v1
sts [0 + 1], v1
lds v1, [0 + 1]
fadd v1, v1, 1.0
sts [0 + 1], v1
lds v1, [0 + 1]
outf 0, v1
outf 1, v1
outf 2, v1
outf 3, 1.0
end
"""

    def kept(self, path, last="1.0"):
        c = captures.Captured(ASM)
        c.frame(c.surface("r8g8b8a8_unorm", 8, 8))
        fragment = c.program("fragment", self.KEPT.replace("fadd v1, v1, 1.0", f"fadd v1, v1, {last}"), vector_regs=2,
                             outputs=4, inputs=4, color_outputs=1, scratch_dwords=2)
        c.packet("shader", stage="fragment", program=fragment)
        c.note(fragment, (captures.LOCAL, captures.packed_variable(0), "float half"),
               (captures.LOCAL, captures.packed_variable(1), "float sum"))
        c.vertices([(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)], [(0.5, 0.25, 0, 1)] * 3)
        c.draw()
        c.submit()
        c.write(path)

    def test_values(self):
        self.kept(self.path)
        status, out, error = debug(self.path, "--pixel", "3,2",
                                   commands=[word for n in range(11) for word in ("ni", "p half", "p sum")])
        self.assertEqual(status, 0, error)
        for name, values in (("half", [None] * 3 + ["0.5"] * 8), ("sum", [None] * 6 + ["1"] * 3 + ["2"] * 2)):
            seen = re.findall(rf"^([0-9.]+)$|^({name}) has no value", out, re.MULTILINE)
            self.assertTrue(seen)
            both = re.findall(r"^(?:([0-9.]+)|\w+ has no value here \(yet\))$", out, re.MULTILINE)
            self.assertEqual([value or None for value in both[name == "sum"::2]], values, name)

    def test_real(self):
        """Compared with another program: equal, and not."""
        other = self.path.parent / "other"
        self.kept(self.path)
        differ = "the outputs differ: gl_FragColor = (2, 2, 2, 1), in the real program (3, 3, 3, 1)"
        for last, words in ("1.0", "the outputs are those of the real program, bit for bit"), ("2.0", differ):
            self.kept(other, last)
            self.assertIn(words, debug(self.path, "--pixel", "3,2", "--real", other)[1])
        capture(other, corners=((-1, -1), (0, -1), (-1, 0)))
        self.assertIn("the real program is not found: its draw has no such fragment",
                      debug(self.path, "--pixel", "7,1", "--real", other)[1])


class Breaks(Case):
    def test_line(self):
        _, stops = self.at("break 8", "c", "c", "c", "c", "rc", "rc")
        self.assertEqual([pc for _, _, pc in stops[1:]], [7, 7, 7, 18, 7, 7])
        self.assertEqual([step for step, _, _ in stops[1:]], [7, 12, 17, 31, 17, 12])

    def test_line_of_several(self):
        """A line is entered once, with all of its instructions, and again when the loop comes back to it."""
        _, stops = self.at("break 7", "c", "c", "c", "c", "delete 1", "break 6", "rc")
        self.assertEqual([step for step, _, _ in stops[1:]], [3, 8, 13, 18, 0])

    def test_born(self):
        """What is handed on is not born: inf, inf + 1, NaN, NaN + 1."""
        one_program(self.path, "fdiv v0, 1.0, u0\nfadd v1, v0, 1.0\nfsub v2, v1, v1\nfadd v3, v2, 1.0\nend\n")
        for kind, pc in (("nan", 2), ("inf", 0)):
            _, out, _ = debug(self.path, "--pixel", "3,2", commands=(f"catch {kind}", "rc", "c", "c", "rc"))
            seen = [int(found) for _, _, _, _, found, _ in STOP.findall(out)]
            self.assertEqual(seen[2:], [4, 4, pc] if pc == 0 else [pc, 4, pc], out)

    def test_primitives(self):
        """Two triangles of a draw that cover the same pixel: each fragment has its own values."""
        path = self.path
        c = captures.Captured(ASM)
        c.frame(c.surface("r8g8b8a8_unorm", 8, 8))
        corners = [(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)]
        c.vertices(2 * corners, [(0.5, 0, 0, 1)] * 3 + [(0.25, 0, 0, 1)] * 3)
        c.draw(count=6)
        c.submit()
        c.write(path)
        _, out, _ = debug(path, "--pixel", "3,2", commands=("ni", "p v0", "fragment 0", "ni", "p v0"))
        self.assertEqual(re.findall(r"^(0\.\d+)$", out, re.MULTILINE), ["0.25", "0.5"])

    def test_condition(self):
        out, stops = self.at("break 8 if v3 >= 1 && lane < 32", "c", "c", "rc", "rc", "break 8 if place",
                             "break 8 if missing > 1")
        self.assertEqual([step for step, _, _ in stops[1:]], [12, 17, 12, 0])
        self.assertIn("a condition is a number", out)
        self.assertIn("missing is no variable", out)

    def test_next_line_with_code(self):
        out, _ = self.at("break 1", "break 13", "break @18", "break @19", "break 0")
        self.assertIn("breakpoint 1 at line 6, the next with code", out)
        self.assertIn("no instruction is made from line 13 or one after it", out)
        self.assertIn("'@19' is no place of this program", out)
        self.assertIn("'0' is no place of this program", out)
        name = re.search(r"^(\S+):\d+   ", out, re.MULTILINE)[1]
        out, stops = self.at(f"break {name}:8", "c", "break other:8")
        self.assertEqual([pc for _, _, pc in stops[1:]], [7])
        self.assertIn("'other:8' is no place of this program", out)

    def test_faults(self):
        out, stops = self.at("catch nan", "catch inf", "catch zero", "catch index", "c", "c", "c", "rc", "info breaks")
        self.assertEqual([pc for _, _, pc in stops[1:]], [10, 11, 13, 11])
        for words in ("division by zero: fdiv", "NaN is born: fsub of inf and inf",
                      "index out of range: dword 3 of table, which has 3"):
            self.assertIn(words, out)
        self.assertEqual([pc for _, _, pc in self.at("catch inf", "c", "c")[1][1:]], [10, 18])

    def test_fragments(self):
        """Three draws over each other: their fragments are visited in order, and back."""
        out, stops = self.at("w", "break @10", "rc", "rc", "fragment 2", "info fragments", draws=3)
        self.assertIn("fragment 2 of 3: primitive 0, written", out)
        self.assertEqual([text for text in re.findall(r"^draw (\d)", out, re.MULTILINE)], ["2", "2", "1", "0", "2"])
        self.assertEqual([pc for _, _, pc in stops], [0, 0, 10, 10, 0])

    def test_writers(self):
        capture(self.path, draws=2)
        _, out, _ = debug(self.path, "--pixel", "3,2",
                          commands=("watch pixel 3,2", "watch pixel 3,2", "watch pixel 9,9",
                                    "watch byte 0x1000", "watch byte 0x99999999", "watch this",
                                    "watch texel place"))
        self.assertIn("pixel 3,2 was written by draw 0, primitive 0: written", out)
        self.assertIn("no draw, clear or copy of the capture writes pixel 3,2", out)
        self.assertIn("there is no pixel 9,9", out)
        self.assertIn("there is no byte 0x99999999", out)
        self.assertIn("'this' is not understood; it may be: pixel X,Y", out)
        self.assertIn("place is no sampler of this program with a texture", out)


    def test_bytes(self):
        """Who wrote a byte of a buffer before the draw: of three that write to it or beside it."""
        c = captures.Captured(ASM)
        c.frame(c.surface("r8g8b8a8_unorm", 8, 8))
        one, other = c.put(bytes(64)), c.put(bytes(64))
        c.packet("fill_buffer", destination=one, size_B=16, value=5)
        c.packet("fill_buffer", destination=other, size_B=16, value=7)
        c.vertices([(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)], [(0.5, 0, 0, 1)] * 3)
        c.draw()
        c.packet("fill_buffer", destination=one, size_B=32, value=9)
        c.submit()
        c.write(self.path)
        _, out, _ = debug(self.path, "--pixel", "3,2",
                          commands=[f"watch byte {byte:#x}" for byte in (one, one + 20, other, other + 16)])
        found = re.findall(r"byte 0x[0-9a-f]+ .*", out)
        for words, line in zip((f"{one:#x} was written by operation 0, a fill_buffer",
                                f"{one + 20:#x} before this draw",
                                f"{other:#x} was written by operation 1, a", f"{other + 16:#x} before this draw"),
                                found,
                               strict=True):
            self.assertIn(words, line)

    def test_fed_bytes(self):
        """The draw, primitive and element whose feedback wrote a byte; a transfer before or after it counts too."""
        c = captures.Captured(ASM)
        c.frame(c.surface("r8g8b8a8_unorm", 8, 8))
        buffer, filled = c.put(bytes(512)), c.put(bytes(8))
        c.packet("fill_buffer", destination=buffer, size_B=512, value=5)
        c.feedback([(0, 3, 0, 0), (8, 1, 0, 4)], [(buffer, 20 * 10, 5, filled)])
        corners = [(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)]
        c.vertices(2 * corners, [(0.5, 0, 0, 1)] * 6)
        c.draw(count=6)
        c.draw(count=6, start=0)  # its second primitive has no room
        c.packet("fill_buffer", destination=buffer + 40, size_B=4, value=9)
        c.packet("feedback")
        c.draw()
        c.submit()
        c.write(self.path)
        asked = {20 * 4 + 8: "feedback of draw 0, primitive 1, element 4 of instance 0",
                 20 * 4 + 12: "operation 0, a fill_buffer", 20 * 4 + 19: "feedback of draw 0, primitive 1, element 4",
                 20 * 6: "feedback of draw 1, primitive 0, element 0", 20 * 9: "operation 0, a fill_buffer",
                 40: "operation 3, a fill_buffer", 44: "feedback of draw 0, primitive 0, element 2"}
        _, out, _ = debug(self.path, "--pixel", "3,2", commands=[f"watch byte {buffer + at:#x}" for at in asked])
        found = re.findall(r"byte 0x[0-9a-f]+ .*", out)
        for words, line in zip(asked.values(), found, strict=True):
            self.assertIn(f"was written by {words}", line)

    def test_feedback_of_a_vertex(self):
        c = captures.Captured(ASM)
        c.frame(c.surface("r8g8b8a8_unorm", 8, 8))
        c.feedback([(0, 2, 1, 1), (9, 1, 0, 0)], [(c.put(bytes(96)), 96, 1, c.put(bytes(8))),
                                                  (c.put(bytes(96)), 96, 4, c.put(bytes(8)))])
        c.vertices([(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)], [(0.5, 0.25, 0, 1)] * 3)
        c.draw()
        c.submit()
        c.write(self.path)
        _, out, _ = debug(self.path, "--draw", "0", "--vertex", "1",
                          commands=("info feedback", "end", "info feedback"))
        places = ("0, byte 0 of 4: varying 0.y", "1, byte 4 of 16: gl_Position.x", "1, byte 8 of 16: gl_Position.y")
        values = ("0.25 (0x3e800000)", "3 (0x40400000)", "-1 (0xbf800000)")
        self.assertEqual(re.findall(r"feedback \d, byte .*", out),
                         [f"feedback {place} is -" for place in places] +
                         [f"feedback {place} is {value}" for place, value in zip(places, values)])
        _, out, _ = debug(self.path, "--pixel", "3,2", commands=("info feedback",))
        self.assertIn("nothing is fed back here", out)

    def test_texel_offsets(self):
        """The texel that is sampled is that beside (0.5, 0.5), by signed bytes."""
        for offsets, says in (0xff01, "pixel 3,1: cleared"), (0, "writes pixel 2,2 of image"), (0x01fe, "pixel 0,3"):
            textured(self.path, offsets=offsets)
            _, out, _ = debug(self.path, "--pixel", "3,2", commands=["watch texel image"])
            self.assertIn(says, out)

    def test_texels(self):
        """Texels are of a sampler with a texture, and of a level that it has; without a place the one that is
        sampled."""
        textured(self.path)
        for words, says in (("image here", "it may be: texel SAMPLER, or texel SAMPLER X,Y"),
                            ("image 1,1 level 1", "image has no level 1; it has 0 to 0"),
                            ("image 1,1 level 0", "no operation of the capture names an image"),
                            ("unit4", "unit4 is no sampler of this program with a texture")):
            _, out, _ = debug(self.path, "--pixel", "3,2", commands=[f"watch texel {words}"])
            self.assertIn(says, out)
            self.assertEqual(out.count("it may be: texel"), says.startswith("it may be"))


class Check(Case):
    def test_check(self):
        """Stepped, the pixels are those of the frame buffer."""
        capture(self.path, draws=2)
        status, out, error = debug(self.path, "--check", "40", "--seed", SEED)
        self.assertEqual(status, 0, error)
        self.assertIn(f"seed {SEED}: 40 pixels are those of the frame buffer; 80 fragments in 4 tasks", out)


class Wrong(Case):
    def test_requests(self):
        capture(self.path)
        for arguments, words in ((["--pixel", "8,0"], "there is no pixel 8,0; the image has 8 x 8 pixels"),
                                 (["--pixel", "8"], "--pixel=8 is not known; it may be two numbers, as 3,4"),
                                 (["--draw", "7"], "there is no draw 7; the capture has draws 0 to 0"),
                                 (["--draw", "0", "--vertex", "3"], "draw 0 has no vertex 3; it has 3"),
                                 (["--vertex", "3"], "--vertex takes a draw"),
                                 (["--pixel", "1,1", "--draw", "4"], "there is no draw 4"),
                                 ([], "what to step is missing: --pixel X,Y"),
                                 (["--image", "12", "--pixel", "1,1"], "it may be an address such as 0x"),
                                 (["--port", "99999"], "it may be a number from 0 to 65535")):
            status, out, error = debug(self.path, *arguments)
            self.assertEqual((status, out), (1 if words.startswith(("there is", "draw")) else 2, ""), error)
            self.assertIn(words, error)

    def test_nothing_there(self):
        """What clipfree why says of a pixel that no shader made."""
        capture(self.path, corners=((-1, -1), (0, -1), (-1, 0)))
        status, _, error = debug(self.path, "--pixel", "7,1")
        self.assertEqual(status, 1)
        self.assertIn("no fragment of a draw is at pixel 7,1, so there is no shader to step. ", error)
        self.assertIn("Of the 1 primitives of draw 0: 1 outside; nearest is primitive 0, 3.5 pixels away", error)

    def test_captures(self):
        self.path.write_bytes(b"no capture")
        self.assertIn("capture", debug(self.path, "--pixel", "1,1")[2])
        self.assertIn("No such file", debug(self.path.parent / "missing", "--pixel", "1,1")[2])
        self.assertIn("a capture is missing", debug("--pixel", "1,1")[2])
        capture(self.path)
        self.path.write_bytes(self.path.read_bytes()[:-100])
        self.assertEqual(debug(self.path, "--pixel", "1,1")[0], 1)


class Client:
    """Speaks the protocol."""

    def __init__(self, reader, writer):
        self.reader, self.writer, self.seq, self.events = reader, writer, 0, []

    def message(self):
        length = 0
        while (line := self.reader.readline()) not in (b"\r\n", b""):
            name, value = line.split(b":")
            length = int(value) if name == b"Content-Length" else length
        return json.loads(self.reader.read(length)) if length else None

    def send(self, command, **arguments):
        self.seq += 1
        data = json.dumps({"seq": self.seq, "type": "request", "command": command, "arguments": arguments}).encode()
        self.writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self.writer.flush()

    def ask(self, command, **arguments):
        self.send(command, **arguments)
        while (message := self.message())["type"] != "response":
            self.events.append(message)
        return message

    def event(self, name):
        while self.events:
            if (event := self.events.pop(0))["event"] == name:
                return event.get("body")
        while True:
            message = self.message()
            if message.get("event") == name:
                return message.get("body")


class Protocol(Case):
    def setUp(self):
        super().setUp()
        capture(self.path, draws=2)
        self.server = subprocess.Popen([DEBUG, "--dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(self.end)
        self.client = Client(self.server.stdout, self.server.stdin)

    def end(self):
        self.server.stdin.close()
        self.server.wait(timeout=10)
        self.server.stdout.close()

    def launch(self, **more):
        self.client.ask("initialize", adapterID="clipfree")
        self.assertTrue(self.client.ask("launch", capture=str(self.path), pixel="3,2", **more)["success"])
        self.client.event("initialized")

    def start(self):
        self.launch()
        self.client.ask("configurationDone")
        return self.client.event("stopped")

    def move(self, command, **arguments):
        self.assertTrue(self.client.ask(command, **({"threadId": self.thread} | arguments))["success"])
        return self.client.event("stopped")

    def frame(self):
        return self.client.ask("stackTrace", threadId=self.thread)["body"]["stackFrames"][0]

    def variables(self, group):
        scopes = self.client.ask("scopes", frameId=self.thread)["body"]["scopes"]
        scope = next(scope for scope in scopes if scope["name"] == group)
        found = self.client.ask("variables", variablesReference=scope["variablesReference"])["body"]["variables"]
        return {variable["name"]: variable for variable in found}

    def test_session(self):
        self.launch()
        source = self.client.ask("loadedSources")["body"]["sources"][0]
        self.assertEqual(Path(source["path"]).read_text(), SOURCE)
        other = self.path.parent / "other.frag"     # of another text
        other.write_text("void main() {}\n")
        answer = self.client.ask("setBreakpoints", source={"path": str(other)},
                                 breakpoints=[{"line": 1}])["body"]["breakpoints"][0]
        self.assertFalse(answer["verified"])
        mine = self.path.parent / "mine.frag"       # a file of the person's with the same text
        mine.write_text(SOURCE)
        set_to = self.client.ask("setBreakpoints", source={"path": str(mine)},
                                 breakpoints=[{"line": 8, "condition": "v3 == 2"}])
        self.assertEqual((set_to["body"]["breakpoints"][0]["verified"], set_to["body"]["breakpoints"][0]["line"]),
                         (True, 8))
        self.client.ask("configurationDone")
        stopped = self.client.event("stopped")
        self.assertEqual(stopped["reason"], "entry")
        self.thread = stopped["threadId"]
        threads = self.client.ask("threads")["body"]["threads"]
        self.assertEqual(len(threads), 32)
        self.assertEqual(threads[self.thread - 1]["name"], f"lane {self.thread - 1}: pixel 3,2")
        self.assertEqual(self.move("continue")["reason"], "breakpoint")
        frame = self.frame()
        self.assertEqual((frame["line"], frame["column"], frame["source"]["path"]), (8, 1, str(mine)))
        self.assertEqual(self.client.ask("evaluate", expression="v2", frameId=self.thread)["body"]["result"], "1.75")
        self.assertFalse(self.client.ask("evaluate", expression="sum", frameId=self.thread)["success"])
        self.move("next")
        self.assertEqual(self.frame()["line"], 7)
        self.move("stepBack")
        self.assertEqual(self.frame()["line"], 8)
        self.move("next", granularity="instruction")
        self.move("stepOut")
        self.assertEqual(self.variables("Outputs")["gl_FragColor"]["value"], "(3.75, nan, 0, 1)")
        varying = self.variables("Varyings")["place"]
        parts = self.client.ask("variables", variablesReference=varying["variablesReference"])["body"]["variables"]
        self.assertEqual([(part["name"], part["value"], part["evaluateName"]) for part in parts],
                         [("x", "0.5", "place.x"), ("y", "0.25", "place.y")])
        self.assertEqual(self.move("reverseContinue")["reason"], "breakpoint")
        self.client.ask("disconnect")
        self.assertEqual(self.server.wait(timeout=10), 0)
        self.assertFalse(Path(source["path"]).exists())

    def test_data(self):
        """From the pixel's colour back to the draw before, the one before that, and from there to nobody; and on
        again."""
        capture(self.path, draws=3)
        self.thread = self.start()["threadId"]
        self.assertIn("draw 2", self.frame()["name"])
        info = self.client.ask("dataBreakpointInfo", name="gl_FragColor")["body"]
        self.assertRegex(info["dataId"], r"^pixel 3,2 of 0x[0-9a-f]+$")
        self.assertTrue(self.client.ask("setDataBreakpoints",
                                        breakpoints=[{"dataId": info["dataId"]}])["body"]["breakpoints"][0]["verified"])
        self.assertIn("was written by draw 1", self.move("reverseContinue")["text"])
        stopped = self.move("reverseContinue")
        self.assertEqual(stopped["reason"], "data breakpoint")
        self.assertIn("was written by draw 0", stopped["text"])
        self.thread = stopped["threadId"]
        self.assertIn("draw 0", self.frame()["name"])
        self.assertIn("no draw, clear or copy of the capture writes", self.move("reverseContinue")["text"])
        self.assertIn("was written by draw 1", self.move("continue")["text"])

    def test_instructions(self):
        self.thread = self.start()["threadId"]
        here = self.frame()["instructionPointerReference"]
        listed = self.client.ask("disassemble", memoryReference=here, instructionOffset=-1,
                                 instructionCount=25)["body"]["instructions"]
        self.assertEqual(len(listed), 25)
        self.assertEqual([listed[0]["presentationHint"], listed[1]["instruction"], listed[1]["line"]],
                         ["invalid", "ldvar v0, 0, smooth", 6])
        self.assertEqual({i - 1: one["symbol"] for i, one in enumerate(listed) if "symbol" in one},
                         {pc: NIR.splitlines()[NIR_LINES[pc] - 1].strip() for pc in (2, 8)})
        nir = self.client.ask("loadedSources")["body"]["sources"][-1]
        self.assertTrue(nir["name"].endswith(".frag.nir"))
        self.assertEqual(self.client.ask("source", source=nir, sourceReference=0)["body"]["content"], NIR)
        self.client.ask("setInstructionBreakpoints", breakpoints=[{"instructionReference": here, "offset": 8 * 13}])
        self.move("continue")
        self.assertEqual(self.frame()["instructionPointerReference"], listed[14]["address"])
        self.client.ask("setInstructionBreakpoints", breakpoints=[])
        self.client.ask("setExceptionBreakpoints", filters=["nan"])
        stopped = self.move("reverseContinue")
        self.assertEqual((stopped["reason"], self.frame()["line"]), ("exception", 10))
        self.assertIn("NaN is born", self.client.ask("exceptionInfo", threadId=self.thread)["body"]["description"])

    def test_exceptions(self):
        """Each kind alone stops where the command line's does."""
        told = self.client.ask("initialize", adapterID="clipfree")["body"]["exceptionBreakpointFilters"]
        self.assertEqual([one["filter"] for one in told], ["nan", "inf", "zero", "index"])
        self.thread = self.start()["threadId"]
        for kind, words in (("nan", "NaN is born: fsub of inf and inf"), ("inf", "infinity is born: fdiv"),
                            ("zero", "division by zero: fdiv"),
                            ("index", "index out of range: dword 3 of table, which has 3")):
            self.client.ask("setExceptionBreakpoints", filters=[])
            self.move("reverseContinue")
            self.client.ask("setExceptionBreakpoints", filters=[kind])
            self.assertEqual(self.move("continue")["reason"], "exception")
            self.assertIn(words, self.client.ask("exceptionInfo", threadId=self.thread)["body"]["description"])

    def test_wrong(self):
        ask = self.client.ask
        self.assertIn("comes after launch", ask("threads")["message"])
        self.assertIn('"capture" is missing', ask("launch")["message"])
        self.assertIn("what to step is missing", ask("launch", capture=str(self.path))["message"])
        self.assertIn('"pixel" may be a text', ask("launch", capture=str(self.path), pixel=[3, 2])["message"])
        self.assertIn('"pixel" may be two', ask("launch", capture=str(self.path), pixel="3")["message"])
        self.assertIn("there is no pixel 9,9", ask("launch", capture=str(self.path), pixel="9,9")["message"])
        self.thread = self.start()["threadId"]
        self.assertIn("no request 'unknown'", ask("unknown")["message"])
        self.assertIn("earlier stop", ask("variables", variablesReference=77777)["message"])
        answer = ask("setBreakpoints", source={"path": "/missing"}, breakpoints=[{"line": 1}])["body"]["breakpoints"][0]
        self.assertEqual((answer["verified"], answer["message"]), (False, "the file cannot be read"))
        source = self.frame()["source"]
        for condition, says in ("missing > 1", "missing is no variable"), ("place", "a condition is a number"):
            answer = ask("setBreakpoints", source=source, breakpoints=[{"line": 8, "condition": condition}])
            answer = answer["body"]["breakpoints"][0]
            self.assertFalse(answer["verified"])
            self.assertIn(says, answer["message"])
        self.assertFalse(ask("source", source={"path": "/missing"}, sourceReference=0)["success"])

    def test_pixel_breakpoint(self):
        """Of a whole draw, the shading of a pixel is stopped at by its name; a condition counts there."""
        self.client.ask("initialize", adapterID="clipfree")
        self.assertTrue(self.client.ask("launch", capture=str(self.path), draw=1)["success"])
        self.client.event("initialized")
        answers = self.client.ask("setFunctionBreakpoints",
                                  breakpoints=[{"name": "pixel 5,6"}, {"name": "main"}, {"name": "pixel 5"},
                                               {"name": "pixel 6,6", "condition": "lane < 0"}])["body"]["breakpoints"]
        self.assertEqual([answer["verified"] for answer in answers], [True, False, False, True])
        self.assertIn('"pixel X,Y"', answers[1]["message"])
        self.client.ask("configurationDone")
        self.thread = self.client.event("stopped")["threadId"]
        stopped = self.move("continue")
        self.thread = stopped["threadId"]
        self.assertEqual((stopped["reason"], self.frame()["name"]), ("breakpoint", "main, draw 1, pixel 5,6"))
        self.assertIn("the end", self.move("continue")["text"])
        self.client.ask("setFunctionBreakpoints", breakpoints=[])
        self.assertIn("the start", self.move("reverseContinue")["text"])

    def test_extension(self):
        """VS Code's extension describes what the adapter reads, with its types: a value of another is refused."""
        package = json.loads((HERE / "vscode/package.json").read_text())["contributes"]["debuggers"][0]
        described = package["configurationAttributes"]["launch"]
        types = {name: one["type"] for name, one in described["properties"].items()}
        read = re.findall(r'\{ "(\w+)", JSON_(\w+) \}', (HERE / "debug_dap.c").read_text())
        of_json = {"STRING": "string", "INTEGER": "integer", "TRUE": "boolean"}
        self.assertEqual(types, {name: of_json[kind] for name, kind in read})
        for name in types:
            answer = self.client.ask("launch", **{"capture": str(self.path), "pixel": "3,2", name: [1]})
            self.assertIn(f'"{name}" may be', answer["message"])
        self.assertEqual(described["required"], ["capture"])
        for snippet in [one["body"] for one in package["configurationSnippets"]] + package["initialConfigurations"]:
            self.assertEqual(set(snippet) - set(types), {"type", "request", "name"})

    def test_garbage(self):
        """What is no message ends the adapter, in order."""
        self.server.stdin.write(b"Content-Length: 5\r\n\r\nabcde")
        self.server.stdin.flush()
        self.assertEqual(self.server.wait(timeout=10), 0)


class Port(Case):
    def test_port(self):
        capture(self.path)
        with subprocess.Popen([DEBUG, "--port", "0", self.path, "--pixel", "3,2"], stdout=subprocess.PIPE,
                              text=True) as server:
            port = int(re.search(r"127\.0\.0\.1:(\d+)", server.stdout.readline())[1])
            with socket.create_connection(("127.0.0.1", port)) as connection:
                client = Client(connection.makefile("rb"), connection.makefile("wb"))
                client.ask("initialize")
                self.assertTrue(client.ask("attach", stopOnEntry=True)["success"])
                client.ask("configurationDone")
                self.assertEqual(client.event("stopped")["reason"], "entry")
                client.ask("disconnect")
            self.assertEqual(server.wait(timeout=10), 0)


if __name__ == "__main__":
    unittest.main()
