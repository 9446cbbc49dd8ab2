#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clipfree-replay --trim: a part of a capture is smaller and gives the same bits.

Usage: test_replay_trim.py CLIPFREE-REPLAY CLIPFREE-ASM [TEST-CAPTURE-RECORDER]
"""
import json
import random
import resource
import signal
import struct
import subprocess
import unittest

from replay_cases import DRAWING, Made, packed, replay

TRIANGLE = [(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)]
LARGE_B = 1 << 20
PAGE_B = 4096


class Trimmed(Made):
    def setUp(self):
        super().setUp()
        self.small = self.folder / "small"

    def trim(self, *draws, status=0):
        done = replay("--trim", *draws, self.small, self.path)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout

    def raw(self, path, *options):
        file = self.folder / "raw"
        done = replay("--raw", file, *options, path)
        self.assertEqual(done.returncode, 0, done.stderr)
        data = file.read_bytes()
        file.unlink()
        return data

    def draws(self, path):
        submissions = json.loads(replay("--list", "--json", path).stdout)["submissions"]
        return [[entry["draw"] for entry in s["operations"] if "draw" in entry] for s in submissions]

    def additive(self, before_submit=None):
        """Four submissions, of two draws each, that add to an image; memory that only the third names, and that none
        does."""
        image = self.capture.surface("r8g8b8a8_unorm", 8, 8)
        self.noise(LARGE_B)
        for s in range(4):
            self.capture.frame(image)
            self.capture.packet("blend", write_mask=0xf, enable=True, color_func="add", alpha_func="add",
                                src_color="one", dst_color="one", src_alpha="one", dst_alpha="one")
            if s == 2:
                late = self.noise(LARGE_B + PAGE_B)
                self.capture.packet("copy_buffer", source=late, destination=late + PAGE_B, size_B=LARGE_B)
            for d in range(2):
                self.capture.vertices(TRIANGLE, [((1 + 2 * s + d) / 255, 0.1 * d, 0, 0.1)] * 3)
                self.capture.draw()
            if s < 3:
                self.capture.submit()
        self.write_changes(before_submit)
        return image[1]

    def test_not_complete(self):
        self.additive()
        for ends in True, False:
            self.capture.write_compressed(self.path, ends=ends)
            done = replay("--trim", "0", self.small, self.path)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("the capture is not complete" in done.stderr, not ends)

    def test_ranges(self):
        image = self.additive()
        for first, last in (0, 0), (0, 7), (1, 1), (2, 3), (3, 4), (5, 5), (4, 6), (7, 7):
            said = self.trim(f"{first}..{last}")
            kept = list(range(first // 2 * 2, last + 1))  # from the first of its submission on
            self.assertEqual([len(draws) for draws in self.draws(self.small)],
                             [len([draw for draw in kept if draw // 2 == s]) for s in range(first // 2, last // 2 + 1)])
            self.assertIn(f"draw {first} is draw {first - kept[0]} of it, draw {last} its last, {len(kept) - 1}", said)
            for draw in kept:
                for settings in [], ["--threads", "0", "--path", "plain"]:
                    self.assertEqual(self.raw(self.small, "--draw", draw - kept[0], *settings),
                                     self.raw(self.path, "--draw", draw, *settings), (first, last, draw))
            self.assertEqual(self.raw(self.small, "--image", hex(image)), self.raw(self.path, "--draw", last))
            self.assertIn("memory ", replay(self.small).stdout)
            self.assertEqual(replay(self.small).stderr, "")

    def test_json(self):
        """The line, as an object."""
        self.additive()
        said, document = self.trim("5"), json.loads(replay("--json", "--trim", "5", self.small, self.path).stdout)
        self.assertEqual(document["submissions"], {"of_capture": 4, "of_output": 1})
        self.assertEqual((document["first_draw"], document["last_draw"]), 2 * ({"of_capture": 5, "of_output": 1},))
        self.assertEqual((document["bytes"], document["output"]), (self.small.stat().st_size, str(self.small)))
        self.assertEqual(said, f"{self.small}: 1 of 4 submissions, {document['bytes'] / 1e6:.1f} MB; draw 5 is draw 1 "
                               "of it, draw 5 its last, 1\n")

    def test_one_number(self):
        self.additive()
        self.trim("5")
        self.assertEqual(self.draws(self.small), [[0, 1]])

    def test_memory(self):
        """Memory that nothing names is left out; what a later submission names is in it."""
        self.additive()
        self.trim("0..3")
        self.assertLess(self.small.stat().st_size, LARGE_B)
        self.trim("0..5")
        self.assertEqual(self.small.stat().st_size // LARGE_B, 1)

    def alone(self, data):
        """The address of data in pages of its own."""
        return self.capture.put(data + bytes(-len(data) % PAGE_B), align=PAGE_B)

    def noise(self, size_B):
        """Bytes that do not get smaller, in pages of their own."""
        return self.alone(random.Random(size_B).randbytes(size_B))

    def test_what_draws_read(self):
        """Each kind of memory that draws and transfers read, in pages of its own, is kept, and no other."""
        self.noise(LARGE_B)
        image = self.capture.surface("r8g8b8a8_unorm", 8, 8)
        texels, sampler = self.noise(256), self.alone(packed("sampler"))
        texture = self.alone(packed("texture", address=texels, size_B=256, format="r8g8b8a8_unorm", kind="t2d",
                                    layout="linear", width_px=8, height_px=8, level_row_pitch_B=[32]))
        constants = self.alone(struct.pack("<4f", 0.5, 0.25, 1, 1))
        indices = self.alone(struct.pack("<3H", 2, 1, 0))
        gathered = self.linear("r8g8b8a8_unorm", 4, random.Random(1).randbytes(256))
        columns, rows = self.alone(struct.pack("<4I", 7, 1, 3, 2)), self.alone(struct.pack("<2I", 6, 0))
        self.capture.frame(image)
        program = self.capture.program(
            "fragment", "ldvar v0, 0, smooth\nldvar v1, 1, smooth\ntex v4.xyzw, 3, v0, v1, 0.0, 0.0, implicit\nfmul "
                        "v4, v4, u0\n"
            "fmul v5, v5, u1\n" + "".join(f"out {i}, v{4 + i}\n" for i in range(4)) + "end\n",
            vector_regs=8, outputs=4, inputs=3, color_outputs=1, needs_helpers=True)
        self.capture.packet("shader", stage="fragment", program=program)
        self.capture.packet("constants", stage="fragment", size_B=16, address=constants)
        self.capture.packet("bind_texture", stage="fragment", unit=3, texture=texture, sampler=sampler)
        self.capture.vertices(TRIANGLE, [(0, 0, 0, 1), (2, 0, 0, 1), (0, 2, 0, 1)])
        self.capture.draw(index_size_B=2, index_address=indices, index_size_total_B=6)
        self.capture.packet("gather", source=gathered[0], destination=image[0], columns=columns, rows=rows,
                            width_px=4, height_px=2)
        self.capture.draw(count=0)
        self.noise(LARGE_B)
        self.write()
        expected = [self.raw(self.path, "--draw", draw) for draw in (0, 1)]
        self.assertGreater(len(set(expected[0][i:i + 4] for i in range(0, 256, 4))), 40)
        self.assertNotEqual(*expected)
        self.trim("0..1")
        self.assertEqual([self.raw(self.small, "--draw", draw) for draw in (0, 1)], expected)
        self.assertLess(self.small.stat().st_size, LARGE_B)

    def test_results_of_queries(self):
        """Memory before the second submission has the result that the first one counted; the trial counts again."""
        image, counter = self.capture.surface("r8g8b8a8_unorm", 8, 8), self.alone(bytes(8))
        for submission in range(2):
            self.capture.frame(image)
            self.capture.vertices(TRIANGLE, [(1, 0, 0, 1)] * 3)
            if submission == 0:
                self.capture.packet("query", kind="samples_passed", begin=True, result=counter)
            self.capture.draw()
            if submission == 0:
                self.capture.packet("query", kind="samples_passed", result=counter)
                self.capture.submit()
                self.capture.memory[counter - PAGE_B:counter - PAGE_B + 8] = struct.pack("<Q", 64)
        self.write_changes()
        self.trim("0..1")
        self.assertEqual(self.draws(self.small), [[0], [1]])

    def test_feedback(self):
        """Feedback that goes on in a later submission: buffers, counts and outputs are kept."""
        self.noise(LARGE_B)
        image = self.capture.surface("r8g8b8a8_unorm", 8, 8)
        buffers = [(self.noise(size_B), 512, 4, self.alone(bytes(8))) for size_B in (LARGE_B, PAGE_B)]
        for submission in range(3):
            self.capture.frame(image)
            self.capture.raster(discard=True)
            self.noise(PAGE_B)
            self.capture.feedback([(0, 4, 0, 0), (8, 4, 1, 0)], buffers, restart=submission == 0)
            self.capture.vertices(TRIANGLE, [(submission, 0, 0, 1)] * 3)
            self.capture.draw()
            if submission < 2:
                self.capture.submit()
        self.write_changes()
        self.trim("1..2")
        self.assertLess(self.small.stat().st_size, LARGE_B // 2)
        lines = [[json.loads(line) for line in replay("--hashes", path).stdout.splitlines()]
                 for path in (self.path, self.small)]
        self.assertEqual([line["buffers"] for line in lines[0][1:]], [line["buffers"] for line in lines[1]])
        self.assertEqual(len(lines[1]), 2)

    def test_whole_is_equal(self):
        self.additive()
        self.trim("0..7")
        done = replay("--compare", "--against-capture", self.small, self.path)
        self.assertEqual((done.returncode, done.stdout), (0, "Both sides are equal.\n"))

    def test_descriptor_in_between(self):
        """A descriptor names an image only while the submission runs: all memory is kept, since the bits would be
        others."""
        color = self.capture.surface("r8g8b8a8_unorm", 8, 8)
        pixels = self.alone(bytes(range(256)))
        hidden = self.alone(packed("surface", address=pixels, width_px=8, height_px=8, format="r8g8b8a8_unorm",
                                   row_pitch_B=32, layout="linear", size_B=256))
        descriptor = bytes(self.capture.memory[color[0] - PAGE_B:color[0] - PAGE_B + 32])
        place, other = self.capture.put(descriptor), self.capture.put(descriptor)
        self.capture.frame(color)
        self.capture.packet("copy_buffer", source=hidden, destination=place, size_B=32)
        self.capture.packet("copy", source=place, destination=color[0], width_px=8, height_px=8)
        self.capture.packet("copy_buffer", source=other, destination=place, size_B=32)
        self.capture.vertices([(0, 0, 0, 1)] * 3, [(0, 0, 0, 0)] * 3)
        self.capture.draw()
        self.write_changes()
        expected = self.raw(self.path)
        self.assertEqual(expected, bytes(range(256)))
        self.trim("0..0")
        self.assertEqual(self.raw(self.small), expected)

    def test_zeros_at_the_end(self):
        """The last page is drawn to, and zero before."""
        pixels = LARGE_B
        surface = packed("surface", address=pixels, width_px=8, height_px=8, format="r8g8b8a8_unorm", row_pitch_B=128,
                         layout="blocks", size_B=256)
        self.capture.frame((self.capture.put(surface), pixels))
        self.capture.vertices(TRIANGLE, [(1, 0, 1, 1)] * 3)
        self.capture.draw()
        self.capture.submit()
        memory, address, size_B = self.capture.submissions[0]
        self.capture.submissions[0] = memory.ljust(LARGE_B, b"\0"), address, size_B
        self.capture.write(self.path)
        self.trim("0..0")
        self.assertEqual(self.raw(self.small), bytes([255, 0, 255, 255]) * 64)
        self.assertEqual(replay(self.small).stderr, "")

    def test_notes_and_frames(self):
        """Notes stay where the memory that they are of stays, frames where they are presented in between."""
        def note(text):
            data = text.encode() + b"\0"
            return struct.pack("<II", 3, len(data)) + data  # a marker
        # the first page has descriptors, and what noise() wrote follows
        commands, unnamed = PAGE_B, PAGE_B + LARGE_B // 2
        self.additive({0: [(4, 0, commands, note("early")), (4, 0, unnamed, note("lost"))], 1: [(3, 1, 0, b"")],
                       2: [(4, 0, commands, note("late")), (3, 2, 0, b"")], 3: [(4, 0, commands, note("after"))]})
        self.trim("2..5")
        printed = replay("--print", self.small).stdout.splitlines()
        self.assertEqual([line for line in printed if line.startswith(("frame ", "   marker"))],
                         ["   marker: early", "   marker: late", "frame 2 presented: image 0x0"])
        self.assertEqual(json.loads(replay("--list", "--json", self.small).stdout)["frames"], 1)

    def test_queries(self):
        """Clocks give other numbers each time; that does not matter."""
        result = self.capture.put(bytes(64))
        self.capture.frame(self.capture.surface("r8g8b8a8_unorm", 8, 8))
        self.capture.vertices(TRIANGLE, [(1, 1, 1, 1)] * 3)
        self.capture.packet("query", kind="timestamp", result=result)
        self.capture.packet("query", kind="time", begin=True, result=result + 8)
        self.capture.packet("query", kind="samples_passed", begin=True, result=result + 16)
        self.capture.draw()
        self.capture.draw()
        self.write()
        self.trim("0..0")
        self.assertEqual(self.raw(self.small), self.raw(self.path, "--draw", 0))

    @unittest.skipUnless(DRAWING, "test-capture-recorder is not built")
    def test_recorded(self):
        subprocess.run([DRAWING, self.path], check=True)
        numbers = sum(self.draws(self.path), [])
        for first, last in (numbers[0], numbers[-1]), (numbers[-1], numbers[-1]), (numbers[0], numbers[0]):
            self.trim(f"{first}..{last}")
            self.assertEqual(self.raw(self.small), self.raw(self.path, "--draw", last))


class Refused(Made):
    def setUp(self):
        super().setUp()
        self.capture.frame(self.capture.surface("r8g8b8a8_unorm", 8, 8))
        self.capture.vertices(TRIANGLE, [(1, 1, 1, 1)] * 3)
        self.capture.draw()
        self.write()

    def test_draws(self):
        out = self.folder / "out"
        self.refused("there is no draw 3; the capture has 1 draws, from 0, which --list shows", "--trim", "0..3", out)
        for draws in "", "x", "1..0", "0..", "..1", "0...1", "-1..0":
            self.refused(f"--trim={draws} is not known; it may be ", "--trim", draws, out, status=2)

    def test_files(self):
        data = self.path.read_bytes()
        self.refused("it is the capture itself", "--trim", "0..0", self.path)
        self.assertEqual(self.path.read_bytes(), data)
        self.refused("No such file or directory", "--trim", "0..0", self.folder / "none" / "small")
        done = replay("--trim", "0..0", self.path)  # no FILE, or no CAPTURE
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(self.path.read_bytes(), data)

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        self.refused("File too large", "--trim", "0..0", self.folder / "small", preexec_fn=limit)
        full = self.folder / "full"
        full.symlink_to("/dev/full")
        done = replay("--trim", "0..0", full, self.path)
        self.assertEqual((done.returncode, full.is_symlink()), (1, True))
        self.assertIn("No space left on device", done.stderr)


if __name__ == "__main__":
    unittest.main()
