# SPDX-License-Identifier: MIT
"""The papers' figures, from rows of sweeps and what the papers publish (papers.toml)."""
import tomllib
from pathlib import Path

from machines import Wrong

PUBLISHED = Path(__file__).resolve().parent / "papers.toml"
OURS, BAND, PAPER, OTHER = "#3b6fd4", "#3b6fd433", "#c9405a", "#1f9183"
COLORS = ("#3b6fd4", "#d18a00", "#1f9183", "#8a58b3")
SIZE_IN = (8, 4.2)


def begin():
   """Make matplotlib ready. The same rows make the same file."""
   try:
      import matplotlib
   except ImportError as error:
      raise Wrong("matplotlib is missing; apt-get install python3-matplotlib") from error
   matplotlib.use("Agg")
   matplotlib.rcParams["svg.hashsalt"] = "clipfree"


def published(figure):
   return tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))[figure]


def panels(count, height_in=SIZE_IN[1]):
   from matplotlib import pyplot
   figure, axes = pyplot.subplots(1, count, figsize=(SIZE_IN[0], height_in), layout="constrained")
   for one in axes if count > 1 else [axes]:
      one.grid(alpha=0.3, axis="y")
      one.set_axisbelow(True)
   return figure, axes


def of_scene(rows, scene, **values):
   """Rows of a scene that have these values; dots of names are written __."""
   return [row for row in rows if row["capture"] == scene
           and all(row[name.replace("__", ".")] == value for name, value in values.items())]


def bar(axes, x, values, chosen, label=None, width=0.5):
   """A bar at a chosen value, and the range of all."""
   axes.bar(x, chosen, width, color=OURS, label=label)
   axes.errorbar(x, chosen, [[max(chosen - min(values), 0)], [max(max(values) - chosen, 0)]], color="#1d2024",
                 capsize=4, linewidth=1.2)


# ---------------------------------------------------------------- paper A

def fig_10(memories, no_time):
   """Rates of texels and vertices by scene. Bands are of the memories, which the paper does not give."""
   paper = published("a-fig-10")
   figure, (left, right) = panels(2)
   xs = range(len(paper["scenes"]))
   shipped = {"dram__bus_B": 32, "dram__banks": 32, "dram__latency": 40}
   counters = (("gpu.vertices_per_cycle", "shaded", OURS),
               ("gpu.distinct_vertices_per_cycle", "distinct ones", COLORS[1]),
               ("gpu.vertices_per_vertex_cycle", "in cycles with vertices", OTHER))

   def values(rows, scene, counter, **where):
      return [row[f"timed.{counter}"] for row in of_scene(rows, scene, **where)]

   def plot(axes, counter, color, label):
      bands = [values(memories, scene, counter) for scene in paper["scenes"]]
      axes.fill_between(xs, [min(band) for band in bands], [max(band) for band in bands], color=color, alpha=0.18,
                        linewidth=0)
      axes.plot(xs, [values(memories, scene, counter, **shipped)[0] for scene in paper["scenes"]], color=color,
                marker="o", label=label)

   plot(left, "gpu.texels_per_cycle", OURS, "paper-a; band: 36 memories")
   left.plot(xs, [values(no_time, scene, "gpu.texels_per_cycle")[0] for scene in paper["scenes"]], color=OTHER,
             linestyle="--", marker=".", label="memory of no time")
   left.axhline(paper["peak_texels_per_cycle"], color=PAPER, linewidth=1)
   left.annotate("paper: near the peak here,\nfalling to the right", (0, paper["peak_texels_per_cycle"]), (0.9, 13.4),
                 color=PAPER, fontsize="small", arrowprops={"arrowstyle": "->", "color": PAPER})
   left.set_ylim(0, 17.5)
   left.set_ylabel("texels a cycle")
   for counter, label, color in counters:
      plot(right, counter, color, label)
   right.set_yscale("log")
   right.set_ylabel("vertices a cycle, by three definitions")
   for axes in (left, right):
      axes.set_xticks(list(xs), [f"{scene}\n{count}" for scene, count in zip(paper["scenes"], paper["vertices"])],
                      fontsize="small")
   left.legend(fontsize="small", loc="center right", bbox_to_anchor=(1, 0.66))
   right.legend(fontsize="small", loc="lower right")
   figure.supxlabel("scene, and its vertices in the paper", fontsize="medium")
   return figure


# ---------------------------------------------------------------- paper D

def gain(rows, scene, request, run_ahead):
   """Points of hit rate that DPRT gains."""
   rate = {prefetch: of_scene(rows, scene, z__request=request, z__run_ahead=run_ahead, z__prefetch=prefetch)[0]
           ["z_hit_rate"] for prefetch in ("none", "dprt")}
   return 100 * (rate["dprt"] - rate["none"])


def fig_6(rows):
   """Gains of hit rates by scene; by pixel, the unit that fits, and the others."""
   paper = published("d-fig-6")
   scenes = list(dict.fromkeys(row["capture"] for row in rows))
   ahead = sorted({row["z.run_ahead"] for row in rows})
   figure, axes = panels(1)
   axes.axhspan(paper["least_gain"], paper["largest_gain"], color=PAPER, alpha=0.15, linewidth=0,
                label=f"paper: +{paper['least_gain']} to +{paper['largest_gain']}")
   axes.axhline(paper["mean_gain"], color=PAPER, linewidth=1, label=f"paper: mean +{paper['mean_gain']}")
   for i, (request, color) in enumerate(zip(("pixel", "quad", "block"), (OURS, COLORS[1], COLORS[3]))):
      for k, scene in enumerate(scenes):
         values = [gain(rows, scene, request, n) for n in ahead]
         chosen, x = gain(rows, scene, request, 32), k + 0.25 * (i - 1)
         axes.bar(x, chosen, 0.22, color=color, label=f"by {request}" if k == 0 else None)
         axes.errorbar(x, chosen, [[chosen - min(values)], [max(values) - chosen]], color="#1d2024", capsize=3,
                       linewidth=1)
   means = [sum(gain(rows, scene, "pixel", 32) for scene in scenes) / len(scenes)]
   axes.axhline(means[0], color=OURS, linestyle="--", linewidth=1, label=f"by pixel: mean +{means[0]:.2f}")
   axes.set_xticks(range(len(scenes)), scenes)
   axes.set_ylabel("hit rate with DPRT less without, in points")
   axes.set_title(f"bars: raster 32 blocks ahead; lines: {ahead[0]} to {ahead[-1]}", fontsize="small")
   axes.set_ylim(0, 1.3 * axes.get_ylim()[1])   # room for the legend
   axes.legend(fontsize="small", loc="upper left", ncols=2)
   return figure


def fig_7(rows):
   """Change of the latency of depth tests, and of all cycles, over the latency of memory."""
   paper = published("d-fig-7")
   scenes = list(dict.fromkeys(row["capture"] for row in rows))
   latencies = sorted({row["dram.latency"] for row in rows})
   figure, both = panels(2)
   for axes, counter, title in zip(both, ("timed.z_latency", "timed.cycles"),
                                   ("latency of the Z cache, from tags to answer", "all cycles of depth and colour")):
      axes.axhspan(paper["largest_change"], paper["least_change"], color=PAPER, alpha=0.15, linewidth=0,
                   label=f"paper: {paper['least_change']} to {paper['largest_change']} %")
      for scene, color in zip(scenes, COLORS):
         values = [[of_scene(rows, scene, dram__latency=latency, z__prefetch=prefetch)[0][counter]
                    for prefetch in ("none", "dprt")] for latency in latencies]
         axes.plot(latencies, [100 * (dprt / none - 1) for none, dprt in values], color=color, marker="o", markersize=4,
                   label=scene)
      axes.set_title(title, fontsize="medium")
      axes.set_ylim(-102, 5)
      axes.set_ylabel("change by DPRT, in percent")
      axes.legend(fontsize="small")
   figure.supxlabel("latency of memory (dram.latency), in cycles of the Z cache", fontsize="medium")
   return figure


# ---------------------------------------------------------------- paper E

def requests(row):
   return row["z_requests"] + row["color_requests"]


def hit_percent(row):
   return 100 * (row["z_hits"] + row["color_hits"]) / requests(row)


def table_2(one, four):
   """Requests and hit rates by scene. Bands: the unit of a request, what is counted, one cache or four, of which one
   counts or all."""
   paper = published("e-table-2")
   figure, (left, right) = panels(2)
   for i, scene in enumerate(paper["scenes"]):
      rows = of_scene(one, scene) + of_scene(four, scene)
      shipped = of_scene(four, scene, z__request="block", color__shared="true")[0]
      parts = [1, 4]
      bar(left, i, [requests(row) / part for row in rows for part in parts], requests(shipped),
          "paper-e; line: all candidates" if i == 0 else None)
      bar(right, i, [hit_percent(row) for row in rows], hit_percent(shipped))
   xs = range(len(paper["scenes"]))
   left.plot(xs, paper["requests"], "D", color=PAPER, label="paper")
   right.plot(xs, paper["hit_percent"], "D", color=PAPER, label="paper")
   left.set_yscale("log")
   left.set_ylabel("requests")
   right.set_ylabel("hits, in percent")
   right.set_ylim(0, 100)
   for axes in (left, right):
      axes.set_xticks(list(xs), paper["scenes"], fontsize="small")
   left.set_ylim(top=8 * left.get_ylim()[1])   # room for the legend
   left.legend(fontsize="small", loc="upper left")
   return figure


DRAW = {"a-fig-10": fig_10, "d-fig-6": fig_6, "d-fig-7": fig_7, "e-table-2": table_2}
