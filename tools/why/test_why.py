#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clipfree why: on captures made by hand, the rule or test that keeps a fragment from its pixel is named, with its
values; wrong requests get a message that says what may be asked.

Usage: test_why.py CLIPFREE-WHY CLIPFREE-ASM
"""
import random
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

from why_cases import ASM, BLUE, RED, WHY, Case, captures, why


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

    def test_changed_later(self):
        self.begin()
        self.triangle(RED)
        self.triangle(BLUE)
        self.assertIn(
            "Draw 0 wrote the pixel, by primitive 0 (written), but later draw 1 (triangles, 3 vertices), primitive 0 "
                      "changed it.", self.ask("0")["verdict"])
        self.assertIn("Draw 1 made the colour that is there", self.ask("1")["verdict"])
        self.assertEqual(self.ask()["cause"]["draw"], 1)

    def test_blended(self):
        self.begin()
        self.capture.packet("blend", write_mask=7, enable=True, src_color="src_alpha", dst_color="one", src_alpha="one")
        self.triangle((1, 1, 0, 0.5))
        answer = self.ask()
        self.assertIn("blended: add(src_alpha * source, one * destination), alpha add(one, zero), only rgb",
                      answer["verdict"])
        self.assertAlmostEqual(answer["color"][0]["r"], 128 / 255, places=6)
        fragment = answer["fragments"][1]
        self.assertEqual((fragment["color"], fragment["mask"]), ([1, 1, 0, 0.5], "rgb"))
        self.assertEqual(fragment["blend"], {
            "color": {"function": "add", "source": "src_alpha", "destination": "one"},
            "alpha": {"function": "add", "source": "one", "destination": "zero"}, "constant": [0, 0, 0, 0]})
        self.assertEqual((fragment["before"]["r"], fragment["after"]), (0, answer["color"][0]))

    def test_overwritten(self):
        """What a later event replaced names it; blending and masks leave something of it."""
        self.begin()
        self.triangle(RED)
        self.triangle(BLUE)
        self.capture.packet("blend", write_mask=7)
        self.triangle(RED)
        self.capture.packet("blend", write_mask=15, enable=True, src_color="one", dst_color="one", src_alpha="one")
        self.triangle(RED)
        self.clear()
        self.triangle(RED)
        events = self.ask("--all")["fragments"]
        self.assertEqual([event.get("overwritten") for event in events], [1, 2, 5, 5, 5, None, None])
        self.assertEqual(["blend" in event for event in events], [False] * 4 + [True, False, True])

    def test_resolved(self):
        """Samples of a pixel that a copy averages: of each the fragment that it took, and of those that were covered
        again the one that covered them."""
        self.begin(samples=4)
        self.capture.raster(multisample=True)
        self.triangle(RED)
        self.capture.packet("sample_mask", mask=3)
        self.triangle(BLUE)
        other, pixels = self.capture.surface("r8g8b8a8_unorm", 8, 8)
        self.capture.packet("copy", source=self.color[0], destination=other, width_px=8, height_px=8)
        answer = self.ask("--image", hex(pixels))
        events = answer["fragments"]
        copy = len(events) - 1
        self.assertEqual((events[copy]["operation"], events[copy]["mean_of_samples"]), ("copy", 4))
        self.assertIn("the mean of its samples", events[copy]["why"])
        fates = {(event["draw"], event["sample"]): (event.get("overwritten"), event.get("resolved"))
                 for event in events if event["what"] == "fragment"}
        places = {(event["draw"], event["sample"]): i for i, event in enumerate(events) if event["what"] == "fragment"}
        self.assertEqual(fates, {(0, 0): (places[1, 0], None), (0, 1): (places[1, 1], None), (0, 2): (None, copy),
                                 (0, 3): (None, copy), (1, 0): (None, copy), (1, 1): (None, copy)})
        self.assertAlmostEqual(answer["color"][0]["r"], 0.5, places=2)

    def test_blended_with_two_colors(self):
        self.begin()
        self.capture.second_color(src_color="src1_color", src_alpha="one")
        self.triangle((1, 1, 0, 0.5))
        answer = self.ask()
        self.assertIn("blended: add(src1_color * source, zero * destination), alpha add(one, zero), "
                      "src1 is 0.5 0 1 0", answer["verdict"])
        self.assertEqual([uniform["dword"] for uniform in answer["fragments"][1]["inputs"]["uniforms"]], [0])
        self.assertAlmostEqual(answer["color"][0]["r"], 128 / 255, places=6)
        self.assertEqual(answer["color"][0]["g"], 0)

    def test_cleared(self):
        self.begin()
        self.capture.vertices([(-1, -1, 0, 1), (-0.5, -1, 0, 1), (-1, -0.5, 0, 1)], [RED] * 3)
        self.capture.draw()
        answer = self.ask(pixel="7,7")
        self.assertEqual(answer["verdict"],
                         "The pixel has the colour that it was cleared to. No primitive covers it. Of the 1 "
                         "primitives of draw 0: 1 outside; nearest is primitive 0, 7.78 pixels away.")
        self.assertEqual(answer["cause"], {"kind": "cleared"})
        self.assertTrue(
            self.ask("0", pixel="7,7")["verdict"].startswith("No primitive of draw 0 covers the pixel. Of the 1 "))

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
        self.capture.packet("copy", source=self.color[0], destination=other, source_x_px=4, source_y_px=4,
                            destination_x_px=2, destination_y_px=1, width_px=3, height_px=2)
        answer = self.ask(pixel="3,1")
        self.assertEqual(answer["pixel"]["image"], hex(pixels))
        # the capture was not really run: its second submission has old memory
        self.assertEqual(answer["color"][0]["r"], 0)
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
        self.assertIn(
            "for example primitive 1, position is not finite: vertex 4 is (nan, -1, 0, 1), from instruction 1 of the "
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
        """Of draws with primitive restart, too: also runs without a primitive, of indices of each size, and from a
        later start."""
        chance = random.Random(7)
        positions = [(-1 + chance.random(), -1 + chance.random(), 0, 1) for _ in range(16)]
        for prim in ("triangles", "triangle_strip", "triangle_fan", "lines", "line_loop"):
            for size_B, letter, restart, start in (1, "B", 0xff, 0), (2, "H", 0xffff, 5), (4, "I", 7, 1):
                indices = [restart if chance.random() < 0.2 else chance.randrange(8, 16) for _ in range(40)]
                self.begin()
                self.capture.vertices(positions, [RED] * 16)
                data = struct.pack(f"<{start + 40}{letter}", *[1] * start, *indices)
                self.capture.draw(prim=prim, count=40, index_size_B=size_B, start=start, restart=True,
                                  restart_index=restart,
                                  index_size_total_B=len(data), index_address=self.capture.put(data))
                expected = self.primitives_of(prim, indices, restart)
                misses = self.ask("0", pixel="7,7")["misses"][0]
                self.assertEqual(misses["primitives"], len(expected), prim)
                self.assertEqual(len(misses["nearest"]), 3)
                for miss in misses["nearest"]:
                    self.assertEqual([vertex["element"] for vertex in miss["vertices"]], expected[miss["primitive"]],
                                     prim)
                    self.assertEqual([vertex["vertex"] for vertex in miss["vertices"]],
                                     [indices[element] for element in expected[miss["primitive"]]])

    def test_restart_not_a_number(self):
        self.begin()
        self.capture.vertices([(-1, -1, 0, 1), (-1, 0, 0, 1), (0, -1, 0, 1), (0, float("nan"), 0, 1)], [RED] * 4)
        data = struct.pack("<7H", 0, 1, 2, 0xffff, 1, 2, 3)
        self.capture.draw(prim="triangle_strip", count=7, index_size_B=2, restart=True, restart_index=0xffff,
                          index_size_total_B=len(data), index_address=self.capture.put(data))
        self.assertIn(
            "for example primitive 1, position is not finite: vertex 3 is (0, nan, 0, 1), from instruction 1 of",
                      self.ask("0", pixel="7,7")["verdict"])


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
        self.assert_cause("clip plane", 0, "cut by clip plane 0")

    def test_fed_vertices(self):
        """Vertices that a draw before fed back, which itself reaches another image alone."""
        self.begin()
        other = self.capture.surface("r8g8b8a8_unorm", 8, 8)
        buffer, filled = self.capture.put(bytes(96)), self.capture.put(bytes(8))
        self.capture.commands, self.capture.places, kept = b"", [], (self.capture.commands, self.capture.places)
        self.capture.frame(other)
        self.capture.raster(discard=True)
        self.capture.feedback([(0, 4, 0, 0), (8, 4, 0, 4)], [(buffer, 96, 8, filled)])
        self.triangle()
        self.capture.packet("feedback")
        fed = len(self.capture.commands)
        self.capture.commands += kept[0]
        self.capture.places += [(name, fed + offset) for name, offset in kept[1]]
        self.capture.raster(cull_front=True)
        self.capture.packet("vertex_elements", count=2, address=self.capture.put(b"".join(
            captures.packed("vertex_element", address=buffer + at, size_B=96 - at, stride_B=32,
                            format="r32g32b32a32_float") for at in (0, 16))))
        self.capture.draw()
        self.assert_cause("culled", 1, "it is front-facing, and front faces are culled")

    def test_clip_planes_of_which_one_cuts(self):
        self.begin()
        self.capture.raster(clip_planes=7)
        self.capture.packet("clip_planes", plane=[1, 0, 0, 9, 0, 1, 0, -0.9, 1, 0, 0, -0.5] + [0] * 20)
        self.triangle()
        self.assert_cause("clip plane", 0, "cut by clip plane 1, clip plane 2")

    def clip_distances(self, distances, enabled, has):
        """Ask about a triangle with the same distances at all corners, in two varyings."""
        self.begin()
        self.capture.raster(clip_planes=enabled)
        self.capture.packet("varyings", count=2, address=self.capture.put(
            captures.packed("link", present=True) + captures.packed("link", present=True, corners=True)))
        self.capture.packet("clip_planes", has_vertex=True, vertex_varying=1, second_varying=1, distances=has)
        self.triangle(color=distances)

    def test_clip_distance(self):
        self.clip_distances((1, 1, -0.25, 1), 0x7, 0xf)
        self.assert_cause("clip plane", 0, "cut by gl_ClipDistance[2], which is negative here")
        self.clip_distances((1, -1, 1, 1), 0x60, 0x7f)
        self.assert_cause("clip plane", 0, "cut by gl_ClipDistance[5], which is negative here")
        self.clip_distances((1, 1, -0.25, 1), 0x3, 0xf)  # it is off
        self.assertNotIn("cut", self.ask("0")["verdict"])

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
        self.assert_hidden(answer, "region", 0.5, 0,
                           "hierarchical Z hides its region of 16x16 pixels (nearest 0.5, farthest stored 0).")
        for max_x_px, hides in (4, "block"), (3, None):
            self.begin()
            self.clear(depth_value=1)
            self.clear(depth_value=0, max_x_px=max_x_px)
            self.capture.packet("depth_stencil", depth_test=True, depth_func="less")
            self.triangle()
            answer = self.ask("0", pixel="2,2")
            self.assert_hidden(answer, hides, 0.5, 0 if hides else 1,
                               "false, and hierarchical Z hides its block of 4x4 pixels (nearest "
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
        killing = self.capture.program("fragment",
                                       "movi v4, 1\nkill v4, last\n" + captures.COLORS.replace("end", "last: end"),
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
        self.assertIn(
            "Later: draw 1 (triangles, 3 vertices), primitive 0: depth test: 0.75 less 0.25000003 is false, and "
                      "hierarchical Z hides its region of 16x16 pixels (nearest 0.75, farthest stored 0.25000003); "
                      "draw 2 (triangles, 3 vertices), primitive 0: culled", answer["verdict"])


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
            self.assert_refused(file.name, "--image", "0x40", "0,0",
                                says="no operation of the capture names an image 0x40")
            self.assert_refused(file.name, "--image", "40", "0,0",
                                says="--image=40 is not known; it may be an address", status=2)
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
            self.assertEqual(error, "" if ends
                             else f"clipfree: {file.name}: the capture is not complete: the process that made it "
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
