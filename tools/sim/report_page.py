# SPDX-License-Identifier: MIT
"""The page of `clipfree sim report`: its document through report_page.html, which shares style and head with the pages
of `clipfree report`."""
import sys
from pathlib import Path

import report_charts as charts

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "report"))

CAUSES = {
   "busy": "works", "empty": "nothing is there to do", "full": "the next unit takes no more",
   "memory": "waits for a cache or memory", "conflict": "words of the same SRAM",
   "alu": "instructions are ready, the vector ALU is busy", "dependency": "results of the core",
   "load": "textures, vertices or scratch", "fetch": "instructions, branches or constants",
   "order": "what was submitted before", "tasks": "no core has a slot", "registers": "no core has registers",
   "refill": "a line is written", "replay": "requests that waited for a line use the tags",
   "blocked": "a miss blocks", "entries": "no free entry of the miss queue", "ways": "all lines of a set on their way",
   "prefetch": "prefetches use the tags",
}
MAPS = {
   "cycles": ("Cycles", "from when the pixels before were done until these were; for requests of pixels alone, until "
              "they joined the queue"),
   "z_misses": ("Misses of the Z cache", "lines that requests of a block read from memory"),
   "z_latency_cycles": ("Latency of the Z cache", "cycles from the tags to the answer, in sum"),
   "color_misses": ("Misses of the colour cache", "lines that requests of a block read from memory"),
   "color_latency_cycles": ("Latency of the colour cache", "cycles from the tags to the answer, in sum"),
   "data_misses": ("Misses of the data cache", "lines that samples of a quad read from the second cache"),
}
COMPARED = ("cycles", "requests_per_cycle", "z_requests", "z_hit_rate", "z_latency", "color_requests",
            "color_hit_rate", "color_latency", "bus_B", "bus_reads", "bus_writes", "activations")
COMPARED_GPU = ("texels_per_cycle", "vertices_per_cycle", "primitives_per_cycle", "alu_instructions_per_cycle",
                "tasks_in_cores", "lanes_covered", "data_hit_rate", "l2_hit_rate")
COLUMN_OF = {"vertex": "gpu.vertices", "set-up": "gpu.primitives", "raster": "gpu.regions", "blocks": "gpu.quads",
             "alu": "gpu.alu_instructions", "memory": "gpu.texels", "l2": "gpu.l2_requests", "pixel": "gpu.quads",
             "dram": "bus_B", "z cache": "z_requests", "z caches": "z_requests", "color cache": "color_requests",
             "color caches": "color_requests"}
MOST_LINES = 6


def tenths(causes):
   """{cause: percent}, which add up to 100.0 exactly: what rounding leaves goes to the largest remainders."""
   whole = sum(causes.values())
   if not whole:
      return {}
   down = {cause: n * 1000 // whole for cause, n in causes.items()}
   rest = sorted(causes, key=lambda cause: (-(causes[cause] * 1000 % whole), cause))
   for cause in rest[:1000 - sum(down.values())]:
      down[cause] += 1
   return {cause: n / 10 for cause, n in down.items()}


def ordered(causes):
   """Work first, then what it waits for, then what nothing was there for."""
   names = list(CAUSES)
   return sorted(causes, key=lambda cause: (cause == "empty", names.index(cause) if cause in names else 99))


def causes_of(machines):
   """The causes that any unit of these machines has."""
   found = {cause for machine in machines for causes in machine["accounting"].values() for cause in causes}
   return ordered(found)


def nearest(machine):
   """The unit that is nearest to its peak."""
   return max(machine["rooflines"], key=lambda roof: roof["share"], default=None)


def bound(machine, roof):
   """What bounds a unit, in a few words."""
   bus = next((r["share"] for r in machine["rooflines"] if r["unit"] == "dram"), 0)
   busy = roof["busy"] or 0
   if roof["share"] >= 0.9:
      return "its peak"
   if roof["unit"] != "dram" and bus >= 0.9:
      return f"memory's bus, {100 * bus:.0f} % busy"
   if roof["unit"] == "dram" and busy >= 0.85:
      return "rows that open, and the time until their data comes"
   if busy >= 0.85:
      return f"itself: it is busy in {100 * busy:.0f} % of cycles, and takes several for some"
   if roof["waits_for"]:
      return f"{roof['waits_for']}: {CAUSES.get(roof['waits_for'], roof['waits_for'])}"
   return "nothing more to do"


def shares_over_time(machine):
   """[(unit, series)] of the units that come nearest to their peaks."""
   roofs = [roof for roof in machine["rooflines"] if COLUMN_OF.get(roof["unit"]) in machine["columns"]]
   roofs = sorted(roofs, key=lambda roof: -roof["share"])[:MOST_LINES]
   return [(roof["unit"], charts.per_cycle(machine, [COLUMN_OF[roof["unit"]]], 100 / roof["peak"])) for roof in roofs]


def misses_over_time(machine):
   pairs = (("z", "z_misses", "z_requests"), ("color", "color_misses", "color_requests"),
            ("data", "gpu.data_misses", "gpu.data_requests"), ("l2", "gpu.l2_misses", "gpu.l2_requests"))
   found = [(name, charts.ratio(machine, part, whole)) for name, part, whole in pairs]
   return [(name, [(begin, end, 100 * value) for begin, end, value in series]) for name, series in found
           if series and any(v for _, _, v in series)]


def queues(machine):
   """[(name, mean, series)] of queues that ever had something in them."""
   cycles = machine["timed"]["cycles"]
   found = []
   for name in machine["columns"]:
      if not name.startswith("queues."):
         continue
      series = charts.per_cycle(machine, [name])
      if any(value for _, _, value in series):
         found.append((name.removeprefix("queues.").replace("_", " "), sum(charts.column_sums(machine, name)) / cycles,
                       series))
   return found


def value_of(machine, row, name):
   return row["values"][machine["columns"].index(name)] if name in machine["columns"] else 0


def map_kinds(report):
   """[(kind, [(machine, map)])]"""
   return [(kind, [(machine, one) for machine in report["machines"] for one in machine["maps"]
                   if one["map"] == kind and one["max"]]) for kind in MAPS]


def compared(report):
   """[(counter, [its value by machine])]"""
   rows = [(name, [machine["timed"][name] for machine in report["machines"]]) for name in COMPARED]
   if any("gpu" in machine["timed"] for machine in report["machines"]):
      rows += [(name, [machine["timed"].get("gpu", {}).get(name) for machine in report["machines"]])
               for name in COMPARED_GPU]
   return rows


def page_of(report):
   """HTML, in one piece."""
   from page import environment_of, percent
   environment = environment_of(HERE)
   functions = (tenths, ordered, causes_of, nearest, bound, shares_over_time, misses_over_time, queues, value_of,
                map_kinds, compared, percent)
   environment.globals |= {function.__name__: function for function in functions}
   environment.globals |= {"causes_text": CAUSES, "maps": MAPS, "chart": charts.chart,
                           "small_chart": charts.small_chart, "per_cycle": charts.per_cycle}
   return environment.get_template("report_page.html").render(report=report)
