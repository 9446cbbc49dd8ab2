#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Machines that are watched: nothing changes by it; series, rows of draws and maps add up to the counters; timelines
have whole flows and their sums are counters; clipfree sim report and its page; clipfree sim figures.

Usage: test_sim_report.py CLIPFREE-SIM CLIPFREE-REPLAY CLIPFREE-ASM
"""
import csv
import importlib
import json
import random
import subprocess
import unittest
from collections import Counter, defaultdict
from html.parser import HTMLParser
from unittest import mock

import jsonschema

from test_sim import SCHEMA, SCHEMAS, SIM, Made, sim  # takes the arguments
import figures
import figures_draw
import machines
import report_document
import report_page
import sweep_table

REPORT_SCHEMA = json.loads((SCHEMAS / "sim-report.schema.json").read_text())
MACHINES = ("paper-a", "paper-d", "paper-e", "combined")
UNITS, BLOCKS, PREFETCHES, Z, COLOR = range(5)      # groups of tracks: sim_timeline.c
NO_COLUMN = {"cycles", "pipelines"}


def watched(*arguments, names=MACHINES):
   """What clipfree-sim prints, of these machines."""
   lines = "".join(machine.lines() for name in names for machine in machines.load(name))
   return subprocess.run([SIM, "--mode", "cycles", "--machines", "-", *map(str, arguments)], input=lines, text=True,
                         capture_output=True, check=True).stdout


def counts_of(timed):
   """{name: count} of a machine's timed counters."""
   return {name: value for name, value in sweep_table.flat(timed)
           if isinstance(value, int) and not isinstance(value, bool)}


class Watched(Made):
   def reported(self, *options, names=MACHINES):
      path = self.folder / "report.json"
      chosen = [word for name in names for word in ("--machine", name)]
      done = sim("report", self.path, *chosen, *options, "--json", path)
      self.assertEqual(done.returncode, 0, done.stderr)
      return json.loads(path.read_text())

   def scene(self, samples=1):
      """A small frame of random triangles, of a few draws."""
      numbers = random.Random(18)
      self.begin(samples, size_px=96)
      for _ in range(6):
         self.triangle([(numbers.uniform(-1, 1), numbers.uniform(-1, 1)) for _ in range(9)], numbers.uniform(-1, 1))
      self.write()


class Unchanged(Watched):
   def test_by_a_report(self):
      for samples in (1, 4):
         self.scene(samples)
         seen = json.loads(watched("--watch", self.path))
         for machine in seen["machines"]:
            del machine["watch"]
         self.assertEqual(seen, json.loads(watched(self.path)))

   def test_by_a_timeline(self):
      self.scene()
      for name in MACHINES:
         for last in (500, 1000000):
            self.assertEqual(watched("--trace", self.folder / "t.json", "--to", last, self.path, names=[name]),
                             watched(self.path, names=[name]))


class Sums(Watched):
   def check_rows(self, machine, kind):
      """Rows follow each other from the first cycle to the last, and add up to the counters."""
      rows, counts = machine[kind], counts_of(machine["timed"])
      cycles = machine["timed"]["cycles"]
      self.assertEqual([rows[0]["begin"], rows[-1]["end"]], [0, cycles])
      self.assertEqual([row["end"] for row in rows[:-1]], [row["begin"] for row in rows[1:]])
      sums = [sum(values) for values in zip(*(row["values"] for row in rows))]
      found = {name: value for name, value in zip(machine["columns"], sums) if not name.startswith("queues.")}
      self.assertEqual({name: counts.get(name) for name in found}, found)
      self.assertEqual({name for name, value in counts.items() if value} - set(found) - NO_COLUMN, set())

   def check_machine(self, machine, sampled):
      for kind in ("intervals", "draws", "frames"):
         self.check_rows(machine, kind)
      counts = counts_of(machine["timed"]) | {"data_misses": machine["timed"].get("gpu", {}).get("data_misses", 0)}
      on_maps = Counter()
      for one in machine["maps"]:
         on_maps[one["map"]] += one["sum"]
      for name, elsewhere in machine["elsewhere"].items():
         self.assertEqual(on_maps[name] + elsewhere, counts[name], (machine["machine"], name))
      self.assertGreater(on_maps["cycles"], 0)
      self.assertGreater(on_maps["z_misses"] + on_maps["color_misses"], 0)
      self.assertEqual(len(machine["draws"]), machine["counters"]["draws"] + machine["counters"]["clears"], sampled)

   def test_of_rows_and_maps(self):
      for samples in (1, 4):
         self.scene(samples)
         for interval in ((), ("--interval", 100), ("--interval", 100000000)):
            for machine in self.reported(*interval)["machines"]:
               self.check_machine(machine, samples)
               if interval:
                  lengths = {row["end"] - row["begin"] for row in machine["intervals"][:-1]}
                  self.assertEqual(lengths - {interval[1]}, set())

   def test_intervals_are_bounded(self):
      """Rows become longer, so that there are 1024 at most, and at least half as many of a long run."""
      self.random_frame(4)
      machine, = self.reported(names=["paper-a"])["machines"]
      self.assertGreater(machine["timed"]["cycles"], 64 * 1024)
      self.assertTrue(512 <= len(machine["intervals"]) <= 1024, len(machine["intervals"]))
      self.assertGreater(machine["interval"], 64)
      self.refused("give a longer --interval", "report", self.path, "--interval", 4, "-o", self.folder / "page.html")
      self.assertFalse((self.folder / "page.html").exists())

   def test_queues(self):
      """The sum over cycles of tasks in cores is their mean times cycles."""
      self.scene()
      machine, = self.reported(names=["paper-a"])["machines"]
      at = machine["columns"].index("queues.tasks_in_cores")
      mean = sum(row["values"][at] for row in machine["intervals"]) / machine["timed"]["cycles"]
      self.assertAlmostEqual(mean, machine["timed"]["gpu"]["tasks_in_cores"], places=5)

   def test_full_queues(self):
      """By single cycles: where nothing moves and the queue of colour is full, a request waits, so the cycle counts as
      full; but for few, in which all are fed, or the next one is for the other cache."""
      self.begin(size_px=32)
      self.square()
      self.write()
      machine, = self.reported("--interval", 1, "--set", "miss.input=4", "--set", "color.size_B=4096", "--set",
                               "dram.latency=200", names=["paper-d"])["machines"]
      at = {name: machine["columns"].index(name)
            for name in ("full_cycles", "queues.color_requests", "color_causes.busy", "z_causes.busy")}
      still = [row["values"] for row in machine["intervals"] if row["values"][at["queues.color_requests"]] == 4
               and not row["values"][at["color_causes.busy"]] and not row["values"][at["z_causes.busy"]]]
      self.assertGreater(len(still), 100)
      self.assertGreater(sum(values[at["full_cycles"]] for values in still), 0.9 * len(still))

   def test_maps_are_where_pixels_are(self):
      """A square in the lower left quarter costs nothing elsewhere."""
      self.begin()
      self.square(x=(-1, 0), y=(-1, 0))
      self.write()
      for machine in self.reported()["machines"]:
         for one in machine["maps"]:
            self.assertEqual((one["width"], one["height"]), (192, 192))
            self.assertLessEqual(one["max"] * (96 // one["cell_px"][0]) * (96 // one["cell_px"][1]), 10 ** 9)
      machine, = self.reported("--set", "color.size_B=1048576", names=["paper-d"])["machines"]
      misses = {one["map"]: one for one in machine["maps"]}
      self.assertEqual((misses["color_misses"]["sum"], misses["color_misses"]["max"]), ((96 // 4) ** 2, 1))


class Accounting(Watched):
   def test_is_whole(self):
      self.scene()
      for machine in self.reported()["machines"]:
         cycles = machine["timed"]["cycles"]
         for unit, causes in machine["accounting"].items():
            times = machine["timed"]["pipelines"] if "cache" in unit and unit != "pixel_caches" else 1
            self.assertEqual(sum(causes.values()), cycles * times, unit)

   def test_percents_are_100(self):
      numbers = random.Random(18)
      for _ in range(2000):
         causes = {f"c{i}": numbers.choice((0, 1, 2, 3, 10 ** numbers.randrange(9)))
                   for i in range(numbers.randrange(1, 14))}
         tenths = report_page.tenths(causes)
         self.assertEqual(sum(round(10 * value) for value in tenths.values()), 1000 if sum(causes.values()) else 0)
         for cause, value in tenths.items():
            self.assertLessEqual(abs(value - 100 * causes[cause] / sum(causes.values())), 0.1)

   def test_peaks(self):
      """No unit is above its peak; at it a unit alone would need its share of the cycles."""
      self.scene()
      for machine in self.reported()["machines"]:
         cycles = machine["timed"]["cycles"]
         self.assertGreater(len(machine["rooflines"]), 2)
         for roof in machine["rooflines"]:
            self.assertLessEqual(roof["count"] / roof["peak"], cycles, roof)
            self.assertAlmostEqual(roof["share"] * roof["peak"] * cycles, roof["count"], delta=1e-6 * roof["count"])
      dram = next(roof for roof in machine["rooflines"] if roof["unit"] == "dram")
      self.assertEqual(dram["count"], machine["timed"]["bus_B"])


class Timeline(Watched):
   def traced(self, name, *options):
      """(events, timed counters)"""
      path = self.folder / "t.json"
      answer = json.loads(watched("--trace", path, *options, self.path, names=[name]))
      return json.loads(path.read_text()), answer["machines"][0]["timed"]

   def slices_of(self, events):
      """{track: slices}, which follow each other."""
      tracks = defaultdict(list)
      for event in events:
         if event["ph"] == "X":
            tracks[event["tid"]].append(event)
      for slices in tracks.values():
         for one, other in zip(slices, slices[1:]):
            self.assertLessEqual(one["ts"] + one["dur"], other["ts"])
      return tracks

   def check_units(self, tracks, names, timed):
      spent = defaultdict(Counter)
      for track, slices in tracks.items():
         for one in slices if track < 65536 else ():
            spent[names[track]][one["name"]] += one["dur"]
      if "gpu" in timed:
         self.assertEqual({unit: dict(causes) for unit, causes in spent.items()}, timed["gpu"]["units"])
         return
      for cache in ("z", "color"):
         causes = sum((spent[unit] for unit in spent if unit.startswith(cache)), Counter())
         self.assertEqual(dict(causes), {cause: n for cause, n in timed[f"{cache}_causes"].items() if n})

   def check_flows(self, events, slices, timed):
      """Each begins at a block, ends at its first request, and is at its prefetch between, if it has one."""
      at = {(track, one["ts"]): one for track, of_track in slices.items() for one in of_track}
      flows = defaultdict(list)
      for event in events:
         if event["ph"] in "stf":
            flows[event["id"]].append(event)
      for flow in flows.values():
         self.assertIn("".join(event["ph"] for event in flow), ("sf", "stf"))
         self.assertEqual(sorted(flow, key=lambda event: event["ts"]), flow)
         self.assertEqual([event["tid"] // 65536 for event in flow][::len(flow) - 1], [BLOCKS, Z])
         self.assertTrue(all((event["tid"], event["ts"]) in at for event in flow))
      steps = Counter(len(flow) for flow in flows.values())
      return steps

   def test_sums(self):
      self.scene()
      for name in MACHINES:
         events, timed = self.traced(name, "--to", 100000000)
         names = {event["tid"]: event["args"]["name"] for event in events if event.get("name") == "thread_name"}
         tracks = self.slices_of(events)
         self.check_units(tracks, names, timed)
         for group, cache in ((Z, "z"), (COLOR, "color")):
            slices = [one for track, found in tracks.items() if track // 65536 == group for one in found]
            self.assertEqual(sum(one["dur"] for one in slices), timed[f"{cache}_latency_cycles"])
            outcomes = Counter(one["name"] for one in slices)
            self.assertEqual([outcomes["hit"], outcomes["miss"], outcomes["chained"] + outcomes["late prefetch"],
                              len(slices)], [timed[f"{cache}_{what}"] for what in ("hits", "misses", "chained",
                                                                                   "requests")])
         blocks = sum(track // 65536 == BLOCKS for track in tracks for _ in tracks[track])
         steps = self.check_flows(events, tracks, timed)
         self.assertGreater(steps.total(), 0)
         self.assertLessEqual(steps.total(), blocks)
         if timed["z_prefetches"]:
            prefetches = sum(track // 65536 == PREFETCHES for track in tracks for _ in tracks[track])
            self.assertEqual(prefetches, timed["z_prefetches"])
            self.assertEqual(steps[2], 0)

   def test_last_cycle(self):
      """Whatever a unit does in it is there, too."""
      numbers = random.Random(18)
      for _ in range(12):
         self.begin(size_px=32)
         for _ in range(numbers.randrange(4)):
            self.triangle([(numbers.uniform(-1, 1), numbers.uniform(-1, 1)) for _ in range(3)])
         self.write()
         events, timed = self.traced("paper-a", "--to", 100000000)
         names = {event["tid"]: event["args"]["name"] for event in events if event.get("name") == "thread_name"}
         self.check_units(self.slices_of(events), names, timed)

   def test_range(self):
      self.scene()
      for name in MACHINES:
         events, _ = self.traced(name, "--from", 1000, "--to", 3000)
         times = [(event["ts"], event["ts"] + event.get("dur", 0)) for event in events if "ts" in event]
         self.assertTrue(times and min(times)[0] >= 1000 and max(end for _, end in times) <= 3000)
         whole, _ = self.traced(name, "--to", 100000000)
         part = [event for event in whole if event["ph"] == "X" and event["tid"] // 65536 == Z
                 and event["ts"] >= 1000 and event["ts"] + event["dur"] <= 3000]
         self.assertEqual(sum(event["ph"] == "X" and event["tid"] // 65536 == Z for event in events), len(part))

   def test_refused(self):
      self.scene()
      out = self.folder / "t.json"
      mode = ("--mode", "cycles", "--machine", "paper-d", self.path)
      self.refused("--trace needs --mode cycles", "--trace", out, self.path)
      self.refused("it goes with --trace FILE", "--from", 3, *mode)
      self.refused("--to is not behind --from", "--trace", out, "--from", 30, "--to", 30, *mode)
      for name in ("paper-b", "paper-c"):
         self.refused("of gpu.model pixels and whole alone", "--trace", out, "--mode", "cycles", "--machine", name,
                      self.path)
      self.refused("there are 2", "--trace", out, "--machine", "paper-a", *mode)
      self.refused("there are 2", "--trace", out, "--set", "z.ways=2,4", *mode)
      self.refused("it may be a number of cycles", "--trace", out, "--from", "-1", *mode)
      self.refused("cannot write", "--trace", self.folder / "no" / "t.json", *mode)
      self.refused("goes with neither", "--trace", out, "--record", self.folder / "r", *mode)
      self.assertFalse(out.exists())


class Page(HTMLParser):
   """What a page has: its text, and where its attributes lead."""

   def __init__(self, text):
      super().__init__()
      self.links, self.words, self.tags = [], [], Counter()
      self.feed(text)

   def handle_starttag(self, tag, attributes):
      self.tags[tag] += 1
      self.links += [value for name, value in attributes if name in ("src", "href", "srcset")]

   def handle_data(self, data):
      self.words.append(data)


class Report(Watched):
   def test_document(self):
      self.scene()
      document = self.reported()
      jsonschema.validate(document, REPORT_SCHEMA)
      for machine in document["machines"]:
         known = {name: machine[name] for name in ("machine", "parameters", "counters", "timed")}
         jsonschema.validate(known, {"$ref": "#/$defs/machine", "$defs": SCHEMA["$defs"]})
      self.assertEqual([machine["machine"] for machine in document["machines"]], list(MACHINES))
      recording = self.folder / "frame.rec"
      sim("--record", recording, self.path)
      self.path = recording
      again = self.reported()
      self.assertEqual(again["machines"], document["machines"])

   def test_page(self):
      self.scene()
      out = self.folder / "page.html"
      done = sim("report", self.path, "--machine", "paper-a", "--machine", "paper-d", "-o", out)
      self.assertEqual(done.returncode, 0, done.stderr)
      page = Page(out.read_text())
      self.assertEqual([link for link in page.links if not link.startswith("data:image/png;base64,")], [])
      text = " ".join(page.words)
      for words in ("Where cycles go", "How near to the peak", "Over time", "Draws", "Maps", "paper-d", "core3",
                    "100.0"):
         self.assertIn(words, text)
      self.assertGreaterEqual(page.tags["svg"], 10)
      self.assertGreaterEqual(page.tags["img"], 6)
      cycles = self.reported(names=["paper-a"])["machines"][0]["timed"]["cycles"]
      self.assertIn(f"{cycles:,}".replace(",", "\u202f"), text)

   def test_nothing_drawn(self):
      """A capture without a draw has a page."""
      self.begin()
      self.write()
      out = self.folder / "page.html"
      done = sim("report", self.path, *(word for name in MACHINES for word in ("--machine", name)), "-o", out)
      self.assertEqual(done.returncode, 0, done.stderr)
      self.assertTrue(out.exists())

   def test_csv(self):
      self.scene()
      folder = self.folder / "csv"
      document = self.reported("--csv", folder, names=["paper-a", "paper-e"])
      for kind in ("intervals", "draws", "frames"):
         with open(folder / f"{kind}.csv", newline="") as file:
            rows = list(csv.DictReader(file))
         self.assertEqual(len(rows), sum(len(machine[kind]) for machine in document["machines"]))
         for machine in document["machines"]:
            mine = [row for row in rows if row["machine"] == machine["machine"]]
            self.assertEqual(sum(int(row["bus_B"]) for row in mine), machine["timed"]["bus_B"])
            self.assertEqual(int(mine[-1]["end"]), machine["timed"]["cycles"])
         self.assertEqual({row["gpu.quads"] for row in rows if row["machine"] == "paper-e"}, {""})

   def test_refused(self):
      self.scene()
      out, folder = self.folder / "page.html", self.folder / "csv"
      damaged = self.folder / "damaged.rec"
      sim("--record", damaged, self.path)
      damaged.write_bytes(damaged.read_bytes()[:-20])
      self.refused("it ends too early", "report", damaged, "-o", out, "--csv", folder)
      self.refused("is no capture", "report", self.file("x"), "-o", out)
      self.refused("there is no folder", "report", self.path, "-o", self.folder / "no" / "page.html")
      self.refused("it is a folder", "report", self.path, "-o", self.folder)
      self.refused("cannot write", "report", self.path, "--csv", self.path)
      self.refused("there is no machine", "report", self.path, "-o", out, "--machine", "paper-x")
      for name in ("paper-b", "paper-c"):
         self.refused("of gpu.model pixels and whole alone", "report", self.path, "-o", out, "--machine", "paper-a",
                      "--machine", name)
      self.refused("9 machines do not fit", "report", self.path, "-o", out, "--set", "z.ways=1,2,4",
                   "--set", "miss.entries=1,2,4")
      self.refused("it may be a number from 1", "report", self.path, "-o", out, "--interval", 0)
      self.assertFalse(out.exists() or folder.exists())

   def test_end_of_rows(self):
      """What comes after all draws belongs to the last frame."""
      rows = [{"frame": 3, "draw": 0, "kind": "draw", "begin": 0, "end": 5, "values": [1, 2]},
              {"frame": 4, "draw": 1, "kind": "clear", "begin": 5, "end": 6, "values": [1, 0]},
              {"frame": 0, "draw": None, "kind": "end", "begin": 6, "end": 9, "values": [0, 7]}]
      found = report_document.frames_of(rows, ["a", "b"])
      self.assertEqual([(f["frame"], f["begin"], f["end"], f["draws"], f["values"]) for f in found],
                       [(3, 0, 5, 1, [1, 2]), (4, 5, 9, 0, [1, 7])])


class Figures(Watched):
   SMALL = {"d-hits": (figures.D_SCENES, ("paper-d", "--over", "z.prefetch=none,dprt", "--over",
                                          "z.request=pixel,quad,block", "--over", "z.run_ahead=8,32"))}

   def test_drawn(self):
      """From captures of the scenes' names; the same sweep gives the same file."""
      for i, scene in enumerate(figures.D_SCENES):
         self.begin()
         self.square(0.1 * i)
         self.square(0.5)
         self.write()
         self.path.rename(self.folder / f"{scene}.cap")
      out = self.folder / "pictures"
      words = [str(self.folder), "-o", str(out), "--sweeps", str(self.folder / "sweeps"), "--only", "d-fig-6"]
      pictures = []
      for _ in range(2):
         with mock.patch("sim_tool.SIM", SIM), mock.patch("sim_tool.BUILD", SIM.parents[2]), \
               mock.patch.dict(figures.SWEEPS, self.SMALL):
            figures.main(words)
         pictures.append((out / "paper-d-fig-6.svg").read_text())
      self.assertIn("<svg", pictures[0])
      self.assertEqual(pictures[0], pictures[1])
      self.assertEqual([path.name for path in out.iterdir()], ["paper-d-fig-6.svg"])

   def test_refused(self):
      self.refused("has no effect2d.cap, jellyfish.cap, refract.cap, shadow.cap, terrain.cap", "figures", self.folder,
                   "-o", self.folder / "pictures", "--only", "e-table-2", "--only", "d-fig-7")
      self.assertFalse((self.folder / "pictures").exists())
      self.refused("invalid choice", "figures", self.folder, "-o", self.folder, "--only", "b-fig-1")


class Drawn(unittest.TestCase):
   """The papers' figures, of rows with known numbers: what stands on which axis, and that each series is seen."""

   def setUp(self):
      figures_draw.begin()
      self.addCleanup(lambda: importlib.import_module("matplotlib.pyplot").close("all"))

   def seen(self, figure, *colors):
      """The figure has pixels of each colour, and others."""
      figure.canvas.draw()
      pixels = {tuple(pixel) for row in figure.canvas.buffer_rgba().tolist() for pixel in row}
      for color in colors:
         self.assertIn((*(int(color[i:i + 2], 16) for i in (1, 3, 5)), 255), pixels)

   def lines(self, axes):
      """{label: heights}, of the lines with one."""
      return {line.get_label(): list(line.get_ydata()) for line in axes.get_lines()
              if not line.get_label().startswith("_")}

   def ticks(self, axes):
      return [tick.get_text().split("\n")[0] for tick in axes.get_xticklabels()]

   def test_fig_10(self):
      """Rates by scene: the shipped memory, a band of all memories, memory of no time, and the paper's peak."""
      names = ("gpu.texels_per_cycle", "gpu.vertices_per_cycle", "gpu.distinct_vertices_per_cycle",
               "gpu.vertices_per_vertex_cycle")

      def row(scene, rate, bus_B):
         return {"capture": scene, "dram.bus_B": bus_B, "dram.banks": 32, "dram.latency": 40,
                 **{f"timed.{name}": rate / (k + 1) for k, name in enumerate(names)}}

      rates = {scene: 16 / (i + 1) for i, scene in enumerate(figures.A_SCENES)}
      memories = [row(scene, rate * part, bus_B) for scene, rate in rates.items() for bus_B, part in ((8, 0.5), (32, 1))]
      figure = figures_draw.fig_10(memories, [row(scene, 2 * rate, 32) for scene, rate in rates.items()])
      left, right = figure.axes
      self.assertEqual([left.get_ylabel(), right.get_yscale()], ["texels a cycle", "log"])
      self.assertEqual(self.lines(left), {"paper-a; band: 36 memories": list(rates.values()),
                                          "memory of no time": [2 * rate for rate in rates.values()]})
      self.assertEqual(list(self.lines(right).values()),
                       [[rate / k for rate in rates.values()] for k in (2, 3, 4)])
      self.assertEqual(self.ticks(left), list(figures.A_SCENES))
      band, = left.collections
      self.assertEqual({round(y, 6) for _, y in band.get_paths()[0].vertices},
                       {round(rate * part, 6) for rate in rates.values() for part in (0.5, 1)})
      self.assertIn([16, 16], [list(line.get_ydata()) for line in left.get_lines()])
      self.seen(figure, figures_draw.OURS, figures_draw.OTHER, figures_draw.PAPER)

   def test_fig_7(self):
      """Changes by DPRT in percent, over the latency of memory, with the paper's range."""
      latencies = (0, 100)
      rows = [{"capture": scene, "dram.latency": latency, "z.prefetch": prefetch,
               "timed.z_latency": 100 if prefetch == "none" else 70 - 10 * i - latency / 10,
               "timed.cycles": 1000 if prefetch == "none" else 990 - i}
              for i, scene in enumerate(figures.D_SCENES) for latency in latencies for prefetch in ("none", "dprt")]
      figure = figures_draw.fig_7(rows)
      left, right = figure.axes
      changes = self.lines(left)
      self.assertEqual(list(changes), list(figures.D_SCENES))
      for i, scene in enumerate(figures.D_SCENES):
         for found, right_one in zip(changes[scene] + self.lines(right)[scene],
                                     (-30 - 10 * i, -40 - 10 * i, *2 * [-1 - i / 10])):
            self.assertAlmostEqual(found, right_one)
      spans = [patch.get_xy() for patch in left.patches]
      self.assertEqual([{round(y, 2) for _, y in xy} for xy in spans], [{-39.87, -30.83}])
      self.seen(figure, *figures_draw.COLORS)

   def test_table_2(self):
      """Requests and hits by scene: bars of paper-e, lines of all candidates, the paper's numbers."""
      published = figures_draw.published("e-table-2")

      def row(scene, requests, request, shared):
         return {"capture": scene, "z_requests": requests, "color_requests": 0, "z_hits": requests / 4, "color_hits": 0,
                 "z.request": request, "color.shared": shared}

      one, four = ([row(scene, requests * (i + 1), unit, shared) for i, scene in enumerate(figures.E_SCENES)
                    for unit, requests in (("block", 1000), ("pixel", 8000)) for shared in ("true", "false")]
                   for _ in range(2))
      figure = figures_draw.table_2(one, four)
      left, right = figure.axes
      self.assertEqual([bar.get_height() for bar in left.patches], [1000 * (i + 1) for i in range(4)])
      self.assertEqual([bar.get_height() for bar in right.patches], [25.0] * 4)
      self.assertEqual([self.lines(left)["paper"], self.lines(right)["paper"]],
                       [published["requests"], published["hit_percent"]])
      self.assertEqual([self.ticks(left), left.get_yscale()], [list(figures.E_SCENES), "log"])
      ranges = [segment[:, 1].tolist() for container in left.collections for segment in container.get_segments()]
      self.assertEqual(ranges, [[250 * (i + 1), 8000 * (i + 1)] for i in range(4)])
      self.seen(figure, figures_draw.OURS, figures_draw.PAPER)


if __name__ == "__main__":
   unittest.main()
