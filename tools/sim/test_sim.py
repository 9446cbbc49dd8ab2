#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clipfree sim: counters of captures whose counts are known by construction; that a recorder changes no memory and that
threads change no counter; machine files that are refused, and why; damaged recordings.

Usage: test_sim.py CLIPFREE-SIM CLIPFREE-REPLAY CLIPFREE-ASM
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import jsonschema

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "look"))
sys.path.insert(0, str(HERE))
from captures import Captured, POSITIONS  # noqa: E402
import machines  # noqa: E402

SIM, REPLAY, ASM = (Path(sys.argv.pop(1)).resolve() for _ in range(3))
REPORT = SIM.parents[1] / "report" / "clipfree-report"
SCHEMAS = HERE.parents[1] / "docs/schemas"
SCHEMA = json.loads((SCHEMAS / "sim.schema.json").read_text())
WHITE = "movi v0, 1.0\noutf 0, v0\noutf 1, v0\noutf 2, v0\noutf 3, v0\nend\n"
SIZE_PX = 192
PRIMITIVE = 13   # the system value (isa.toml)


def sim(*arguments, **options):
    """The command line that users have, on the build that is tested."""
    environment = dict(os.environ, CLIPFREE_BUILD=str(SIM.parents[2]))
    return subprocess.run([HERE / "sim", *map(str, arguments)], capture_output=True, text=True, check=False,
                          env=environment, **options)


class Made(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "frame.cap"

    def begin(self, samples=1, size_px=SIZE_PX, **tests):
        c = self.capture = Captured(ASM)
        color = c.surface("r8g8b8a8_unorm", size_px, size_px, samples)
        zs = c.surface("z24_unorm_s8_uint", size_px, size_px, samples)
        c.frame(color, zs, size_px, size_px, samples)
        c.packet("clear", max_x_px=size_px, max_y_px=size_px, depth=True, depth_value=1.0)
        c.packet("depth_stencil", **({"depth_test": True, "depth_write": True, "depth_func": "less"} | tests))
        program = c.program("fragment", WHITE, vector_regs=3, outputs=4, color_outputs=1)
        c.packet("shader", stage="fragment", program=program)

    def triangle(self, corners, z=0.0):
        self.capture.vertices([(x, y, z, 1) for x, y in corners], [(1, 1, 1, 1)] * len(corners))
        self.capture.draw(count=len(corners))

    def square(self, z=0.0, x=(-1, 1), y=(-1, 1)):
        self.triangle([(x[i], y[j]) for i, j in ((0, 0), (1, 0), (0, 1), (0, 1), (1, 0), (1, 1))], z)

    def write(self):
        self.capture.submit()
        self.capture.write(self.path)

    def random_frame(self, samples=1):
        numbers = random.Random(18)
        self.begin(samples)
        for _ in range(30):
            self.triangle([(numbers.uniform(-1, 1), numbers.uniform(-1, 1)) for _ in range(9)], numbers.uniform(-1, 1))
        self.write()

    def answer(self, *options):
        done = sim(*options, "--json", self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def counters(self, *options):
        return [m["counters"] for m in self.answer(*options)["machines"]]

    def refused(self, message, *arguments):
        done = sim(*arguments)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("Traceback", done.stderr)
        self.assertIn(message, done.stderr)

    def file(self, text, name="mine.toml"):
        path = self.folder / name
        path.write_text(text)
        return path


class Counters(Made):
    def test_two_squares(self):
        """The second one is behind the first one."""
        self.begin()
        self.square(0.0)
        self.square(0.5)
        self.write()
        pixels, blocks = SIZE_PX * SIZE_PX, SIZE_PX * SIZE_PX // 16
        c, = self.counters("--set", "z.size_B=0")
        diagonal = SIZE_PX // 2   # quads that both triangles have
        known = {"frames": 1, "draws": 2, "clears": 1, "vertices": 12, "primitives": 4, "primitives_set_up": 4,
                 "quads": 2 * (pixels // 4 + diagonal), "fragments": 2 * pixels, "fragments_tested": 2 * pixels,
                 "fragments_written": pixels, "texels": 0, "z_requests": 2 * (pixels // 4 + diagonal) + pixels // 4
                 + diagonal}
        self.assertEqual({name: c[name] for name in known}, known)
        self.assertEqual(c["z_hits"], 0)
        c, = self.counters("--machine", "paper-d", "--set", "z.prefetch=none", "--set", "z.size_B=1048576")
        self.assertEqual([c["z_misses"], c["z_compulsory_misses"], c["color_compulsory_misses"]], [blocks] * 3)
        self.assertEqual(c["z_write_backs"], blocks)
        c, = self.counters("--set", "z.early=true")
        self.assertEqual(c["quads_hidden"], pixels // 4 + diagonal)

    def test_blocks_and_pixels(self):
        self.begin()
        self.square()
        self.write()
        by = {request: self.counters("--set", f"z.request={request}", "--set", "color.shared=false")[0]
              for request in ("pixel", "quad", "block")}
        across = SIZE_PX // 4
        self.assertEqual([by[r]["z_requests"] for r in by],
                         [SIZE_PX ** 2, SIZE_PX ** 2 // 4 + SIZE_PX // 2, across ** 2 + across])
        self.assertEqual(by["pixel"]["color_requests"], SIZE_PX ** 2)

    def test_clears_by_writes(self):
        self.begin()
        self.square()
        self.write()
        c = self.counters("--machine", "paper-d", "--set", "z.prefetch=none", "--set", "clear.writes=false,true",
                          "--set", "z.size_B=0")
        self.assertEqual(c[1]["z_requests"] - c[0]["z_requests"], SIZE_PX ** 2 // 16)
        self.assertEqual(c[1]["color_requests"], c[0]["color_requests"])

    def test_prefetch(self):
        """What is prefetched in time is a hit; without a prefetch it is a miss."""
        self.begin()
        self.square()
        self.write()
        without, with_it = self.counters("--machine", "paper-d", "--set", "z.prefetch=none,dprt")
        self.assertGreater(without["z_misses"], SIZE_PX ** 2 // 16 - 1)
        self.assertEqual(with_it["z_misses"], 0)
        self.assertEqual(with_it["z_prefetch_fills"], without["z_fills"])
        self.assertEqual(with_it["z_prefetch_useless"], 0)

    def test_samples(self):
        self.begin(samples=4)
        self.square()
        self.write()
        c, = self.counters()
        self.assertEqual(c["fragments"], 4 * SIZE_PX ** 2)

    def test_lines_of_samples(self):
        """A line of one sample of 4x4 pixels, or of all samples of 2x2: each has 16 values."""
        self.begin(samples=4)
        self.square()
        self.write()
        quads, diagonal, lines = SIZE_PX ** 2 // 4, SIZE_PX // 2, SIZE_PX ** 2 // 4
        for request in ("quad", "block"):
            one, whole = self.counters("--machine", "paper-e", "--set", f"z.request={request}", "--set",
                                       "color.shared=false", "--set", "z.size_B=1048576", "--set",
                                       "color.size_B=1048576", "--set", "z.line_samples=one,all")
            for name in ("z", "color"):
                self.assertEqual([c[f"{name}_compulsory_misses"] for c in (one, whole)], [lines] * 2)
                if request == "quad":   # on the diagonal, each sample is of one of two triangles
                    self.assertLess(one[f"{name}_requests"], 4 * (quads + diagonal) + 1)
                    self.assertGreaterEqual(one[f"{name}_requests"], 4 * quads)
                self.assertEqual(whole[f"{name}_requests"], quads + diagonal)
        with_it, = self.counters("--machine", "combined", "--set", "z.run_ahead=32")
        self.assertEqual(with_it["z_misses"], 0)
        self.assertLessEqual(lines, with_it["z_prefetch_fills"])   # the diagonal's may have gone
        self.assertLessEqual(with_it["z_prefetch_fills"], lines + diagonal)
        self.refused("z.line_samples all puts a quad into a line", self.path, "--set", "z.line_samples=all", "--set",
                     "z.line_width_px=2")
        self.refused("z.line_samples all: the words", self.path, "--machine", "paper-b", "--set", "z.line_samples=all")

    def test_partition(self):
        self.random_frame()
        c, whole = self.counters("--machine", "paper-e")[0], self.counters("--machine", "paper-e", "--set",
                                                                          "screen.partition=rows")[0]
        self.assertEqual(len(c["pipeline_requests"]), 4)
        self.assertEqual(sum(c["pipeline_requests"]), c["z_requests"])
        self.assertEqual(sum(whole["pipeline_requests"]), c["z_requests"])

    def test_curves(self):
        self.random_frame()
        c, = self.counters("--curves", "--machine", "paper-d", "--set", "z.prefetch=none", "--set", "z.ways=0",
                           "--set", "z.policy=lru")
        curve = dict(c["z_lru_curve"])
        self.assertEqual(curve.get(512, max(curve.values())), c["z_hits"])
        self.assertEqual(max(curve.values()), c["z_requests"] - c["z_compulsory_misses"])


class Conserved(Made):
    def test_memory_is_that_of_a_replay(self):
        for samples in (1, 4):
            self.random_frame(samples)
            memory = self.answer()["memory"]
            replayed = subprocess.run([REPLAY, "--path", "plain", "--engine", "interp", self.path], capture_output=True,
                                      text=True, check=True).stdout
            self.assertEqual(re.search("memory ([0-9a-f]{16})", replayed)[1], memory)

    def large_frame(self, samples):
        """A draw of several chunks, whose vertices and primitives come from any thread."""
        numbers = random.Random(18)
        self.begin(samples)
        corners = []
        for _ in range(4000):
            x, y = numbers.uniform(-1, 1), numbers.uniform(-1, 1)
            corners += [(x, y), (x + 0.05, y), (x, y + 0.05)]
        self.triangle(corners)
        self.write()

    def test_threads_change_nothing(self):
        for samples in (1, 4):
            self.large_frame(samples)
            answers = [sim("--json", "--threads", n, "--machine", "combined", "--machine", "paper-a", "--record",
                           self.folder / f"{n}.rec", self.path).stdout for n in (0, 1, 2, 5)]
            self.assertGreater(len(answers[0]), 1000)
            self.assertEqual(len(set(answers)), 1)
            recordings = [(self.folder / f"{n}.rec").read_bytes() for n in (0, 1, 2, 5)]
            self.assertEqual(len(set(recordings)), 1)

    def test_counts_are_those_of_report(self):
        """Another tool counts the same events of the observer in its own way."""
        for samples in (1, 4):
            self.random_frame(samples)
            done = subprocess.run([REPORT, self.path], capture_output=True, text=True, check=True)
            draws = json.loads(done.stdout)["frames"][0]["draws"]
            c, = self.counters()
            for name, counted in (("quads", lambda d: d["quads"]), ("vertices", lambda d: d["vertex"]["lanes"]),
                                  ("primitives", lambda d: d["primitives"]),
                                  ("primitives_set_up", lambda d: d["set_up"]),
                                  ("fragments", lambda d: sum(d["fates"].values())), ("draws", lambda d: 1),
                                  ("fragments_written", lambda d: d["fates"]["written"])):
                self.assertEqual(c[name], sum(map(counted, draws)), name)

    def test_sums(self):
        self.random_frame()
        for c in self.counters(*[w for name in machines.shipped() for w in ("--machine", name)]):
            for cache in ("texture", "z", "color"):
                self.assertEqual(c[f"{cache}_hits"] + c[f"{cache}_misses"], c[f"{cache}_requests"])
            self.assertEqual(c["bus_reads"], c["texture_fills"] + c["z_fills"] + c["color_fills"])
            self.assertEqual(c["z_fills"], c["z_misses"] + c["z_prefetch_fills"])

    def test_recording(self):
        """Machines count the same from a recording."""
        self.random_frame()
        kept = self.folder / "kept.rec"
        self.assertEqual(sim("--record", kept, self.path).returncode, 0)
        chosen = ("--machine", "paper-d", "--machine", "paper-e", "--json")
        recorded, captured = (json.loads(sim(*chosen, path).stdout) for path in (kept, self.path))
        self.assertEqual(recorded["machines"], captured["machines"])
        self.assertIsNone(recorded["memory"])

    def test_damaged_recording(self):
        self.random_frame()
        kept = self.folder / "kept.rec"
        sim("--record", kept, self.path)
        data = kept.read_bytes()
        for damaged, message in ((data[:len(data) // 2], "it ends too early"), (data[:-1], "it ends too early"),
                                 (data + b"x", "something follows its end"),
                                 (data[:20] + b"\x09" + data[21:], "of another version"),
                                 (data[:200] + bytes([data[200] ^ 1]) + data[201:], "submission 0 of the recording")):
            kept.write_bytes(damaged)
            self.refused(message, kept)
            self.refused(str(kept), kept)

    def test_no_capture(self):
        self.refused("No such file", self.folder / "none.cap")
        self.refused("capture", self.file("no capture"))


class Cycles(Made):
    """Mode cycles."""

    def timed(self, *options):
        return [m["timed"] for m in self.answer("--mode", "cycles", *options)["machines"]]

    def test_conserved(self):
        """Each cycle of each cache has one cause; bytes are those of fills and write-backs."""
        self.random_frame()
        for name in ("paper-d", "paper-e"):
            t, = self.timed("--machine", name)
            for cache in ("z", "color"):
                self.assertEqual(sum(t[f"{cache}_causes"].values()), t["cycles"] * t["pipelines"])
                self.assertEqual(t[f"{cache}_hits"] + t[f"{cache}_misses"] + t[f"{cache}_chained"],
                                 t[f"{cache}_requests"])
            self.assertEqual(t["bus_reads"],
                             sum(t[f"{c}_{n}"] for c in ("z", "color") for n in ("misses", "prefetch_fills")))
            self.assertEqual(t["bus_B"], 64 * (t["bus_reads"] + t["bus_writes"]))
            self.assertEqual(t["bus_cycles"], 8 * (t["bus_reads"] + t["bus_writes"]))
            self.assertGreaterEqual(t["cycles"], t["bus_cycles"])

    def test_requests_are_those_of_hits(self):
        """A miss of a line that is on its way chains: one bus read for each that would be read in order."""
        self.random_frame()
        m, = self.answer("--mode", "cycles", "--machine", "paper-e", "--set", "miss.kind=blocking")["machines"]
        c, t = m["counters"], m["timed"]
        self.assertEqual([t["z_requests"], t["z_hits"], t["z_misses"], t["z_chained"]],
                         [c["z_requests"], c["z_hits"], c["z_misses"], 0])

    def test_kinds(self):
        self.random_frame()
        blocking, merging, linked = self.timed("--machine", "paper-e", "--set", "miss.kind=blocking,merging,linked")
        self.assertLess(merging["cycles"], blocking["cycles"] * 2 / 3)
        self.assertLess(linked["cycles"], blocking["cycles"] * 2 / 3)
        self.assertEqual([linked["z_causes"]["blocked"], linked["z_causes"]["replay"], blocking["z_chained"]],
                         [0, 0, 0])

    def test_prefetch(self):
        """Depth comes earlier: requests wait for less time."""
        self.random_frame()
        without, with_it = self.timed("--machine", "paper-d", "--set", "z.prefetch=none,dprt")
        self.assertLess(with_it["z_latency_cycles"], without["z_latency_cycles"])
        self.assertGreater(with_it["z_hit_rate"], without["z_hit_rate"])

    def test_threads_change_nothing(self):
        self.random_frame(samples=4)
        answers = [sim("--json", "--mode", "cycles", "--threads", n, "--machine", "combined", self.path).stdout
                   for n in (0, 1, 2, 5)]
        self.assertGreater(len(answers[0]), 1000)
        self.assertEqual(len(set(answers)), 1)

    def test_contradictions(self):
        self.random_frame()
        mine = self.file('[z]\nways = 0\n')
        self.refused("mode cycles needs sets: z.ways and color.ways are above 0\n   "
                     f"z.ways = 0 (allowed: a number from 0 to 64): {mine}, line 2\n", self.path, "--mode", "cycles", "--machine", mine)
        for given, why in (("z.policy=optimal", "does not know the future"), ("z.size_B=0", "needs caches")):
            self.refused(why, self.path, "--mode", "cycles", "--set", given)
        self.refused("it needs gpu.model whole", self.path, "--mode", "cycles", "--machine", "paper-d",
                     "--set", "z.prefetch=adaptive")


LOOP = """sys v0, frag_x
f2i v0, v0
and v0, v0, 7
movi v1, 0x00000000
loop
next:
uge v2, v1, v0
brk v2, last
iadd v1, v1, 1
last:
endloop next
movi v3, 1.0
out 0, v3
out 1, v3
out 2, v3
out 3, v3
end
"""


class Geometry(Made):
    """Draws with a geometry program: of each point it makes a triangle, of odd ones two."""
    POINTS, INSTANCES = 70, 2
    INPUT, RECORD = 1, 12
    OUTPUT = INPUT + 8   # an input vertex without varyings

    def program_text(self):
        text = "sys v0, primitive\nmovi v1, 0x00000002\numod v0, v0, v1\nmovi v2, 0x00000003\n"
        for vertex in range(6):
            text += "movi v2, 0x00000006\n" if vertex == 5 else ""
            text += "if v0, e\n" if vertex == 3 else ""
            for dword in range(4):
                text += f"lds v3, [0 + {self.INPUT + dword}]\n"
                moved = dword == (0, 1)[vertex % 3 - 1] and vertex % 3
                text += "movi v4, 0.125\nfadd v3, v3, v4\n" if moved else ""
                text += f"sts [0 + {self.OUTPUT + self.RECORD * vertex + dword}], v3\n"
            text += f"movi v3, 0x0000000{int(vertex % 3 == 2)}\nsts [0 + {self.OUTPUT + self.RECORD * vertex + 7}], v3\n"
        return text + "e: endif\nsts [0 + 0], v2\nend\n"

    def setUp(self):
        super().setUp()
        numbers = random.Random(18)
        self.begin(depth_test=False)
        c = self.capture
        program = c.program("geometry", self.program_text(), vector_regs=5, outputs=12, sysvals=1 << PRIMITIVE,
                            input_vertices=1, output_prim="triangle_strip", max_vertices=6,
                            scratch_dwords=self.OUTPUT + 7 * self.RECORD)
        c.packet("shader", stage="geometry", program=program)
        c.vertices([(numbers.uniform(-0.9, 0.7), numbers.uniform(-0.9, 0.7), 0, 1) for _ in range(self.POINTS)],
                   [(1, 1, 1, 1)] * self.POINTS)
        c.draw(prim="points", count=self.POINTS, instances=self.INSTANCES)
        self.write()
        self.instructions = len(self.program_text().splitlines())

    def report(self):
        done = subprocess.run([REPORT, self.path], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)["frames"][0]["sum"]

    def test_counts(self):
        """Points are vertices and what the program takes; what it emits is assembled. The report counts the same."""
        known = self.POINTS * self.INSTANCES
        for m in self.answer("--mode", "cycles", "--machine", "paper-a", "--set", "vertex.shading=true,false",
                             "--threads", "3")["machines"]:
            c, t, g = m["counters"], m["timed"], m["timed"]["gpu"]
            self.assertEqual([c["draws"], c["vertices"], c["geometry_primitives"], c["primitives"]],
                             [1, known, known, known * 3 // 2])
            self.assertEqual([g[n] for n in ("vertices", "geometry_primitives", "primitives", "quads", "lost_tasks", "stuck")],
                             [c[n] for n in ("vertices", "geometry_primitives", "primitives", "quads")] + [0, False])
            self.assertEqual({sum(causes.values()) for causes in g["units"].values()}, {t["cycles"]})
            seen = self.report()
            self.assertEqual([c["primitives"], c["primitives_set_up"], c["quads"], c["fragments"]],
                             [seen[n] for n in ("primitives", "set_up", "quads", "covered")])
            self.assertGreater(c["quads"], known)
            if m["parameters"]["vertex.shading"]:   # the program waits for the draw's vertices
                self.assertGreater(g["units"]["scheduler"]["order"], 0)

    def test_instructions(self):
        """Each task of 32 points runs the whole program, since some are odd; other instructions are those of a draw
        without it, of the same triangles' fragments."""
        tasks = -(-self.POINTS * self.INSTANCES // 32)
        a, = (m["timed"]["gpu"] for m in self.answer("--mode", "cycles", "--machine", "paper-a")["machines"])
        none, = (m["timed"]["gpu"] for m in self.answer("--mode", "cycles", "--machine", "paper-a", "--set",
                                                         "vertex.shading=false")["machines"])
        vertex = len(POSITIONS.splitlines())
        self.assertEqual([a["geometry_tasks"], a["vertex_tasks"], none["geometry_tasks"]], [tasks, 2 * tasks, 0])
        self.assertEqual(a["instructions"] - none["instructions"], tasks * (vertex + self.instructions))

    def test_report(self):
        """Its rows: the clear, the draw's vertices, then what the program makes, with all quads."""
        page, document = self.folder / "page.html", self.folder / "page.json"
        done = sim("report", self.path, "-o", page, "--json", document)
        self.assertEqual(done.returncode, 0, done.stderr)
        machine, = json.loads(document.read_text())["machines"]
        rows, columns = machine["draws"], machine["columns"]
        self.assertEqual([(row["kind"], row["draw"]) for row in rows],
                         [("clear", 0), ("draw", 1), ("geometry", 1)])
        quads, taken = (columns.index(f"gpu.{name}") for name in ("quads", "geometry_primitives"))
        self.assertEqual([row["values"][quads] > 0 for row in rows], [False, False, True])
        self.assertEqual(sum(row["values"][taken] for row in rows), self.POINTS * self.INSTANCES)

    def test_others(self):
        """Recordings hold it; a vertex shader alone has the vertices, a fragment unit the fragments."""
        recording = self.folder / "frame.rec"
        self.assertEqual(sim(self.path, "--record", recording).returncode, 0)
        options = "--mode", "cycles", "--machine", "paper-a", "--machine", "paper-c", "--machine", "paper-b"
        captured = self.answer(*options)["machines"]
        self.path = recording
        self.assertEqual(captured, self.answer(*options)["machines"])
        whole, vertices, fragments = captured
        self.assertEqual(vertices["timed"]["vertex_shader"]["vertices"], whole["counters"]["vertices"])
        self.assertEqual(fragments["timed"]["fragment_unit"]["fragments"], whole["counters"]["fragments"])


class Whole(Made):
    """Mode cycles of paper A's whole GPU."""

    def timed(self, *options):
        return [(m["counters"], m["timed"], m["timed"]["gpu"]) for m in
                self.answer("--mode", "cycles", "--machine", "paper-a", *options)["machines"]]

    def test_accounting(self):
        """Each cycle of each unit has one cause; what is done is what the trace has."""
        for samples in (1, 4):
            self.random_frame(samples)
            for c, t, g in self.timed("--set", "raster.pack=quads,pixels", "--set", "vertex.shading=true,false"):
                self.assertEqual({sum(causes.values()) for causes in g["units"].values()}, {t["cycles"]})
                self.assertLessEqual({"command", "vertex", "core0", "alu3", "memory", "raster", "pixel", "dram"}, set(g["units"]))
                self.assertEqual([g[n] for n in ("vertices", "primitives", "quads", "texels_read", "lost_tasks", "stuck")],
                                 [c[n] for n in ("vertices", "primitives", "quads", "texels")] + [0, False])
                self.assertEqual([t["z_requests"], sum(t["z_causes"].values())], [c["z_requests"], t["cycles"]])
                self.assertEqual(t["bus_reads"], t["z_misses"] + g["l2_misses"])
                self.assertEqual(t["bus_cycles"], 2 * (t["bus_reads"] + t["bus_writes"]))

    def test_combined(self):
        """Paper A with the memory of D and E: each cycle of each cache and unit has one cause, each block with depth
        is asked for in all lines of its samples, and the tests find what they would find without."""
        for samples, lines in ((1, "one"), (4, "one"), (4, "all")):
            self.random_frame(samples)
            each = samples if lines == "one" else 1
            runs = [(m["counters"], m["timed"]) for m in
                    self.answer("--mode", "cycles", "--machine", "combined", "--set", f"z.line_samples={lines}",
                                "--set", "z.prefetch=none,dprt,adaptive",
                                "--set", "miss.kind=blocking,merging,linked")["machines"]]
            for c, t in runs:
                g = t["gpu"]
                self.assertEqual({sum(causes.values()) for causes in g["units"].values()}, {t["cycles"]})
                self.assertEqual([sum(t[f"{n}_causes"].values()) for n in ("z", "color")], 2 * [4 * t["cycles"]])
                self.assertEqual([t["z_requests"], t["color_requests"], g["quads"], g["stuck"]],
                                 [c["z_requests"], c["color_requests"], c["quads"], False])
                partly = t["z_prefetches"] - each * g["prefetch_blocks"]   # until the tests came
                self.assertLessEqual(0, partly)
                self.assertLessEqual(partly, (each - 1) * g["prefetch_overtaken"])
                self.assertEqual(t["bus_reads"], t["z_misses"] + t["z_prefetch_fills"] + t["color_misses"]
                                 + g["l2_misses"])
            (none, dprt, adaptive) = (runs[i][1] for i in (2, 5, 8))   # linked
            blocks = {t["gpu"]["prefetch_blocks"] + t["gpu"]["prefetch_overtaken"] for t in (dprt, adaptive)}
            self.assertEqual([len(blocks), none["gpu"]["prefetch_blocks"]], [1, 0])
            # lines of four samples are as many as quads: the bus is their limit
            most = none["z_latency_cycles"] * (0.5 if lines == "one" else 0.75)
            self.assertLess(dprt["z_latency_cycles"], most)
            self.assertLess(dprt["gpu"]["prefetch_distance"], dprt["gpu"]["prefetch_run_ahead"])

    def test_ideal_prefetch(self):
        """No request of depth waits, and memory has as much to do."""
        for samples, model in ((1, "combined"), (4, "combined"), (1, "paper-d"), (4, "paper-d")):
            self.random_frame(samples)
            for machine in self.answer("--mode", "cycles", "--machine", model, "--set", "z.prefetch=ideal")["machines"]:
                c, t = machine["counters"], machine["timed"]
                n = t["z_requests"]
                self.assertGreater(n, 0)
                self.assertEqual([c["z_hits"], t["z_hits"], t["z_latency_cycles"], t["z_misses"]], [n, n, n, 0])
                self.assertEqual(c["z_prefetch_fills"], c["z_fills"])
                self.assertGreaterEqual(t["z_prefetch_fills"], c["z_compulsory_misses"])
                self.assertEqual(t["bus_reads"], t["z_prefetch_fills"] + t["color_misses"]
                                 + t.get("gpu", {}).get("l2_misses", 0))

    def test_memory_trace(self):
        """All that the bus moves is in it, when it was asked for; it changes no counter."""
        self.random_frame()
        path = self.folder / "memory.txt"
        for model in ("combined", "paper-e"):
            options = ("--mode", "cycles", "--machine", model)
            watched, = self.answer(*options, "--memory-trace", path)["machines"]
            self.assertEqual([watched], self.answer(*options)["machines"])
            t = watched["timed"]
            rows = [line.split() for line in path.read_text().splitlines()]
            reads, writes = (sum(row[1] == kind for row in rows) for kind in ("READ", "WRITE"))
            self.assertEqual([reads, reads + writes], [t["bus_reads"], len(rows)])
            self.assertLessEqual(0, writes - t["bus_writes"])   # that wait at the end
            self.assertLessEqual(writes - t["bus_writes"], watched["parameters"]["dram.queue"])
            times = [int(row[2]) for row in rows]
            self.assertEqual(times, sorted(times))
            self.assertLess(times[-1], t["cycles"])
            self.assertEqual({int(row[0], 16) % 64 for row in rows}, {0})
        self.refused("--memory-trace needs --mode cycles", "--memory-trace", path, self.path)
        self.refused("--memory-trace is of one machine", "--mode", "cycles", "--memory-trace", path, self.path,
                     "--machine", "paper-a", "--machine", "paper-e")
        self.refused("are of gpu.model pixels and whole alone", "--mode", "cycles", "--memory-trace", path, self.path,
                     "--machine", "paper-b")
        self.refused("No such file", "--mode", "cycles", "--memory-trace", self.folder / "no/memory", self.path,
                     "--machine", "paper-e")

    def test_branches(self):
        """Pixel x goes round x modulo 8 times; a task of 8 quads in Z order has all of them, so it goes round 7 times."""
        self.begin()
        program = self.capture.program("fragment", LOOP, vector_regs=4, outputs=4, color_outputs=1, sysvals=1 << 3)
        self.capture.packet("shader", stage="fragment", program=program)
        self.square()
        self.write()
        (_, _, g), = self.timed()
        before, around, last, after = 5, 4, 3, 6   # the last time round brk takes all lanes to endloop
        in_task = before + 7 * around + last + after
        self.assertEqual(g["lost_tasks"], 0)
        in_vertex_tasks = len(POSITIONS.splitlines()) * g["vertex_tasks"]
        at_most = in_task * g["fragment_tasks"] + in_vertex_tasks
        self.assertLessEqual(g["instructions"], at_most)
        self.assertGreater(g["instructions"], 0.95 * at_most)   # tasks of the diagonal have fewer columns

    def test_branches_of_recordings(self):
        self.test_branches()
        kept = self.folder / "kept.rec"
        self.assertEqual(sim("--record", kept, self.path).returncode, 0)
        chosen = ("--mode", "cycles", "--machine", "paper-a", "--json")
        recorded, captured = (json.loads(sim(*chosen, path).stdout) for path in (kept, self.path))
        self.assertEqual(recorded["machines"], captured["machines"])

    def test_transfers(self):
        """A copy reads and writes all lines of an image."""
        self.begin()
        color = self.capture.surface("r8g8b8a8_unorm", SIZE_PX, SIZE_PX)
        other = self.capture.surface("r8g8b8a8_unorm", SIZE_PX, SIZE_PX)
        self.square()
        self.capture.packet("copy", source=color[0], destination=other[0], width_px=SIZE_PX, height_px=SIZE_PX)
        self.write()
        (_, with_it, g), (_, without, none) = self.timed("--set", "command.transfers=true,false")
        lines = 4 * SIZE_PX ** 2 // 64
        self.assertEqual([g["transfer_lines"], none["transfer_lines"]], [2 * lines, 0])
        self.assertEqual(with_it["bus_reads"] - without["bus_reads"], lines)
        self.assertGreater(with_it["cycles"], without["cycles"] + 2 * 2 * lines)

    def test_feedback(self):
        """What a draw feeds back is written: lines of its bytes, not of those between them nor of what has no room."""
        counts = []
        for room in None, 6 * 256, 4 * 256:
            self.begin()
            if room:
                buffer, filled = self.capture.put(bytes(room)), self.capture.put(bytes(8))
                outputs = [(0, 4, 0, 0), (8, 4, 0, 4)]
                self.capture.feedback(outputs, [(buffer, room, 64, filled)])
            self.square()
            self.write()
            (_, result, g), = self.timed()
            counts.append((g["transfer_lines"], result["cycles"]))
        self.assertEqual([lines for lines, _ in counts], [0, 6 * 32 // 64, -(-3 * 32 // 64)])
        self.assertGreater(counts[1][1], counts[0][1])

    def test_taken_away(self):
        """Each cause that can be taken away costs cycles."""
        self.random_frame()
        (_, whole, _), = self.timed()
        for what in ("pixel.depth=false", "dram.perfect=true", "vertex.shading=false"):
            (_, without, _), = self.timed("--set", what)
            self.assertLess(without["cycles"], whole["cycles"], what)

    def test_memory_and_threads(self):
        self.random_frame(samples=4)
        answers = [sim("--json", "--mode", "cycles", "--threads", n, "--machine", "paper-a", self.path).stdout
                   for n in (0, 1, 2, 5)]
        self.assertEqual(len(set(answers)), 1)
        self.assertEqual(json.loads(answers[0])["memory"], self.answer()["memory"])

    def test_contradictions(self):
        self.random_frame()
        for given, why in (("texture.line_B=32", "lines of one size"), ("texture.size_B=0", "needs a texture cache"),
                           ("l2.size_B=100000", "l2.size_B")):
            self.refused(why, self.path, "--mode", "cycles", "--machine", "paper-a", "--set", given)


class OneUnit(Made):
    """Mode cycles of paper C's vertex shader, and of paper B's fragment unit."""

    def timed(self, machine, part, *options):
        return [(m["counters"], m["timed"]["cycles"], m["timed"][part]) for m in
                self.answer("--mode", "cycles", "--machine", machine, *options)["machines"]]

    def test_accounting(self):
        """Each cycle of each unit has one cause; vertices and fragments are those of the trace."""
        for samples in (1, 4):
            self.random_frame(samples)
            (c, cycles, v), = self.timed("paper-c", "vertex_shader")
            self.assertEqual({sum(causes.values()) for causes in v["units"].values()}, {cycles})
            self.assertEqual([v["vertices"], v["lost_vertices"]], [c["vertices"], 0])
            for c, cycles, f in self.timed("paper-b", "fragment_unit", "--set", "fragment.wait_idle=true,false"):
                self.assertEqual({sum(causes.values()) for causes in f["units"].values()}, {cycles})
                self.assertEqual(f["fragments"], c["fragments"])
                self.assertEqual(f["fragments"] - f["fragments_dropped"], c["fragments_written"])
                self.assertEqual(f["clear_data"], samples * SIZE_PX ** 2)   # of depth
                self.assertEqual(f["data_written"], f["clear_data"] + 2 * c["fragments_written"])
                self.assertEqual(f["words_read"] + f["words_forwarded"], c["fragments"])

    def test_vertices(self):
        """Two loads and two stores of vectors, one a cycle, in five stages; two attributes come before."""
        self.begin()
        self.square()
        self.write()
        (_, cycles, v), = self.timed("paper-c", "vertex_shader")
        self.assertEqual(len(POSITIONS.splitlines()), 12)
        self.assertEqual([v["vertices"], v["instructions"], v["operations"]], [6, 6 * 5, 6 * (2 + 8)])
        self.assertEqual([v["latency_cycles"], cycles], [6 * 8, 2 + 6 * 8])

    def test_merging(self):
        """A square that covers all: each word of memory is full; without merging it is 32 bits of data."""
        self.begin(depth_test=False)
        self.square()
        self.write()
        chosen = ("--set", "fragment.word_px=4,1", "--set", "clear.writes=false", "--set", "dram.perfect=true")
        (_, cycles, f), (_, _, apart) = self.timed("paper-b", "fragment_unit", *chosen)
        pixels = SIZE_PX ** 2
        self.assertEqual([f["data_written"], apart["words_written"]], [pixels, pixels])
        # the diagonal of the two triangles cuts a word in each row, but where it lies between two
        self.assertEqual(f["words_written"], pixels // 4 + SIZE_PX - SIZE_PX // 4)
        self.assertLess(abs(cycles - 3 * f["commands"]), 20)

    def test_memory_threads_and_recordings(self):
        self.random_frame(samples=4)
        kept = self.folder / "kept.rec"
        self.assertEqual(sim("--record", kept, self.path).returncode, 0)
        for name in ("paper-b", "paper-c"):
            chosen = ("--json", "--mode", "cycles", "--machine", name)
            answers = [sim(*chosen, "--threads", n, self.path).stdout for n in (0, 1, 2, 5)]
            self.assertEqual(len(set(answers)), 1)
            document = json.loads(answers[0])
            self.assertEqual(document["memory"], self.answer()["memory"])
            self.assertEqual(json.loads(sim(*chosen, kept).stdout)["machines"], document["machines"])

    def test_contradictions(self):
        self.random_frame()
        for name, given, why in (("paper-b", "fragment.word_px=8", "words inside of lines"),
                                 ("paper-b", "screen.pipelines=4", "screen.partition"),
                                 ("paper-c", "instruction.size_B=100", "instruction.size_B"),
                                 ("paper-c", "shader.width=5", "a number from 1 to 4")):
            self.refused(why, self.path, "--mode", "cycles", "--machine", name, "--set", given)


class Answer(Made):
    def test_schema(self):
        self.random_frame()
        document = self.answer("--curves", "--mode", "cycles", "--machine", "paper-a", "--machine", "combined",
                               "--machine", "paper-b", "--machine", "paper-c")
        validator = jsonschema.Draft202012Validator(SCHEMA)
        validator.validate(document)
        for machine, counter in (("paper-b", "words_written"), ("paper-c", "instructions")):
            timed, = (m["timed"] for m in document["machines"] if m["machine"] == machine)
            part = next(p for p in timed.values() if isinstance(p, dict))
            value = part.pop(counter)
            self.assertFalse(validator.is_valid(document))
            part[counter] = value
        validator.validate(document)
        del document["machines"][1]["counters"]["z_hits"]
        self.assertFalse(validator.is_valid(document))

    def test_docs(self):
        """Each counter and each parameter is described."""
        text = (HERE.parents[1] / "docs/timing.md").read_text()
        parts = ("counters", "timed", "causes", "gpu", "vertex_shader", "fragment_unit")
        for name in [n for part in parts for n in SCHEMA["$defs"][part]["required"]]:
            generic = re.sub("^(texture|z|color)_", "*_", name)
            self.assertTrue(f"`{name}`" in text or f"`{generic}`" in text, name)
        text = (HERE.parents[1] / "docs/machines.md").read_text()
        for name in machines.schema():
            self.assertIn(f"| `{name.split('.')[1]}` |", text)

    def test_table_and_list(self):
        self.random_frame()
        table = sim(self.path, "--machine", "paper-a", "--set", "z.ways=1,2").stdout
        self.assertRegex(table, r"^ +paper-a\[z.ways=1\] +paper-a\[z.ways=2\]\n")
        self.assertRegex(table, r"(?m)^z_hit_rate +0\.\d{4} +0\.\d{4}$")
        table = sim(self.path, "--mode", "cycles", "--machine", "paper-a", "--machine", "paper-d").stdout
        self.assertRegex(table, r"(?m)^vertices_per_cycle +0\.\d{4} +-$")
        table = sim(self.path, "--mode", "cycles", "--machine", "paper-b", "--machine", "paper-c").stdout
        self.assertRegex(table, r"(?m)^cycles_per_vertex +- +\d+\.\d{4}$")
        self.assertRegex(table, r"(?m)^words_written +\d+ +-$")
        self.assertIn("   z.size_B = 4096 B\n", sim("--list").stdout)


class Files(Made):
    """What machine files may be."""

    def test_shipped(self):
        self.assertEqual(machines.shipped(), ["combined", "paper-a", "paper-b", "paper-c", "paper-d", "paper-e"])
        for name in machines.shipped():
            self.assertEqual(sim("--list", "--machine", name).returncode, 0)
        self.assertEqual(machines.load("combined")[0].values["raster.traversal"], "recursive")

    def test_based_on(self):
        self.file('[z]\nways = 8\nsize_B = 8192\n', "base.toml")
        mine = self.file('based-on = "base.toml"\n[z]\nways = 2\n')
        self.assertEqual(machines.load(str(mine))[0].values, {"z.ways": 2, "z.size_B": 8192})
        deep = self.file('based-on = "paper-a"\nz.ways = 2\n', "deep.toml")
        self.assertEqual(machines.load(str(deep))[0].values["color.shared"], True)

    def test_sweep(self):
        mine = self.file('[z]\nways = [1, 2]\nsize_B = [4096, 8192, 16384]\n')
        names = [m.name for m in machines.load(str(mine))]
        self.assertEqual(len(set(names)), 6)
        self.assertIn("mine[z.ways=2,z.size_B=8192]", names)

    def test_unknown_key(self):
        mine = self.file('[z]\nways = 4\nwayz = 4\n')
        self.refused(f"{mine}, line 3: there is no parameter z.wayz; there are z.size_B, z.ways,", "x.cap",
                     "--machine", mine)
        mine = self.file('[zz]\n\nways = 4\n')
        self.refused(f"{mine}, line 3: there is no parameter zz.ways; there are clear, color,", "x.cap", "--machine",
                     mine)
        mine = self.file('ways = 4\n')
        self.refused(f"{mine}, line 1: there is no parameter ways;", "x.cap", "--machine", mine)

    def test_range(self):
        for line, why in (("ways = 65", "z.ways = 65: it may be a number from 0 to 64"),
                          ("ways = -1", "z.ways = -1: it may be a number from 0 to 64"),
                          ("ways = true", "z.ways = true: it may be a number"),
                          ("ways = 4.5", "z.ways = 4.5: it may be a number"),
                          ("ways = [1, 65]", "z.ways = 65: it may be a number from 0 to 64"),
                          ("ways = []", "z.ways = []: a list of values has one at least"),
                          ("line_width_px = 6", "z.line_width_px = 6: it may be a power of two from 2 to 64"),
                          ("policy = 'fifo'", "z.policy = fifo: it may be lru, plru, plru-ott, srrip, optimal"),
                          ("early = 1", "z.early = 1: it may be true or false")):
            mine = self.file(f'# mine\n\n[z]\n{line}\n')
            self.refused(f"{mine}, line 4: {why}", "x.cap", "--machine", mine)

    def test_contradiction(self):
        self.random_frame()
        mine = self.file('[z]\n# so\npolicy = "optimal"\nprefetch = "dprt"\n')
        self.refused("z.prefetch and z.policy optimal: what is best", self.path, "--machine", mine)
        for said in (f"z.prefetch = dprt (allowed: none, dprt, adaptive, ideal): {mine}, line 4\n",
                     f"z.policy = optimal (allowed: lru, plru, plru-ott, srrip, optimal): {mine}, line 3\n"):
            self.refused(said, self.path, "--machine", mine)
        base = self.file('[screen]\npipelines = 4\n', "base.toml")
        mine = self.file('based-on = "base.toml"\n')
        self.refused("screen.pipelines needs a screen.partition\n   "
                     f"screen.pipelines = 4 (allowed: a number from 1 to 16): {base}, line 2\n", self.path,
                     "--machine", mine)

    def test_contradiction_of_an_option(self):
        """It is the option's, not the file's whose line sets the parameter, too."""
        self.random_frame()
        mine = self.file('[z]\nways = 4\nsize_B = 4096\n')
        self.refused("z.size_B = 7 (allowed: a number from 0 to 1073741824): --set\n", self.path, "--machine", mine,
                     "--set", "z.size_B=7")
        self.refused(f"z.ways = 4 (allowed: a number from 0 to 64): {mine}, line 2\n", self.path, "--machine", mine,
                     "--set", "z.size_B=7")
        self.refused("z.size_B = 7 (allowed: a number from 0 to 1073741824): --over\n", "sweep", mine,
                     "--over", "z.size_B=4096,7", "-o", self.folder / "sweep", self.path)

    CONTRADICTIONS = {   # what a file sets: each message of the contradiction functions of src/clipfree/timing
        "hits": ("z.size_B=3", "color.shared=false color.size_B=3", "texture.size_B=3",
                 "z.ways=3 z.policy=plru z.size_B=12288",
                 "color.shared=false color.ways=3 color.policy=plru color.size_B=12288",
                 "texture.ways=3 texture.policy=plru-ott texture.size_B=12288", "z.prefetch=dprt z.policy=optimal",
                 "z.prefetch=dprt z.size_B=0", "z.line_samples=all z.line_width_px=2",
                 "z.line_samples=all gpu.model=fragments", "screen.partition=2x2 screen.pipelines=2",
                 "screen.pipelines=4"),
        "cycles": ("z.size_B=0", "z.ways=0", "z.policy=optimal", "z.prefetch=adaptive gpu.model=pixels",
                   "gpu.model=fragments fragment.word_px=8",
                   "gpu.model=fragments screen.pipelines=4 screen.partition=2x2",
                   "gpu.model=vertices instruction.size_B=100", "gpu.model=whole texture.line_B=32",
                   "gpu.model=whole texture.size_B=0",
                   *(f"gpu.model=whole {cache}.size_B=100" for cache in ("l2", "instruction", "constant")))}

    def test_each_contradiction(self):
        """Key, value, allowed range and line of a parameter that the file sets; no message is left out."""
        self.random_frame()
        seen = set()
        for mode, files in self.CONTRADICTIONS.items():
            for values in files:
                pairs = [re.match(r"(\w+\.\w+)=(.*)", word).groups() for word in values.split()]
                mine = self.file("\n".join(
                    f'{key} = {value if re.fullmatch("[0-9]+|true|false", value) else json.dumps(value)}'
                    for key, value in pairs))
                done = sim(self.path, "--mode", mode, "--machine", mine)
                self.assertNotEqual(done.returncode, 0, values)
                seen.add(done.stderr.split("\n")[0].partition("mine: ")[2])
                self.assertTrue(any(
                    f"{key} = {value} (allowed: {machines.allowed(machines.schema()[key])}): {mine}, line {line}\n"
                    in done.stderr for line, (key, value) in enumerate(pairs, 1)), f"{values}: {done.stderr}")
        folder = HERE.parents[1] / "src/clipfree/timing"
        text = "".join(re.sub(r'"\s*"', "", path.read_text()) for path in folder.glob("cf_sim_*.c"))
        bodies = re.findall(r"(?ms)^cf_sim_\w*contradiction\(.*?^}", text)
        self.assertEqual(len(bodies), 5)
        self.assertEqual({message for body in bodies for message in re.findall('"(.+)"', body)}, seen)

    def test_cycle(self):
        a, b = self.folder / "a.toml", self.folder / "b.toml"
        a.write_text('# a\nbased-on = "b.toml"\n')
        b.write_text('based-on = "a.toml"\n')
        self.refused(f"{b}, line 1: based-on = a.toml: it is a cycle: a.toml -> b.toml -> a.toml", "x.cap",
                     "--machine", a)
        b.write_text('based-on = "b.toml"\n')
        self.refused("it is a cycle: a.toml -> b.toml -> b.toml", "x.cap", "--machine", a)
        b.write_text('based-on = 4\n')
        self.refused(f"{b}, line 1: based-on = 4: it may be one machine's name", "x.cap", "--machine", a)
        b.write_text('\nbased-on = "c.toml"\n')
        self.refused("c.toml: No such file", "x.cap", "--machine", a)

    def test_not_toml(self):
        mine = self.file('[z]\nways = \n')
        self.refused("it is not TOML: Invalid value (at line 2", "x.cap", "--machine", mine)
        for text, why in (("[z]\nways = " + "9" * 5000, "a number has thousands of digits"),
                          ("[z]\nways = " + "[" * 5000, "lists in lists are nested too deep")):
            self.refused(why, "x.cap", "--machine", self.file(text))
        for base, why in (("", "Is a directory"), ("a\\u0000.toml", "it is no name of a file"),
                          ("x" * 5000, "File name too long"), ("x" * 5000 + ".toml", "File name too long")):
            mine = self.file(f'\nbased-on = "{base}"\n')
            self.refused(f"{mine}, line 2: ", "x.cap", "--machine", mine)
            self.refused(why, "x.cap", "--machine", mine)
        self.refused("there is no machine paper-z; there are combined, paper-a, paper-b, paper-c, paper-d, paper-e",
                     "x.cap", "--machine", "paper-z")
        self.refused("--set z.ways=65: it may be a number from 0 to 64", "x.cap", "--set", "z.ways=65")
        self.refused("--set zz=1: there is no parameter zz", "x.cap", "--set", "zz=1")


if __name__ == "__main__":
    unittest.main()
