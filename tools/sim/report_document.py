# SPDX-License-Identifier: MIT
"""The document of `clipfree sim report`: what clipfree-sim --watch counts, with what follows from it: the accounting of
units, and how near each is to its peak. docs/schemas/sim-report.schema.json is its schema."""
import math

VERSION = 1
KINDS = {1: "clear", 64: "transfer", 128: "geometry"}   # of operations: enum cf_sim_op_flags; else a draw
DRAW_HEAD, INTERVAL_HEAD = 5, 2        # numbers before the columns of rows


# ---------------------------------------------------------------- accounting

def accounting(machine):
   """{unit: {cause: cycles}}. Each unit's cycles add up to the run's; those of caches to the run's times their
   number."""
   timed = machine["timed"]
   units = {name: dict(causes) for name, causes in timed.get("gpu", {}).get("units", {}).items()}
   caches = {f"{cache} cache{'s' if timed['pipelines'] > 1 else ''}": timed[f"{cache}_causes"]
             for cache in ("z", "color") if timed[f"{cache}_requests"]}
   return units | {name: {cause: n for cause, n in causes.items() if n} for name, causes in caches.items()}


def largest_wait(causes):
   """What a unit waits for most: the cause that is neither work nor that nothing is there; None: nothing."""
   waits = {cause: n for cause, n in causes.items() if cause not in ("busy", "refill", "replay", "empty") and n}
   return max(waits, key=waits.get) if waits else None


# ---------------------------------------------------------------- rooflines

def setup_interval(p):
   """Cycles of a triangle in the slowest of the stages of DP3 units (cf_sim_setup.c)."""
   stages = ((9, "edge_units"), (4, "depth_units"), (12, "viewport_units"))
   return max(math.ceil(operations / p[f"primitive.{units}"]) for operations, units in stages)


def work_of_gpu(p, timed):
   """(unit, what, how many, most a cycle, the units whose cycles are meant) of the whole GPU."""
   gpu = timed["gpu"]
   cores = [f"alu{i}" for i in range(p["core.count"])]
   exports = gpu["units"]["output"].get("busy", 0) * p["output.lanes"] / 32
   return [
      ("vertex", "vertices", gpu["vertices"], min(p["vertex.indices_per_cycle"], p["primitive.vertices_per_cycle"]),
       ["vertex"]),
      ("set-up", "primitives", gpu["primitives"], 1 / setup_interval(p), ["edges", "depth", "viewport"]),
      ("raster", "regions", gpu["regions"], 1, ["raster"]),
      ("blocks", "quads", gpu["quads"], 4 / p["raster.block_cycles"], ["blocks"]),
      ("alu", "task-instructions", gpu["alu_instructions"], p["core.count"] * p["core.lanes"] / 32, cores),
      ("memory", "texels", gpu["texels"], p["memory.texels_per_cycle"], ["memory"]),
      ("l2", "lines", gpu["l2_requests"], p["l2.ports"], ["l2"]),
      ("output", "registers of tasks", round(exports), p["output.lanes"] / 32, ["output"]),
      ("pixel", "quads", gpu["quads"], p["pixel.quads_per_cycle"], ["pixel"]),
   ]


def work_of_pixels(p, timed):
   """The same, of caches of pixels and memory."""
   most = p["screen.requests_per_cycle"] * timed["pipelines"]
   ports = p["miss.ports"] * timed["pipelines"]
   caches = [(f"{cache} cache{'s' if timed['pipelines'] > 1 else ''}", "requests", timed[f"{cache}_requests"], ports,
              []) for cache in ("z", "color") if timed[f"{cache}_requests"]]
   feed = [] if "gpu" in timed else [("pixels", "requests", timed["z_requests"] + timed["color_requests"], most, [])]
   dram = [] if p["dram.perfect"] else [("dram", "bytes", timed["bus_B"], p["dram.bus_B"], [])]
   return feed + caches + dram


def rooflines(machine):
   """How near each unit is to its peak; what of the memory's bandwidth allows; and what it waits for."""
   p, timed = machine["parameters"], machine["timed"]
   cycles, units = timed["cycles"], accounting(machine)
   memory = timed["bus_B"] / cycles / p["dram.bus_B"] if cycles and not p["dram.perfect"] else 0
   found = []
   for unit, what, count, peak, parts in (work_of_gpu(p, timed) if "gpu" in timed else []) + work_of_pixels(p, timed):
      causes = merged(units, parts or [unit])
      total, busy = sum(causes.values()), sum(causes.get(cause, 0) for cause in ("busy", "refill", "replay"))
      rate = count / cycles if cycles else 0
      found.append({"unit": unit, "what": what, "count": count, "rate": rate, "peak": peak,
                    "share": min(rate / peak, 1.0), "busy": busy / total if total else None,
                    "memory_allows": rate / memory if memory and unit != "dram" else None,
                    "waits_for": largest_wait(causes)})
   return found


def merged(units, names):
   """The causes of several units together."""
   sums = {}
   for name in names:
      for cause, cycles in units.get(name, {}).items():
         sums[cause] = sums.get(cause, 0) + cycles
   return sums


# ---------------------------------------------------------------- rows

def frames_of(draws, columns):
   """Rows of draws, summed by frame. What comes after all draws belongs to the last one."""
   found = {}
   last = None
   for draw in draws:
      last = draw["frame"] if draw["draw"] is not None or last is None else last
      frame = found.setdefault(last, {"frame": last, "begin": draw["begin"], "draws": 0, "values": [0] * len(columns)})
      frame["end"] = draw["end"]
      frame["draws"] += draw["kind"] == "draw"
      frame["values"] = [a + b for a, b in zip(frame["values"], draw["values"])]
   return list(found.values())


def kind_of(number, flags):
   if number is None:
      return "end"
   return next((name for flag, name in KINDS.items() if flags & flag), "draw")


def machine_of(counted):
   """A machine of the document."""
   watch = counted["watch"]
   draws = [{"frame": row[0], "draw": row[1], "kind": kind_of(row[1], row[2]), "begin": row[3], "end": row[4],
             "values": row[DRAW_HEAD:]} for row in watch["draws"]]
   intervals = [{"begin": row[0], "end": row[1], "values": row[INTERVAL_HEAD:]} for row in watch["intervals"]]
   rest = {key: value for key, value in counted.items() if key != "watch"}
   return rest | {"accounting": accounting(counted), "rooflines": rooflines(counted), "columns": watch["columns"],
                  "interval": watch["interval"], "intervals": intervals, "draws": draws,
                  "frames": frames_of(draws, watch["columns"]), "maps": watch["maps"], "elsewhere": watch["elsewhere"]}


def document_of(counted):
   """Of what clipfree-sim --watch prints."""
   return {"version": VERSION, "capture": counted["capture"], "memory": counted["memory"],
           "machines": [machine_of(machine) for machine in counted["machines"]]}
