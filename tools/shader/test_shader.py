# SPDX-License-Identifier: MIT
"""The parts of clipfree shader that need no driver. Arguments: clipfree-shader-capture, clipfree-shader-run,
clipfree-asm."""
import contextlib
import io
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "look")]

import captures  # noqa: E402
import shader_bisect  # noqa: E402
import shader_diff  # noqa: E402
import shader_programs  # noqa: E402
import shader_run  # noqa: E402
import shader_stats  # noqa: E402
from shader_programs import Unusable  # noqa: E402

CAPTURE, RUN, ASM = sys.argv[1:4]


def assembled(text):
    return subprocess.run([ASM, "-x"], input=text, text=True, capture_output=True, check=True).stdout.split()


def record(code, **more):
    return {"code": code, "vector_regs": 2, "scalar_regs": 0, "spills": 0, "scratch": 0, "lines": [],
            "variables": []} | more


class Stats(unittest.TestCase):
    def test_every_operation_has_a_class(self):
        self.assertGreater(len(shader_stats.OPERATIONS), 60)
        self.assertEqual({kind for _, kind in shader_stats.OPERATIONS.values()}, set(shader_stats.CLASSES))
        by_name = dict(shader_stats.OPERATIONS.values())
        wanted = {"fadd": "float", "fneg": "float", "frsq": "special", "iadd": "integer", "flt": "compare",
                  "sel": "move", "ldu": "memory",
                  "ldf": "input", "ldvar": "input", "outf": "output", "tex": "texture", "endloop": "flow",
                  "end": "flow", "fddx": "float"}
        self.assertEqual({name: by_name[name] for name in wanted}, wanted)

    def test_counts(self):
        code = assembled(
            "movi v0, 1.0\nloop\nstart: fadd v0, v0, u0\nflt v1, v0, 1.0\nbrk v1, last\nlast: endloop start\noutf 0, "
            "v0\nend\n")
        found = shader_stats.stats_of(record(code, lines=[[2, 0, 0, 5, 5], [2, 0, 0, 6, 6], [3, 0, 0, 6, 6]]))
        self.assertEqual((found["instructions"], found["loops"], found["lines"]), (8, 1, 2))
        self.assertEqual((found["alu_cycles"], found["texture_cycles"]), (12, 0), "movi, fadd and flt: a pass each")
        special = shader_stats.stats_of(record(assembled("frsq v0, u0\ntex v0.x, 0, v0, v0, 0, 0, implicit\nend\n")))
        self.assertEqual((special["alu_cycles"], special["texture_cycles"]), (16, 8))
        self.assertEqual({name: n for name, n in found["classes"].items() if n},
                         {"move": 1, "float": 1, "compare": 1, "output": 1, "flow": 4})
        self.assertEqual(shader_stats.costly_lines(
            record(code, lines=[[2, 0, 0, 5, 5], [2, 0, 0, 6, 6], [3, 0, 0, 6, 6]]), 1), [(2, 0, 6)])


class Programs(unittest.TestCase):
    def test_language(self):
        for text, es in (("#version 100\n", True), ("#version 120\n", False), ("precision mediump float;", True),
                         ("void main() {}", False),
                         ("varying highp vec2 x; void main() { gl_FragColor = gl_Color; }", False)):
            self.assertEqual(shader_programs.is_es([text]), es, text)

    def test_partner(self):
        """It has all varyings, comments apart."""
        text = "attribute vec4 p; varying vec2 a, b[2];\n// varying vec3 no;\nvarying mat3 m; varying mediump float f;\nvoid main() {}"
        self.assertEqual([(one.kind, one.name, one.elements) for one in shader_programs.varyings(text, "out")],
                         [("vec2", "a", None), ("vec2", "b", "2"), ("mat3", "m", None), ("float", "f", None)])
        program = shader_programs.with_partner(shader_programs.Program("x", False, [text], []))
        self.assertEqual(program.asked, ("vertex",))
        self.assertTrue(program.fragment[0].startswith("#version 110\n"))
        for word in "varying vec2 b[2];", "sum += b[i].x + b[i].y;", "sum += m[0].x;", "sum += f;":
            self.assertIn(word, program.fragment[0])

    def test_partner_of_later_versions(self):
        """Varyings are `in` and `out` there, and integers flat; what is no varying of the stage is left alone."""
        fragment = ("#version 300 es\nprecision highp float; flat in highp ivec2 a; in vec3 b[2];\ncentroid in float f; "
                    "layout(location = 0) out vec4 c;\nvec4 g(in vec4 x, out vec4 y) { return y = x; }\nvoid main() {}")
        program = shader_programs.with_partner(shader_programs.Program("x", True, [], [fragment]))
        self.assertEqual(program.api(), "es3")
        self.assertTrue(program.vertex[0].startswith(
            "#version 300 es\nin vec4 given;\nflat out ivec2 a;\nout vec3 b[2];\ncentroid out float f;\nvoid main()"),
            program.vertex[0])
        self.assertIn("a = ivec2(given.x);", program.vertex[0])
        self.assertNotIn("vec4 x", program.vertex[0])
        vertex = "#version 330\nin vec4 p; flat out uvec3 a; out vec2 b;\nvoid main() {}"
        program = shader_programs.with_partner(shader_programs.Program("x", False, [vertex], []))
        for word in ("#version 330\nout vec4 made;\nflat in uvec3 a;\nin vec2 b;\n", "sum += float(a.x + a.y + a.z);",
                     "sum += b.x + b.y;", "made = vec4(sum);"):
            self.assertIn(word, program.fragment[0])
        self.assertNotIn("vec4 p", program.fragment[0])

    def test_shader_test(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.shader_test"
            path.write_text(
                "[require]\nGLSL >= 1.20\n[vertex shader passthrough]\n[fragment shader]\nvoid main() {}\n[test]\ndraw "
                "rect -1 -1 2 2\n")
            program = shader_programs.read_shader_test(path)
            self.assertEqual((program.es, program.fragment), (False, ["#version 120\nvoid main() {}\n"]))
            shader_programs.write_shader_test(path, program)
            again = shader_programs.read_shader_test(path)
            self.assertEqual([text.strip() for text in again.vertex + again.fragment],
                             [text.strip() for text in program.vertex + program.fragment])
            for head, line in (("GLSL ES >= 3.00", "#version 300 es"), ("GLSL >= 1.30", "#version 130"),
                               ("GLSL >= 3.30", "#version 330")):
                path.write_text(f"[require]\n{head}\n[vertex shader passthrough]\n[fragment shader]\nvoid main() {{}}\n")
                program = shader_programs.read_shader_test(path)
                self.assertEqual((program.es, program.fragment), ("es" in line, [f"{line}\nvoid main() {{}}\n"]))
                self.assertEqual(program.api(), "es3" if "es" in line else "core" if "330" in line else "desktop")
                self.assertTrue(program.vertex[0].startswith(f"{line}\nin vec4 piglit_vertex;"), program.vertex)
            for text in "GLSL >= 4.00\n[fragment shader]\nx\n", "GLSL >= 1.10\n[geometry shader]\nx\n", \
                    "GLSL >= 1.10\n[test]\n":
                path.write_text("[require]\n" + text)
                self.assertIsNone(shader_programs.read_shader_test(path))


class Diff(unittest.TestCase):
    def test_report(self):
        a, b = ({(name, "vertex"): dict.fromkeys(shader_diff.MEASURES, 0) | {"instructions": n} for name,
                 n in rows.items()}
                for rows in ({"x": 10, "y": 20, "z": 5, "lost": 1}, {"x": 8, "y": 25, "z": 5}))
        report = shader_diff.compared(a, b, {"both": "why"}, {"both": "why", "lost": "too large"})
        found = report["measures"]["instructions"]
        self.assertEqual([found[name] for name in ("before", "after", "affected_before", "affected_after", "helped",
                                                   "hurt", "unchanged")],
                         [35, 38, 30, 33, 1, 1, 1])
        self.assertEqual([entry["program"] for entry in found["changes"]], ["y", "x"])
        self.assertEqual((report["lost"], report["failed"]),
                         ([{"program": "lost", "reason": "too large"}], [{"program": "both", "reason": "why"}]))


class Run(unittest.TestCase):
    def test_inputs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "in"
            path.write_text("# words\nuniform a = 1 2\nattribute p = 1 2 | 3   # one\nlanes = 7\n")
            inputs = shader_run.read_inputs(path)
            self.assertEqual((inputs.uniform, inputs.attribute, inputs.lanes), ({"a": [1, 2]}, {"p": [[1, 2], [3]]}, 7))
            for text, says in ("uniform a = x\n",
                               "is no number"), ("lanes = 33\n", "what is 'lanes = 33'"), ("colour 1\n", "what is"):
                path.write_text(text)
                with self.assertRaisesRegex(Unusable, says):
                    shader_run.read_inputs(path)

    def test_constants(self):
        """A matrix with a stride, an array, a boolean."""
        variables = [{"kind": "uniform", "place": 0, "stride": 4, "elements": 1, "scalar": "float", "rows": 2,
                      "columns": 2,
                      "declaration": "uniform mat2 m"},
                     {"kind": "uniform", "place": 8, "stride": 1, "elements": 2, "scalar": "bool", "rows": 1,
                      "columns": 1,
                      "declaration": "uniform bool b[2]"}]
        found = shader_run.constants({"variables": variables},
                                     shader_run.Inputs(uniform={"m": [1, 2, 3, 4], "b": [0, 1]}))
        one, two, three, four = 0x3f800000, 0x40000000, 0x40400000, 0x40800000
        self.assertEqual(found[:10], [one, two, 0, 0, three, four, 0, 0, 0, 0xffffffff])
        with self.assertRaisesRegex(Unusable, "m has 4 numbers, the file gives 1"):
            shader_run.constants({"variables": variables}, shader_run.Inputs(uniform={"m": [1]}))

    def test_members(self):
        """Of elements of an array of structures."""
        members = [("lamp[0].way", 1), ("lamp[1].way", 1), ("lamp[1].list[2]", 2)]
        variables = [{"kind": "uniform", "place": 4 * k, "stride": 1, "elements": count, "scalar": "int", "rows": 1,
                      "columns": 1, "declaration": f"uniform int {name}"} for k, (name, count) in enumerate(members)]
        found = shader_run.constants({"variables": variables},
                                     shader_run.Inputs(uniform={"lamp[1].way": [5], "lamp[1].list": [6, 7]}))
        self.assertEqual(found[:10], [0, 0, 0, 0, 5, 0, 0, 0, 6, 7])

    def test_task(self):
        """A field of pixels: values at the corners, in both engines."""
        code = assembled("ldvar v0, 0, smooth\nfadd v1, v0, u0\noutf 0, v1\nend\n")
        descriptor = captures.packed("program", stage="fragment", vector_regs=2, code_instrs=len(code), inputs=4,
                                     outputs=4, color_outputs=1)
        dwords = [int.from_bytes(descriptor[i:i + 4], "little") for i in range(0, len(descriptor), 4)]
        result = shader_run.ran(RUN, {"descriptor": dwords, "code": code, "lanes": 4, "constants": [0x40000000],
                                      "attributes": {},
                                      "varyings": {"0": [16, 0, 0]}})
        self.assertEqual([shader_run.number(dword) for dword in result["outputs"]["0"]], ["2.5", "3.5", "2.5", "3.5"])
        self.assertEqual(result["outputs"]["0"], result["vector"]["v1"])
        self.assertEqual((result["alive"], result["difference"]), (15, None))
        if result["compiled"]:
            self.assertEqual(result["compiled"], {kind: result[kind] for kind in ("outputs", "vector", "scalar")})
        with self.assertRaisesRegex(Unusable, "clipfree-shader-run: .*instruction"):
            shader_run.ran(RUN, {"descriptor": dwords, "code": ["0" * 16], "lanes": 4})


    def test_registers(self):
        """Registers have values in the lanes that wrote them, the same in both engines."""
        code = assembled("ldvar v0, 0, smooth\nflt v1, v0, 1.0\nif v1, e\nfadd v2, v0, v0\nmovi s0, 0x7\ne: endif\n"
                         "outf 0, v0\nend\n")
        descriptor = captures.packed("program", stage="fragment", vector_regs=4, scalar_regs=2, code_instrs=len(code),
                                     inputs=4, outputs=4, color_outputs=1)
        dwords = [int.from_bytes(descriptor[i:i + 4], "little") for i in range(0, len(descriptor), 4)]
        result = shader_run.ran(RUN, {"descriptor": dwords, "code": code, "lanes": 4, "constants": [], "attributes": {},
                                      "varyings": {"0": [16, 0, 0]}})
        self.assertEqual(result["vector"]["v2"], [0x3f800000, None, 0x3f800000, None])
        self.assertEqual((result["vector"]["v3"], result["scalar"]), ([None] * 4, {"s0": [7], "s1": [None]}))
        if result["compiled"]:
            self.assertEqual([result["compiled"][kind] for kind in ("vector", "scalar")],
                             [result["vector"], result["scalar"]])
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            shader_run.print_registers(result)
            shader_run.print_registers(result | {"compiled": {"vector": result["vector"] | {"v0": [1] * 4},
                                                              "scalar": result["scalar"]}})
            shader_run.print_registers(result | {"compiled": None})
        heads = re.findall(r"^registers.*|^   v0 .*", said.getvalue(), re.M)
        self.assertEqual([" ".join(head.split()[:3]) for head in heads if not head.startswith("reg")][1:3],
                         ["v0 interp 3f000000", "v0 compiled 00000001"])
        self.assertIn("   v2           3f800000 --------", said.getvalue())
        self.assertIn("registers at the end, interpreted:", said.getvalue())


class Bisect(unittest.TestCase):
    def test_unlike(self):
        variable = {"kind": "uniform", "place": 4, "declaration": "uniform vec4 tint"}
        a = {"variables": [variable], "descriptor": [0] * 8}
        self.assertIsNone(shader_bisect.unlike(a, a))
        self.assertEqual(shader_bisect.unlike(a, a | {"variables": [variable | {"place": 0}]}),
                         "its uniforms have other places now")
        self.assertEqual(shader_bisect.unlike(a, a | {"descriptor": [0] * 5 + [4 << 8, 0, 0]}),
                         "it has other varyings now")

    def test_difference(self):
        a, b = (shader_bisect.Picture(2, 1, "r8g8b8a8_unorm", 4, data)
                for data in (bytes(8), bytes([0, 0, 3, 0, 9, 0, 0, 0])))
        self.assertEqual([a.difference(b, tolerance) for tolerance in (0, 3, 9)], [(2, 9), (1, 9), (0, 9)])

    def test_replaced(self):
        """A program of a capture is another one; the picture shows it."""
        with tempfile.TemporaryDirectory() as folder:
            path, changes, image = (Path(folder) / name for name in ("cap", "changes", "image"))
            capture = captures.Captured(ASM)
            capture.frame(capture.surface("r8g8b8a8_unorm", 8, 8))
            capture.vertices([(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)], [(1, 0, 0, 1)] * 3)
            capture.draw()
            capture.submit()
            capture.write(path)
            listed = json.loads(subprocess.run([CAPTURE, path], capture_output=True, text=True, check=True).stdout)[
                "programs"]
            self.assertEqual([program["stage"] for program in listed], ["vertex", "fragment"])
            self.assertEqual(listed[1]["code"], assembled(captures.COLORS))
            code = assembled("movi v0, 1.0\n" + "".join(f"outf {i}, v0\n" for i in range(4)) + "end\n")
            white = {listed[1]["address"]: {"descriptor": listed[1]["descriptor"], "code": code}}
            for change, pixel in ({}, "ff0000ff"), (white, "ffffffff"):
                changes.write_text(json.dumps(change))
                done = subprocess.run([CAPTURE, path, changes, image], capture_output=True, text=True, check=False)
                self.assertEqual(done.stdout, "8 8 r8g8b8a8_unorm 4\n", done.stderr)
                self.assertEqual(image.read_bytes().hex(), pixel * 64)
            changes.write_text("no JSON")
            done = subprocess.run([CAPTURE, path, changes, image], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, "is not JSON" in done.stderr), (1, True))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
