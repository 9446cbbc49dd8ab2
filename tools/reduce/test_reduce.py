#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clipfree-reduce: of many draws the one that a command asks for is left, with little memory; signals, faults and full
disks leave no half file.

Usage: test_reduce.py CLIPFREE-REPLAY CLIPFREE-ASM CLIPFREE-REDUCE
"""
import json
import os
import random
import resource
import signal
import struct
import subprocess
import sys
import unittest
from pathlib import Path

REDUCE = Path(sys.argv.pop(3)).resolve()
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "replay"))
from replay_cases import REPLAY, Made, packed, replay  # noqa: E402
import schemas  # noqa: E402
from captures import LINES, NIR, NIR_LINES, SOURCE, packed_lines  # noqa: E402

PAGE_B = 4096
NAME = 5  # of notes
COVER = [(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)]
CORNER = [(-1, -1, 0, 1), (-0.5, -1, 0, 1), (-1, -0.5, 0, 1)]
RED, GREEN = (1, 0, 0, 1), (0, 1, 0, 1)
RED_B = "ff0000ff"  # as r8g8b8a8_unorm
# Whether the pixel in the middle of an image of 8 x 8 pixels is red, by its bytes.
IS_RED = f"""test "$({REPLAY} --raw /dev/stdout {{}} | od -An -tx1 -j144 -N4 | tr -d ' ')" = {RED_B}"""


class Reduced(Made):
    def setUp(self):
        super().setUp()
        self.small = self.folder / "small"

    def reduce(self, *options, command=IS_RED, status=0, **keywords):
        """The summary."""
        done = subprocess.run([REDUCE, self.path, "--test", command, "-o", self.small, "--json", "--quiet",
                               *map(str, options)],
                              capture_output=True, text=True, check=False, **keywords)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir() if ".part" in path.name], [])
        if not done.stdout:
            return done.stderr
        summary = json.loads(done.stdout)
        self.assertEqual(schemas.fault("reduce", summary), "")
        return summary

    def is_red(self, path):
        return subprocess.run(["sh", "-c", IS_RED.replace("{}", str(path))], check=False).returncode == 0

    def draws(self, submissions=3, each=4, slot=0):
        """Green triangles in many draws, and noise that a copy moves about; one draw of several makes the middle red.
        Its colour is in this varying slot."""
        self.image = self.capture.surface("r8g8b8a8_unorm", 8, 8)
        noise = self.capture.put(random.Random(1).randbytes(40 * PAGE_B), align=PAGE_B)
        for s in range(submissions):
            self.capture.frame(self.image)
            self.clear(colors=1)
            self.capture.packet("copy_buffer", source=noise, destination=noise + 20 * PAGE_B, size_B=PAGE_B)
            for d in range(each):
                red = s == submissions - 1 and d == 1
                self.capture.vertices([*CORNER * 5, *COVER, *CORNER * 2], [RED if red else GREEN] * 24)
                self.capture.packet("blend", write_mask=0xf, enable=True, src_color="one", src_alpha="one",
                                    dst_color="zero", dst_alpha="zero")
                if red:
                    self.capture.packet("varyings", count=1,
                                        address=self.capture.put(packed("link", slot=slot, present=True)))
                self.capture.draw(count=24 if red else 15)
            if s < submissions - 1:
                self.capture.submit()
        self.write_changes()

    def test_one_draw(self):
        self.draws()
        summary = self.reduce()
        before, after = summary["before"], summary["after"]
        self.assertEqual((before["submissions"], before["draws"], before["operations"]), (3, 12, 18))
        self.assertEqual((after["submissions"], after["draws"], after["operations"], after["elements"]), (1, 1, 1, 3))
        self.assertEqual(after["bytes"], self.small.stat().st_size)
        self.assertGreater(before["bytes"], 10 * after["bytes"])
        self.assertLess(after["instructions"], before["instructions"])
        self.assertEqual((summary["version"], summary["interrupted"]), (1, False))
        self.assertTrue(self.is_red(self.small))
        listed = json.loads(replay("--list", "--json", self.small).stdout)
        self.assertEqual([len(s["operations"]) for s in listed["submissions"]], [1])
        operation = listed["submissions"][0]["operations"][0]
        self.assertEqual((operation["values"]["count"], operation["values"]["start"]), (3, 15))
        self.assertNotIn("1", [line.split()[-1] for line in replay("--print", self.small).stdout.splitlines()
                               if "enable:" in line])
        # no operation can be left out, which is the last question again
        again = self.folder / "again"
        self.path, self.small = self.small, again
        self.assertEqual(self.reduce()["after"], after)

    def test_deterministic(self):
        self.draws()
        self.reduce()
        first = self.small.read_bytes()
        self.reduce()
        self.assertEqual(self.small.read_bytes(), first)

    def test_indices(self):
        """Of a list with indices the triangle in the middle, and the two that are needed together."""
        image = self.capture.surface("r8g8b8a8_unorm", 8, 8)
        left, right = [(-1, -1, 0, 1), (1, -1, 0, 1), (-1, 1, 0, 1)], [(-1, 1, 0, 1), (1, -1, 0, 1), (1, 1, 0, 1)]
        self.capture.frame(image)
        self.capture.vertices([*CORNER, *left, *right], [RED] * 9)
        numbers = [0, 1, 2] * 5 + [3, 4, 5] + [0, 1, 2] * 4 + [6, 7, 8] + [0, 1, 2] * 3
        indices = self.capture.put(struct.pack(f"<{len(numbers)}H", *numbers))
        self.capture.draw(count=len(numbers), index_size_B=2, index_address=indices,
                          index_size_total_B=2 * len(numbers))
        self.write()
        both = f"""test "$({REPLAY} --raw /dev/stdout {{}} | od -An -v -tx1 -w4 | tr -d ' ' | sort -u)" = {RED_B}"""
        self.assertEqual(self.reduce(command=both)["after"]["elements"], 6)

    def test_textures_and_state(self):
        """A texture of one colour becomes one texel, state its default, constants 0 and code short."""
        image = self.capture.surface("r8g8b8a8_unorm", 8, 8)
        zs = self.capture.surface("z24_unorm_s8_uint", 8, 8)
        texels = self.capture.put(bytes([255, 0, 0, 255]) * 64)
        texture = self.capture.put(packed("texture", address=texels, size_B=256, format="r8g8b8a8_unorm", kind="t2d",
                                          layout="linear", width_px=8, height_px=8, level_row_pitch_B=[32],
                                          swizzle_g="y", swizzle_b="z", swizzle_a="w"))
        self.capture.frame(image, zs)
        program = self.capture.program(
            "fragment", "ldvar v0, 0, smooth\nldvar v1, 1, smooth\nflt v2, v0, 8.0\nif v2, 6\nfadd v0, v0, u0\n"
            "fadd v0, v0, u1\nelse 10\nfadd v0, v0, u2\nfmul v0, v0, u2\nfmul v0, v0, u3\nendif\n"
            "tex v4.xyzw, 3, v0, v1, 0.0, 0.0, implicit\n" + "".join(f"out {i}, v{4 + i}\n" for i in range(4))
            + "end\n", vector_regs=8, outputs=4, inputs=4, color_outputs=1, needs_helpers=True)
        constants = self.capture.put(struct.pack("<4f", 0.5, 0.25, 1, 1))
        self.capture.note(program, (NAME, "GLSL1"), (SOURCE, "one\ntwo\n"), (LINES, packed_lines((4, 2))),
                          (NIR, "%0 = fadd"), (NIR_LINES, struct.pack("<I", 1)))
        self.capture.packet("shader", stage="fragment", program=program)
        self.capture.packet("constants", stage="fragment", size_B=16, address=constants)
        self.capture.packet("bind_texture", stage="fragment", unit=3, texture=texture,
                            sampler=self.capture.put(packed("sampler")))
        self.capture.packet("depth_stencil", depth_test=True, depth_func="gequal", depth_write=True)
        self.capture.vertices(COVER, [(0, 0, 0, 1)] * 3)
        self.capture.draw(instances=5)
        self.write()
        summary = self.reduce()
        text = replay("--print", self.small).stdout
        self.assertEqual(summary["after"]["elements"], 3)
        self.assertLess(summary["after"]["instructions"], summary["before"]["instructions"] - 8)
        self.assertNotIn("depth_test: 1", text)
        self.assertNotIn("constants\n", text)
        self.assertIn("name: GLSL1", text)

        def lines(path):
            text = replay("--print", path).stdout
            return sum(text.count(f"   {field}: ") for field in ("lines", "nir", "lines of nir"))
        self.assertEqual((lines(self.path), lines(self.small)), (3, 0))  # the instructions are others
        done = self.reduce("--c", self.folder / "program.c", status=1)
        self.assertIn("its vertex program has no GLSL", done["c"]["error"])
        self.assertGreater(done["after"]["instructions"], summary["after"]["instructions"])
        self.assertEqual(lines(self.small), 3)
        self.assertFalse((self.folder / "program.c").exists())

    def test_malformed(self):
        """Where the GPU's refusal is what the command asks for, candidates are refused, too."""
        self.draws(slot=9)
        summary = self.reduce(command=f"{REPLAY} {{}} 2>&1 | grep -q 'link 0 wants varying slot 9'")
        self.assertEqual((summary["after"]["draws"], summary["after"]["operations"]), (1, 1))
        self.assertIn("link 0 wants varying slot 9", replay(self.small).stderr)

    def test_well_formed(self):
        """A command that always succeeds gets no candidate that the GPU refuses, and so an empty submission is left."""
        self.draws(submissions=1)
        summary = self.reduce(command=f"{REPLAY} {{}} >/dev/null")
        self.assertEqual((summary["after"]["operations"], summary["after"]["submissions"]), (0, 1))
        self.assertEqual(replay(self.small).returncode, 0)

    def test_names(self):
        """{}, $1, and the file as the last word are the same file."""
        self.draws(submissions=1)
        for command in "test -f {} && test {} = $1", 'test -f "$1"', "test -f", f"exec {REPLAY}":
            self.reduce(command=command)

    def test_interrupted(self):
        """A signal midway: what is left is smaller than the capture, and the command still succeeds."""
        self.draws(submissions=6, each=8)
        count = self.folder / "count"
        slow = f"echo >> {count}; {IS_RED}"
        reducing = subprocess.Popen([REDUCE, self.path, "--test", slow, "-o", self.small, "--json", "--quiet"],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while reducing.poll() is None and (not count.exists() or count.stat().st_size < 12):
            pass
        reducing.send_signal(signal.SIGINT)
        out, error = reducing.communicate()
        summary = json.loads(out)
        self.assertEqual((reducing.returncode, summary["interrupted"]), (130, True), error)
        self.assertIn("interrupted; the best so far is in", error)
        self.assertLess(summary["after"]["bytes"], summary["before"]["bytes"])
        self.assertTrue(self.is_red(self.small))
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["capture", "count", "small"])

    def test_limit(self):
        self.draws(submissions=1)
        self.assertIn("does not end in order in 1 s", self.reduce("--limit", 1, command="sleep 20; true {}", status=1))
        self.assertFalse(self.small.exists())


class Refused(Made):
    def setUp(self):
        super().setUp()
        self.capture.frame(self.capture.surface("r8g8b8a8_unorm", 8, 8))
        self.capture.vertices(COVER, [RED] * 3)
        self.capture.draw()
        self.write()
        self.small = self.folder / "small"

    def refused(self, says, *arguments, status=1, **options):
        before = sorted(path.name for path in self.folder.iterdir())
        done = subprocess.run([REDUCE, *map(str, arguments)], capture_output=True, text=True, check=False, **options)
        self.assertIn(says, done.stderr)
        self.assertEqual((done.returncode, done.stdout), (status, ""))
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), before)

    def test_arguments(self):
        for arguments in [], [self.path], [self.path, "--test", "true"], ["--test", "true", "-o", self.small]:
            self.refused("usage: clipfree reduce", *arguments, status=2)
        self.refused("--tset is not known\nusage: ", self.path, "--tset", "true", "-o", self.small, status=2)
        self.refused("-o needs a value", self.path, "--test", "true", "-o", status=2)
        for limit in "0", "-1", "x", "":
            self.refused("it may be a number of seconds from 1", self.path, "--test", "true", "-o", self.small,
                         "--limit", limit, status=2)

    def test_command(self):
        self.refused("the command fails on the whole capture (exit status 3)", self.path, "--test", "exit 3", "-o",
                     self.small)
        self.refused("the command fails on the whole capture (exit status 127)", self.path, "--test",
                     "no-such-command", "-o", self.small)
        self.refused("does not end in order", self.path, "--test", "kill -9 $$", "-o", self.small)

    def test_files(self):
        self.refused("cannot open the capture", self.folder / "none", "--test", "true", "-o", self.small)
        self.refused("it is the capture itself", self.path, "--test", "true", "-o", self.path)
        self.refused("No such file or directory", self.path, "--test", "true", "-o", self.folder / "none" / "small")
        self.refused("TMPDIR", self.path, "--test", "true", "-o", self.small, env={**os.environ, "TMPDIR": "/tmp/a b"})
        self.refused("cannot make a folder in /none", self.path, "--test", "true", "-o", self.small,
                     env={**os.environ, "TMPDIR": "/none"})
        data = self.path.read_bytes()
        for size_B in 0, 10, 19, 1000:
            self.path.write_bytes(data[:size_B])
            self.refused("capture", self.path, "--test", "true", "-o", self.small)

    def test_full(self):
        """Where candidates or the result do not fit, a message says so, and there is no half file."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        self.refused("File too large; TMPDIR may name another folder", self.path, "--test", "true", "-o", self.small,
                     preexec_fn=limit)
        full = self.folder / "full"
        full.symlink_to("/dev/full")
        done = subprocess.run([REDUCE, self.path, "--test", "true", "-o", full, "--quiet"], capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, full.is_symlink()), (1, True))
        self.assertIn("No space left on device", done.stderr)

    def test_help(self):
        done = subprocess.run([REDUCE, "--help"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in "--test", "-o", "--limit", "--json", "--verbose", "--quiet", "{}":
            self.assertIn(word, done.stdout)


if __name__ == "__main__":
    unittest.main()
