#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clipfree-replay, to look into a capture: its list, and images of it as PNG and as bytes.

Usage: test_replay_look.py CLIPFREE-REPLAY CLIPFREE-ASM [TEST-CAPTURE-RECORDER]
"""
import csv
import json
import os
import resource
import signal
import struct
import subprocess
import unittest

from replay_cases import ASM, BLUE, DRAWING, GREEN, RED, REPLAY, Captured, Made, captures, color_of, packed, replay


class Lists(Made):
    def test_list(self):
        color, zs = self.capture.surface("r8g8b8a8_unorm", 8, 8), self.capture.surface("z24_unorm_s8_uint", 8, 8)
        linear = self.linear("r8g8b8a8_unorm", 4)
        self.capture.frame(color, zs)
        self.capture.vertices([(0, 0, 0, 1)] * 3, [(0, 0, 0, 1)] * 3)
        self.clear(colors=1)
        self.capture.draw()
        self.capture.draw(prim="points", count=2, instances=5)
        self.capture.packet("copy", source=color[0], destination=linear[0], width_px=4, height_px=4)
        self.capture.packet("fill_buffer", destination=linear[1], size_B=16, value=1)
        places = dict(enumerate(address for name, address in self.capture.submit()
                                if name in ("clear", "draw", "copy", "fill_buffer")))
        self.clear(depth=True)
        self.capture.draw()
        self.write()
        done = replay("--list", "--json", self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual([found[name] for name in ("version", "frames", "draws")], [1, 0, 3])
        self.assertEqual([len(s["operations"]) for s in found["submissions"]], [5, 2])
        entries = [entry for s in found["submissions"] for entry in s["operations"]]
        self.assertEqual([entry["operation"] for entry in entries], list(range(7)))
        self.assertEqual([entry.get("draw") for entry in entries], [None, 0, 1, None, None, None, 2])
        self.assertEqual([int(entry["packet"], 16) for entry in entries[:5]], list(places.values()))
        self.assertEqual([[image["name"] for image in entry["images"]] for entry in entries[:6]], [
            ["color 0"], ["color 0", "depth_stencil"], ["color 0", "depth_stencil"], ["destination"], [], []])
        self.assertEqual(entries[1]["images"][1], {
            "name": "depth_stencil", "image": hex(zs[1]), "width": 8, "height": 8, "format": "z24_unorm_s8_uint",
            "samples": 1})
        self.assertEqual(entries[2]["call"], "points, 2 vertices, 5 instances")
        self.assertEqual(entries[2]["values"]["instances"], 5)
        self.assertEqual((entries[3]["source"]["image"], entries[3]["images"][0]["image"]),
                         (hex(color[1]), hex(linear[1])))
        self.assertEqual(entries[4]["buffer"], hex(linear[1]))
        text = replay("--list", self.path).stdout
        self.assertIn(
            f"\n  draw 1 {places[2]:#x}: points, 2 vertices, 5 instances\n      color 0 {color[1]:#x} (8 x 8, ", text)
        self.assertTrue(text.endswith("3 draws in 2 submissions\n"), text)

    def test_list_of_feedback(self):
        self.capture.frame(self.capture.surface("r8g8b8a8_unorm", 8, 8))
        self.capture.vertices([(0, 0, 0, 1)] * 3, [(0, 0, 0, 1)] * 3)
        buffer, filled = self.capture.put(bytes(96)), self.capture.put(bytes(8))
        self.capture.feedback([(0, 4, 0, 0)], [(buffer, 96, 4, filled)])
        self.capture.draw()
        self.capture.packet("feedback")
        self.capture.draw()
        self.write()
        entries = json.loads(replay("--list", "--json", self.path).stdout)["submissions"][0]["operations"]
        self.assertEqual([entry.get("feedback") for entry in entries], [
            [{"name": "feedback 0", "buffer": hex(buffer), "size": 96},
             {"name": "count of feedback 0", "buffer": hex(filled), "size": 8}], None])
        self.assertIn(f"\n      feedback 0 {buffer:#x} (96 bytes)\n", replay("--list", self.path).stdout)

    def test_stats_of_feedback(self):
        """Primitives that a buffer has room for; of any threads."""
        self.capture.frame(self.capture.surface("r8g8b8a8_unorm", 8, 8))
        self.capture.vertices([(0, 0, 0, 1)] * 6, [(0, 0, 0, 1)] * 6)
        self.capture.feedback([(0, 4, 0, 0)], [(self.capture.put(bytes(144)), 144, 4, self.capture.put(bytes(8)))])
        self.capture.draw(count=6)
        self.capture.draw(count=6)
        self.capture.packet("feedback")
        self.capture.draw(count=6)
        self.write()
        for threads in 0, 3:
            file = self.folder / "stats.csv"
            self.assertEqual(replay("--threads", threads, "--stats", file, self.path).returncode, 0)
            with file.open(newline="", encoding="utf-8") as table:
                rows = list(csv.DictReader(table))
            self.assertEqual([row["fed"] for row in rows if row["kind"] == "draw"], ["2", "1", "0"])
            file.unlink()

    def test_call_of_a_note(self):
        """GL's call, where the capture has it."""
        self.capture.frame(self.capture.surface("r8g8b8a8_unorm", 8, 8))
        self.capture.vertices([(0, 0, 0, 1)] * 3, [(0, 0, 0, 1)] * 3)
        self.capture.draw()
        self.capture.draw()
        first = next(address for name, address in self.capture.submit() if name == "draw")
        self.capture.note(first, (1, "glDrawArrays(GL_TRIANGLES, 0, 3)"))
        self.write()
        operations = json.loads(replay("--list", "--json", self.path).stdout)["submissions"][0]["operations"]
        self.assertEqual([entry["call"] for entry in operations],
                         ["glDrawArrays(GL_TRIANGLES, 0, 3)", "triangles, 3 vertices"])

    def test_printed_lines(self):
        """--print has the text of lines beside their numbers, where the sources have it."""
        program = self.capture.program("fragment", "end\n", outputs=4, color_outputs=1)
        entries = (0, 2), (1, 2), (2, 2, 14, 2), (2, 3), (3, 1, 1, 0, 1), (4, 9), (5, 4)
        self.capture.note(program, (captures.SOURCE, "void main()\n  a = b; \n  if (c)\n" + 300 * "x"),
                          (captures.SOURCE, "int d;"), (captures.LINES, captures.packed_lines(*entries)))
        self.capture.note(self.capture.put(bytes(64)), (captures.NIR, "%0 = fadd\n%1 = fmul"),
                          (captures.NIR_LINES, struct.pack("<3I", 0, 2, 1)))
        self.capture.packet("nop")
        self.write()
        printed = replay("--print", self.path).stdout.splitlines()
        self.assertEqual([line.strip() for line in printed if line.startswith("      instruction ")],
                         ["instruction 0 to 1: line 2: `a = b;`", "instruction 2: line 2:14: `a = b;`, 3: `if (c)`",
                          "instruction 3: line 1 of object 1: `int d;`", "instruction 4: line 9",
                          f"instruction 5: line 4: `{200 * 'x'}`", "instruction 1: line 2", "instruction 2: line 1"])
        self.assertIn("   nir: %0 = fadd", printed)

    def test_state_does_not_outlive_a_submission(self):
        self.bind([self.linear("r8g8b8a8_unorm", 4)])
        self.clear(colors=1)
        self.capture.submit()
        self.clear(colors=1)
        self.write()
        found = json.loads(replay("--list", "--json", self.path).stdout)["submissions"]
        self.assertEqual([len(s["operations"][0]["images"]) for s in found], [1, 0])

    @unittest.skipUnless(DRAWING, "test-capture-recorder is not built")
    def test_recorded(self):
        subprocess.run([DRAWING, self.path], check=True)
        done = replay("--list", "--json", self.path)
        entries = [entry for s in json.loads(done.stdout)["submissions"] for entry in s["operations"]]
        printed = [line for line in replay("--print", self.path).stdout.splitlines() if line == "draw"]
        self.assertEqual([entry["draw"] for entry in entries if "draw" in entry], list(range(len(printed))))
        self.assertGreater(len(printed), 0)


class Pictures(Made):
    def test_before_and_after(self):
        color = self.capture.surface("r8g8b8a8_unorm", 8, 8)
        self.capture.frame(color)
        self.clear(colors=1, color=color_of(RED))
        self.capture.vertices([(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)], [(0, 1, 0, 1)] * 3)
        self.capture.draw()
        self.clear(colors=1, color=color_of(BLUE), max_x_px=4)
        self.write()
        expected = {("--draw", 0, "--before"): [RED], ("--draw", 0): [GREEN], (): [BLUE, GREEN],
                    ("--operation", 0, "--before"): [(0, 0, 0, 0)], ("--operation", 0): [RED],
                    ("--operation", 2, "--before"): [GREEN], ("--operation", 2, "--image", "color:0"): [BLUE, GREEN],
                    ("--draw", 0, "--image", hex(color[1])): [GREEN]}
        for options, colors in expected.items():
            for settings in [], ["--path", "plain"], ["--threads", "2"]:
                channels, bits, rows = self.png(*options, *settings)
                self.assertEqual((channels, bits), (4, 8))
                self.assertEqual(rows, [[colors[0]] * 4 + [colors[-1]] * 4] * 8, options)

    def test_frames(self):
        """What a frame shows, whatever comes after it; and another image at that time."""
        color, other = self.capture.surface("r8g8b8a8_unorm", 8, 8), self.capture.surface("r8g8b8a8_unorm", 8, 8)
        for shown, value in ((color, RED), (other, GREEN), (color, BLUE)):
            self.capture.frame(shown)
            self.clear(colors=1, color=color_of(value))
            self.capture.submit()
            self.capture.present(shown[0])
        self.capture.packet("nop")
        self.write()
        for frame, value in enumerate((RED, GREEN, BLUE)):
            self.assertEqual(self.png("--frame", frame)[2][0][0], value)
        self.assertEqual(self.png("--frame", 0, "--image", hex(color[1]))[2][0][0], RED)
        self.refused("there is no frame 3; the capture has frames 0 to 2 presented", "--png", self.folder / "png",
                     "--frame", 3)
        self.refused("one of --draw, --operation and --frame may be given", "--png", self.folder / "png", "--frame",
                     0, "--draw", 0, status=2)
        self.refused("--before needs --draw or --operation", "--png", self.folder / "png", "--frame", 0, "--before",
                     status=2)
        self.refused("are for --png and --raw", "--frame", 0, status=2)
        self.capture.frames = []
        self.capture.write(self.path)
        self.refused("the capture has no frames that were presented", "--png", self.folder / "png", "--frame", 0)

    def test_own_drawing(self):
        """Green is cleared to, then copied, in submissions of their own. The captured GPU left red between them, which
        does not replace what this one left, unless the host wrote there, too."""
        memory = set()
        for by_gpu, expected in (1, GREEN), (0, RED):
            self.capture = Captured(ASM)
            first, second = (self.linear("r8g8b8a8_unorm", 4) for _ in range(2))
            self.capture.put(bytes(captures.PAGE_B))  # the host writes commands to other pages
            self.bind([first])
            self.clear(colors=1, color=color_of(GREEN))
            self.capture.submit()
            self.capture.packet("copy", source=first[0], destination=second[0], width_px=8, height_px=8)
            self.write_changes({1: [(captures.MEMORY, by_gpu, first[1], bytes(RED) * 64)]})
            self.assertEqual(self.png("--image", hex(second[1]))[2], [[expected] * 8] * 8)
            memory.add(replay(self.path).stdout.split()[-1])
        self.assertEqual(len(memory), 2)

    def test_not_complete(self):
        """Whatever looks into a capture of a killed process says so."""
        self.bind([self.linear("r8g8b8a8_unorm", 4)])
        self.capture.vertices([(0, 0, 0, 1)] * 3, [(0, 0, 0, 1)] * 3)
        self.clear(colors=1)
        self.capture.submit()
        for ends in True, False:
            self.capture.write_compressed(self.path, ends=ends)
            for options in [], ["--list"], ["--png", self.folder / "png"], ["--hashes"], ["--compare"], \
                    ["--compare", "--against-build", REPLAY.parents[1]]:
                done = replay(*options, self.path)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual("the capture is not complete: the process that made it was killed" in done.stderr,
                                 not ends, options)

    def test_depth_and_stencil(self):
        zs = self.linear("z24_unorm_s8_uint", 4)
        self.bind([], zs)
        self.clear(depth=True, stencil=True, depth_value=0.25, stencil_value=7)
        self.clear(depth=True, depth_value=1.0, min_x_px=4)
        self.clear(stencil=True, stencil_value=200, min_y_px=4)
        self.write()
        for name in "depth", hex(zs[1]):
            self.assertEqual(self.png("--image", name), (1, 16, [[(16384,)] * 4 + [(65535,)] * 4] * 8))
        for name in "stencil", f"{zs[1]:#x}:stencil":
            self.assertEqual(self.png("--image", name), (1, 8, [[(7,)] * 8] * 4 + [[(200,)] * 8] * 4))
        self.refused("has no color 0", "--png", self.folder / "png", "--image", "color")

    def test_pending_clears(self):
        """A clear that only the tile state knows, over memory that has something else."""
        pixels = self.capture.put(bytes([9]) * 256)
        tiles = self.capture.put(struct.pack("<12I", 0x11223344, 0, 0, 0, *[0xffffffff, 0, 0, 0], 0x00ffffff, 0, 0, 0)
                                 + bytes(16))
        surface = self.capture.put(packed("surface", address=pixels, width_px=8, height_px=8, format="r8g8b8a8_unorm",
                                          row_pitch_B=128, layout="blocks", size_B=256, tile_state=tiles))
        self.bind([(surface, pixels)])
        self.clear(colors=1, max_x_px=0)
        self.write()
        self.assertEqual(self.png(), (4, 8, [[(0x44, 0x33, 0x22, 9)] * 8] * 8))

    def test_samples(self):
        color = self.capture.surface("r8g8b8a8_unorm", 8, 8, samples=4)
        at = color[1] - 4096
        for sample in range(4):  # rows of blocks of the samples follow each other
            for row in range(2):
                start = at + (4 * row + sample) * 128
                self.capture.memory[start:start + 128] = bytes([sample, row, 0, 255]) * 32
        self.bind([color], samples=4)
        self.clear(colors=1, max_x_px=0)
        self.write()
        for sample in range(4):
            self.assertEqual(self.png("--sample", sample)[2], [[(sample, y // 4, 0, 255)] * 8 for y in range(8)])
        self.refused("the image has no sample 4; it has 4", "--png", self.folder / "png", "--sample", 4)

    def show(self, form, pixel_B, data):
        """The first pixels of an image with this memory."""
        image = self.linear(form, pixel_B, data)
        self.bind([])
        self.capture.packet("copy", source=image[0], destination=self.linear(form, pixel_B)[0], width_px=1, height_px=1)
        self.write()
        channels, bits, rows = self.png("--image", hex(image[1]))
        self.capture = Captured(ASM)
        return channels, bits, rows[0][:len(data) // pixel_B]

    def test_formats(self):
        def half(*values):
            return struct.pack(f"<{len(values)}e", *values)
        nan, inf = float("nan"), float("inf")
        self.assertEqual(self.show("r16g16b16a16_float", 8, half(0.5, -1, 2, 1, nan, inf, -inf, 0)),
                         (4, 16, [(32768, 0, 65535, 65535), (0, 65535, 0, 0)]))
        self.assertEqual(self.show("r8g8b8a8_srgb", 4, bytes([1, 128, 254, 77])), (4, 8, [(1, 128, 254, 77)]))
        self.assertEqual(self.show("b5g6r5_unorm", 2, struct.pack("<H", 31 | 21 << 5 | 1 << 11)),
                         (3, 8, [(8, 85, 255)]))
        self.assertEqual(self.show("b8g8r8x8_unorm", 4, bytes([3, 2, 1, 9])), (3, 8, [(1, 2, 3)]))
        self.assertEqual(self.show("r10g10b10a2_unorm", 4, struct.pack("<I", 1023 | 1 << 10 | 2 << 30)),
                         (4, 16, [(65535, 64, 0, 43690)]))
        self.assertEqual(self.show("l8a8_unorm", 2, bytes([5, 6])), (4, 8, [(5, 5, 5, 6)]))
        self.assertEqual(self.show("z32_float", 4, struct.pack("<3f", 0.5, 1.5, -1)),
                         (1, 16, [(32768,), (65535,), (0,)]))
        self.assertEqual(self.show("z16_unorm", 2, struct.pack("<H", 12345)), (1, 16, [(12345,)]))

    def test_textures(self):
        """A cube in rows, of three levels, bound to a unit; and a compressed texture, decoded."""
        texels = [struct.pack("<I", 0xff000000 | level << 16 | face << 8 | i) for level in range(3) for face in range(6)
                  for i in range((4 >> level) ** 2)]
        starts = [0, 6 * 16 * 4, 6 * 20 * 4]
        cube = packed("texture", address=self.capture.put(b"".join(texels)), size_B=4 * len(texels),
                      format="r8g8b8a8_unorm",
                      kind="cube", layout="linear", width_px=4, height_px=4, first_level=1, last_level=2,
                      level_offset_B=starts, level_row_pitch_B=[16, 8, 4], level_layer_pitch_B=[64, 16, 4])
        address = struct.unpack_from("<I", cube)[0]
        block = struct.pack("<HHI", 0xf800, 0x001f, 0x00000004)  # texel (1, 0) has the second colour
        dxt = packed("texture", address=self.capture.put(block), size_B=8, format="dxt1_rgb", kind="t2d",
                     layout="blocks", width_px=4, height_px=4, level_row_pitch_B=[8])
        color = self.capture.surface("r8g8b8a8_unorm", 8, 8)
        self.capture.frame(color)
        self.capture.vertices([(0, 0, 0, 1)] * 3, [(0, 0, 0, 1)] * 3)
        sampler = self.capture.put(packed("sampler"))
        self.capture.packet("bind_texture", stage="fragment", unit=3, texture=self.capture.put(cube), sampler=sampler)
        self.capture.packet("bind_texture", stage="vertex", unit=0, texture=self.capture.put(dxt), sampler=sampler)
        self.capture.draw()
        self.write()
        for name in "texture:fragment:3", hex(address):
            for level, face in (1, 0), (1, 5), (2, 3):
                size = 4 >> level
                rows = self.png("--draw", 0, "--image", name, "--level", level, "--layer", face)[2]
                self.assertEqual(rows, [[(y * size + x, face, level, 255) for x in range(size)] for y in range(size)])
        self.assertEqual(len(self.png("--draw", 0, "--image", "texture:fragment:3")[2]), 2)  # its first level
        self.assertEqual(self.png("--image", "texture:vertex:0"), (4, 8, [[RED, BLUE, RED, RED]] + [[RED] * 4] * 3))
        for message, options in {
                "the texture has no level 0; it has levels 1 to 2": ["texture:fragment:3", "--level", 0],
                "level 2 of the texture has no layer 6": ["texture:fragment:3", "--level", 2, "--layer", 6],
                "no texture is bound to unit 0 of the fragment stage there": ["texture:fragment:0"],
                "--level and --layer are for textures": ["color", "--level", 1]}.items():
            self.refused(message, "--png", self.folder / "png", "--image", *options)

    def test_raw(self):
        self.bind([self.linear("r8g8b8a8_unorm", 4)])
        self.clear(colors=1, color=color_of((1, 2, 3, 4)), max_y_px=4)
        self.write()
        self.assertEqual(replay("--raw", self.folder / "raw", self.path).returncode, 0)
        self.assertEqual((self.folder / "raw").read_bytes(), bytes([1, 2, 3, 4]) * 32 + bytes(128))


class Refused(Made):
    def setUp(self):
        super().setUp()
        self.bind([self.linear("r8g8b8a8_unorm", 4)])
        self.clear(colors=1)
        self.write()

    def test_places(self):
        out = ["--png", self.folder / "png"]
        self.refused("the capture has no draws", *out, "--draw", 0)
        self.refused("there is no operation 1; the capture has operations 0 to 0, which --list shows", *out,
                     "--operation", 1)
        self.refused("no operation up to there names an image 0x123", *out, "--image", "0x123")
        self.refused("has no depth and stencil", *out, "--image", "depth")
        self.refused("has no color 1; it has 1", *out, "--image", "color:1")

    def test_second_color(self):
        """The history of a pixel has the second colour where it is blended with."""
        for factor in "src1_color", "src_alpha":
            self.capture = Captured(ASM)
            self.capture.frame(self.capture.surface("r8g8b8a8_unorm", 8, 8))
            self.capture.second_color(src_color=factor, dst_color="one")
            self.capture.vertices([(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)], [(1, 0.5, 0, 0.25)] * 3)
            self.capture.draw()
            self.write()
            text = replay("--pixel", "3,3", self.path).stdout
            second = ", second colour 0.25 0 0.5 0" if factor == "src1_color" else ""
            self.assertIn(f"colour 1 0.5 0 0.25{second}; target 0", text)

    def test_beyond_memory(self):
        """An address just beyond the capture's memory is a fault, as it is when the capture is run."""
        for beyond_B in 0, 1 << 20:
            self.capture = Captured(ASM)
            self.bind([self.linear("r8g8b8a8_unorm", 4)])
            end = 4096 + -(-(len(self.capture.memory) + 256) // 4096) * 4096  # 256: the commands
            self.capture.packet("fill_buffer", destination=end + beyond_B, size_B=16, value=1)
            self.write()
            self.assertEqual(4096 + -(-len(self.capture.memory) // 4096) * 4096, end)
            for options in [], ["--hashes"], ["--png", self.folder / "png"]:
                self.refused("packet fill_buffer at ", *options)

    def test_failures_are_said_once(self):
        """The first of a capture's failures is said, by the tool alone; a run goes on after it."""
        self.capture = Captured(ASM)
        self.capture.frame(self.capture.surface("r8g8b8a8_unorm", 8, 8))
        program = self.capture.program("fragment", "loop\nstart: mov v0, 0\nendloop start\nend\n", vector_regs=1,
                                       outputs=4, inputs=4, color_outputs=1)
        self.capture.packet("shader", stage="fragment", program=program)
        self.capture.vertices([(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)], [RED] * 3)
        self.capture.draw()
        self.capture.submit()
        self.capture.packet("draw", prim="triangles", count=3, instances=1, index_size_B=3)
        self.write()
        for options in [], ["--print"], ["--threads", 2], ["--repeat", 2]:
            done = replay(*options, self.path)
            self.assertRegex(done.stderr,
                             r"\Aclipfree-replay: packet draw at .* a task ran more than \d+ instructions and was "
                                          r"stopped\n\Z")
            self.assertEqual(done.returncode, 1)

    def test_time(self):
        self.capture.frame(self.capture.surface("r8g8b8a8_unorm", 8, 8))
        self.capture.vertices([(0, 0, 0, 1)] * 3, [(0, 0, 0, 1)] * 3)
        self.capture.draw(count=2**32 - 1, instances=2**32 - 1)
        self.write()
        for mode in (), ("--hashes",), ("--json", "--print"):
            self.refused("a thread worked more than 20 ms and was stopped", "--time-limit-ms", "20", *mode, timeout=60)

    def test_memory(self):
        self.capture.packet("fill_buffer", destination=1 << 30, size_B=4, value=1)
        self.capture.submit()
        self.capture.write(self.path)
        last = struct.pack("<IIQQ", captures.MEMORY, 0, 1 << 30, 4096) + bytes(4096)
        data = self.path.read_bytes()
        self.path.write_bytes(captures.MAGIC_PLAIN + last + data[len(captures.MAGIC_PLAIN):])
        self.refused("no room for the capture's memory, 1024 MiB", "--memory-mb", "64")
        self.assertEqual(replay(self.path).returncode, 0)

    def test_note_of_any_address(self):
        self.capture.note(2**64 - 1, (captures.CALL, "glFlush"))
        self.write()
        done = replay("--print", self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note of 0xffffffffffffffff", done.stdout)

    def test_options(self):
        out = ["--png", self.folder / "png"]
        self.refused("one of --draw, --operation and --frame may be given", *out, "--draw", 0, "--operation", 0,
                     status=2)
        self.refused("--before needs --draw or --operation", *out, "--before", status=2)
        self.refused("are for --png and --raw", "--draw", 0, status=2)
        self.refused("--json is for", *out, "--json", status=2)
        self.refused("--json is for", "--json", "--show", "rast", status=2)
        self.refused("one of --list, --png", *out, "--list", status=2)
        self.refused("--pixel, --show and --print", *out, "--print", status=2)
        for image in ("", "0x", "0", "0xg", "color:8", "color:", "texture:0", "texture:compute:0", "texture:vertex:32",
                      "alpha"):
            self.refused(f"--image={image} is not known; it may be 0xADDRESS, ", *out, "--image", image, status=2)

    def test_files(self):
        """A file is there whole or not at all, and devices stay what they are."""
        self.refused("No such file or directory", "--png", self.folder / "none" / "png")
        self.refused("Is a directory", "--png", self.folder)
        full = self.folder / "full"
        full.symlink_to("/dev/full")  # a link, so that it is not the machine's own device that a mistake replaces
        done = replay("--png", full, self.path)
        self.assertEqual((done.returncode, full.is_symlink()), (1, True))
        self.assertIn(f"cannot write {full}: No space left on device", done.stderr)
        full.unlink()

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50))
        for mode in "--png", "--raw":
            self.refused("File too large", mode, self.folder / "file", preexec_fn=limit)
        for mode in "--png", "--raw":
            kept = self.folder / "kept"
            kept.write_text("before")
            self.assertEqual(replay(mode, kept, self.path, preexec_fn=limit).returncode, 1)
            self.assertEqual(kept.read_text(), "before")
            self.assertEqual(len(os.listdir(self.folder)), 2)
            kept.unlink()

    def test_no_output(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([REPLAY, "--list", self.path], stdout=full, stderr=subprocess.PIPE, text=True,
                                  check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write: No space left on device", done.stderr)


if __name__ == "__main__":
    unittest.main()
