#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clipfree why: what a program computed a fragment from, the line of GLSL that discarded it or made a value that is not
finite, and programs that the watchdog ends.

Usage: test_why_programs.py CLIPFREE-WHY CLIPFREE-ASM
"""
import struct
import tempfile
import unittest

from why_cases import BLUE, RED, Case, captures, why


class Inputs(Case):
    """What a colour was computed from, with values."""

    def shade(self, text, **values):
        program = self.capture.program("fragment", text, outputs=4, color_outputs=1, **values)
        self.capture.packet("shader", stage="fragment", program=program)

    def test_varyings(self):
        """Each output's own: red is a varying's green, green a constant."""
        self.begin()
        self.shade("ldvar v0, 1, smooth\nldvar v1, 2, smooth\nout 0, v0\nout 1, 0.5\nout 2, 0.0\nout 3, 1.0\nend\n",
                   vector_regs=2, inputs=4)
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
                   "fadd v1, v1, v2\nout 0, v1\nout 1, v1\nout 2, v1\nout 3, 1.0\nend\n", vector_regs=3,
                   scratch_dwords=8)
        data = struct.pack("<8f", *(i / 16 for i in range(8)))
        self.capture.packet("constants", stage="fragment", size_B=len(data), address=self.capture.put(data))
        self.triangle()
        answer = self.ask()
        self.assertEqual(answer["fragments"][1]["inputs"]["uniforms"],
                         [{"dword": 1, "value": 0.0625, "instruction": 3, "lines": []},
                          {"dword": 5, "value": 0.3125, "instruction": 5, "lines": []}])
        self.assertEqual(answer["fragments"][1]["branches"]["uniforms"],
                         [{"dword": 7, "value": 0.4375, "instruction": 0, "lines": []}])
        self.assertIn("It comes from uniforms 1 = 0.0625, 5 = 0.3125. Its branches looked at uniforms 7 = 0.4375.",
                      answer["verdict"])

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
        fragment = self.capture.program("fragment", text, vector_regs=8, outputs=4, inputs=4, color_outputs=1,
                                        needs_helpers=True)
        self.capture.packet("shader", stage="vertex", program=vertex)
        self.capture.packet("shader", stage="fragment", program=fragment)
        self.capture.packet("constants", stage="fragment", size_B=64, address=self.capture.put(bytes(64)))
        variable = captures.packed_variable
        self.capture.note(vertex, (captures.OUTPUT, variable(0, rows=4), "first,second,third,third"))
        self.capture.note(fragment, (captures.UNIFORM, variable(0, rows=4), "uniform vec4 tint"),
                          (captures.UNIFORM, variable(4, rows=2, columns=2, elements=2, stride_dw=4),
                           "uniform mat2 turn[2]"),
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
        self.assertEqual([entry.get("name") for entry in inputs["uniforms"]],
                         ["tint.y", "turn[0][1].y", "turn[1][0].y"])
        self.assertEqual([entry.get("name") for entry in inputs["varyings"]], ["second", "third"])
        self.assertEqual([entry.get("name") for entry in inputs["samples"]], ["bark"])
        self.assertIn("The colour is that of draw 0 (glDrawArrays(GL_TRIANGLES, 0, 3)), primitive 0", answer["verdict"])
        self.assertIn("uniforms tint.y = 0, turn[0][1].y = 0, turn[1][0].y = 0; varyings second = 0, "
                      "third = 0; texture units bark (no",
                      answer["verdict"])

    def texture(self, texel):
        pixels = self.capture.put(bytes(texel) * 16)
        texture = self.capture.put(captures.packed(
            "texture", address=pixels, size_B=64, format="r8g8b8a8_unorm", kind="t2d", swizzle_r="x", swizzle_g="y",
            swizzle_b="z",
            swizzle_a="w", width_px=4, height_px=4, depth_px=1, layers=1, level_row_pitch_B=[16],
            level_layer_pitch_B=[64]))
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
            self.assertEqual(inputs["varyings"],
                             [{"slot": 0, "component": 0, "value": 0.25, "instruction": 0, "lines": []}])
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
        self.shade("ldvar v0, 1, smooth\nldvar v1, 0, smooth\nflt v2, v0, u2\nkill v2, last\nout 0, v1\nlast: end\n",
                   vector_regs=3, inputs=4, uses_kill=True)
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
        types = {"int count": captures.INT, "uint mask": captures.UINT, "float part": captures.FLOAT,
                 "bool on": captures.BOOL,
                 "bool off": captures.BOOL}
        answer = self.types_scene(*((captures.UNIFORM, variable(i, scalar=scalar), f"uniform {text}")
                                    for i, (text, scalar) in enumerate(types.items())))
        found = answer["fragments"][1]
        self.assertEqual([(entry["name"], entry["value"]) for entry in found["inputs"]["uniforms"]],
                         [("count", -7), ("mask", 4000000000), ("part", 0.5), ("on", True)])
        self.assertIs(found["branches"]["uniforms"][0]["value"], False)
        self.assertIn("uniforms count = -7, mask = 4000000000, part = 0.5, on = true", answer["verdict"])
        self.assertIn("looked at uniforms off = false.", answer["verdict"])
        # without notes: floats
        values = [entry["value"] for entry in self.types_scene()["fragments"][1]["inputs"]["uniforms"]]
        self.assertEqual((values[0], values[2]), ("nan", 0.5))

    def many_scene(self, count, body):
        """A fragment program that reads uniforms 0, 1/4, 2/4, ..."""
        self.begin()
        program = self.capture.program("fragment", "ldvar v0, 0, smooth\n" + body, vector_regs=2, outputs=4, inputs=4,
                                       color_outputs=1, uses_kill="kill" in body)
        self.capture.packet("shader", stage="fragment", program=program)
        data = struct.pack(f"<{count}f", *(i / 4 for i in range(count)))
        self.capture.packet("constants", stage="fragment", size_B=len(data), address=self.capture.put(data))
        self.triangle()

    def test_many_uniforms(self):
        """The verdict lists all of them, unless there is a large array: a wrong one may be any."""
        for count, listed in (5, 5), (64, 64), (67, 64):
            self.many_scene(count, "".join(f"fadd v0, v0, u{i}\n" for i in range(count)) +
                            "".join(f"out {i}, v0\n" for i in range(4)) + "end\n")
            verdict = self.ask()["verdict"]
            for i in range(count):
                self.assertEqual(f" {i} = {i / 4:g}" in verdict, i < listed, verdict)
            self.assertEqual(f" and {count - listed} more" in verdict, count > listed, verdict)

    def test_what_discards(self):
        """Of a fragment that is not there, what its program looked at."""
        self.many_scene(6, "flt v1, u4, u5\nkill v1, last\nlast: end\n")
        self.assertIn("primitive 0: discarded in instruction 2 of the fragment program. It comes from uniforms 4 = 1, "
                      "5 = 1.25.", self.ask("0")["verdict"])

    def test_what_alpha_comes_from(self):
        self.many_scene(3, "mov v1, u2\n" + "".join(f"out {i}, v1\n" for i in range(4)) + "end\n")
        self.capture.packet("depth_stencil", alpha_test=True, alpha_func="less", alpha_ref=0.25)
        self.capture.draw()
        self.assertIn("alpha test: 0.5 less 0.25 is false. It comes from uniforms 2 = 0.5.", self.ask("1")["verdict"])

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
        outputs = {"color_outputs": 1, "outputs": 4, "inputs": 4} if stage == "fragment" \
            else {"outputs": 12, "sysvals": 1}
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
        self.assertEqual(discard["lines"],
                         [{"line": 70000, "string": 2, "object": 1, "text_line": 1, "text": "second object"}])

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
        """Data are followed: through moves, arithmetic, selections, scratch; not conditions, and not what was written
        over."""
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


class Endless(Case):
    """Programs that the watchdog ends."""

    LOOP = "loop\nstart: fge v4, v0, u0\nbrk v4, last\nlast: endloop start\n"

    def shade(self, stage, text, bound, **values):
        program = self.capture.program(stage, text, **values)
        self.capture.packet("shader", stage=stage, program=program)
        self.capture.packet("constants", stage=stage, size_B=4, address=self.capture.put(struct.pack("<f", bound)))

    def shade_fragments(self, bound):
        """Fragments that end if their red is at least the bound."""
        self.shade("fragment",
                   "ldvar v0, 0, smooth\n" + self.LOOP + "out 0, v0\nout 1, 0.0\nout 2, 0.0\nout 3, 1.0\nend\n", bound,
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
        self.capture.vertices([(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)],
                              [(-32, 0, 0, 1), (96, 0, 0, 1), (-32, 0, 0, 1)])
        self.capture.draw()
        self.capture.draw()
        answer = self.ask("0", pixel="0,0")
        self.assertEqual(answer["cause"], {"kind": "endless", "draw": 0, "primitive": 0})
        self.assertIn(
            "Draw 0 does not show: draw 0 (triangles, 3 vertices), primitive 0: the fragment program did not end: the "
                      "watchdog stopped it in a loop. Draw 0 (triangles, 3 vertices): the fragment program of "
                      "primitive 0 did not "
                      "end at pixel 0,0: the watchdog stopped it in a loop, at instruction 4 of the fragment program, "
                      "and "
                      "with it the submission; draw 1 was not run. Its branches looked at uniforms 0 = 0.5; varyings "
                      "0.x = -", answer["verdict"])
        fragment = next(event for event in answer["fragments"] if event["what"] == "fragment")
        self.assertEqual((fragment["fate"], fragment["branches"]["uniforms"]),
                         ("endless", [{"dword": 0, "value": 0.5, "instruction": 2, "lines": []}]))
        self.assert_ended(answer, draw=0, primitive=0, x=0, y=0, instruction=4, stage="fragment")
        self.assertEqual(answer["color"], [{"r": 0, "g": 0, "b": 0, "a": 1}])
        later = self.ask("1", pixel="0,0")
        self.assertEqual(later["cause"], {"kind": "endless", "draw": 0, "primitive": 0})
        self.assertIn(
            "Draw 1 does not show: draw 1 (triangles, 3 vertices), primitive 0: it was not run: the watchdog had ended "
                      "the submission. Draw 0", later["verdict"])
        self.assertEqual(later["fragments"][-1]["rules"], ["not run"])
        both = self.ask(pixel="0,0")
        self.assertEqual(both["cause"], {"kind": "cleared"})
        self.assertIn("What wanted it: draw 0 (triangles, 3 vertices), primitive 0: the fragment program did not end",
                      both["verdict"])

    def test_task(self):
        """A fragment that ends, in a task with one that does not."""
        self.begin()
        self.shade_fragments(0.5)
        self.capture.vertices([(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)],
                              [(-32, 0, 0, 1), (96, 0, 0, 1), (-32, 0, 0, 1)])
        self.capture.draw()
        answer = self.ask("0", pixel="7,0")
        self.assertEqual(answer["cause"], {"kind": "endless", "draw": 0, "primitive": 0})
        self.assertIn(
            "primitive 0: the watchdog ended its task, since the program of another fragment in it did not end",
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
        self.shade("vertex", captures.POSITIONS.replace("out 0, v0", self.LOOP.replace("v4", "v9") + "out 0, v0"),
                   0.5, vector_regs=10, outputs=12, sysvals=1 << 0)
        self.triangle()
        self.triangle()
        answer = self.ask("0")
        self.assertEqual(answer["cause"], {"kind": "endless", "draw": 0})
        self.assertIn(
            "Draw 0 was not run to its end. Draw 0 (triangles, 3 vertices): the vertex program did not end for vertex "
            "0: "
                      "the watchdog stopped it in a loop, at instruction 6 of the vertex program, and with it the "
                      "submission, "
                      "before anything of the frame buffer's pass was rasterised; draw 1 was not run. Its branches "
                      "looked at uniforms 0 = 0.5.", answer["verdict"])
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


if __name__ == "__main__":
    unittest.main()
