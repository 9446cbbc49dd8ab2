#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Declarations of GLSL that clipfree mediump finds and raises, and its pictures. No driver is needed."""
import sys
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "shader")]

from mediump_glsl import blanked, declarations, raisable, raised  # noqa: E402
from shader_picture import Picture, difference_rgb, write_png  # noqa: E402
import mediump_search  # noqa: E402
from mediump_search import Case, Search, unlike_at_highp  # noqa: E402
from shader_driver import Compiled  # noqa: E402
from shader_programs import Program, Unusable  # noqa: E402

VERTEX = """attribute vec4 position;
uniform mediump vec3 lamp;
varying lowp vec4 tint;   // mediump float comment;
void main() { vec4 p = position; mediump float near = 1.0; gl_Position = p * near; tint = p; }
"""
FRAGMENT = """#ifdef GL_ES
precision mediump float;
#endif
uniform vec3 lamp;
uniform sampler2D image;
varying lowp vec4 tint;
float lit(const in vec3 way, highp float scale)
{
   return dot(way, way) * scale;
}
void main()
{
   vec3 way = lamp /* highp float no; */ - tint.xyz, other = vec3(0.0);
   for (float i = 0.0; i < 2.0; i++) way += vec3(i);
   gl_FragColor = texture2D(image, way.xy) * lit(way, 1.0);
}
"""


class Declarations(unittest.TestCase):
    def test_comments_and_directives_are_blank(self):
        clean = blanked("a // b\n#define C \\\n d\n/* e\nf */ g\n")
        self.assertEqual((clean.split(), clean.count("\n")), (["a", "g"], 5))

    def test_of_a_vertex_shader(self):
        self.assertEqual([(name, place.line, said) for name, _, place, said in declarations(VERTEX, "vertex", 0)],
                         [("lamp", 2, "uniform mediump vec3 lamp"), ("tint", 3, "varying lowp vec4 tint"), ("near", 4, "mediump float near")])

    def test_of_a_fragment_shader(self):
        self.assertEqual([(name, place.line) for name, _, place, _ in declarations(FRAGMENT, "fragment", 0)],
                         [("lamp", 4), ("image", 5), ("tint", 6), ("lit", 7), ("way", 7), ("way", 13), ("i", 14)])

    def test_uniforms_are_raised_in_both(self):
        entries = raisable(Program("GLSL1", True, [VERTEX], [FRAGMENT]))
        lamp = next(entry for entry in entries if entry.name == "lamp")
        self.assertEqual(lamp.stages, ["vertex", "fragment"])
        self.assertEqual([entry.stages for entry in entries if entry.name == "tint"], [["vertex"], ["fragment"]])
        self.assertEqual(raised([VERTEX], "vertex", [lamp])[0].splitlines()[1], "uniform highp vec3 lamp;")
        self.assertEqual(raised([FRAGMENT], "fragment", [lamp])[0].splitlines()[3], "uniform highp vec3 lamp;")

    def test_raised_text_has_its_lines(self):
        entries = raisable(Program("GLSL1", True, [VERTEX], [FRAGMENT]))
        text = raised([FRAGMENT], "fragment", entries)[0]
        self.assertEqual(text.count("\n"), FRAGMENT.count("\n"))
        self.assertEqual(declarations(text, "fragment", 0), [])
        self.assertIn("float lit(const in highp vec3 way, highp float scale)", text.replace("highp float lit", "float lit"))
        self.assertIn("for (highp float i = 0.0;", text)

    def test_macros(self):
        text = "#define MAYBE mediump\n#define NONE\n#define HIGH highp\nuniform MAYBE vec2 a;\nvarying NONE vec2 b;\nHIGH float c;\n"
        entries = raisable(Program("GLSL1", True, [], ["precision mediump float;\n" + text]))
        self.assertEqual([entry.said for entry in entries], ["uniform MAYBE vec2 a", "varying NONE vec2 b", "HIGH float c"])
        self.assertTrue(raised([text], "fragment", raisable(Program("GLSL1", True, [], [text])))[0]
                        .endswith("uniform highp vec2 a;\nvarying NONE vec2 b;\nhighp float c;\n"))

    def test_defaults(self):
        self.assertEqual(declarations("precision highp float;\nvarying vec2 a;\nuniform highp sampler2D s;\n", "fragment", 0), [])
        self.assertEqual(declarations("varying vec2 a;\n", "fragment", 0), [])    # does not compile


class Fewest(unittest.TestCase):
    """Against all sets of up to 6 entries: what is found is enough, and nothing of it can be left out."""

    def test_nothing_can_be_left_out(self):
        for count in range(1, 7):
            for needed in range(1 << count):
                search = Search(None, None, None, 2)
                search.enough = lambda entries, n=needed: all(i in entries for i in range(6) if n >> i & 1)
                self.assertEqual(search.fewest(list(range(count))), [i for i in range(count) if needed >> i & 1])


def variable(kind, place, declaration, rows=1):
    return {"kind": kind, "place": place, "stride": rows, "elements": 1, "scalar": "float", "rows": rows, "columns": 1,
            "declaration": declaration}


def record(*variables):
    return {"address": "0x1000", "descriptor": [0] * 8, "code": [], "variables": list(variables)}


class Programs(unittest.TestCase):
    """What may be played in the place of a program."""

    def unlike(self, *code):
        there, made = record(variable("uniform", 0, "uniform float time")), record(
            variable("uniform", 0, "uniform float time"), variable("uniform", 1, "uniform vec2 scale", rows=2))
        with patch.object(mediump_search, "disassembled", lambda build, of: list(code)):
            return unlike_at_highp(None, there, made)

    def test_uniforms_that_are_not_read(self):
        self.assertIsNone(self.unlike("fmul v0, v1, u0", "ldu v0, 1[v1 + 0]", "fmul v0, v1, u3"))
        for read in "fmul v0, v1, u1", "fround s0, u2, 0", "ldu v0, 0[v1 + 0]":
            self.assertIn("uniforms", self.unlike(read))

    def test_other_places(self):
        there, made = record(variable("uniform", 0, "uniform float time")), record(variable("uniform", 1, "uniform float time"))
        with patch.object(mediump_search, "disassembled", lambda build, of: []):
            self.assertIn("uniforms", unlike_at_highp(None, there, made))

    def test_both_stages_or_none(self):
        case = Case.__new__(Case)
        program = Program("GLSL1", True, [VERTEX], [FRAGMENT])
        case.build, case.programs, case.left_out = None, {"GLSL1": program}, {}
        case.pairs = {"GLSL1": {"vertex": record(), "fragment": record(variable("uniform", 0, "uniform float time"))}}
        for fragment, found in ((record(variable("uniform", 0, "uniform float time")), 2), (record(variable("uniform", 0, "uniform float other")), 0)):
            done = [Compiled(program, "", True, {"vertex": record(), "fragment": fragment})]
            with patch.object(mediump_search, "compile_programs", lambda *words, d=done, **more: d), \
                    patch.object(mediump_search, "disassembled", lambda build, of: ["fmul v0, v1, u0"]):
                self.assertEqual(len(case.compiled("fp16")[0]), found)
        self.assertEqual(list(case.left_out), ["fragment shader of GLSL1"])


class Pictures(unittest.TestCase):
    def test_difference(self):
        a = Picture(2, 1, "b8g8r8x8_unorm", 4, bytes([1, 2, 3, 9, 4, 5, 6, 9]))
        b = Picture(2, 1, "b8g8r8x8_unorm", 4, bytes([1, 2, 3, 7, 4, 9, 3, 9]))
        self.assertEqual((a.difference(b), a.rgb()), (bytes([0, 4]), bytes([3, 2, 1, 6, 5, 4])))
        self.assertEqual(difference_rgb(bytes([0, 4]), 2)[:3], bytes((40, 40, 40)))
        with self.assertRaises(Unusable):
            a.difference(Picture(1, 2, "b8g8r8x8_unorm", 4, bytes(8)))
        with self.assertRaises(Unusable):
            Picture(1, 1, "b5g6r5_unorm", 2, bytes(2))

    def test_png_is_whole_or_not_there(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.png"
            write_png(path, 2, 1, bytes(6))
            self.assertTrue(path.read_bytes().startswith(b"\x89PNG"))
            with self.assertRaises(OSError):
                write_png(Path(folder) / "none" / "a.png", 2, 1, bytes(6))
            self.assertEqual([p.name for p in Path(folder).iterdir()], ["a.png"])


if __name__ == "__main__":
    unittest.main()
