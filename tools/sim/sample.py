# SPDX-License-Identifier: MIT
"""Some frames of a recording for all of them: which are simulated, and what that says of the others. A stratified
random sample; docs/sweep.md explains it.

Source: W. G. Cochran, Sampling Techniques, 3rd edition, chapters 5 (strata, degrees of freedom) and 6.11 (ratios). That
frames are told apart by what they draw: MEGsim (Ortiz et al., ISPASS 2022).
"""
import json
import math
import random
import re
from statistics import NormalDist, fmean, variance

import sim_tool
from machines import Wrong
from sweep_table import by_name

CONFIDENCE = 0.95
EACH = 3              # frames of a stratum, at least: two give a variance, a third one makes it steadier


# ---------------------------------------------------------------- which frames

def vectors(features):
   """What frames are told apart by: each feature relative to its mean, and the frame's place."""
   names = [name for name in features[0] if name != "frame"]
   means = {name: fmean(f[name] for f in features) for name in names}
   return [[2 * i / len(features)] + [f[name] / means[name] for name in names if means[name]]
           for i, f in enumerate(features)]


def spread(values):
   """The sum of squares around the mean."""
   mean = fmean(values)
   return sum((v - mean) ** 2 for v in values)


def widest(members, points):
   """(spread, feature) of the feature in which members differ most."""
   return max((spread([points[m][f] for m in members]), f) for f in range(len(points[0])))


def halves(members, points, feature):
   """Members in two parts, each of EACH at least, that differ least in themselves."""
   ordered = sorted(members, key=lambda m: (points[m][feature], m))
   values = [points[m][feature] for m in ordered]
   total, best = math.fsum(values), None
   so_far = math.fsum(values[:EACH - 1])
   for at in range(EACH, len(ordered) - EACH + 1):
      so_far += values[at - 1]
      between = so_far ** 2 / at + (total - so_far) ** 2 / (len(ordered) - at)
      if best is None or between > best[0]:
         best = between, at
   return ordered[:best[1]], ordered[best[1]:]


def strata(points, members, count):
   """Members in up to `count` parts: the part with the widest spread is split, again and again."""
   parts = [(widest(members, points), list(members))]
   while len(parts) < count:
      (width, feature), part = max((p for p in parts if len(p[1]) >= 2 * EACH), default=((0, 0), None))
      if not width:
         break
      parts.remove(((width, feature), part))
      parts += [(widest(half, points), half) for half in halves(part, points, feature)]
   return [sorted(part) for _, part in parts]


def choose(features, count, seed):
   """[(frames of a stratum, those of them that are simulated)], as numbers into features. The first frame, which finds
   caches empty, and the last one, whose dirty lines are written at the end, have strata of their own."""
   if count < 2 + EACH:
      raise Wrong(f"--sample {count}: it may be a number from {2 + EACH}: the first frame, the last one, and {EACH} "
                  "of others")
   last = len(features) - 1
   if count > last:
      return [([i], [i]) for i in range(len(features))]
   numbers = random.Random(seed)
   parts = sorted(strata(vectors(features), range(1, last), (count - 2) // EACH))
   picks = [EACH] * len(parts)
   for _ in range(count - 2 - sum(picks)):   # what is left goes where the fewest of many are simulated
      at = max(range(len(parts)), key=lambda i: len(parts[i]) / picks[i])
      picks[at] += 1
   return [([0], [0]), ([last], [last])] + [(part, sorted(numbers.sample(part, n))) for part, n in zip(parts, picks)]


# ---------------------------------------------------------------- what they say

def quantile(freedom):
   """Of Student's distribution, for intervals of CONFIDENCE: Abramowitz and Stegun 26.7.5, within 1 % from 3 degrees of
   freedom; with fewer, exact."""
   p = (1 + CONFIDENCE) / 2
   if freedom < 1.5:
      return math.tan(math.pi * (p - 0.5))
   if freedom < 2.5:
      return (2 * p - 1) * math.sqrt(2 / (4 * p * (1 - p)))
   z, v = NormalDist().inv_cdf(p), freedom
   return (z + (z ** 3 + z) / (4 * v) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * v ** 2)
           + (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * v ** 3)
           + (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / (92160 * v ** 4))


def total(chosen, seen):
   """The estimated total. chosen: of choose; seen: {frame: value}."""
   return math.fsum(len(part) * fmean(seen[i] for i in picks) for part, picks in chosen)


def half_width(chosen, seen):
   """Of the total's interval."""
   parts = []
   for part, picks in chosen:
      if len(picks) < len(part):
         n = len(picks)
         parts.append((len(part) ** 2 * (1 - n / len(part)) * variance([seen[i] for i in picks]) / n, n - 1))
   whole = math.fsum(v for v, _ in parts)
   if whole <= 0:
      return 0.0
   freedom = whole ** 2 / math.fsum(v ** 2 / n for v, n in parts)   # Satterthwaite
   return quantile(freedom) * math.sqrt(whole)


# Rates by their names: the counters of the upper and the lower sum, with weights.
RATES = ((r"(.+)_hit_rate", {"{}_hits": 1}, "{}_requests"),
         (r"(.+)_hit_rate", {"{}_requests": 1, "{}_misses": -1}, "{}_requests"),
         (r"(.+)_latency", {"{}_latency_cycles": 1}, "{}_requests"),
         (r"requests()_per_cycle", {"z_requests": 1, "color_requests": 1}, "cycles"),
         (r"(.+)_per_cycle", {"{}": 1}, "cycles"),
         (r"(.+)_per_vertex_cycle", {"{}": 1}, "vertex_cycles"),
         (r"(cycles)_per_vertex", {"{}": 1}, "vertices"),
         (r"(latency)", {"{}_cycles": 1}, "vertices"),
         (r"(data)_per_word", {"{}_written": 1}, "words_written"))


def found_name(group, name, known):
   """A counter of a group, such as "timed.gpu", or of one around it; None: there is none."""
   while True:
      full = f"{group}.{name}" if group else name
      if full in known or not group:
         return full if full in known else None
      group = group.rpartition(".")[0]


def is_that_ratio(values, name, ratio):
   """Whether a rate of the answer is this ratio, as far as its digits go."""
   below = values[ratio[1]]
   above = sum(weight * values[n] for n, weight in ratio[0].items())
   return bool(values[name] is not None and below and abs(above / below - values[name]) < 1e-5)


def ratio_of(name, values):
   """The ratio that a rate of an answer is: ({counter: weight}, counter below); None: none that is known here."""
   group, _, last = name.rpartition(".")
   for pattern, above, below in RATES:
      if match := re.fullmatch(pattern, last):
         upper = {found_name(group, n.format(match[1]), values): weight for n, weight in above.items()}
         ratio = upper, found_name(group, below.format(match[1]), values)
         if None not in upper and ratio[1] and is_that_ratio(values, name, ratio):
            return ratio
   return None


def rate_and_width(chosen, seen, ratio):
   """Of a ratio of totals; None, None where there is nothing below."""
   above = {i: sum(weight * values[n] for n, weight in ratio[0].items()) for i, values in seen.items()}
   below = {i: values[ratio[1]] for i, values in seen.items()}
   whole = total(chosen, below)
   if not whole:
      return None, None
   rate = total(chosen, above) / whole
   return rate, half_width(chosen, {i: above[i] - rate * below[i] for i in seen}) / whole


def known_total(name, seen, features):
   """Of a counter that features list, for all frames; None: they don't."""
   if any(values[name] != features[i].get(name) for i, values in seen.items()):
      return None
   return sum(f[name] for f in features)


def widened(found):
   """The same, with write-backs as uncertain as fills: what is dirty at the end is written by the last frame, which has
   no variance, but any frame may have brought it in, also one that was not simulated. bus_writes is their sum."""
   wide, found = {}, dict(found)
   for name, (value, low, high) in found.items():
      _, least, most = found.get(name.removesuffix("_write_backs") + "_fills", (None, None, None))
      if name.endswith("_write_backs") and low is not None and least is not None:
         wide[name] = max(0.0, (most - least) / 2 - (high - low) / 2)
   for name, more in wide.items():
      value, low, high = found[name]
      found[name] = value, max(0.0, low - more), high + more
   if found.get("bus_writes", (None, None, None))[1] is not None:
      value, low, high = found["bus_writes"]
      found["bus_writes"] = value, max(0.0, low - math.fsum(wide.values())), high + math.fsum(wide.values())
   return found


def estimates(chosen, seen, last, features):
   """{counter: (value, low, high)}; seen: {frame: {counter: value}}, of it alone; last: all so far, at the end.
   Compulsory misses depend on all frames before, and rates that are not known here cannot be put together: these are
   None."""
   found = {}
   for name, value in last.items():
      found[name] = None, None, None
      if isinstance(value, bool):
         found[name] = value, None, None
      elif not isinstance(value, int):
         ratio = ratio_of(name, last)
         rate, width = rate_and_width(chosen, seen, ratio) if ratio else (None, None)
         if rate is not None:
            found[name] = round(rate, 6), max(0.0, rate - width), rate + width
      elif (whole := known_total(name, seen, features)) is not None:
         found[name] = whole, whole, whole
      elif not name.endswith("compulsory_misses"):
         values = {i: counters[name] for i, counters in seen.items()}
         whole, width = total(chosen, values), half_width(chosen, values)
         found[name] = round(whole), max(0.0, whole - width), whole + width
   return widened(found)


# ---------------------------------------------------------------- a run

def counters_by_frame(document, machine):
   """[(frame, {counter: so far})] of a machine. After the last frame these are the answer's, with what is written at
   the end."""
   found = [(one["frame"], by_name(one["machines"][machine])) for one in document["frames"]]
   return found[:-1] + [(found[-1][0], by_name(document["machines"][machine]))]


def alone(so_far):
   """{frame: {counter: value}}, without what was counted before it; of rates nothing. A counter may be left out while
   it is 0."""
   names = [name for name, value in so_far[-1][1].items() if isinstance(value, int)]
   found, before = {}, {}
   for frame, counters in so_far:
      found[frame] = {n: counters.get(n, 0) - before.get(n, 0) for n in names}
      before = counters
   return found


def with_values(value, values, name=""):
   """A machine's counters, in the shape of an answer, with other values."""
   if isinstance(value, dict):
      return {k: with_values(v, values, f"{name}.{k}" if name else k) for k, v in value.items()}
   if isinstance(value, list):
      return [with_values(v, values, f"{name}.{i}") for i, v in enumerate(value)]
   return values[name][0]


def sampled(recording, chosen_machines, mode, count, seed):
   """The answer of clipfree-sim, of a sample of `count` frames. Each is run after the one before it, which is not
   counted, so that caches are not empty. Raises Wrong."""
   for machine in chosen_machines:
      for group in ("texture", "z", "color"):
         if machine.values.get(f"{group}.policy") == "optimal":
            raise Wrong(f"{machine.name}: --sample needs another {group}.policy than optimal, which looks at all "
                        "frames")
   if not sim_tool.is_recording(recording):
      raise Wrong(f"{recording}: --sample needs a recording; make one with clipfree sim {recording} --record FILE")
   features = sim_tool.answer_of(["--features", recording])["features"]
   if not features:
      raise Wrong(f"{recording}: it has no frames")
   numbers = [f["frame"] for f in features]
   chosen = choose(features, count, seed)
   picks = sorted(i for _, part in chosen for i in part)
   run = sorted({numbers[j] for i in picks for j in (max(i - 1, 0), i)})
   document = sim_tool.answer_of(["--mode", mode, "--frames", ",".join(map(str, run)), recording], chosen_machines)
   for m, machine in enumerate(document["machines"]):
      so_far = counters_by_frame(document, m)
      seen = alone(so_far)
      values = estimates(chosen, {i: seen[numbers[i]] for i in picks}, so_far[-1][1], features)
      machine["counters"] = with_values(machine["counters"], values)
      if "timed" in machine:
         machine["timed"] = with_values(machine["timed"], values, "timed")
      machine["sample"] = {"frames": [numbers[i] for i in picks], "of": len(numbers), "confidence": CONFIDENCE,
                           "seed": seed, "strata": len(chosen)}
      machine["intervals"] = {name: [low, high] for name, (_, low, high) in values.items() if low is not None}
   del document["frames"]
   return json.dumps(document, indent=1) + "\n"
