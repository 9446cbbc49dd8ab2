# SPDX-License-Identifier: MIT
"""Ways of branches that no program can take: functions that tell a fault and always return false, as in

   return value < limit || fail(state, "too large");

The compiler branches on what the call returns, too, and does not know that it is never true. Which functions these are
is read off their sources: each of their `return`s is one of false, or of such a function.

And ways of Mesa's macro NIR_PASS, which runs a pass of the compiler: it asks whether shaders shall be printed, copied
or checked, as Mesa's environment says.
"""
import math
import re
from collections import Counter

FUNCTION = re.compile(r'^(static )?(?:inline )?bool\s(?:__attribute__\(.*?\)\)\)\s)?'
                      r'(\w+)\([^{};]*?\)\n\{\n(.*?)^\}', re.M | re.S)
RETURN = re.compile(r'\breturn\b([^;]*);')
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)


def blanked(text):
   """C without comments and strings, in as many lines."""
   return COMMENT.sub(lambda match: '\n' * match[0].count('\n') + ' ', text)


def is_refusal(returns, known):
   """Whether all that is returned is false."""
   return bool(returns) and all(value == 'false' or is_call(value, known) for value in returns)


def is_call(value, known):
   """Whether an expression is a call of one of these functions, and nothing else."""
   call = re.match(r'(\w+)\(', value)
   return call and call[1] in known and not re.search(r'\|\||\?', value)


def names(sources):
   """{file: names of functions that always return false, and that it can call}; `sources`: {file: text}."""
   bodies = [(path, bool(found[1]), found[2], [' '.join(value.split()) for value in RETURN.findall(found[3])])
             for path, text in sources.items() for found in FUNCTION.finditer(text)]
   times = Counter((is_static and path, name) for path, is_static, name, _ in bodies)
   bodies = [body for body in bodies if times[body[1] and body[0], body[2]] == 1]  # not one for each value of a macro
   own, everywhere, before = {path: set() for path in sources}, set(), -1
   while (now := sum(map(len, own.values())) + len(everywhere)) > before:
      before = now
      for path, is_static, name, returns in bodies:
         if is_refusal(returns, own[path] | everywhere):
            (own[path] if is_static else everywhere).add(name)
   return {path: found | everywhere for path, found in own.items()}


def statements(text):
   """(first line, lines) of what stands between semicolons and braces."""
   number, start = 1, None
   for piece in re.split(r'(?<=[;{}])', text):
      stripped = piece.lstrip()
      start = number + piece[:len(piece) - len(stripped)].count('\n')
      yield start, stripped.split('\n')
      number += piece.count('\n')


def impossible(text, known):
   """[(lines of a statement, its ways that cannot be taken)]: one for each call after || or &&."""
   if not known:
      return []
   call = re.compile(r'(?:\|\||&&)\s*(?:' + '|'.join(sorted(known)) + r')\(')
   found = []
   for start, lines in statements(text):
      calls = len(call.findall('\n'.join(lines)))
      if calls:
         found.append((range(start, start + len(lines)), calls))
   return found


def passes(text):
   """[lines of a statement] of those that run passes, by NIR_PASS or by a macro of this text that does."""
   macros = ['NIR_PASS', *(name for name, body in re.findall(r'^#define (\w+)\(((?:[^\n]*\\\n)*[^\n]*)', text, re.M)
                           if 'NIR_PASS(' in body)]
   call = re.compile(r'\b(?:' + '|'.join(macros) + r')\(')
   return [range(start, start + len(lines)) for start, lines in statements(text) if call.search('\n'.join(lines))]


def leave_out(files):
   """Removes these ways from `files`, {path: counts.Lines}. Returns how many."""
   texts = {path: blanked(path.read_text(encoding='utf-8')) for path in files}
   known, count = names(texts), 0
   for path, lines in files.items():
      for numbers, left in impossible(texts[path], known[path]):
         count += leave_out_of(lines, numbers, left)
      for numbers in passes(texts[path]):
         count += leave_out_of(lines, numbers, math.inf)
   return count


def leave_out_of(lines, numbers, left):
   """Removes up to `left` ways that were never taken from a statement, its last line first. Returns how many."""
   removed = 0
   for number in reversed(numbers):
      ways = lines.ways.get(number, [])
      while left > removed and 0 in ways:
         ways.remove(0)
         removed += 1
   return removed
