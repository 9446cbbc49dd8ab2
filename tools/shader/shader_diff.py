# SPDX-License-Identifier: MIT
"""clipfree shader diff: two builds over a corpus, as shader-db's report prints it."""
import json
import time
from pathlib import Path

from shader_compile import VERSION, parser_of, programs_of, shader_entries
from shader_driver import ROOT, compile_programs
from shader_programs import Unusable

MEASURES = ("instructions", "alu_cycles", "vector_regs", "scalar_regs", "spills", "loops", "textures")
CORPUS = ROOT / ".clipfree/corpus"


def measured(build, programs, off):
    """({(program, stage): entry}, {program: why it has none})"""
    found = compile_programs(build, programs, off=off)
    entries = {(entry["name"], entry["stage"]): entry for entry in shader_entries(found)}
    return entries, {compiled.program.name: compiled.log for compiled in found if not compiled.ok}


def change(a, b, measure):
    """Of the shaders that both have: sums, and how many are helped and hurt."""
    pairs = [(a[key][measure], b[key][measure], key) for key in a if key in b]
    changed = [(after - before, before, after, key) for before, after, key in pairs if after != before]
    return {
        "before": sum(before for before, _, _ in pairs), "after": sum(after for _, after, _ in pairs),
        "affected_before": sum(entry[1] for entry in changed), "affected_after": sum(entry[2] for entry in changed),
        "helped": sum(entry[0] < 0 for entry in changed), "hurt": sum(entry[0] > 0 for entry in changed),
        "unchanged": len(pairs) - len(changed),
        "changes": [{"program": name, "stage": stage, "before": before, "after": after}
                    for _, before, after, (name, stage) in sorted(changed, key=lambda entry: (-entry[0], entry[3]))],
    }


def compared(a, b, failed_a, failed_b):
    return {
        "version": VERSION, "shaders": sum(key in b for key in a),
        "measures": {name: change(a, b, name) for name in MEASURES},
        "lost": [{"program": name, "reason": why} for name, why in sorted(failed_b.items()) if name not in failed_a],
        "gained": sorted(name for name in failed_a if name not in failed_b),
        "failed": [{"program": name, "reason": why} for name, why in sorted(failed_a.items()) if name in failed_b],
    }


def percent(before, after):
    return f"{100 * (after - before) / before:+.2f}%" if before else ("0.00%" if after == before else "inf%")


def row(change_of):
    return (f"{change_of['stage']} {change_of['program']}: {change_of['before']} -> {change_of['after']} "
            f"({percent(change_of['before'], change_of['after'])})")


def print_report(report, worst, seconds):
    for name, measure in report["measures"].items():
        print(f"total {name} in all programs: {measure['before']} -> {measure['after']} "
              f"({percent(measure['before'], measure['after'])})")
        if measure["changes"]:
            print(f"   in affected programs: {measure['affected_before']} -> {measure['affected_after']} "
                  f"({percent(measure['affected_before'], measure['affected_after'])})")
        print(f"   helped: {measure['helped']}, hurt: {measure['hurt']}, unchanged: {measure['unchanged']}")
        hurt = [entry for entry in measure["changes"] if entry["after"] > entry["before"]][:worst]
        helped = [entry for entry in measure["changes"][::-1] if entry["after"] < entry["before"]][:worst]
        for what, entries in ("HURT", hurt), ("HELPED", helped):
            for entry in entries:
                print(f"   {what}: {row(entry)}")
    for what, entries in ("LOST", report["lost"]), ("not compiled by either", report["failed"]):
        for entry in entries:
            print(f"{what}: {entry['program']}: {(entry['reason'].splitlines() or [''])[0]}")
    for name in report["gained"]:
        print(f"GAINED: {name}")
    print(f"{report['shaders']} shaders in both; lost: {len(report['lost'])}, gained: {len(report['gained'])}, "
          f"not compiled by either: {len(report['failed'])}; {seconds:.1f} s")


def part(words):
    parser = parser_of(
        "diff", "What a change of the compiler does to shaders: those of build A against those of build B.", files="*")
    parser.add_argument("--worst", type=int, default=5, metavar="N",
                        help="how many helped and hurt programs are named; 5 without it")
    parser.add_argument("--off-a", action="append", default=[], metavar="PASS",
                        help="leave out this pass in build A; may be repeated")
    parser.add_argument("--off-b", action="append", default=[], metavar="PASS", help="the same in build B")
    chosen = parser.parse_args(words)
    if len(chosen.files) < 2:
        raise Unusable("diff takes two build folders, and what to compile (.clipfree/corpus without it).")
    builds, files = [Path(file) for file in chosen.files[:2]], chosen.files[2:] or [CORPUS]
    if not chosen.files[2:] and not CORPUS.is_dir():
        raise Unusable(
            "there is no corpus yet: './clipfree shader corpus' makes one in .clipfree/corpus; or name shaders.")
    begin = time.monotonic()
    programs = programs_of(files, builds[0], chosen.es)
    a, failed_a = measured(builds[0], programs, chosen.off_a)
    b, failed_b = measured(builds[1], programs, chosen.off_b)
    report = compared(a, b, failed_a, failed_b)
    if chosen.json:
        print(json.dumps(report, indent=1))
    else:
        print_report(report, chosen.worst, time.monotonic() - begin)
    return 1 if report["lost"] else 0
