# SPDX-License-Identifier: MIT
"""Lines and branches of a report's GLSL that ran, as a tracefile of lcov. Its sources are files beside it."""
import os

from page import line_costs


def sources_of(report):
    """(file name, text, costs by line) of each source that has lines."""
    for program in report["programs"]:
        for number, text in enumerate(program["sources"]):
            costs = line_costs(program, number)
            if costs:
                yield f"program-{program['program']}-{number}.{program['stage'][:4]}", text, costs


def record(path, costs):
    """The record of one source."""
    lines = sorted(costs)
    branches = [(line, block, branch, taken) for line in lines for block, pair in enumerate(costs[line]["branches"])
                for branch, taken in enumerate(pair)]
    yield f"SF:{path}"
    for line, block, branch, taken in branches:
        yield f"BRDA:{line},{block},{branch},{taken if costs[line]['lanes'] else '-'}"
    yield f"BRF:{len(branches)}"
    yield f"BRH:{sum(taken > 0 for *_, taken in branches)}"
    for line in lines:
        yield f"DA:{line},{costs[line]['lanes']}"
    yield f"LF:{len(lines)}"
    yield f"LH:{sum(costs[line]['lanes'] > 0 for line in lines)}"
    yield "end_of_record"


def lcov_of(report, folder):
    """The tracefile, and the sources that it names: {file name: text}."""
    found = list(sources_of(report))
    lines = ["TN:"] + [line for name, _, costs in found
                       for line in record(os.path.abspath(os.path.join(folder, name)), costs)]
    return "\n".join(lines) + "\n", {name: text for name, text, _ in found}
