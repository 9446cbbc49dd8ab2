# SPDX-License-Identifier: MIT
"""The SQLite file of a sweep. docs/sweep.md explains the tables."""
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from machines import Wrong, text_of

VERSION = 1           # PRAGMA user_version
TABLES = """
CREATE TABLE sweep (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE captures (capture INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, path TEXT NOT NULL,
                       sha256 TEXT NOT NULL);
CREATE TABLE runs (run INTEGER PRIMARY KEY, machine TEXT NOT NULL, capture INTEGER NOT NULL REFERENCES captures,
                   mode TEXT NOT NULL, frames INTEGER NOT NULL, of_frames INTEGER NOT NULL,
                   UNIQUE (machine, capture));
CREATE TABLE parameters (run INTEGER NOT NULL REFERENCES runs, name TEXT NOT NULL, value,
                         PRIMARY KEY (run, name)) WITHOUT ROWID;
CREATE TABLE counters (run INTEGER NOT NULL REFERENCES runs, name TEXT NOT NULL, value, low, high,
                       PRIMARY KEY (run, name)) WITHOUT ROWID;
CREATE TABLE missing (machine TEXT NOT NULL, capture INTEGER NOT NULL REFERENCES captures, why TEXT NOT NULL,
                      PRIMARY KEY (machine, capture)) WITHOUT ROWID;
"""


def flat(value, name=""):
   """(name, number) of counters that may lie in parts and lists: "timed.z_causes.busy", "pipeline_requests.0"."""
   parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
   if parts is None:
      yield name, value
      return
   for key, part in parts:
      yield from flat(part, f"{name}.{key}" if name else str(key))


def by_name(machine):
   """{counter: value} of a machine's answer; those of mode cycles begin with "timed."."""
   return dict(flat(machine["counters"])) | dict(flat({"timed": machine.get("timed", {})}))


def quoted(name):
   return '"' + name.replace('"', '""') + '"'


def view(swept, names):
   """The view `results`: a row for each run, with the parameters that are swept and all counters as columns."""
   def column(table, name):
      text = name.replace("'", "''")
      return f"(SELECT value FROM {table} t WHERE t.run = r.run AND t.name = '{text}') AS {quoted(name)}"
   columns = [column("parameters", name) for name in swept] + [column("counters", name) for name in names]
   return ("CREATE VIEW results AS SELECT r.run, r.machine, c.name AS capture, r.mode"
           + "".join(", " + c for c in columns) + " FROM runs r JOIN captures c USING (capture)")


def add_run(base, machine, capture, document):
   """A machine's answer on a capture."""
   sampled = machine.get("sample")
   frames = machine["counters"]["frames"]
   how_many = (len(sampled["frames"]), sampled["of"]) if sampled else (frames, frames)
   run = base.execute("INSERT INTO runs (machine, capture, mode, frames, of_frames) VALUES (?, ?, ?, ?, ?)",
                      (machine["machine"], capture, document["mode"], *how_many)).lastrowid
   base.executemany("INSERT INTO parameters VALUES (?, ?, ?)",
                    [(run, name, text_of(value) if isinstance(value, bool) else value)
                     for name, value in machine["parameters"].items()])
   bounds = machine.get("intervals", {})
   base.executemany("INSERT INTO counters VALUES (?, ?, ?, ?, ?)",
                    [(run, name, value, *bounds.get(name, (None, None)))
                     for name, value in by_name(machine).items()])


def fill(base, plan, failed):
   jobs, values = plan.jobs(), plan.values
   base.executescript(TABLES)
   for number, one in enumerate(values["captures"]):
      base.execute("INSERT INTO captures VALUES (?, ?, ?, ?)", (number, one["name"], one["path"], one["sha256"]))
   for job in range(len(values["captures"]), len(jobs)):
      number, chosen = jobs[job]
      document = plan.answer(job)
      for i, machine in enumerate(chosen):
         if document:
            add_run(base, document["machines"][i], number, document)
         else:
            base.execute("INSERT INTO missing VALUES (?, ?, ?)",
                         (machine.name, number, failed.get(job, "its row was lost")))
   sample = values["sample"] or {}
   facts = {"mode": values["mode"], "swept": " ".join(values["swept"]), "clipfree_sim_sha256": values["tool"],
            "sample_frames": sample.get("frames"), "sample_seed": sample.get("seed")}
   base.executemany("INSERT INTO sweep VALUES (?, ?)", facts.items())
   names = [name for name, in base.execute("SELECT DISTINCT name FROM counters ORDER BY name")]
   base.execute(view(values["swept"], names))
   base.execute(f"PRAGMA user_version = {VERSION}")


def collect(plan, failed, path):
   """Write all rows to an SQLite file, which is there whole or not at all. failed: {job: why} of jobs without one."""
   beside = Path(path).with_name(f".{Path(path).name}.{os.getpid()}")
   beside.unlink(missing_ok=True)
   try:
      with closing(sqlite3.connect(beside)) as base, base:
         fill(base, plan, failed)
      os.replace(beside, path)
   except sqlite3.Error as error:
      raise Wrong(f"{path}: it cannot be written: {error}") from error
   finally:
      beside.unlink(missing_ok=True)


def opened(path):
   """The SQLite file of a sweep, to be read. Raises Wrong."""
   path = Path(path) / "sweep.sqlite" if Path(path).is_dir() else Path(path)
   if not path.exists():
      raise Wrong(f"{path}: there is no such file; clipfree sim sweep makes it")
   base = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
   try:
      version, = base.execute("PRAGMA user_version").fetchone()
      base.execute("SELECT run, value FROM counters LIMIT 1")
   except sqlite3.Error as error:
      base.close()
      raise Wrong(f"{path}: it is no sweep's SQLite file: {error}") from error
   if version != VERSION:
      base.close()
      raise Wrong(f"{path}: its tables are of version {version}, this clipfree's of {VERSION}; sweep again")
   return base
