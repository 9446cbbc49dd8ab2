# SPDX-License-Identifier: MIT
"""Machine files: TOML, checked by src/clipfree/timing/machine.toml. A file may be based on another one; values that are
lists make a machine for each combination. What is wrong is said with key, value, allowed range, file and line."""
import itertools
import re
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
SHIPPED = HERE / "machines"
SCHEMA = HERE.parents[1] / "src/clipfree/timing/machine.toml"
MOST_MACHINES = 10000


class Wrong(Exception):
   """A machine file that is refused."""


def schema():
   """{"group.parameter": description}"""
   given = tomllib.loads(SCHEMA.read_text(encoding="utf-8"))
   return {f"{group}.{name}": p for group in given["groups"] for name, p in given[group].items()}


def shipped():
   return sorted(path.stem for path in SHIPPED.glob("*.toml"))


# ---------------------------------------------------------------- places

def line_of(text, key):
   """The number of the line that sets "group.parameter" or a key of the top; None: none does. A key may also be
   dotted."""
   table = ""
   for number, line in enumerate(text.splitlines(), 1):
      if head := re.match(r"\s*\[\s*([^\[\]]+?)\s*\]", line):
         table = re.sub(r"[\s\"']", "", head[1]) + "."
         if table[:-1] == key:
            return number
      elif found := re.match(r"\s*([\w\-.\"' ]+?)\s*=", line):
         if table + re.sub(r"[\s\"']", "", found[1]) == key:
            return number
   return None


class File:
   """A machine file as it is written."""

   def __init__(self, path):
      self.path = path
      try:
         self.text = path.read_text(encoding="utf-8")
      except OSError as error:
         raise Wrong(f"{path}: {error.strerror}") from error
      except UnicodeDecodeError as error:
         raise Wrong(f"{path}: it is not text in UTF-8") from error
      except ValueError as error:
         raise Wrong(f"{str(path)!r}: it is no name of a file") from error  # it has a zero byte
      try:
         self.values = tomllib.loads(self.text)
      except tomllib.TOMLDecodeError as error:
         raise Wrong(f"{path}: it is not TOML: {error}") from error
      except ValueError as error:
         raise Wrong(f"{path}: a number has thousands of digits") from error
      except RecursionError as error:
         raise Wrong(f"{path}: lists in lists are nested too deep") from error

   def wrong(self, key, why):
      return Wrong(f"{self.path}, line {line_of(self.text, key) or 1}: {why}")

   def parameters(self):
      """{"group.parameter": value}"""
      found = {}
      for group, values in self.values.items():
         if group == "based-on":
            continue
         if not isinstance(values, dict):
            raise self.wrong(group, f"there is no parameter {group}; parameters stand in groups, such as [z]")
         found |= {f"{group}.{name}": value for name, value in values.items()}
      return found


# ---------------------------------------------------------------- values

def text_of(value):
   return str(value).lower() if isinstance(value, bool) else str(value)


def allowed(p):
   """The values that a parameter may have."""
   if "choices" in p:
      return ", ".join(p["choices"])
   if isinstance(p["default"], bool):
      return "true or false"
   return f"{'a power of two' if p.get('power') else 'a number'} from {p['least']} to {p['most']}"


def is_allowed(p, value):
   if "choices" in p:
      return isinstance(value, str) and value in p["choices"]
   if isinstance(p["default"], bool) or isinstance(value, bool):
      return isinstance(p["default"], bool) and isinstance(value, bool)
   return isinstance(value, int) and p["least"] <= value <= p["most"] and not (p.get("power") and value & (value - 1))


def check(file, known):
   """The file's parameters, checked."""
   found = file.parameters()
   for key, value in found.items():
      if key not in known:
         group = key.split(".")[0]
         there = ", ".join(k for k in known if k.startswith(group + ".")) \
            or ", ".join(sorted({k.split(".")[0] for k in known}))
         raise file.wrong(key, f"there is no parameter {key}; there are {there}")
      for single in value if isinstance(value, list) else [value]:
         if not is_allowed(known[key], single):
            raise file.wrong(key, f"{key} = {text_of(single)}: it may be {allowed(known[key])}")
      if value == []:
         raise file.wrong(key, f"{key} = []: a list of values has one at least")
   return found


# ---------------------------------------------------------------- files

def path_of(name, beside=None):
   """A shipped machine's name, or a file, relative to the one that names it."""
   if name in shipped():
      return SHIPPED / f"{name}.toml"
   path = Path(name) if beside is None else beside.parent / name
   try:
      is_name = not path.suffix and not path.exists()
   except OSError as error:  # it is too long
      raise Wrong(f"{path}: {error.strerror}") from error
   if is_name:
      raise Wrong(f"there is no machine {name}; there are {', '.join(shipped())}, and files")
   return path


def chain_of(name):
   """The file, and those that it is based on, the nearest first."""
   chain = [File(path_of(name))]
   while "based-on" in chain[-1].values:
      last = chain[-1]
      base = last.values["based-on"]
      if not isinstance(base, str):
         raise last.wrong("based-on", f"based-on = {text_of(base)}: it may be one machine's name, or a file")
      try:
         path = path_of(base, last.path)
         file = File(path)
      except Wrong as error:
         raise last.wrong("based-on", str(error)) from error
      if any(path.resolve() == known.path.resolve() for known in chain):
         raise last.wrong("based-on", f"based-on = {base}: it is a cycle: "
                          + " -> ".join(file.path.name for file in chain) + f" -> {path.name}")
      chain.append(file)
   return chain


class Machine:
   """A machine: its name, what it sets, the files that set it, and {"group.parameter": option of the command line that
   sets it instead}."""

   def __init__(self, name, values, chain, options=None):
      self.name, self.values, self.chain, self.options = name, values, chain, options or {}

   def lines(self):
      """As clipfree-sim reads it."""
      return "\n".join([f"machine {self.name}"] + [f"{key} {text_of(value)}" for key,
                                                   value in self.values.items()]) + "\n"

   def place_of(self, key):
      """Where a parameter's value comes from."""
      file = next((f for f in self.chain if line_of(f.text, key)), None)
      return self.options.get(key) or (f"{file.path}, line {line_of(file.text, key)}" if file else "the default")

   def explained(self, message):
      """What clipfree-sim says, with value, allowed range and place of each parameter that it names."""
      known, why = schema(), message.partition(f"{self.name}: ")[2] or message
      named = dict.fromkeys(key for key in re.findall(r"\b[a-z]\w*\.\w+", why) if key in known)
      said = [f"{key} = {text_of(self.values.get(key, known[key]['default']))} (allowed: {allowed(known[key])}): "
              + self.place_of(key) for key in named]
      return "\n   ".join([message] + said)


def values_of(chain, overrides):
   """{"group.parameter": value} of files and the command line."""
   known = schema()
   values = {}
   for file in reversed(chain):
      values |= check(file, known)
   return values | dict(overrides)


def swept_parameters(name, overrides=()):
   """The parameters that have several values, so that there are several machines."""
   return [key for key, value in values_of(chain_of(name), overrides).items() if isinstance(value, list)]


def load(name, overrides=(), option="--set"):
   """The machines of a name or a file; overrides: [("group.parameter", value)] of the command line's `option`."""
   chain = chain_of(name)
   values = values_of(chain, overrides)
   swept = [key for key, value in values.items() if isinstance(value, list)]
   choices = [values[key] for key in swept]
   count = 1
   for choice in choices:
      count *= len(choice)
   if count > MOST_MACHINES:
      raise Wrong(f"{name}: lists of values make {count} machines; {MOST_MACHINES} at most are run at once")
   stem = Path(name).stem if name not in shipped() else name
   machines, options = [], {key: option for key, _ in overrides}
   for combination in itertools.product(*choices):
      chosen = dict(zip(swept, combination))
      label = ",".join(f"{key}={text_of(value)}" for key, value in chosen.items())
      machines.append(Machine(f"{stem}[{label}]" if label else stem, values | chosen, chain, options))
   return machines


def parse_override(text, option="--set"):
   """"group.parameter=value", or several values with commas between."""
   known = schema()
   key, _, value = text.partition("=")
   if key not in known:
      group = key.partition(".")[0]
      there = ", ".join(k for k in known if k.startswith(group + ".")) or "those of clipfree sim --list"
      raise Wrong(f"{option} {text}: there is no parameter {key or '(empty)'}; there are {there}")
   p, values = known[key], []
   for word in value.split(","):
      single = {"true": True, "false": False}.get(word, int(word) if re.fullmatch(r"\d+", word) and "choices" not in p
                                                  else word)
      if not is_allowed(p, single):
         raise Wrong(f"{option} {key}={word}: it may be {allowed(p)}")
      values.append(single)
   return key, values if len(values) > 1 else values[0]
