#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clipfree-replay --compare: differences that are planted, in settings and in captures, are named; what is equal is.

Usage: test_replay_compare.py CLIPFREE-REPLAY CLIPFREE-ASM [TEST-CAPTURE-RECORDER]
"""
import json
import struct
import subprocess
import unittest

from replay_cases import ASM, BLUE, DRAWING, GREEN, RED, REPLAY, Captured, Made, color_of, packed, replay

TRIANGLE = [(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)]
LEFT_HALF = [(-1, -3, 0, 1), (0, -3, 0, 1), (0, 9, 0, 1), (-1, -3, 0, 1), (0, 9, 0, 1), (-1, 9, 0, 1)]
WHITE = (1, 1, 1, 1)
TINTED = "".join(f"ldvar v{i}, {i}, smooth\n" for i in range(4)) + "fmul v1, v1, {}\n" + \
    "".join(f"out {i}, v{i}\n" for i in range(4)) + "end\n"


class Compared(Made):
    """Two captures: what `scene` makes of its arguments, and of others."""

    def setUp(self):
        super().setUp()
        self.other = self.folder / "other"

    def write_scenes(self, scene, mine, others):
        for path, arguments in (self.path, mine), (self.other, others):
            self.capture = Captured(ASM)
            scene(**arguments)
            self.capture.submit()
            self.capture.write(path)

    def compare(self, *options, status=3):
        """The result, which text has too."""
        command = ["--compare", "--threads", "0", *options, self.path]
        done = replay(*command, "--json")
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual((result["version"], result["equal"]), (1, status == 0))
        self.draws = result["draws"]
        text = replay(*command).stdout
        self.assertTrue(text.startswith(result["verdict"] + "\n"), text)
        for note in result.get("difference", {}).get("notes", []):
            self.assertIn(f"  {note}\n", text)
        return result.get("difference")

    def planted(self, scene, mine, others):
        """The difference that other arguments make; none without them."""
        self.write_scenes(scene, mine, others)
        self.assertIsNone(self.compare("--against-capture", self.path, status=0))
        return self.compare("--against-capture", self.other)

    def assert_note(self, difference, text):
        self.assertTrue(any(text in note for note in difference["notes"]), difference["notes"])

    # a clear, and two draws: of everything, then of the left half; the second in a submission of its own
    def scene(self, color=WHITE, corner=(0, 9, 0, 1), count=6, tint="1.0", clear=RED, kind="clear"):
        image = self.capture.surface("r8g8b8a8_unorm", 8, 8)
        self.capture.frame(image)
        if kind == "clear":
            self.clear(colors=1, color=color_of(clear))
        else:
            self.capture.packet("resolve", surface=image[0])
        self.capture.vertices(TRIANGLE, [(0, 1, 0, 1)] * 3)
        self.capture.draw()
        self.capture.submit()
        self.capture.frame(image)
        tinted = self.capture.program("fragment", TINTED.format(tint), vector_regs=4, outputs=4, inputs=4,
                                      color_outputs=1)
        self.capture.packet("shader", stage="fragment", program=tinted)
        positions = [corner if position == (0, 9, 0, 1) else position for position in LEFT_HALF]
        self.capture.vertices(positions, [WHITE] * 5 + [color])
        self.capture.draw(count=count)

    def query_scene(self, sizes=(6, 6, 6), kind="samples_passed", result=0, shifts=(0, 0, 0)):
        """Draws that nothing is written by, and that a query counts; of those that are shifted 24 samples, not 32."""
        self.capture.frame(self.capture.surface("r8g8b8a8_unorm", 8, 8))
        self.capture.packet("blend", write_mask=0)
        counter = self.capture.put(struct.pack("<Q", result))
        self.capture.packet("query", kind=kind, begin=True, result=counter)
        for size, shift in zip(sizes, shifts):
            self.capture.vertices([(x - shift, y, z, w) for x, y, z, w in LEFT_HALF], [WHITE] * 6)
            self.capture.draw(count=size)
        self.capture.packet("query", kind=kind, result=counter)


class Planted(Compared):
    def test_vertex_colour(self):
        found = self.planted(self.scene, {}, {"color": (1, 1, 0, 1)})
        self.assertEqual([found[name] for name in ("what", "submission", "x", "y", "sample", "primitive")],
                         ["pixel", 1, 0, 0, 0, 1])
        self.assertEqual([found["operation"][name] for name in ("operation", "what", "draw", "submission")],
                         [2, "draw", 1, 1])
        self.assertEqual(found["image"]["name"], "color 0")
        self.assertEqual(found["a"]["bytes"], "ffffffff")
        self.assertRegex(found["b"]["bytes"], "^ffff(?!ff)..ff$")
        instruction = found["instruction"]
        self.assertEqual([instruction[name] for name in ("stage", "number", "lane", "component", "a", "b")],
                         ["vertex", 2, 5, 2, "0x3f800000", "0x00000000"])
        self.assertTrue(instruction["text"].startswith("ldf v5, 1"), instruction)
        self.assert_note(found, "that is of vertex 5 of the draw")
        self.assertNotIn("the packets differ", "".join(found["notes"]))

    def test_position(self):
        """A corner moves: pixels right of it are covered on one side alone."""
        found = self.planted(self.scene, {}, {"corner": (-0.5, 9, 0, 1)})
        raw = [self.raw(path, 0) for path in (self.path, self.other)]
        self.assertEqual(("pixel", *self.first_difference(*raw)), (found["what"], found["x"], found["y"]))
        self.assertEqual((list(found["fragment"]), found["instruction"]["stage"], found["instruction"]["number"]),
                         (["a"], "vertex", 1))
        self.assert_note(found, "has a fragment there on side a alone")

    def test_instruction(self):
        found = self.planted(self.scene, {}, {"tint": "0.5"})
        self.assertEqual([found[name] for name in ("what", "submission", "x", "y")], ["pixel", 1, 0, 0])
        instruction = found["instruction"]
        self.assertEqual([instruction[name] for name in ("stage", "number", "lane", "a", "b")],
                         ["fragment", 4, found["lane"], "0x3f800000", "0x3f000000"])
        self.assertIn(f"instruction 4: {instruction['text']}", "".join(found["notes"]))
        self.assert_note(found, "the programs differ: b has instruction 4: fmul v1, v1, 0.5")

    def test_packet(self):
        found = self.planted(self.scene, {}, {"count": 3})
        self.assertEqual([found[name] for name in ("what", "submission")], ["pixel", 1])
        self.assert_note(found, "the packets differ: draw at ")
        self.assert_note(found, "field count: a has 0x6, b has 0x3")

    def test_clear(self):
        """Also where a draw covers all that the clear left, so that the submission leaves the same."""
        for scene in self.scene, self.clear_scene:
            found = self.planted(scene, {}, {"clear": BLUE})
            self.assertEqual([found[name] for name in ("what", "x", "y", "submission")], ["pixel", 0, 0, 0])
            self.assertEqual((found["operation"]["what"], found["operation"]["operation"]), ("clear", 0))
            self.assertEqual((found["a"]["bytes"], found["b"]["bytes"]), (bytes(RED).hex(), bytes(BLUE).hex()))
            self.assertNotIn("primitive", found)

    def test_covered(self):
        """A draw that a later one covers is named before what differs in a later submission, and with all names."""
        def scene(covered=(0, 1, 0, 1), last=WHITE):
            image = self.capture.surface("r8g8b8a8_unorm", 8, 8)
            for colors in (WHITE, WHITE), (covered, WHITE), (WHITE, last):
                self.capture.frame(image)
                for color in colors:
                    self.capture.vertices(TRIANGLE, [color] * 3)
                    self.capture.draw()
                self.capture.submit()
        later = {"last": (0, 0, 1, 1)}
        for others, draw in (({"covered": (1, 0, 0, 1)}, 2), ({"covered": (1, 0, 0, 1)} | later, 2), (later, 5)):
            found = self.planted(scene, {}, others)
            self.assertEqual((found["submission"], found["operation"]["draw"], found["primitive"]),
                             (draw // 2, draw, 0))
            self.assertEqual(found["instruction"]["stage"], "vertex")
        self.assertEqual(self.draws, 6)

    def clear_scene(self, clear=RED):
        self.capture.frame(self.capture.surface("r8g8b8a8_unorm", 8, 8))
        self.clear(colors=1, color=color_of(clear))
        self.capture.vertices(LEFT_HALF, [(0, 1, 0, 1)] * 6)
        self.capture.draw(count=6)

    def test_samples(self):
        def scene(shift=0.0):
            self.capture.frame(self.capture.surface("r8g8b8a8_unorm", 8, 8, samples=4), samples=4)
            self.capture.raster(multisample=True)
            edge = 0.5 / 4 + shift  # between the columns of samples of pixel column 4
            self.capture.vertices([(-1, -3, 0, 1), (edge, -3, 0, 1), (edge, 99, 0, 1)], [WHITE] * 3)
            self.capture.draw()
        found = self.planted(scene, {}, {"shift": 0.06})
        self.assertEqual([found[name] for name in ("what", "x", "primitive")], ["pixel", 4, 0])
        self.assertEqual(list(found["fragment"]), ["b"])
        raw = [self.raw(path, found["sample"]) for path in (self.path, self.other)]
        self.assertEqual(self.first_difference(*raw), (found["x"], found["y"]))

    def test_sample_of_the_pixel(self):
        """Two triangles share a pixel: the first differs in depth, which no image has; the second, of other samples, in
        colour."""
        def scene(depth=0.0, color=WHITE):
            self.capture.frame(self.capture.surface("r8g8b8a8_unorm", 8, 8, samples=4), samples=4)
            self.capture.raster(multisample=True)
            left = [(x, y, depth, 1) for x, y in ((-1, -3), (0.125, -3), (0.125, 999))]
            right = [(x, y, 0, 1) for x, y in ((0.125, -3), (0.25, -3), (0.1251, 999))]
            self.capture.vertices(left + right, [WHITE] * 3 + [color] * 3)
            self.capture.draw(count=6)
        found = self.planted(scene, {}, {"depth": 0.5, "color": (0, 1, 1, 1)})
        self.assertEqual([found[name] for name in ("x", "y", "sample", "primitive")], [4, 0, 1, 1])

    def test_blended(self):
        """Draws run once each, though they are run one by one."""
        def scene(color=(0.25, 0, 0, 1)):
            self.capture.frame(self.capture.surface("r8g8b8a8_unorm", 8, 8))
            self.capture.packet("blend", write_mask=0xf, enable=True, color_func="add", alpha_func="add",
                                src_color="one", dst_color="one", src_alpha="one", dst_alpha="one")
            for each in (0.25, 0, 0, 1), (0.25, 0, 0, 1), color:
                self.capture.vertices(TRIANGLE, [each] * 3)
                self.capture.draw()
        found = self.planted(scene, {}, {"color": (0.5, 0, 0, 1)})
        self.assertEqual((found["operation"]["draw"], found["a"]["bytes"], found["b"]["bytes"]),
                         (2, "c00000ff", "ff0000ff"))

    def raw(self, path, sample, *options):
        file = self.folder / "raw"
        done = replay("--raw", file, "--sample", sample, *options, path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return file.read_bytes()

    @staticmethod
    def first_difference(a, b, width=8):
        at = next(i for i in range(0, len(a), 4) if a[i:i + 4] != b[i:i + 4]) // 4
        return at % width, at // width

    def test_buffer(self):
        def scene(value=1):
            buffer = self.capture.put(bytes(64))
            self.capture.packet("fill_buffer", destination=buffer + 16, size_B=16, value=value)
        found = self.planted(scene, {}, {"value": 1 | 7 << 16})
        self.assertEqual([found[name] for name in ("what", "offset", "a", "b")], ["buffer", 2, 0, 7])
        self.assert_note(found, "the packets differ: fill_buffer")

    def feedback_scene(self, colors=(WHITE, WHITE, WHITE), counts=(3, 6, 3), again=True, pad=0):
        """Draws whose vertices are fed back to two buffers: positions, and their colours, behind a dword of padding."""
        buffers = [(self.capture.put(bytes(1024)), 1024, stride, self.capture.put(bytes(8))) for stride in (4, 5)]
        outputs = [(0, 4, 0, 0), (8, 4, 1, 1)]
        self.capture.frame(self.capture.surface("r8g8b8a8_unorm", 8, 8))
        self.capture.raster(discard=True)
        self.capture.feedback(outputs, buffers)
        self.memory = buffers
        for i, (color, count) in enumerate(zip(colors, counts)):
            if i == 1 and again:
                self.capture.feedback(outputs, buffers, restart=False)
            if i == 2:  # captures made by hand bring memory, and counts, back to what they were before
                self.capture.submit()
                self.capture.frame(self.capture.surface("r8g8b8a8_unorm", 8, 8))
                self.capture.raster(discard=True)
                self.capture.feedback(outputs, buffers, restart=False)
            self.capture.vertices(LEFT_HALF, [WHITE] * (count - 1) + [color] + [WHITE] * (6 - count))
            self.capture.draw(count=count)

    def test_feedback(self):
        other = (1, 1, 0.5, 1)
        for draw, primitive in enumerate((0, 2, 0)):
            colors = [other if draw == i else WHITE for i in range(3)]
            found = self.planted(self.feedback_scene, {}, {"colors": colors})
            self.assertEqual((found["what"], found["name"], found["operation"]["draw"]), ("buffer", "feedback 1", draw))
            self.assertEqual([found[name] for name in ("primitive", "vertex", "component")],
                             [primitive, 2, "varying 0.z"])
            self.assertEqual((found["a"]["float"], found["b"]["float"]), (1, 0.5))
            self.assertEqual(found["offset"] // 4, (3 * primitive + 2) * 5 + 1 + 2)
        text = replay("--compare", "--against-capture", self.other, self.path).stdout
        self.assertIn("The first difference is made by draw 2, in feedback 1: vertex 2 of primitive 0, varying 0.z.\n",
                      text)
        self.assertRegex(text, r"\n  buffer feedback 1 0x[0-9a-f]+, byte \d+\n")

    def test_feedback_that_differs_in_length(self):
        found = self.planted(self.feedback_scene, {}, {"counts": (3, 3, 3)})
        self.assertEqual((found["what"], found["name"], found["operation"]["draw"]), ("buffer", "feedback 0", 1))
        self.assertEqual((found["primitive"], found["vertex"], found["component"]), (2, 0, "position.x"))

    def test_feedback_without_room(self):
        """Nothing but the count, and what comes from it, tells that one draw more was fed."""
        def scene(count=3):
            self.feedback_scene(counts=(3, count))
        found = self.planted(scene, {}, {"count": 2})
        self.assertEqual((found["operation"]["draw"], found["name"]), (1, "feedback 0"))

    def test_feedback_in_steps(self):
        """The bits of a run in one piece, where feedback begins once, and after each draw."""
        self.feedback_scene()
        self.write_changes()  # counts go on in the next submission
        memory = {replay("--threads", threads, "--path", path, self.path).stdout.split()[-1]
                  for threads in "03" for path in ("normal", "plain")}
        self.assertEqual(len(memory), 1)
        lines = [json.loads(line) for line in replay("--hashes", self.path).stdout.splitlines()]
        names = [["feedback 0", "count of feedback 0", "feedback 1", "count of feedback 1"]] * 3
        self.assertEqual([[buffer["name"] for buffer in line["buffers"]] for line in lines], names)
        for i, (_, _, stride, filled) in enumerate(self.memory):
            counts = []
            for elements in 3, 9, 12:
                value = 0xcbf29ce484222325
                for byte in struct.pack("<Q", 4 * stride * elements):
                    value = (value ^ byte) * 0x100000001b3 % 2**64
                counts.append(f"{value:016x}")
            self.assertEqual([line["buffers"][2 * i + 1]["hash"] for line in lines], counts)
            self.assertEqual(lines[0]["buffers"][2 * i + 1]["buffer"], hex(filled))

    def test_query(self):
        """The draw that a query counts in another way, and its results; not of clocks."""
        for sizes in ((3, 6, 6), (6, 3, 6), (6, 6, 3)):
            for kind, totals in ("samples_passed", (96, None)), ("primitives", (6, 5)), ("any_samples", (96, None)):
                found = self.planted(self.query_scene, {"kind": kind}, {"kind": kind, "sizes": sizes})
                self.assertEqual((found["what"], found["query"]["kind"], found["a"]), ("query", kind, totals[0]))
                self.assertEqual(found["operation"]["draw"], sizes.index(3))
                if totals[1]:
                    self.assertEqual(found["b"], totals[1])
        done = replay("--compare", "--against-capture", self.other, self.path)
        self.assertIn("The first difference is in draw 2. A query counts it differently.\n", done.stdout)
        self.assertRegex(done.stdout, r"\n  query any_samples at 0x[0-9a-f]+\n  a: 96\n  b: \d+\n")
        found = self.planted(self.query_scene, {}, {"result": 5})  # before all of its draws
        self.assertEqual((found["what"], found["b"] - found["a"], found.get("operation")), ("query", 5, None))
        self.write_scenes(self.query_scene, {"kind": "time"}, {"kind": "time"})
        self.assertIsNone(self.compare("--against-capture", self.other, status=0))

    def test_other_operations(self):
        found = self.planted(self.scene, {}, {"kind": "resolve"})
        self.assertEqual((found["what"], found["operation"]["operation"], found["submission"]), ("operations", 0, 0))
        self.assert_note(found, "a has clear, b has resolve")

    def test_other_images(self):
        def scene(width=8):
            self.capture.packet("framebuffer", width_px=8, height_px=8, color_count=1, samples=1,
                                color=[self.linear("r8g8b8a8_unorm", 4, width_px=width)[0]])
            self.clear(colors=1)
        found = self.planted(scene, {}, {"width": 16})
        self.assertEqual((found["what"], found["image"]["width"], found["other_image"]["width"]), ("image", 8, 16))

    def test_fault(self):
        def scene(size=16):
            self.capture.packet("fill_buffer", destination=self.capture.put(bytes(64)), size_B=16, value=1)
            self.capture.packet("fill_buffer", destination=self.capture.put(bytes(64)), size_B=size, value=1)
        found = self.planted(scene, {}, {"size": 1 << 30})
        self.assertEqual((found["what"], found["operation"]["operation"], found["a"]), ("fault", 1, None))
        self.assertIn("packet fill_buffer at ", found["b"])
        done = replay("--compare", "--against-capture", self.other, self.other)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^clipfree-replay: both sides are stopped: packet fill_buffer at .*\n$")

    def test_shorter(self):
        self.write_scenes(self.scene, {}, {})
        self.capture = Captured(ASM)
        self.capture.packet("nop")
        self.capture.submissions = []
        self.scene()  # its first submission alone
        self.capture.write(self.other)
        done = replay("--compare", "--against-capture", self.other, self.path)
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        self.assertIn("Side b ends earlier, after submission 0; what both have is equal.", done.stdout)

    def test_first_of_two(self):
        """Two draws of a submission differ: the first is named, though the second covers it."""
        def scene(colors=((0, 1, 0, 1), (0, 0, 1, 1))):
            self.capture.frame(self.capture.surface("r8g8b8a8_unorm", 8, 8))
            for color in colors:
                self.capture.vertices(TRIANGLE, [color] * 3)
                self.capture.draw()
        found = self.planted(scene, {}, {"colors": ((0, 1, 1, 1), (1, 0, 1, 1))})
        self.assertEqual((found["operation"]["draw"], found["a"]["bytes"], found["b"]["bytes"]),
                         (0, bytes(GREEN).hex(), "00ffffff"))


class Settings(Compared):
    def test_equal(self):
        self.write_scenes(self.scene, {}, {})
        for settings in "threads=2", "path=plain", "host-level=base", "threads=2,path=plain,vertices=whole", "":
            self.assertIsNone(self.compare("--against", settings, status=0))

    def test_pending_clears(self):
        """Memory of the one side has the clear, of the other the tile state."""
        def scene():
            tiles = self.capture.put(bytes(64))
            pixels = self.capture.put(bytes(256))
            surface = packed("surface", address=pixels, width_px=8, height_px=8, format="r8g8b8a8_unorm",
                             row_pitch_B=128, layout="blocks", size_B=256, tile_state=tiles)
            self.bind([(self.capture.put(surface), pixels)])
            self.clear(colors=1, color=color_of(RED))
        self.write_scenes(scene, {}, {})
        self.assertIsNone(self.compare("--against", "path=plain", status=0))
        hashes = [replay("--hashes", "--path", path, self.path).stdout for path in ("plain", "normal")]
        self.assertEqual(hashes[0], hashes[1])
        memory = [replay("--path", path, self.path).stdout.split()[-1] for path in ("plain", "normal")]
        self.assertNotEqual(memory[0], memory[1])

    def test_special_functions(self):
        def scene():
            self.capture.frame(self.capture.surface("r8g8b8a8_unorm", 8, 8))
            program = self.capture.program("fragment", TINTED.format("v1").replace("fmul v1, v1, v1", "fexp2 v1, v1"),
                                           vector_regs=4, outputs=4, inputs=4, color_outputs=1)
            self.capture.packet("shader", stage="fragment", program=program)
            self.capture.vertices(TRIANGLE, [(0, -1.3, 0, 1)] * 3)
            self.capture.draw()
        self.write_scenes(scene, {}, {})
        found = self.compare("--against", "sfu=cordic:3")
        self.assertEqual((found["instruction"]["number"], found["instruction"]["text"]), (4, "fexp2 v1, v1"))

    def reading_scene(self, reads=(2,), prim="triangles", **draw):
        """Draws that read their own depth, which OpenGL leaves open: the normal path has tested and written it before
        its fragments are shaded, the plain path has not. Of primitives 0 to 3, `reads` read theirs, the others that of
        a pixel nobody draws to."""
        zs = self.capture.surface("z24_unorm_s8_uint", 64, 64)
        color = self.capture.surface("r8g8b8a8_unorm", 64, 64)
        self.capture.frame(color, zs, width_px=64, height_px=64)
        self.clear(depth=True, depth_value=1.0, max_x_px=64, max_y_px=64)
        self.capture.packet("depth_stencil", depth_test=True, depth_func="less", depth_write=True)
        self.capture.packet("blend", write_mask=0xf, enable=True, src_color="one", dst_color="one", src_alpha="one",
                            dst_alpha="one")
        texture = packed("texture", address=zs[1], size_B=64 * 64 * 4, format="z24_unorm_s8_uint", kind="t2d",
                         layout="blocks",
                         width_px=64, height_px=64, depth_px=1, layers=1, level_row_pitch_B=[1024],
                         level_layer_pitch_B=[64 * 64 * 4])
        self.capture.packet("bind_texture", stage="fragment", unit=0, texture=self.capture.put(texture),
                            sampler=self.capture.put(packed("sampler", max_lod=15.0)))
        text = "ldvar v0, 0, smooth\nldvar v1, 1, smooth\ntex v4.x, 0, v0, v1, 0.0, 0.0, implicit\nfmul v4, v4, 0.125\n" + \
            "".join(f"out {i}, v4\n" for i in range(4)) + "end\n"
        program = self.capture.program("fragment", text, vector_regs=8, outputs=4, inputs=4, color_outputs=1,
                                       needs_helpers=True)
        self.capture.packet("shader", stage="fragment", program=program)
        corners, places = [], []
        for i in range(4):
            depth = 0.5 - i / 4
            corners += [(-1, -1, depth, 1), (0, -1, depth, 1), (-1, 0, depth, 1)]
            places += [(0, 0, 0, 1), (0.5, 0, 0, 1), (0, 0.5, 0, 1)] if i in reads else [(0.9, 0.9, 0, 1)] * 3
        self.capture.vertices(corners, places)
        self.capture.draw(**({"prim": prim, "count": 12} | draw))

    def test_primitive_of_settings(self):
        """What settings alone make is named, too: the first primitive up to which the sides draw other pixels."""
        for reads in (0,), (2,), (1, 3):
            self.write_scenes(self.reading_scene, {"reads": reads}, {})
            found = self.compare("--against", "path=plain")
            self.assertEqual((found["what"], found["operation"]["draw"], found["primitive"]), ("pixel", 0, reads[0]))
            self.assert_note(found, "interpreted on the plain path both sides have the same fragments there")
            self.assert_note(found, f"drawn up to primitive {reads[0]}, the sides differ first there: a {{")
            self.assertEqual(found["setting"], "path")
            self.assertIn("lane", found)
            self.assert_note(found, "setting path alone makes the difference")
            self.assertEqual(self.compare("--against", "path=plain,host-level=base,vertices=whole")["setting"], "path")
        self.write_scenes(self.reading_scene, {"instances": 2}, {})
        found = self.compare("--against", "path=plain")
        self.assertNotIn("primitive", found)
        self.assert_note(
            found, "the primitive is not known: draws of several instances, and line loops, cannot be drawn in part")

    @unittest.skipUnless(DRAWING, "test-capture-recorder is not built")
    def test_setup(self):
        """The pixel and the draw are those of images written before and after draws, with either setting."""
        subprocess.run([DRAWING, self.path], check=True)
        for setup in "dp3", "fma":
            found = self.compare("--against", f"setup={setup}")
            self.assertEqual(found["what"], "pixel")
            self.assertIn("primitive", found)
            self.assert_note(found, "the vertex programs have equal results on both sides")
            draw, address = found["operation"]["draw"], found["image"]["image"]
            width, files = found["image"]["width"], []
            for options in ["--before"], []:
                for settings in [], ["--setup", setup]:
                    files.append(self.folder / f"{len(files)}")
                    done = replay("--raw", files[-1], "--draw", draw, "--image", address, *options, *settings,
                                  self.path)
                    self.assertEqual(done.returncode, 0, done.stderr)
            data = [file.read_bytes() for file in files]
            self.assertEqual(data[0], data[1])
            self.assertEqual(Planted.first_difference(data[2], data[3], width), (found["x"], found["y"]))

    @unittest.skipUnless(DRAWING, "test-capture-recorder is not built")
    def test_same_bits(self):
        subprocess.run([DRAWING, self.path], check=True)
        for settings in "threads=2,path=plain", "host-level=base", "engine=auto":
            self.assertIsNone(self.compare("--against", settings, status=0))

    def test_refused(self):
        self.write_scenes(self.scene, {}, {})
        for settings in "engine", "engine=fast", "speed=2", "threads", "threads=1,,setup=dp4":
            done = replay("--compare", "--against", settings, self.path)
            self.assertEqual(done.returncode, 2, settings)
            self.assertRegex(done.stderr, r"clipfree-replay: --\S+=.* is not known")
        done = replay("--compare", "--against-capture", self.folder / "none", self.path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("none", done.stderr)


class Builds(Compared):
    def setUp(self):
        super().setUp()
        self.write_scenes(self.scene, {}, {})
        self.tools = self.folder / "build" / "tools"
        self.tools.mkdir(parents=True)

    def build(self, script):
        """A build folder whose clipfree-replay is a script; $REPLAY is ours."""
        program = self.tools / "clipfree-replay"
        program.write_text(f"#!/bin/sh\nREPLAY='{REPLAY}'\n{script}\n", encoding="ascii")
        program.chmod(0o755)
        return self.tools.parent

    def test_same(self):
        self.assertIsNone(self.compare("--against-build", self.build('exec "$REPLAY" "$@"'), status=0))

    def test_settings(self):
        """Both sides' settings reach the other build, the other side's last."""
        build = self.build('echo "$@" >>"$0.calls"; exec "$REPLAY" "$@"')
        self.assertIsNone(self.compare("--against-build", build, "--against", "path=plain,threads=1", status=0))
        calls = (self.tools / "clipfree-replay.calls").read_text().splitlines()
        self.assertEqual(calls[0], f"--threads 0 --path plain --threads 1 --hashes {self.path}")

    def test_different(self):
        """The other build plays another capture: what it makes of its draws is named."""
        self.write_scenes(self.scene, {}, {"color": (1, 1, 0, 1)})
        found = self.compare("--against-build", self.other_build())
        self.assertEqual([found[name] for name in ("what", "submission", "x", "y")], ["pixel", 1, 0, 0])
        self.assertEqual((found["operation"]["draw"], found["image"]["name"], found["a"]["bytes"]),
                         (1, "color 0", "ffffffff"))
        self.assertEqual(found["primitive"], 1)
        self.assertEqual([found["fragment"][side]["fate"] for side in "ab"], ["written", "written"])
        self.assertEqual(found["fragment"]["a"]["color"], [1, 1, 1, 1])
        self.assertLess(found["fragment"]["b"]["color"][2], 1)
        self.assertEqual(found["operation"]["packet"], json.loads(replay("--list", "--json", self.path).stdout)
                         ["submissions"][1]["operations"][0]["packet"])

    def test_same_as_here(self):
        """Of a build that plays another capture the difference is named as of that capture here: down to lane and
        instruction."""
        fields = [name for name in self.FIELDS if name not in ("image", "operation")]
        for others in {"color": (1, 1, 0, 1)}, {"corner": (-0.5, 9, 0, 1)}, {"tint": "0.5"}, {"count": 3}:
            self.write_scenes(self.scene, {}, others)
            here = self.compare("--against-capture", self.other)
            there = self.compare("--against-build", self.other_build())
            self.assertEqual({name: here.get(name) for name in fields}, {name: there.get(name) for name in fields})
            self.assertIn("instruction", there)
            self.assertEqual(there["notes"], [note for note in here["notes"] if "packets differ" not in note])

    FIELDS = ("what", "submission", "x", "y", "sample", "a", "b", "primitive", "lane", "fragment", "instruction")

    def test_instruction(self):
        """The other build's program: its text is that build's."""
        self.write_scenes(self.scene, {}, {"tint": "0.5"})
        found = self.compare("--against-build", self.other_build())
        self.assertEqual([found["instruction"][name] for name in ("stage", "number", "lane", "a", "b")],
                         ["fragment", 4, found["lane"], "0x3f800000", "0x3f000000"])
        self.assert_note(found, "the programs differ: b has instruction 4: fmul v1, v1, 0.5")

    def test_queries(self):
        """A query that the other build counts in another way, the operation that makes it, and the first of two
        submissions."""
        for draw in range(3):
            shifts = [0.25 * (i == draw) for i in range(3)]
            self.write_scenes(self.query_scene, {}, {"shifts": shifts})
            found = self.compare("--against-build", self.other_build())
            self.assertEqual((found["what"], found["query"]["kind"], found["submission"]),
                             ("query", "samples_passed", 0))
            self.assertEqual((found["operation"]["draw"], found["operation"]["what"]), (draw, "draw"))
            self.assertEqual((found["a"], found["b"]), (32 * (draw + 1), 32 * (draw + 1) - 8))
        self.write_scenes(self.query_scene, {"kind": "time"}, {"kind": "time"})
        self.assertIsNone(self.compare("--against-build", self.other_build(), status=0))
        self.write_scenes(self.query_scene, {}, {"shifts": (0, 0, 0.25)})
        for cases, message in (("*--queries*) exit 1", "its clipfree-replay failed"),
                               ("*--queries*) exit", "its --queries ends early"),
                               ("*--operation*) exit 1", "its clipfree-replay failed"),
                               ("*--operation*) exit", "its --queries ends early")):
            build = self.build(f'case "$*" in {cases};; esac\n' + self.other_script())
            done = replay("--compare", "--against-build", build, self.path)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"{build}: {message}", done.stderr)
        # what it prints after the difference does not matter
        build = self.build(f'case "$*" in *--queries\\ /*) "$REPLAY" --queries "{self.other}"; exec yes;; esac\n'
                           + self.other_script())
        self.assertEqual(self.compare("--against-build", build)["what"], "query")

    def test_query_or_picture(self):
        """The submission that differs first, be it in a query or in an image."""
        def scene(shifts=(0, 0, 0), color=WHITE, first=True):
            steps = [lambda: self.query_scene(shifts=shifts), lambda: self.scene(color)]
            for step in steps if first else steps[::-1]:
                step()
                self.capture.packet("blend", write_mask=0xf)
                self.capture.submit()
        others = {"shifts": (0.25, 0, 0), "color": (1, 1, 0, 1)}
        for first, what, submission in (True, "query", 0), (False, "pixel", 1):
            self.write_scenes(scene, {"first": first}, others | {"first": first})
            found = self.compare("--against-build", self.other_build())
            self.assertEqual((found["what"], found["submission"]), (what, submission))

    def test_primitive_alone(self):
        """A primitive that one build alone draws to the pixel; what changes nothing does not count."""
        self.write_scenes(self.scene, {}, {"corner": (-0.5, 9, 0, 1)})
        found = self.compare("--against-build", self.other_build())
        self.assertEqual(list(found["fragment"]), ["a"])
        self.assert_note(found, "has a fragment there on side a alone")

        def scene(depth=0.25, shift=0):
            zs = self.capture.surface("z24_unorm_s8_uint", 8, 8)
            self.capture.frame(self.capture.surface("r8g8b8a8_unorm", 8, 8), zs)
            self.clear(depth=True, depth_value=0.75)
            self.capture.packet("depth_stencil", depth_test=True, depth_func="less")
            behind = [(x + shift, y, 0.9, w) for x, y, _, w in TRIANGLE]
            last = [(x, y, depth, w) for x, y, _, w in TRIANGLE]
            self.capture.vertices(behind + TRIANGLE + last, [RED] * 6 + [WHITE] * 3)
            self.capture.draw(count=9)
        self.write_scenes(scene, {}, {"depth": 0.875, "shift": 10})
        for against in ("--against-build", self.other_build()), ("--against-capture", self.other):
            found = self.compare(*against)
            self.assertEqual((found["primitive"], [found["fragment"][side]["fate"] for side in "ab"]),
                             (2, ["written", "depth"]))

    def test_early_tests(self):
        """Depth that an early test writes, before the program, which writes no colour. A primitive that fails it, on
        one side alone, changes nothing."""
        def scene(depth=0.0, shift=0):
            zs = self.capture.surface("z24_unorm_s8_uint", 8, 8)
            self.capture.frame(self.capture.surface("r8g8b8a8_unorm", 8, 8), zs)
            self.clear(depth=True, depth_value=0.75)
            self.capture.packet("depth_stencil", depth_test=True, depth_func="less", depth_write=True)
            self.capture.packet("blend", write_mask=0)
            program = self.capture.program("fragment", TINTED.format("1.0"), vector_regs=4, outputs=4, inputs=4,
                                           color_outputs=1, early_tests=True)
            self.capture.packet("shader", stage="fragment", program=program)
            self.capture.vertices([(x + move, y, z, w) for z, move in ((0.25, 0), (0.9, shift), (depth, 0))
                                   for x, y, _, w in TRIANGLE], [WHITE] * 9)
            self.capture.draw(count=9)
        found = self.planted(scene, {}, {"depth": -0.25, "shift": 10})
        self.assertEqual((found["image"]["name"], found["primitive"]), ("depth_stencil", 2))
        self.assertEqual((found["instruction"]["stage"], found["instruction"]["text"][:4]), ("vertex", "ldf "))

    def test_same_on_the_plain_path(self):
        """A build that differs on the normal path alone."""
        self.write_scenes(self.scene, {}, {"color": (1, 1, 0, 1)})
        build = self.build('case "$*" in *--record*) exec "$REPLAY" "$@";; esac\n' + self.other_script())
        found = self.compare("--against-build", build)
        self.assertNotIn("primitive", found)
        self.assert_note(found, "interpreted on the plain path both sides have the same fragments there")
        self.assert_note(found, "primitive, lane and instruction are not known, since another build does not draw in "
                                "part; ")

    def test_bad_records(self):
        """Records that fail, end early or are no records: what is known is said, and that is all."""
        self.write_scenes(self.scene, {}, {"color": (1, 1, 0, 1)})
        reads = 'exec "$REPLAY" "$@"'
        for script, message in (("exit 1", "its clipfree-replay failed"), ("exit 0", "what this build cannot read"),
                                (f"{reads} | head -n 3", "what this build cannot read"),
                                (f"{reads} | sed 's/complete/other/'", "what this build cannot read"),
                                (f"{reads} | sed 's/\"lanes\":\".*\",\"ele/\"lanes\":\"00000000\",\"ele/'",
                                 "cannot read"),
                                (f"{reads} | sed 's/\"results\":\"00000000/\"results\":\"000000ff/'", "cannot read"),
                                (f"{reads} | sed 's/[0-9a-f]\"}}$/\"}}/'", "cannot read"),
                                (f"{reads} | sed 's/\"}}$/0\"}}/'", "cannot read"),
                                (f"{reads} | sed 's/written/drawn/'", "cannot read"),
                                (f"{reads} | sed 's/\"program\":1/\"program\":2/'", "cannot read")):
            script = script.replace(reads, "$0.record \"$@\"")
            record = self.tools / "clipfree-replay.record"
            record.write_text(f"#!/bin/sh\nREPLAY='{REPLAY}'\n{self.other_script()}\n", encoding="ascii")
            record.chmod(0o755)
            build = self.build(f'case "$*" in *--record*) {script}; exit;; esac\n' + self.other_script())
            found = self.compare("--against-build", build)
            self.assertEqual((found["what"], found["x"], found.get("primitive")), ("pixel", 0, None), script)
            self.assertEqual(len(found["notes"]), 1, found["notes"])
            self.assert_note(found, "primitive, lane and instruction are not known: ")
            self.assert_note(found, message)

    def other_script(self):
        """Plays the other capture."""
        return (f'for last; do :; done\n[ "$last" = "{self.path}" ] || exit 9\n'
                f'count=$#; for word; do set -- "$@" "$word"; done; shift $count\n'
                f'n=$((count - 1)); i=0; for word; do [ $i -lt $n ] && set -- "$@" "$word"; i=$((i + 1)); done; '
                f'shift $count\nexec "$REPLAY" "$@" "{self.other}"')

    def other_build(self):
        return self.build(self.other_script())

    def test_failures(self):
        for script, message in ("exit 2", "its clipfree-replay failed"), ("kill -9 $$", "its clipfree-replay failed"):
            done = replay("--compare", "--against-build", self.build(script), self.path)
            self.assertEqual(done.returncode, 1)
            self.assertIn(message, done.stderr)
        (self.tools / "clipfree-replay").unlink()
        done = replay("--compare", "--against-build", self.tools.parent, self.path)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{self.tools.parent}/tools/clipfree-replay: No such file or directory", done.stderr)

    def test_records(self):
        """What --record and --queries print, and what they refuse."""
        lines = [json.loads(line) for line in replay("--record", "0,0", "--operation", 2,
                                                     self.path).stdout.splitlines()]
        kinds = [next(iter(line)) for line in lines]
        self.assertEqual((sorted(set(kinds)), kinds[-1]), (["complete", "fragment", "program", "task"], "complete"))
        self.assertEqual(lines[-1], {"complete": True})
        self.assertEqual([(line["fragment"], line["fate"]) for line in lines if "fragment" in line], [(1, "written")])
        done = replay("--record", "0,0", "--operation", 0, self.path)
        self.assertEqual((done.returncode, done.stderr),
                         (1, f"clipfree-replay: operation 0 of {self.path} is no draw\n"))
        done = replay("--record", "0,0", "--operation", 3, self.path)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "clipfree-replay: there is no operation 3: the capture has 3\n"))
        for options in ([], ["--draw", "1"], ["--operation", 2, "--image", "color"]):
            self.assertEqual(replay("--record", "0,0", *options, self.path).returncode, 2)
        self.assertEqual(replay("--queries", "--sample", 1, self.path).returncode, 2)
        self.assertEqual(replay("--queries", self.path).stdout, "")
        self.write_scenes(self.query_scene, {}, {})
        line = json.loads(replay("--queries", self.path).stdout)
        self.assertEqual([query["value"] for query in line["queries"]], [96, 96])
        counts = [json.loads(replay("--queries", "--operation", i, self.path).stdout)["queries"][0]["value"]
                  for i in range(3)]
        self.assertEqual(counts, [32, 64, 96])

    def test_hashes(self):
        """A line for each operation; a hash changes when, and only when, the image does."""
        lines = [json.loads(line) for line in replay("--hashes", self.path).stdout.splitlines()]
        self.assertEqual([(line["operation"], line["what"], line.get("draw")) for line in lines],
                         [(0, "clear", None), (1, "draw", 0), (2, "draw", 1)])
        hashes = [line["images"][0]["hash"] for line in lines]
        self.assertEqual(len(set(hashes)), 3)
        plain = [json.loads(line)["images"][0]["hash"]
                 for line in replay("--hashes", "--path", "plain", self.path).stdout.splitlines()]
        self.assertEqual(plain, hashes)


if __name__ == "__main__":
    unittest.main()
