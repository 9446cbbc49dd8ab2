#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What clipfree report counts, against captures whose counts are known by construction, against sums, and against pixel
histories of clipfree-replay.

Usage: test_report.py CLIPFREE-REPORT CLIPFREE-REPLAY CLIPFREE-ASM
"""
import random
import re
import subprocess
import unittest

from report_cases import BRANCHES, KILLS, REPLAY, STAGES, WHITE, Made, measure, packed

PIXELS = 64 * 64
SUMS = {   # what a map's sum is, of a draw
    "overdraw": lambda d: d["fragment"]["lanes"],
    "instructions": lambda d: d["fragment"]["live"],
    "texels": lambda d: d["fragment"]["texels"],
    "idle": lambda d: d["fragment"]["helper"] + d["fragment"]["killed"] + d["fragment"]["branched"],
    "divergence": lambda d: d["fragment"]["branched"],
    "rejected": lambda d: sum(d["fates"].values()) - d["fates"]["written"],
    "rejected_killed": lambda d: d["fates"]["killed"],
    "rejected_stencil": lambda d: d["fates"]["stencil"],
    "rejected_depth": lambda d: d["fates"]["depth"],
}


class Known(Made):
    """Counts that are known."""

    def one_frame(self):
        report = self.measured()
        self.assertEqual(len(report["frames"]), 1)
        return report, report["frames"][0]["draws"]

    def test_two_quads(self):
        self.begin()
        self.fragments(WHITE)
        self.quad()
        self.quad()
        self.write()
        _, draws = self.one_frame()
        for draw in draws:
            self.assertEqual([draw[name] for name in ("primitives", "set_up", "covered", "tests", "shaded")],
                             [2, 2, PIXELS, "none", True])
            self.assertEqual(draw["fates"]["written"], PIXELS)
            fragment = draw["fragment"]
            self.assertEqual([fragment[name] for name in ("lanes", "live", "killed", "branched", "divergent",
                                                          "fetches")],
                             [PIXELS, 6 * PIXELS, 0, 0, 0, 0])
            # both triangles have quads along the diagonal, each half covered: 32 quads, of 2 helpers in one triangle or
            # the other, and of 4 lanes for 1 + 3 pixels
            self.assertEqual(draw["quads"], PIXELS // 4 + 32)
            self.assertEqual(fragment["helper"], 6 * (4 * draw["quads"] - PIXELS))
            self.assertEqual([draw["vertex"][name] for name in ("tasks", "lanes", "live", "empty")],
                             [1, 6, 6 * 12, 26 * 12])
            self.assertEqual(draw["cost"], 6 * 4 * draw["quads"] + 6 * 12)
        self.assertEqual(self.map("overdraw"), [(2,) * 64] * 64)
        self.assertEqual(self.map("instructions"), [(12,) * 64] * 64)
        self.assertEqual(self.map("rejected"), [(0,) * 64] * 64)

    def test_branches(self):
        self.begin()
        self.fragments(BRANCHES, sysvals=1 << 3)
        self.quad()
        self.write()
        report, draws = self.one_frame()
        instructions = report["programs"][draws[0]["fragment_program"]]["instructions"]
        branch = next(i for i in instructions if i["text"].startswith("if"))
        self.assertEqual([branch[name] for name in ("live", "taken", "not_taken")], [PIXELS, PIXELS // 2, PIXELS // 2])
        inside = [i for i in instructions if i["text"].startswith("fadd")]
        self.assertEqual(len(inside), 5)
        for i in inside:
            self.assertEqual([i["live"], i["branched"], i["divergent"]], [PIXELS // 2, PIXELS // 2, i["runs"]])
        outside = [i for i in instructions if i["text"].startswith(("sys", "fmul", "outf"))]
        for i in outside:
            self.assertEqual([i["live"], i["branched"], i["divergent"]], [PIXELS, 0, 0])
        flow = next(i for i in instructions if i["text"].startswith("else"))
        self.assertEqual([flow["live"], flow["branched"]], [PIXELS // 2, PIXELS // 2])
        self.assertEqual(draws[0]["fragment"]["branched"], 7 * PIXELS // 2)
        self.assertEqual(self.map("divergence"), [(4, 3) * 32] * 64)

    def test_discard(self):
        self.begin()
        self.fragments(KILLS, sysvals=1 << 3, uses_kill=True)
        self.quad()
        self.write()
        _, draws = self.one_frame()
        self.assertEqual([draws[0]["fates"][fate] for fate in ("written", "killed")], [PIXELS // 2, PIXELS // 2])
        self.assertEqual(draws[0]["fragment"]["branched"], 0)
        self.assertEqual(draws[0]["fragment"]["killed"], 6 * PIXELS // 2)   # of the 6 instructions after it
        self.assertEqual(self.map("rejected_killed"), [(0, 1) * 32] * 64)
        self.assertEqual(self.map("instructions"), [(11, 5) * 32] * 64)

    def hidden(self, text, **values):
        """A quad behind another; what is said of it."""
        self.begin(depth=True)
        self.fragments(WHITE)
        self.quad(z=-0.5)
        self.fragments(text, **values)
        self.quad(z=0.5)
        self.write()
        _, draws = self.one_frame()
        self.assertEqual([draws[0]["tests"], draws[0]["hidden"]["fragments"]], ["early", 0])
        self.assertEqual(self.map("rejected_depth"), [(1,) * 64] * 64 if text == WHITE else [(1, 0) * 32] * 64)
        return draws[1]

    def test_hidden(self):
        draw = self.hidden(WHITE)
        self.assertEqual([draw["tests"], draw["late_because"], draw["fates"]["depth"]], ["early", None, PIXELS])
        self.assertEqual(draw["hidden"], {"quads": draw["quads"], "fragments": PIXELS, "slots": 24 * draw["quads"]})
        self.assertEqual(draw["cost"], 6 * 12)
        self.assertEqual(draw["hiz"]["kept"], 0)

    def test_hidden_behind_discard(self):
        draw = self.hidden(KILLS, sysvals=1 << 3, uses_kill=True)
        self.assertEqual([draw["tests"], draw["late_because"]], ["late", "discard"])
        self.assertEqual([draw["fates"]["depth"], draw["fates"]["killed"]], [PIXELS // 2, PIXELS // 2])
        # a quad that has a discarded pixel is not known to be hidden; only those of one column are, at the diagonal
        self.assertLess(draw["hidden"]["quads"], 40)
        self.assertEqual(draw["cost"], 32 * draw["fragment"]["instructions"] - draw["fragment"]["empty"] + 6 * 12)

    def test_small_primitives(self):
        self.begin()
        self.quad(x=(-1, 0), y=(-1, 0))
        corner = 2 / 64
        self.capture.vertices([(1 - corner, 1 - corner, 0, 1), (1, 1 - corner, 0, 1), (1, 1, 0, 1)], [(1, 1, 1, 1)] * 3)
        self.capture.draw(count=3)
        self.quad()     # over all of it, of larger primitives
        self.write()
        _, draws = self.one_frame()
        lone = draws[1]["fragment"]
        self.assertEqual([lone[name] for name in ("tasks", "lanes", "instructions", "live", "helper", "empty")],
                         [1, 1, 9, 9, 3 * 9, 28 * 9])
        rows = self.map("quads")
        each = (32 * 32 // 4 + 16) // 2
        self.assertEqual({rows[y][x] for y in range(32) for x in range(32)}, {each})
        lone = [rows[y][x] for y in range(64) for x in range(64) if y >= 32 or x >= 32]
        self.assertEqual([lone.count(1), set(lone)], [1, {1, (PIXELS // 4 + 32) // 2}])

    def test_drops(self):
        self.begin()
        self.capture.raster(cull_back=True)
        corners = [(-1, -1, 0, 1), (1, -1, 0, 1), (0, 1, 0, 1)]
        behind = [(x, y, z, -1) for x, y, z, _ in corners]
        beside = [(x + 5, y, z, 1) for x, y, z, _ in corners]
        strange = [(float("nan"), 0, 0, 1)] + corners[1:]
        self.capture.vertices(corners + corners[::-1] + behind + beside + strange + corners[:1] * 3,
                              [(1, 1, 1, 1)] * 18)
        self.capture.draw(count=18)
        self.write()
        _, draws = self.one_frame()
        self.assertEqual([draws[0]["primitives"], draws[0]["set_up"]], [6, 1])
        self.assertEqual(sum(draws[0]["drops"].values()), 5)
        for reason in ("back_facing", "behind_the_eye", "outside", "not_finite", "no_area"):
            self.assertEqual(draws[0]["drops"][reason], 1, reason)

    def test_fed(self):
        """Primitives that a buffer has room for."""
        self.begin()
        self.capture.feedback([(0, 4, 0, 0)], [(self.capture.put(bytes(128)), 128, 4, self.capture.put(bytes(8)))])
        self.capture.vertices([(-1, -1, 0, 1), (1, -1, 0, 1), (0, 1, 0, 1)] * 2, [(1, 1, 1, 1)] * 6)
        self.capture.draw(count=6)
        self.capture.draw(count=6)
        self.capture.packet("feedback")
        self.capture.draw(count=6)
        self.write()
        _, draws = self.one_frame()
        self.assertEqual([draw["fed"] for draw in draws], [2, 0, 0])

    def test_nothing_to_write(self):
        self.begin()
        self.fragments(WHITE)
        self.capture.packet("blend", write_mask=0)
        self.quad()
        self.write()
        _, draws = self.one_frame()
        self.assertEqual([draws[0]["shaded"], draws[0]["cost"]], [False, 6 * 12])

    def test_targets(self):
        """Two targets, of which the maps are apart; the last is the one that --map means."""
        self.begin(64)
        first = self.color
        self.quad()
        self.quad()
        self.begin(64)
        self.quad()
        self.begin(32)
        self.quad()
        self.write()
        report, draws = self.one_frame()
        self.assertEqual([draw["target"] for draw in draws], [0, 0, 1, 2])
        self.assertEqual([(t["width"], t["draws"], t["last_draw"]) for t in report["frames"][0]["targets"]],
                         [(64, 2, 1), (64, 1, 2), (32, 1, 3)])
        self.assertEqual(self.map("overdraw"), [(1,) * 32] * 32)
        self.measured("--image", hex(first[1]), "--map", "overdraw", self.folder / "other.png")
        self.assertEqual((self.folder / "other.png").read_bytes()[16:24], b"\0\0\0\x40" * 2)

    def test_colours(self):
        """A frame buffer of two colours has maps once, which are of both, and a picture of each."""
        self.begin()
        second = self.capture.surface("r8g8b8a8_unorm", 64, 64)
        self.capture.packet("framebuffer", width_px=64, height_px=64, color_count=2, samples=1,
                            color=[self.color[0], second[0]])
        self.quad()
        self.write()
        report, _ = self.one_frame()
        target, = report["frames"][0]["targets"]
        self.assertEqual(target["image"], hex(self.color[1]))
        other, = target["others"]
        self.assertEqual((other["image"], other["format"]), (hex(second[1]), "r8g8b8a8_unorm"))
        self.assertTrue(other["picture"].startswith("data:image/png"))
        files = [self.folder / f"{name}.npy" for name in ("first", "second")]
        for (_, pixels), file in zip((self.color, second), files):
            self.measured("--image", hex(pixels), "--map", "overdraw", file)
        self.assertEqual(files[0].read_bytes(), files[1].read_bytes())

    def scattered(self, step):
        """Fetches that count as scattered, of all, where neighbours' texels are `step` apart."""
        self.begin()
        pixels = self.capture.put(bytes(1024))
        texture = self.capture.put(packed("texture", address=pixels, size_B=1024, format="r8g8b8a8_unorm", kind="t2d",
                                          swizzle_g="y",
                                          swizzle_b="z", swizzle_a="w", layout="linear", width_px=256, height_px=1,
                                          depth_px=1, layers=1, level_row_pitch_B=[1024], level_layer_pitch_B=[1024]))
        self.capture.packet("bind_texture", stage="fragment", unit=0, texture=texture,
                            sampler=self.capture.put(packed("sampler")))
        self.fragments(
            f"sys v1, frag_x\nmovi v2, {step / 256}\nfmul v2, v1, v2\ntex v4.xyzw, 0, v2, v2, 0, 0, implicit\n"
                       + "".join(f"outf {i}, v{4 + i}\n" for i in range(4)) + "end\n", vector_regs=8,
                       needs_helpers=True, sysvals=1 << 3)
        self.quad()
        self.write()
        _, draws = self.one_frame()
        self.assertEqual(draws[0]["fragment"]["fetches"], PIXELS)
        return draws[0]["fragment"]["scattered"]

    def test_near(self):
        self.assertEqual(self.scattered(3), 0)

    def test_far(self):
        self.assertGreater(self.scattered(4), PIXELS * 9 // 10)   # but those whose neighbour in the quad is not covered

    def test_texels(self):
        """4 texels of each sample of a fragment; those of helpers do not count."""
        self.begin()
        pixels = self.capture.put(bytes(64))
        texture = self.capture.put(packed("texture", address=pixels, size_B=64, format="r8g8b8a8_unorm", kind="t2d",
                                          swizzle_r="x",
                                          swizzle_g="y", swizzle_b="z", swizzle_a="w", width_px=4, height_px=4,
                                          depth_px=1, layers=1, level_row_pitch_B=[16], level_layer_pitch_B=[64]))
        sampler = self.capture.put(packed("sampler", max_lod=15.0, min_filter="linear", mag_filter="linear"))
        self.capture.packet("bind_texture", stage="fragment", unit=0, texture=texture, sampler=sampler)
        self.fragments("movi v2, 0.5\ntex v4.xyzw, 0, v2, v2, 0, 0, implicit\n"
                       + "".join(f"outf {i}, v{4 + i}\n" for i in range(4)) + "end\n", vector_regs=8,
                       needs_helpers=True)
        self.quad()
        self.write()
        report, draws = self.one_frame()
        self.assertGreater(draws[0]["fragment"]["helper"], 0)
        self.assertEqual([draws[0]["fragment"][name] for name in ("fetches", "texels")], [PIXELS, 4 * PIXELS])
        instructions = report["programs"][draws[0]["fragment_program"]]["instructions"]
        self.assertEqual([i.get("texels") for i in instructions], [None, 4 * PIXELS] + [None] * 5)
        self.assertEqual(self.map("texels"), [(4,) * 64] * 64)

    def test_scratch(self):
        self.begin()
        self.fragments("movi v0, 1.0\nsts [0 + 1], v0\nsts [0 + 2], v0\nlds v1, [0 + 1]\n"
                       + "".join(f"outf {i}, v1\n" for i in range(4)) + "end\n", scratch_dwords=4)
        self.quad()
        self.write()
        _, draws = self.one_frame()
        self.assertEqual([draws[0][stage]["scratch"] for stage in STAGES], [0, 3 * PIXELS])

    def test_odd_size(self):
        """Helpers outside of the target are counted, but in no map."""
        self.begin()
        self.capture.packet("framebuffer", width_px=61, height_px=63, color_count=1, samples=1, color=[self.color[0]])
        self.capture.packet("scissor", max_x_px=61, max_y_px=63)
        self.fragments(WHITE)
        self.quad()
        self.write()
        report, draws = self.one_frame()
        self.assertEqual(draws[0]["fragment"]["lanes"], 61 * 63)
        self.assertEqual(self.map("overdraw"), [(1,) * 61] * 63)
        idle = next(m for m in report["frames"][0]["targets"][0]["maps"] if m["map"] == "idle")
        self.assertGreaterEqual(draws[0]["fragment"]["helper"], idle["sum"] + 6 * (61 + 63))

    def test_programs(self):
        """Equal ones are one, wherever they are; others are others, even of the same length."""
        self.begin()
        for text in (WHITE, WHITE.replace("1.0", "2.0"), WHITE):
            self.fragments(text)
            self.quad()
        self.write()
        report, draws = self.one_frame()
        used = [draw["fragment_program"] for draw in draws]
        self.assertEqual([used[0] == used[2], used[0] == used[1]], [True, False])
        self.assertEqual([report["programs"][number]["draws"] for number in used[:2]], [2, 1])
        self.assertEqual([report["programs"][number]["sum"]["live"] for number in used[:2]], [12 * PIXELS, 6 * PIXELS])

    def test_scale(self):
        """Few counts have a step each; of more, rare ones are above the scale."""
        self.begin()
        self.quad()
        corner = (0.0, 4 / 32)
        for times, legend, most in ((3, [1, 2, 3, 4], 4), (20, [1], 24)):
            for _ in range(times):
                self.quad(x=corner, y=corner)
            self.write()
            report, _ = self.one_frame()
            overdraw = next(m for m in report["frames"][0]["targets"][0]["maps"] if m["map"] == "overdraw")
            self.assertEqual([[step["from"] for step in overdraw["legend"]], overdraw["max"]], [legend, most])
            self.assertEqual(overdraw["sum"], PIXELS + 16 * (most - 1))
            self.begin()
            self.quad()
            for _ in range(times):
                self.quad(x=corner, y=corner)
            self.capture.submissions.clear()

    def test_strip(self):
        self.begin()
        for _ in range(5):
            self.quad()
        self.write()
        for most, in_strip in ((0, []), (1, [4]), (2, [2, 4]), (5, [0, 1, 2, 3, 4]), (9, [0, 1, 2, 3, 4])):
            draws = self.measured("--strip", most)["frames"][0]["draws"]
            self.assertEqual([d["draw"] for d in draws if "picture" in d], in_strip)


class Random(Made):
    """Random triangles, from fixed seeds: sums, and pixel histories."""

    def scene(self, seed, samples=1, early=False):
        rng = random.Random(seed)
        self.begin(depth=True, samples=samples)
        self.capture.packet("sample_mask", mask=0b1101)
        for number in range(4):
            if number % 2:
                self.fragments(KILLS, sysvals=1 << 3, uses_kill=True, early_tests=early)
            else:
                self.fragments(BRANCHES, sysvals=1 << 3)
            corners = [(rng.uniform(-1.2, 1.2), rng.uniform(-1.2, 1.2), rng.uniform(-1, 1), 1) for _ in range(3 * 12)]
            self.capture.vertices(corners, [(1, 1, 1, 1)] * len(corners))
            self.capture.draw(count=len(corners))
        self.write()
        return rng

    def check_sums(self, report):
        frame = report["frames"][0]
        for counts in (*frame["draws"], frame["sum"]):
            for stage in STAGES:
                s = counts[stage]
                self.assertEqual(32 * s["instructions"], s["live"] + s["helper"] + s["killed"] + s["branched"]
                                 + s["empty"])
            self.assertEqual(counts["covered"], sum(counts["fates"].values()))
            self.assertEqual(counts["primitives"], counts["set_up"] + sum(counts["drops"].values()))
            self.assertEqual(counts["blocks"], sum(counts["hiz"].values()))
        sums = {m["map"]: m["sum"] for m in frame["targets"][0]["maps"]}
        for name, sum_of in SUMS.items():
            self.assertEqual(sums.get(name, 0), sum(map(sum_of, frame["draws"])), name)
            self.assertEqual(sum_of(frame["sum"]), sums.get(name, 0), name)
        for program in report["programs"]:
            live = sum(i["live"] for i in program["instructions"])
            self.assertEqual(live, program["sum"]["live"])
            self.assertEqual(sum(i["runs"] for i in program["instructions"]), program["sum"]["instructions"])
        self.assertGreater(sums["rejected_depth"] * sums["rejected_killed"] * sums["divergence"] * sums["idle"], 0)

    def history(self, x, y):
        """(fragments, rejected) of a pixel, of one sample, as clipfree-replay tells them."""
        done = subprocess.run([REPLAY, "--pixel", f"{x},{y}", self.path], capture_output=True, text=True, check=True)
        fates = re.findall(r"^draw 0x.*, sample 0: (\w+)(?! before)", done.stdout, re.MULTILINE)
        self.assertLessEqual(set(fates), {"written", "killed", "depth"}, done.stdout)
        return len(fates), len(fates) - fates.count("written")

    def test_sums_and_histories(self):
        for seed in range(3):
            rng = self.scene(seed)
            self.check_sums(self.measured())
            overdraw, rejected = self.map("overdraw"), self.map("rejected")
            deepest = max((overdraw[y][x], x, y) for y in range(64) for x in range(64))
            places = [deepest[1:], (0, 0), (63, 63)] + [(rng.randrange(64), rng.randrange(64)) for _ in range(5)]
            self.assertGreater(deepest[0], 4)
            for x, y in places:
                self.assertEqual(self.history(x, y), (overdraw[y][x], rejected[y][x]), f"seed {seed}, pixel {x},{y}")
            self.capture = type(self.capture)(self.capture.asm)

    def test_samples(self):
        self.scene(7, samples=4)
        report = self.measured()
        self.check_sums(report)
        self.assertGreater(report["frames"][0]["sum"]["covered"], 2.5 * report["frames"][0]["sum"]["fragment"]["lanes"])

    def test_demanded_early_tests(self):
        """Fragments that failed before the program are rejected, but not shaded."""
        self.scene(8, early=True)
        report = self.measured()
        self.check_sums(report)
        draw = report["frames"][0]["draws"][3]
        self.assertEqual([draw["tests"], draw["late_because"]], ["early", None])
        self.assertEqual(draw["fragment"]["lanes"], draw["covered"] - draw["fates"]["depth"])

    def test_same_twice(self):
        self.scene(9)
        self.assertEqual(measure(self.path).stdout, measure(self.path).stdout)


if __name__ == "__main__":
    unittest.main()
