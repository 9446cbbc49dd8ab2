#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clipfree why: on captures made by hand, the rule or test that keeps a fragment from its pixel is named, with its values;
wrong requests get a message that says what may be asked.

Usage: test_why.py CLIPFREE-WHY CLIPFREE-ASM
"""
import json
import random
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "look"))
import captures  # noqa: E402

WHY = Path(sys.argv.pop(1)).resolve()
ASM = Path(sys.argv.pop(1)).resolve()
RED, BLUE = (1, 0, 0, 1), (0, 0, 1, 1)


def why(path, *arguments):
    done = subprocess.run([WHY, "--json", path, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout) if done.returncode == 0 else None, done.stderr


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


class Shown(Case):
    def test_drawn(self):
        self.begin()
        self.triangle()
        answer = self.ask()
        self.assertEqual(answer["version"], 1)
        self.assertEqual(answer["color"], [{"r": 1, "g": 0, "b": 0, "a": 1}])
        self.assertEqual(answer["cause"], {"kind": "written", "draw": 0, "primitive": 0})
        self.assertIn("The colour is that of draw 0 (triangles, 3 vertices), primitive 0: written. "
                      "It comes from varyings 0.x = 1, 0.y = 0, 0.z = 0, 0.w = 1.", answer["verdict"])
        clear, fragment = answer["fragments"]
        self.assertEqual((clear["what"], clear["value"]), ("clear", {"r": 0, "g": 0, "b": 0, "a": 1}))
        self.assertEqual((fragment["what"], fragment["fate"], fragment["depth"]), ("fragment", "written", 0.5))
        self.assertEqual((fragment["color"], fragment["before"]["r"], fragment["after"]["r"]), (list(RED), 0, 1))
        self.assertEqual(fragment["depth_stencil_before"], {"depth": 1, "stencil": 0})

    def test_overwritten(self):
        self.begin()
        self.triangle(RED)
        self.triangle(BLUE)
        self.assertIn("Draw 0 wrote the pixel, by primitive 0 (written), but later draw 1 (triangles, 3 vertices), primitive 0 "
                      "changed it.", self.ask("0")["verdict"])
        self.assertIn("Draw 1 made the colour that is there", self.ask("1")["verdict"])
        self.assertEqual(self.ask()["cause"]["draw"], 1)

    def test_blended(self):
        self.begin()
        self.capture.packet("blend", write_mask=7, enable=True, src_color="src_alpha", dst_color="one", src_alpha="one")
        self.triangle((1, 1, 0, 0.5))
        answer = self.ask()
        self.assertIn("blended: add(src_alpha * source, one * destination), alpha add(one, zero), only rgb", answer["verdict"])
        self.assertAlmostEqual(answer["color"][0]["r"], 128 / 255, places=6)

    def test_cleared(self):
        self.begin()
        self.capture.vertices([(-1, -1, 0, 1), (-0.5, -1, 0, 1), (-1, -0.5, 0, 1)], [RED] * 3)
        self.capture.draw()
        answer = self.ask(pixel="7,7")
        self.assertEqual(answer["verdict"], "The pixel has the colour that it was cleared to. No primitive covers it. Of the 1 "
                         "primitives of draw 0: 1 outside; nearest is primitive 0, 7.78 pixels away.")
        self.assertEqual(answer["cause"], {"kind": "cleared"})
        self.assertTrue(self.ask("0", pixel="7,7")["verdict"].startswith("No primitive of draw 0 covers the pixel. Of the 1 "))

    def test_nothing(self):
        self.capture = captures.Captured(ASM)
        self.capture.frame(self.capture.surface("r8g8b8a8_unorm", 8, 8))
        self.capture.vertices([(5, 5, 0, 1)] * 3, [RED] * 3)
        self.capture.draw()
        answer = self.ask()
        self.assertIn("Nothing in the capture writes this pixel", answer["verdict"])
        self.assertIsNone(answer["cause"])
        self.assertEqual(answer["fragments"], [])

    def test_before_the_clear(self):
        """What was before the last clear counts with --all alone."""
        self.begin()
        self.triangle()
        self.clear()
        self.assertEqual([event["what"] for event in self.ask()["fragments"]], ["clear"])
        self.assertEqual([event["what"] for event in self.ask("--all")["fragments"]], ["clear", "fragment", "clear"])

    def test_copied(self):
        """A copy leads to the pixel that it was copied from, in another submission."""
        self.begin()
        other, pixels = self.capture.surface("r8g8b8a8_unorm", 8, 8)
        self.capture.packet("scissor", min_x_px=5, max_x_px=6, min_y_px=4, max_y_px=5)
        self.triangle()
        self.capture.submit()
        self.capture.packet("copy", source=self.color[0], destination=other, source_x_px=4, source_y_px=4, destination_x_px=2,
                            destination_y_px=1, width_px=3, height_px=2)
        answer = self.ask(pixel="3,1")
        self.assertEqual(answer["pixel"]["image"], hex(pixels))
        self.assertEqual(answer["color"][0]["r"], 0)  # the capture was not really run: its second submission has old memory
        self.assertEqual([event["what"] for event in answer["fragments"]], ["clear", "fragment", "transfer"])
        self.assertEqual((answer["fragments"][1]["x"], answer["fragments"][1]["y"]), (5, 4))
        self.assertEqual(answer["fragments"][2]["from"], {"image": hex(self.color[1]), "x": 5, "y": 4})
        self.assertEqual(answer["cause"], {"kind": "written", "draw": 0, "primitive": 0})
        self.assertEqual([event["what"] for event in self.ask("--image", hex(self.color[1]), pixel="5,4")["fragments"]],
                         ["clear", "fragment"])


class Missed(Case):
    """Why no primitive covers a pixel."""
    SMALL = [(-1, -1, 0, 1), (-0.75, -1, 0, 1), (-1, -0.75, 0, 1)]

    def miss(self, positions, **values):
        self.begin()
        self.capture.vertices(positions, [RED] * len(positions))
        self.capture.draw(**({"count": len(positions)} | values))
        answer = self.ask("0", pixel="7,7")
        self.assertIsNone(answer["cause"])
        return answer["misses"][0], answer["verdict"]

    def test_not_a_number(self):
        bad = [(-1, -1, 0, 1), (float("nan"), -1, 0, 1), (-1, 3, 0, 1)]
        misses, verdict = self.miss(self.SMALL + bad)
        self.assertEqual((misses["primitives"], misses["reasons"]), (2, {"outside": 1, "position is not finite": 1}))
        self.assertEqual(misses["nearest"][0]["primitive"], 1)
        self.assertEqual(misses["nearest"][0]["vertices"][1], {
            "element": 4, "vertex": 4, "position": ["nan", -1, 0, 1], "window": ["nan", 0],
            "not_finite": {"instruction": 1, "lines": []}})  # the load of the attribute
        self.assertNotIn("not_finite", misses["nearest"][0]["vertices"][0])
        self.assertIn("for example primitive 1, position is not finite: vertex 4 is (nan, -1, 0, 1), from instruction 1 of the "
                      "vertex program.", verdict)

    def test_behind(self):
        misses, verdict = self.miss([(-1, -1, 0, -1), (3, -1, 0, -1), (-1, 3, 0, -1)])
        self.assertEqual(misses["reasons"], {"behind the eye": 1})
        self.assertIn("for example primitive 0, behind the eye.", verdict)

    def test_no_area(self):
        misses, _ = self.miss([(-1, -1, 0, 1), (0, 0, 0, 1), (1, 1, 0, 1)])
        self.assertEqual(misses["reasons"], {"no area": 1})

    def test_nearest(self):
        """By the rectangle around each; of strips and fans too."""
        near = [(x + 1, y + 1.5, 0, 1) for x, y, *_ in self.SMALL]  # columns 4 to 5, rows 6 to 7
        small = self.SMALL
        for prim, positions, primitive in (
                ("triangles", small + near, 1), ("triangle_strip", small + near, 3),
                ("triangle_fan", small[:2] + near[:2] + small[:1], 1), ("points", small + near, 4),
                ("lines", small[:2] + near[:2] + small[:2], 1), ("line_strip", small[:2] + near[:2], 2)):
            misses, _ = self.miss(positions, prim=prim)
            self.assertEqual(misses["nearest"][0]["primitive"], primitive, prim)
            if prim == "points":
                self.assertAlmostEqual(misses["nearest"][0]["distance_px"], (2.5**2 + 1.5**2)**0.5, places=6)
        misses, _ = self.miss(self.SMALL + near)
        self.assertAlmostEqual(misses["nearest"][0]["distance_px"], (2.5**2 + 0.5**2)**0.5, places=6)

    def test_instances(self):
        misses, _ = self.miss(self.SMALL, instances=2)
        self.assertEqual((misses["primitives"], misses["reasons"]), (2, {"outside": 2}))
        self.assertEqual([len(miss["vertices"]) for miss in misses["nearest"]], [3, 3])


    @staticmethod
    def primitives_of(prim, indices, restart):
        """The elements of each primitive, by a walk through the indices."""
        runs, found = [[]], []
        for element, index in enumerate(indices):
            runs += [[]] if index == restart else []
            if index != restart:
                runs[-1].append(element)
        for run in runs:
            n = len(run)
            found += {"triangles": [run[i:i + 3] for i in range(0, n - 2, 3)],
                      "triangle_strip": [run[i:i + 3] for i in range(n - 2)],
                      "triangle_fan": [[run[0], run[i], run[i + 1]] for i in range(1, n - 1)],
                      "lines": [run[i:i + 2] for i in range(0, n - 1, 2)],
                      "line_loop": [[run[i], run[(i + 1) % n]] for i in range(n if n > 1 else 0)]}[prim]
        return found

    def test_restart(self):
        """Of draws with primitive restart, too: also runs without a primitive, of indices of each size, and from a later start."""
        chance = random.Random(7)
        positions = [(-1 + chance.random(), -1 + chance.random(), 0, 1) for _ in range(16)]
        for prim in ("triangles", "triangle_strip", "triangle_fan", "lines", "line_loop"):
            for size_B, letter, restart, start in (1, "B", 0xff, 0), (2, "H", 0xffff, 5), (4, "I", 7, 1):
                indices = [restart if chance.random() < 0.2 else chance.randrange(8, 16) for _ in range(40)]
                self.begin()
                self.capture.vertices(positions, [RED] * 16)
                data = struct.pack(f"<{start + 40}{letter}", *[1] * start, *indices)
                self.capture.draw(prim=prim, count=40, index_size_B=size_B, start=start, restart=True, restart_index=restart,
                                  index_size_total_B=len(data), index_address=self.capture.put(data))
                expected = self.primitives_of(prim, indices, restart)
                misses = self.ask("0", pixel="7,7")["misses"][0]
                self.assertEqual(misses["primitives"], len(expected), prim)
                self.assertEqual(len(misses["nearest"]), 3)
                for miss in misses["nearest"]:
                    self.assertEqual([vertex["element"] for vertex in miss["vertices"]], expected[miss["primitive"]], prim)
                    self.assertEqual([vertex["vertex"] for vertex in miss["vertices"]],
                                     [indices[element] for element in expected[miss["primitive"]]])

    def test_restart_not_a_number(self):
        self.begin()
        self.capture.vertices([(-1, -1, 0, 1), (-1, 0, 0, 1), (0, -1, 0, 1), (0, float("nan"), 0, 1)], [RED] * 4)
        data = struct.pack("<7H", 0, 1, 2, 0xffff, 1, 2, 3)
        self.capture.draw(prim="triangle_strip", count=7, index_size_B=2, restart=True, restart_index=0xffff,
                          index_size_total_B=len(data), index_address=self.capture.put(data))
        self.assertIn("for example primitive 1, position is not finite: vertex 3 is (0, nan, 0, 1), from instruction 1 of",
                      self.ask("0", pixel="7,7")["verdict"])


class Inputs(Case):
    """What a colour was computed from, with values."""

    def shade(self, text, **values):
        program = self.capture.program("fragment", text, outputs=4, color_outputs=1, **values)
        self.capture.packet("shader", stage="fragment", program=program)

    def test_varyings(self):
        """Each output's own: red is a varying's green, green a constant."""
        self.begin()
        self.shade("ldvar v0, 1, smooth\nldvar v1, 2, smooth\nout 0, v0\nout 1, 0.5\nout 2, 0.0\nout 3, 1.0\nend\n", vector_regs=2,
                   inputs=4)
        self.triangle((0.125, 0.25, 0.5, 1))
        answer = self.ask()
        self.assertEqual(answer["fragments"][1]["inputs"],
                         {"uniforms": [], "samples": [],
                          "varyings": [{"slot": 0, "component": 1, "value": 0.25, "instruction": 0, "lines": []}]})
        self.assertNotIn("branches", answer["fragments"][1])
        self.assertIn("It comes from varyings 0.y = 0.25.", answer["verdict"])

    def test_uniforms(self):
        """By operand and by load, through scratch; what a branch alone looked at stands apart."""
        self.begin()
        self.shade("if u7, other\nother: endif\nmovi v0, 1\nsts [v0 + 2], u1\nlds v1, [v0 + 2]\nldu v2, 0[v0 + 4]\n"
                   "fadd v1, v1, v2\nout 0, v1\nout 1, v1\nout 2, v1\nout 3, 1.0\nend\n", vector_regs=3, scratch_dwords=8)
        data = struct.pack("<8f", *(i / 16 for i in range(8)))
        self.capture.packet("constants", stage="fragment", size_B=len(data), address=self.capture.put(data))
        self.triangle()
        answer = self.ask()
        self.assertEqual(answer["fragments"][1]["inputs"]["uniforms"],
                         [{"dword": 1, "value": 0.0625, "instruction": 3, "lines": []},
                          {"dword": 5, "value": 0.3125, "instruction": 5, "lines": []}])
        self.assertEqual(answer["fragments"][1]["branches"]["uniforms"],
                         [{"dword": 7, "value": 0.4375, "instruction": 0, "lines": []}])
        self.assertIn("It comes from uniforms 1 = 0.0625, 5 = 0.3125. Its branches looked at uniforms 7 = 0.4375.", answer["verdict"])

    def test_infinite(self):
        """What JSON has no number for."""
        self.begin()
        self.shade("out 0, u0\nout 1, u1\nout 2, 0.0\nout 3, 1.0\nend\n")
        self.capture.packet("constants", stage="fragment", size_B=8,
                            address=self.capture.put(struct.pack("<2f", float("-inf"), float("nan"))))
        self.triangle()
        answer = self.ask()
        self.assertEqual([entry["value"] for entry in answer["fragments"][1]["inputs"]["uniforms"]], ["-inf", "nan"])
        self.assertIn("It comes from uniforms 0 = -inf, 1 = nan.", answer["verdict"])

    def test_names(self):
        """Of GL and GLSL, from the capture's notes."""
        self.begin()
        text = "ldvar v0, 1, smooth\nldvar v1, 2, smooth\nfadd v0, v0, u1\nfadd v0, v0, u9\nfadd v0, v0, u13\nfadd v0, v0, v1\n" + \
            "tex v4.xyzw, 3, v0, 0.5, 0.0, 0.0, implicit\n" + "".join(f"out {i}, v4\n" for i in range(4)) + "end\n"
        vertex = self.capture.program("vertex", captures.POSITIONS, vector_regs=9, outputs=12, sysvals=1 << 0)
        fragment = self.capture.program("fragment", text, vector_regs=8, outputs=4, inputs=4, color_outputs=1, needs_helpers=True)
        self.capture.packet("shader", stage="vertex", program=vertex)
        self.capture.packet("shader", stage="fragment", program=fragment)
        self.capture.packet("constants", stage="fragment", size_B=64, address=self.capture.put(bytes(64)))
        variable = captures.packed_variable
        self.capture.note(vertex, (captures.OUTPUT, variable(0, rows=4), "first,second,third,third"))
        self.capture.note(fragment, (captures.UNIFORM, variable(0, rows=4), "uniform vec4 tint"),
                          (captures.UNIFORM, variable(4, rows=2, columns=2, elements=2, stride_dw=4), "uniform mat2 turn[2]"),
                          (captures.UNIFORM, variable(3, scalar=captures.SAMPLER), "uniform sampler2D bark"))
        self.triangle()
        draw = dict(self.capture.submit())["draw"]
        self.capture.note(draw, (captures.CALL, "glDrawArrays(GL_TRIANGLES, 0, 3)"), (captures.GROUP, "forest"),
                          (captures.GROUP, "tree"),
                          (captures.LABEL, "fragment texture 3: oak"))
        answer = self.ask()
        event = answer["fragments"][1]
        self.assertEqual((event["call"], event["groups"], event["labels"]),
                         ("glDrawArrays(GL_TRIANGLES, 0, 3)", ["forest", "tree"], ["fragment texture 3: oak"]))
        inputs = event["inputs"]
        self.assertEqual([entry.get("name") for entry in inputs["uniforms"]], ["tint.y", "turn[0][1].y", "turn[1][0].y"])
        self.assertEqual([entry.get("name") for entry in inputs["varyings"]], ["second", "third"])
        self.assertEqual([entry.get("name") for entry in inputs["samples"]], ["bark"])
        self.assertIn("The colour is that of draw 0 (glDrawArrays(GL_TRIANGLES, 0, 3)), primitive 0", answer["verdict"])
        self.assertIn("uniforms tint.y = 0, turn[0][1].y = 0, turn[1][0].y = 0; varyings second = 0, "
                      "third = 0; texture units bark (no",
                      answer["verdict"])

    def texture(self, texel):
        pixels = self.capture.put(bytes(texel) * 16)
        texture = self.capture.put(captures.packed(
            "texture", address=pixels, size_B=64, format="r8g8b8a8_unorm", kind="t2d", swizzle_r="x", swizzle_g="y", swizzle_b="z",
            swizzle_a="w", width_px=4, height_px=4, depth_px=1, layers=1, level_row_pitch_B=[16], level_layer_pitch_B=[64]))
        return {"texture": texture, "sampler": self.capture.put(captures.packed("sampler", max_lod=15.0))}

    def test_samples(self):
        text = "ldvar v0, 0, smooth\ntex v4.xyzw, 3, v0, 0.5, 0.0, 0.0, implicit\n" + \
            "".join(f"out {i}, v{4 + i}\n" for i in range(4)) + "end\n"
        for bound in True, False:
            self.begin()
            self.shade(text, vector_regs=8, inputs=4, needs_helpers=True)
            if bound:
                self.capture.packet("bind_texture", stage="fragment", unit=3, **self.texture((255, 0, 255, 255)))
            self.triangle((0.25, 0, 0, 0))
            answer = self.ask()
            inputs = answer["fragments"][1]["inputs"]
            self.assertEqual(inputs["varyings"], [{"slot": 0, "component": 0, "value": 0.25, "instruction": 0, "lines": []}])
            sample = inputs["samples"][0]
            self.assertEqual((sample["unit"], sample["coordinates"][:2], sample["instruction"]), (3, [0.25, 0.5], 1))
            self.assertEqual(sample["result"], [1, 0, 1, 1] if bound else [0, 0, 0, 1])
            self.assertEqual(sample["texture"] and (sample["texture"]["width"], sample["texture"]["format"]),
                             (4, "r8g8b8a8_unorm") if bound else None)
            self.assertIn("texture units 3 (t2d, 4 x 4, levels 0 to 0, r8g8b8a8_unorm; sampled 1 0 1 1)." if bound
                          else "texture units 3 (no texture; sampled 0 0 0 1).", answer["verdict"])

    def test_killed(self):
        """The instruction that discards, and what its condition looked at."""
        self.begin()
        self.shade("ldvar v0, 1, smooth\nldvar v1, 0, smooth\nflt v2, v0, u2\nkill v2, last\nout 0, v1\nlast: end\n", vector_regs=3,
                   inputs=4, uses_kill=True)
        data = struct.pack("<4f", 0, 0, 0.5, 0)
        self.capture.packet("constants", stage="fragment", size_B=16, address=self.capture.put(data))
        self.triangle((1, 0.25, 0, 1))
        answer = self.assert_cause("killed", 0, "discarded in instruction 3 of the fragment program")
        self.assertEqual(answer["fragments"][1]["inputs"], {
            "uniforms": [{"dword": 2, "value": 0.5, "instruction": 2, "lines": []}], "samples": [],
            "varyings": [{"slot": 0, "component": 1, "value": 0.25, "instruction": 0, "lines": []}]})

    def types_scene(self, *notes):
        """A colour that is made from four uniforms, and a branch that looks at a fifth."""
        self.begin()
        text = "if u4, other\nother: endif\nldvar v0, 0, smooth\n" + \
            "".join(f"fadd v1, v0, u{i}\nout {i}, v1\n" for i in range(4)) + "end\n"
        program = self.capture.program("fragment", text, vector_regs=2, outputs=4, inputs=4, color_outputs=1)
        self.capture.packet("shader", stage="fragment", program=program)
        data = struct.pack("<iIfii", -7, 4000000000, 0.5, -1, 0)
        self.capture.packet("constants", stage="fragment", size_B=len(data), address=self.capture.put(data))
        self.capture.note(program, *notes)
        self.triangle()
        return self.ask()

    def test_types(self):
        """Uniforms have values of their types, which notes know."""
        variable = captures.packed_variable
        types = {"int count": captures.INT, "uint mask": captures.UINT, "float part": captures.FLOAT, "bool on": captures.BOOL,
                 "bool off": captures.BOOL}
        answer = self.types_scene(*((captures.UNIFORM, variable(i, scalar=scalar), f"uniform {text}")
                                    for i, (text, scalar) in enumerate(types.items())))
        found = answer["fragments"][1]
        self.assertEqual([(entry["name"], entry["value"]) for entry in found["inputs"]["uniforms"]],
                         [("count", -7), ("mask", 4000000000), ("part", 0.5), ("on", True)])
        self.assertIs(found["branches"]["uniforms"][0]["value"], False)
        self.assertIn("uniforms count = -7, mask = 4000000000, part = 0.5, on = true", answer["verdict"])
        self.assertIn("looked at uniforms off = false.", answer["verdict"])
        values = [entry["value"] for entry in self.types_scene()["fragments"][1]["inputs"]["uniforms"]]  # without notes: floats
        self.assertEqual((values[0], values[2]), ("nan", 0.5))

    def test_name_of_the_fragment_program(self):
        """Where the vertex program has no names: it is of fixed function."""
        variable = captures.packed_variable
        answer = self.types_scene((captures.INPUT, variable(0, rows=4), "in vec4 tone"))
        self.assertEqual([entry["name"] for entry in answer["fragments"][1]["inputs"]["varyings"]], ["tone.x"])

    def test_lines_of_inputs(self):
        """Each with the lines of the instruction that reads it."""
        source = "uniform float part;\nvarying vec4 tone;\nvoid main()\n{\n   gl_FragColor = tone + part;\n}\n"
        answer = self.types_scene((captures.SOURCE, source), (captures.LINES, captures.packed_lines((2, 2), (3, 5))))
        inputs = answer["fragments"][1]["inputs"]
        self.assertEqual([(entry["instruction"], entry["lines"]) for entry in inputs["varyings"]],
                         [(2, [{"line": 2, "text": "varying vec4 tone;"}])])
        self.assertEqual([(entry["instruction"], entry["lines"]) for entry in inputs["uniforms"]][:2],
                         [(3, [{"line": 5, "text": "gl_FragColor = tone + part;"}]), (5, [])])


class Lines(Case):
    """Lines of GLSL of what discarded a fragment, and of what made a value that is not finite."""
    SOURCE = "void main()\n{\n   if (c.a < limit) \r\n\t discard; \r\n   a = b;\n}\n"

    def shade(self, stage, text, *lines, source=SOURCE, further=(), **values):
        outputs = {"color_outputs": 1, "outputs": 4, "inputs": 4} if stage == "fragment" else {"outputs": 12, "sysvals": 1}
        program = self.capture.program(stage, text, vector_regs=9, **(outputs | values))
        self.capture.packet("shader", stage=stage, program=program)
        self.capture.note(program, *((captures.SOURCE, text) for text in (source, *further)),
                          (captures.LINES, captures.packed_lines(*lines)))

    def fragment(self, answer):
        return answer["fragments"][1]

    def killed(self, *lines, **values):
        self.begin()
        self.shade("fragment", "ldvar v0, 0, smooth\nkill 1, last\nlast: end\n", *lines, uses_kill=True, **values)
        self.triangle()
        answer = self.ask("0")
        return answer["verdict"], self.fragment(answer)["discard"]

    def test_discard(self):
        verdict, discard = self.killed((0, 3), (1, 4), (1, 3), (2, 5))
        self.assertIn("primitive 0: discarded in line 4 of the fragment shader: `discard;`.", verdict)
        self.assertEqual(discard, {"instruction": 1, "lines": [{"line": 4, "text": "discard;"},
                                                               {"line": 3, "text": "if (c.a < limit)"}]})

    def test_strings_and_objects(self):
        verdict, discard = self.killed((1, 1, 70000, 2, 1), further=["  second object"])
        self.assertIn("discarded in line 2:70000 of object 1 of the fragment shader: `second object`.", verdict)
        self.assertEqual(discard["lines"], [{"line": 70000, "string": 2, "object": 1, "text_line": 1, "text": "second object"}])

    def test_lines_without_text(self):
        """A table may name what the source, which may be cut short, has not."""
        for line in (1, 8, 9, 1, 2), (1, 0xffffffff), (1, 1, 1, 0, 7):
            verdict, discard = self.killed(line)
            self.assertNotIn("text", discard["lines"][0])
            self.assertIn(" of the fragment shader.", verdict)
        self.assertEqual(self.killed((0, 3), (2, 3))[1]["lines"], [])

    def not_finite(self, text, **values):
        """The instruction that the colour is not finite from; None: it is finite."""
        self.begin()
        self.shade("fragment", text, *((i, i + 1) for i in range(20)), **values)
        self.triangle((0, 1, 0, 1))
        answer = self.ask()
        found = self.fragment(answer).get("not_finite")
        self.assertEqual("is not finite from line " in answer["verdict"], found is not None)
        if found:
            self.assertEqual(found["lines"][0]["line"], found["instruction"] + 1)
        return found and found["instruction"]

    def test_colors(self):
        """Data are followed: through moves, arithmetic, selections, scratch; not conditions, and not what was written over."""
        zero, one = "ldvar v0, 0, smooth\n", "ldvar v1, 1, smooth\n"
        rest = "outf 1, v1\noutf 2, v1\noutf 3, v1\nend\n"
        cases = {
            "fdiv v2, v1, v0\nmov v3, v2\nfadd v4, v3, v1\noutf 0, v4\n": 2,
            "frsq v2, v0\nfneg v2, v2\nfrcp v3, v0\nfmul v4, v3, v2\noutf 0, v4\n": 4,
            "frcp v2, v0\nflt v3, v0, v1\nsel v4, v3, v1, v2\noutf 0, v4\n": None,
            "frcp v2, v0\nflt v3, v1, v0\nsel v4, v3, v1, v2\noutf 0, v4\n": 2,
            "flt v3, v0, v1\nfrcp v2, v0\nsel v4, v3, v2, v1\noutf 0, v4\n": 3,
            "frcp v2, v0\nflog2 v5, v0\nflt v3, v1, v0\nsel v4, v3, v2, v5\noutf 0, v4\n": 3,
            "frcp v2, v0\nmov v2, v1\noutf 0, v2\n": None,
            "movi v2, 0x7f800000\nfsub v2, v2, v2\noutf 0, v2\n": 2,
            "frcp v2, v0\nsts [0 + 1], v2\nlds v3, [0 + 1]\noutf 0, v3\n": 2,
            "if 0, no\nfrcp v1, v0\nno: endif\noutf 0, v1\n": None,
            "flog2 v2, v0\noutf 0, v2\noutf 0, v1\n": None,
        }
        for text, expected in cases.items():
            self.assertEqual(self.not_finite(zero + one + text + rest, scratch_dwords=2), expected, text)

    def test_every_component(self):
        for component in range(4):
            text = "ldvar v0, 0, smooth\nfrcp v1, v0\n"
            text += "".join(f"outf {i}, v{1 if i == component else 0}\n" for i in range(4)) + "end\n"
            self.assertEqual(self.not_finite(text), 1)

    def test_position(self):
        self.begin()
        text = ("sys v4, vertex_id\nldf v0, 0[v4]\nfdiv v5, v0, v2\n" + "".join(f"outf {i}, v{5 if i == 1 else i}\n"
                for i in range(4)) + "".join(f"outf {i}, v3\n" for i in range(8, 12)) + "end\n")
        source = "in vec4 a;\n\n  gl_Position.y = a.x / a.z;\n"
        self.shade("vertex", text, (2, 3), (3, 1), source=source)
        self.capture.vertices([(-1, -1, 1, 1), (3, -1, 0, 1), (-1, 3, 1, 1)], [RED] * 3)
        self.capture.draw()
        answer = self.ask("0", pixel="7,7")
        self.assertIn("vertex 1 is (3, inf, 0, 1), from line 3 of the vertex shader: `gl_Position.y = a.x / a.z;`.",
                      answer["verdict"])
        vertices = answer["misses"][0]["nearest"][0]["vertices"]
        self.assertEqual([vertex.get("not_finite") for vertex in vertices],
                         [None, {"instruction": 2, "lines": [{"line": 3, "text": "gl_Position.y = a.x / a.z;"}]}, None])


class Rejected(Case):
    def test_culled(self):
        self.begin()
        self.capture.raster(cull_front=True)
        self.triangle()
        self.assert_cause("culled", 0, "it is front-facing, and front faces are culled (glFrontFace(GL_CCW))")

    def test_culled_back(self):
        self.begin()
        self.capture.raster(cull_back=True, front_ccw=True)
        self.triangle()
        self.assert_cause("culled", 0, "it is back-facing, and back faces are culled (glFrontFace(GL_CW))")

    def test_discard(self):
        self.begin()
        self.capture.raster(discard=True)
        self.triangle()
        self.assert_cause("discard", 0, "rasterisation is off")

    def test_scissor(self):
        self.begin()
        self.capture.packet("scissor", min_x_px=4, max_x_px=8, max_y_px=8)
        self.triangle()
        answer = self.assert_cause("scissor", 0, "scissored: the rectangle is x 4 to 8, y 0 to 8")
        self.assertEqual(answer["fragments"][1]["rules"], ["scissor"])

    def test_planes(self):
        for z, kind in (-1.5, "near plane"), (1.5, "far plane"):
            self.begin()
            self.triangle(z=z)
            self.assert_cause(kind, 0, f"beyond the {kind}: its depth here is {0.5 + z / 2}, outside of 0 to 1")

    def test_clip_plane(self):
        self.begin()
        self.capture.raster(clip_planes=1)
        self.capture.packet("clip_planes", plane=[1, 0, 0, -0.5] + [0] * 28)
        self.triangle()
        self.assert_cause("clip plane", 0, "cut by a clip plane (mask 0x1)")

    def test_depth(self):
        self.begin()
        self.clear(depth_value=0)
        self.capture.packet("depth_stencil", depth_test=True, depth_func="less")
        self.triangle()
        self.assert_cause("depth", 0, "depth test: 0.5 less 0 is false")

    def assert_hidden(self, answer, hides, nearest, stored, words):
        found = answer["fragments"][-1]["hierarchical_z"]
        self.assertEqual((found["hides"], found["nearest"], found["stored_farthest"]), (hides, nearest, stored))
        self.assertIn(words, answer["verdict"])

    def test_hierarchical_z(self):
        """Of the region, or of the block alone; not where a part of it passes, nor where the state rules it out."""
        self.begin()
        self.clear(depth_value=0)
        self.capture.packet("depth_stencil", depth_test=True, depth_func="less")
        self.triangle()
        answer = self.assert_cause("depth", 0, "depth test: 0.5 less 0 is false, and ")
        self.assert_hidden(answer, "region", 0.5, 0, "hierarchical Z hides its region of 16x16 pixels (nearest 0.5, farthest stored 0).")
        for max_x_px, hides in (4, "block"), (3, None):
            self.begin()
            self.clear(depth_value=1)
            self.clear(depth_value=0, max_x_px=max_x_px)
            self.capture.packet("depth_stencil", depth_test=True, depth_func="less")
            self.triangle()
            answer = self.ask("0", pixel="2,2")
            self.assert_hidden(answer, hides, 0.5, 0 if hides else 1, "false, and hierarchical Z hides its block of 4x4 pixels (nearest "
                               "0.5, farthest stored 0)." if hides else "0.5 less 0 is false.")
        self.begin()
        self.clear(depth_value=1)
        self.capture.packet("depth_stencil", depth_test=True, depth_func="greater")
        self.triangle()
        self.assertIn("16x16 pixels (farthest 0.5, nearest stored 1)", self.ask("0")["verdict"])
        self.begin()
        self.triangle()
        self.assertNotIn("hierarchical_z", self.ask()["fragments"][-1])

    def test_early(self):
        self.begin()
        self.clear(depth_value=0)
        self.capture.packet("depth_stencil", depth_test=True, depth_func="less")
        early = self.capture.program("fragment", captures.COLORS, vector_regs=4, outputs=4, inputs=4, color_outputs=1,
                                     early_tests=True)
        self.capture.packet("shader", stage="fragment", program=early)
        self.triangle()
        answer = self.assert_cause("depth", 0, "depth test: 0.5 less 0 is false")
        self.assertTrue(answer["fragments"][1]["early"])

    def test_stencil(self):
        self.begin()
        self.capture.packet("depth_stencil", stencil_front=True, front_func="equal", front_value_mask=0x0f)
        self.capture.packet("stencil_ref", front=0x15)
        self.triangle()
        self.assert_cause("stencil", 0, "stencil test: reference 0x05 equal stored 0x00 under mask 0x0f is false")

    def test_alpha(self):
        self.begin()
        self.capture.packet("depth_stencil", alpha_test=True, alpha_func="greater", alpha_ref=0.5)
        self.triangle((1, 1, 1, 0.25))
        self.assert_cause("alpha", 0, "alpha test: 0.25 greater 0.5 is false")

    def test_killed(self):
        self.begin()
        killing = self.capture.program("fragment", "movi v4, 1\nkill v4, last\n" + captures.COLORS.replace("end", "last: end"),
                                       vector_regs=5, outputs=4, inputs=4, color_outputs=1,
                                       uses_kill=True)
        self.capture.packet("shader", stage="fragment", program=killing)
        self.triangle()
        self.assert_cause("killed", 0, "discarded in instruction 1 of the fragment program")

    def test_masked(self):
        self.begin()
        self.capture.packet("blend", write_mask=0)
        self.triangle()
        self.assert_cause("masked", 0, "the colour mask lets no channel through")

    def test_sample_mask(self):
        self.begin(samples=4)
        self.capture.raster(multisample=True)
        self.capture.packet("sample_mask", mask=0)
        self.triangle()
        self.assert_cause("sample mask", 0, "the sample mask 0x0 leaves no covered sample")

    def test_stipple(self):
        self.begin()
        self.capture.raster(poly_stipple=True)
        self.capture.packet("stipple", pattern=[0] * 32)
        self.triangle()
        self.assert_cause("stipple", 0, "stipple takes the pixel out")

    def test_several(self):
        """Rejected fragments after the one that shows are named with it."""
        self.begin()
        self.capture.packet("depth_stencil", depth_test=True, depth_write=True, depth_func="less")
        self.triangle(RED, z=-0.5)
        self.triangle(BLUE, z=0.5)
        self.capture.raster(cull_front=True)
        self.triangle(BLUE, z=-0.75)
        answer = self.ask()
        self.assertEqual(answer["cause"]["draw"], 0)
        self.assertIn("Later: draw 1 (triangles, 3 vertices), primitive 0: depth test: 0.75 less 0.25000003 is false, and "
                      "hierarchical Z hides its region of 16x16 pixels (nearest 0.75, farthest stored 0.25000003); "
                      "draw 2 (triangles, 3 vertices), primitive 0: culled", answer["verdict"])


class Endless(Case):
    """Programs that the watchdog ends."""

    LOOP = "loop\nstart: fge v4, v0, u0\nbrk v4, last\nlast: endloop start\n"

    def shade(self, stage, text, bound, **values):
        program = self.capture.program(stage, text, **values)
        self.capture.packet("shader", stage=stage, program=program)
        self.capture.packet("constants", stage=stage, size_B=4, address=self.capture.put(struct.pack("<f", bound)))

    def shade_fragments(self, bound):
        """Fragments that end if their red is at least the bound."""
        self.shade("fragment", "ldvar v0, 0, smooth\n" + self.LOOP + "out 0, v0\nout 1, 0.0\nout 2, 0.0\nout 3, 1.0\nend\n", bound,
                   vector_regs=5, outputs=4, inputs=4, color_outputs=1)

    def assert_ended(self, answer, **values):
        """The event of the watchdog's."""
        ended = [event for event in answer["fragments"] if event["what"] == "watchdog"]
        self.assertEqual(len(ended), 1, answer)
        self.assertEqual({name: ended[0][name] for name in values}, values)
        self.assertEqual([entry["dword"] for entry in ended[0]["branches"]["uniforms"]], [0])
        return ended[0]

    def test_fragment(self):
        """The fragment itself, and what of its task had ended; what comes later is not run."""
        self.begin()
        self.shade_fragments(0.5)
        # red is 0 in columns 0 to 4, then 1
        self.capture.vertices([(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)], [(-32, 0, 0, 1), (96, 0, 0, 1), (-32, 0, 0, 1)])
        self.capture.draw()
        self.capture.draw()
        answer = self.ask("0", pixel="0,0")
        self.assertEqual(answer["cause"], {"kind": "endless", "draw": 0, "primitive": 0})
        self.assertIn("Draw 0 does not show: draw 0 (triangles, 3 vertices), primitive 0: the fragment program did not end: the "
                      "watchdog stopped it in a loop. Draw 0 (triangles, 3 vertices): the fragment program of primitive 0 did not "
                      "end at pixel 0,0: the watchdog stopped it in a loop, at instruction 4 of the fragment program, and "
                      "with it the submission; draw 1 was not run. Its branches looked at uniforms 0 = 0.5; varyings 0.x = -", answer["verdict"])
        fragment = next(event for event in answer["fragments"] if event["what"] == "fragment")
        self.assertEqual((fragment["fate"], fragment["branches"]["uniforms"]), ("endless", [{"dword": 0, "value": 0.5, "instruction": 2, "lines": []}]))
        self.assert_ended(answer, draw=0, primitive=0, x=0, y=0, instruction=4, stage="fragment")
        self.assertEqual(answer["color"], [{"r": 0, "g": 0, "b": 0, "a": 1}])
        later = self.ask("1", pixel="0,0")
        self.assertEqual(later["cause"], {"kind": "endless", "draw": 0, "primitive": 0})
        self.assertIn("Draw 1 does not show: draw 1 (triangles, 3 vertices), primitive 0: it was not run: the watchdog had ended "
                      "the submission. Draw 0", later["verdict"])
        self.assertEqual(later["fragments"][-1]["rules"], ["not run"])
        both = self.ask(pixel="0,0")
        self.assertEqual(both["cause"], {"kind": "cleared"})
        self.assertIn("What wanted it: draw 0 (triangles, 3 vertices), primitive 0: the fragment program did not end", both["verdict"])

    def test_task(self):
        """A fragment that ends, in a task with one that does not."""
        self.begin()
        self.shade_fragments(0.5)
        self.capture.vertices([(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)], [(-32, 0, 0, 1), (96, 0, 0, 1), (-32, 0, 0, 1)])
        self.capture.draw()
        answer = self.ask("0", pixel="7,0")
        self.assertEqual(answer["cause"], {"kind": "endless", "draw": 0, "primitive": 0})
        self.assertIn("primitive 0: the watchdog ended its task, since the program of another fragment in it did not end",
                      answer["verdict"])
        self.assert_ended(answer, draw=0, primitive=0, x=0, y=0, instruction=4)

    def test_elsewhere(self):
        """Another pixel's fragment does not end, before that of the pixel would be run."""
        self.begin(size=64)
        self.shade_fragments(0.5)
        self.triangle((0, 0, 0, 1))
        answer = self.ask("0", pixel="60,60")
        self.assertEqual(answer["cause"], {"kind": "endless", "draw": 0, "primitive": 0})
        self.assertIn("it was not run: the watchdog had ended the submission", answer["verdict"])
        self.assert_ended(answer, draw=0, primitive=0)

    def test_vertex(self):
        self.begin()
        self.shade("vertex", captures.POSITIONS.replace("out 0, v0", self.LOOP.replace("v4", "v9") + "out 0, v0"), 0.5, vector_regs=10,
                   outputs=12, sysvals=1 << 0)
        self.triangle()
        self.triangle()
        answer = self.ask("0")
        self.assertEqual(answer["cause"], {"kind": "endless", "draw": 0})
        self.assertIn("Draw 0 was not run to its end. Draw 0 (triangles, 3 vertices): the vertex program did not end for vertex 0: "
                      "the watchdog stopped it in a loop, at instruction 6 of the vertex program, and with it the submission, "
                      "before anything of the frame buffer's pass was rasterised; draw 1 was not run. Its branches looked at uniforms 0 = 0.5.", answer["verdict"])
        self.assert_ended(answer, draw=0, stage="vertex", element=0, vertex=0, instance=0, instruction=6)
        later = self.ask("1")
        self.assertEqual((later["cause"], later["misses"]), ({"kind": "endless", "draw": 0}, []))
        self.assertNotIn("No primitive covers it", self.ask()["verdict"])
        self.assertEqual(self.ask()["misses"], [])

    def test_other_submission(self):
        """What comes after it is run, and what was before is described as ever."""
        self.begin()
        self.triangle(BLUE)
        self.capture.submit()
        self.capture.frame(self.color)
        self.shade_fragments(0.5)
        self.triangle((0, 0, 0, 1))
        self.capture.submit()
        self.capture.frame(self.color)
        self.triangle(RED)
        self.assertEqual(self.ask("0")["cause"]["kind"], "written")
        self.assertEqual(self.ask("1")["cause"]["kind"], "endless")
        self.assertEqual(self.ask()["cause"], {"kind": "written", "draw": 2, "primitive": 0})

    def test_malformed_later(self):
        """What is malformed after it is refused all the same."""
        self.begin()
        self.shade_fragments(0.5)
        self.triangle((0, 0, 0, 1))
        self.capture.submit()
        self.capture.packet("draw", prim="triangles", count=3, instances=1, index_size_B=3)
        self.capture.submit()
        with tempfile.NamedTemporaryFile() as file:
            self.capture.write(file.name)
            status, _, error = why(file.name, "0", "0,0")
        self.assertEqual(status, 1)
        self.assertIn("clipfree why: packet draw at ", error)
        self.assertIn("no frame buffer is bound", error)

    def test_rules_stay(self):
        """A primitive that a rule keeps away is named with it, run or not."""
        self.begin()
        self.shade_fragments(0.5)
        self.triangle((0, 0, 0, 1))
        self.capture.raster(cull_front=True)
        self.triangle()
        self.assertIn("primitive 0: culled", self.ask("1")["verdict"])


class Refused(Case):
    def assert_refused(self, path, *arguments, status=1, says):
        found, _, error = why(path, *arguments)
        self.assertEqual(found, status, error)
        self.assertIn(says, error)

    def test_requests(self):
        self.begin()
        self.triangle()
        self.capture.submit()
        with tempfile.NamedTemporaryFile() as file:
            self.capture.write(file.name)
            self.assert_refused(file.name, "8,0", says="there is no pixel 8,0; the image has 8 x 8 pixels")
            self.assert_refused(file.name, "1", "0,0", says="there is no draw 1; the capture has draws 0 to 0")
            self.assert_refused(file.name, "--image", "0x40", "0,0", says="no operation of the capture names an image 0x40")
            self.assert_refused(file.name, "--image", "40", "0,0", says="--image=40 is not known; it may be an address", status=2)
            for pixel in "3", "3,x", "x,3", "99999,1", "1,2,3", ",":
                self.assert_refused(file.name, pixel, says=f"{pixel} is no pixel; it may be two numbers, X,Y", status=2)
            self.assert_refused(file.name, "x", "0,0", says="x is no draw; it may be a number from 0", status=2)
            self.assert_refused(file.name, says="usage:", status=2)
            self.assert_refused(file.name, "0", "0", "0,0", says="usage:", status=2)
            self.assert_refused(file.name, "--fast", "0,0", says="usage:", status=2)
            data = Path(file.name).read_bytes()
            file.truncate(len(data) // 2)
            self.assert_refused(file.name, "0,0", says="the file ends")

    def test_no_capture(self):
        for path in "/nonexistent", "/dev/null", "/":
            self.assert_refused(path, "0,0", says=path)

    def test_full(self):
        self.begin()
        self.capture.submit()
        with tempfile.NamedTemporaryFile() as file, open("/dev/full", "w", encoding="ascii") as full:
            self.capture.write(file.name)
            done = subprocess.run([WHY, file.name, "0,0"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write: No space left", done.stderr)

    def test_not_complete(self):
        """A capture of a killed process is looked into as far as it goes, with a warning."""
        self.begin()
        self.triangle()
        self.capture.submit()
        for ends in True, False:
            with tempfile.NamedTemporaryFile() as file:
                self.capture.write_compressed(file.name, ends=ends)
                status, answer, error = why(file.name, "0,0")
            self.assertEqual((status, answer["cause"]["kind"]), (0, "written"))
            self.assertEqual(error, "" if ends else f"clipfree: {file.name}: the capture is not complete: the process that made it "
                             "was killed, or could not write; what follows its last submission is left out\n")

    def test_malformed(self):
        """A capture of a malformed submission is refused, and why."""
        self.begin()
        self.capture.packet("draw", prim="triangles", count=3, instances=1, index_size_B=3)
        self.capture.submit()
        with tempfile.NamedTemporaryFile() as file:
            self.capture.write(file.name)
            self.assert_refused(file.name, "0,0", says="index_size_B")


if __name__ == "__main__":
    unittest.main()
