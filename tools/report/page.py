# SPDX-License-Identifier: MIT
"""The page of a report: its JSON (docs/report.md) through page.html."""
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

# Titles of heat maps, and what their numbers are.
MAPS = {
    "overdraw": ("Overdraw", "fragments at each pixel"),
    "instructions": ("Instructions", "that ran for fragments at each pixel"),
    "texels": ("Texels", "read for fragments at each pixel"),
    "idle": ("Idle lanes",
             "instructions in which the pixel's lane did nothing: helpers, discarded, waiting at branches"),
    "divergence": ("Divergence", "instructions in which the pixel's lane waited for others at a branch"),
    "quads": ("Small primitives", "quads of the smallest primitive at each pixel; few are bright"),
    "rejected": ("Rejected", "fragments at each pixel that were not written, for any reason"),
    "rejected_killed": ("Rejected: discard", "fragments that the program discarded"),
    "rejected_coverage": ("Rejected: coverage", "samples that alpha did not cover"),
    "rejected_alpha": ("Rejected: alpha test", "fragments that failed the alpha test"),
    "rejected_stencil": ("Rejected: stencil test", "fragments that failed the stencil test"),
    "rejected_depth": ("Rejected: depth test", "fragments that failed the depth test"),
}


def short(number):
    """12 345 678 as 12.3 M; up to 9999 as it is."""
    if number < 10000:
        return f"{number:,}".replace(",", "\u202f")
    for unit, scale in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= scale:
            value = number / scale
            return f"{value:.{0 if value >= 100 else 1}f}\u202f{unit}"
    raise AssertionError(number)


def exact(number):
    return f"{number:,}".replace(",", "\u202f")


def percent(part, whole):
    return 100 * part / whole if whole else 0.0


def slots(stage):
    return 32 * stage["instructions"]


def idle(counts):
    """Percent of all slots in which lanes work for nothing."""
    whole = sum(slots(counts[stage]) for stage in ("vertex", "fragment"))
    live = sum(counts[stage]["live"] for stage in ("vertex", "fragment"))
    return percent(whole - live, whole)


def rejected(counts):
    return sum(count for fate, count in counts["fates"].items() if fate != "written")


def remarks(draw):
    """What may be worth a look, in a few words each."""
    found = []
    if draw["late_because"] and draw["hidden"]["fragments"]:
        found.append(f"{short(draw['hidden']['fragments'])} hidden fragments are shaded: {draw['late_because']}")
    if not draw["shaded"]:
        found.append("fragments are not shaded: nothing to write")
    if draw["fragment"]["branched"] * 5 > slots(draw["fragment"]) > 0:
        found.append(
            f"{percent(draw['fragment']['branched'], slots(draw['fragment'])):.0f} % of slots wait at branches")
    if draw["fragment"]["scattered"] * 2 > draw["fragment"]["fetches"]:
        found.append(
            f"{percent(draw['fragment']['scattered'], draw['fragment']['fetches']):.0f} % of texture fetches are 4 "
            f"texels "
                     "or more from those of the pixels beside: are mipmaps missing?")
    if draw["fragment"]["scratch"] or draw["vertex"]["scratch"]:
        found.append(f"{short(draw['fragment']['scratch'] + draw['vertex']['scratch'])} accesses to scratch")
    small = draw["quads"] and draw["fragment"]["lanes"] / draw["quads"] < 2
    if small:
        found.append(f"{draw['fragment']['lanes'] / draw['quads']:.1f} of 4 pixels of a quad are covered")
    return found


def shown_maps(target):
    """Maps that have something; the one of all reasons only where there are several."""
    maps = [m for m in target["maps"] if m["max"]]
    reasons = [m for m in maps if m["map"].startswith("rejected_")]
    return [m for m in maps if m["map"] != "rejected" or len(reasons) > 1]


def cost_of(instructions):
    """What instructions cost in all; `lanes`: those that ran most of them."""
    return {"lanes": max(i["live"] for i in instructions),
            "live": sum(i["live"] for i in instructions),
            "branched": sum(i["branched"] for i in instructions),
            "texels": sum(i.get("texels", 0) for i in instructions),
            "scratch": sum(i["live"] for i in instructions if i["text"].startswith(("lds", "sts"))),
            "branches": [(i["taken"], i["not_taken"]) for i in instructions if "taken" in i]}


def columns_of(program):
    """Titles and names of the costs that the program has at all."""
    has = {"branched": program["sum"]["branched"], "texels": program["sum"]["texels"],
           "scratch": program["sum"]["scratch"],
           "branches": any("taken" in i for i in program["instructions"])}
    titles = {"branched": "waiting", "texels": "texels", "scratch": "scratch", "branches": "taken / not"}
    return [(titles[name], name) for name, some in has.items() if some]


def line_costs(program, number):
    """What the lines of a source cost in all, by line."""
    of_line = {}
    for instruction in program["instructions"]:
        for line in {line["line"] for line in instruction.get("lines", []) if line["source"] == number}:
            of_line.setdefault(line, []).append(instruction)
    return {line: cost_of(instructions) for line, instructions in of_line.items()}


def lines_of(instruction, program):
    """The lines of an instruction, "12" or "12, 14"; of several sources with their numbers, "1:12"."""
    several = len(program["sources"]) > 1
    return ", ".join(f"{line['source']}:{line['line']}" if several else str(line["line"])
                     for line in instruction.get("lines", []))


def sources(program):
    """Each source: its lines, each with its cost or None."""
    for number, text in enumerate(program["sources"]):
        costs = line_costs(program, number)
        most = max((cost["live"] for cost in costs.values()), default=0)
        yield {"has_costs": bool(costs), "most": most,
               "lines": [(i, line, costs.get(i)) for i, line in enumerate(text.splitlines(), 1)]}


def environment_of(*folders):
    """Templates of folders, and those that all pages share."""
    environment = Environment(loader=FileSystemLoader([*folders, Path(__file__).parent]), autoescape=True,
                              undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"short": short, "exact": exact}
    return environment


def page_of(report):
    """HTML, in one piece."""
    environment = environment_of()
    functions = (percent, idle, rejected, remarks, shown_maps, lines_of, columns_of, cost_of, slots, sources)
    environment.globals |= {function.__name__: function for function in functions} | {"maps": MAPS}
    return environment.get_template("page.html").render(report=report)
