# SPDX-License-Identifier: MIT
"""clipfree sim report CAPTURE|RECORDING -o FILE.html: where cycles go, as a page. docs/sim-report.md."""
import argparse
import csv
import io
import json

import files
import machines
import sim_tool
import sweep
from machines import Wrong
from report_document import document_of

USAGE = "clipfree sim report [OPTION...] CAPTURE|RECORDING"
MOST_MACHINES = 8


def arguments():
   parser = argparse.ArgumentParser(prog="clipfree sim report", usage=USAGE, epilog="docs/sim-report.md",
                                    description="Where the cycles of simulated GPUs go: causes, peaks, queues, maps, "
                                    "as a page in one file.")
   parser.add_argument("path", metavar="CAPTURE")
   parser.add_argument("--out", "-o", metavar="FILE.html", help="the page; sim-report.html if nothing is asked for")
   parser.add_argument("--json", metavar="FILE", help="all of it as JSON, from which the page is made; - prints it")
   parser.add_argument("--csv", metavar="FOLDER", help="counters by frame, draw and interval")
   parser.add_argument("--machine", action="append", metavar="NAME|FILE",
                       help="may be given several times: they stand side by side; paper-a without it")
   parser.add_argument("--set", action="append", default=[], metavar="PARAMETER=VALUE[,VALUE...]",
                       help="another value, for all machines; several make a machine for each")
   parser.add_argument("--interval", type=sweep.at_least_one, metavar="N",
                       help="cycles of an interval; without it as many as make 1024 intervals at most")
   parser.add_argument("--threads", default="0", metavar="N", help="worker threads that replay the capture")
   return parser


# ---------------------------------------------------------------- CSV

HEADS = {"intervals": ("begin", "end"), "draws": ("frame", "draw", "kind", "begin", "end"),
         "frames": ("frame", "draws", "begin", "end")}


def csv_of(document, kind):
   """Rows of a kind, of all machines: what they are, then their counters. A counter that a machine lacks is empty."""
   columns = list(dict.fromkeys(name for machine in document["machines"] for name in machine["columns"]))
   text = io.StringIO()
   writer = csv.writer(text, lineterminator="\n")
   writer.writerow(["machine", *HEADS[kind], *columns])
   for machine in document["machines"]:
      place = {name: i for i, name in enumerate(machine["columns"])}
      for row in machine[kind]:
         writer.writerow([machine["machine"], *("" if row[key] is None else row[key] for key in HEADS[kind]),
                          *(row["values"][place[name]] if name in place else "" for name in columns)])
   return text.getvalue().encode()


# ---------------------------------------------------------------- command line

def counted(given):
   """What clipfree-sim saw."""
   overrides = [machines.parse_override(text) for text in given.set]
   chosen = [machine for name in given.machine or ["paper-a"] for machine in machines.load(name, overrides)]
   if len(chosen) > MOST_MACHINES:
      raise Wrong(f"{len(chosen)} machines do not fit side by side, {MOST_MACHINES} do; clipfree sim sweep runs many")
   command = ["--mode", "cycles", "--watch", "--threads", given.threads]
   command += ["--interval", given.interval] if given.interval else []
   return sim_tool.answer_of([*command, given.path], chosen)


def rendered(document):
   try:
      from report_page import page_of
      return page_of(document).encode()
   except ModuleNotFoundError as error:
      raise Wrong(f"{error.name} is missing; apt-get install python3-jinja2") from error


def main(words):
   given = arguments().parse_args(words)
   if not (given.out or given.json or given.csv):
      given.out = "sim-report.html"
   for path in (given.out, given.json):
      if path:
         files.check_writable(path)
   document = document_of(counted(given))
   page = rendered(document) if given.out else None
   if given.csv:
      files.write_folder(given.csv, {f"{kind}.csv": csv_of(document, kind) for kind in HEADS})
   if given.json:
      files.write(given.json, json.dumps(document, indent=1).encode() + b"\n")
   if page:
      files.write(given.out, page)
   return 0
