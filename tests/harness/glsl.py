# SPDX-License-Identifier: MIT
"""The variables that a text of GLSL declares, and those that a line of it uses: all declarators, arrays, parameters,
members of structures."""
import re

BUILT_IN = re.compile(r'float|double|u?int|bool|[iubd]?vec[234]|d?mat[234](?:x[234])?$')
PRECISIONS = {'highp', 'mediump', 'lowp'}
OUTSIDE = {'uniform', 'attribute', 'varying', 'const', 'buffer', 'shared'}     # no variables of the shader's own
DIRECTIONS = {'in', 'out', 'inout'}                                            # of parameters, or of the interface
TOKEN = re.compile(r'[A-Za-z_]\w*|\d[\w.]*|\.\d\w*|[^\s\w]')
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/', re.DOTALL)
USE = re.compile(r'(?<![.\w])([A-Za-z_]\w*)')
CLOSING = {'(': ')', '[': ']', '{': '}'}


def plain(text):
   """Without comments and lines of the preprocessor; lines stay where they are."""
   text = COMMENT.sub(lambda found: '\n' * found[0].count('\n'), text.replace('\\\n', ' \n'))
   return re.sub(r'^\s*#.*$', '', text, flags=re.MULTILINE)


class Declarations:
   """Of a text: `variables`, {name: type} of what has a place of its own, and `structs`, {name: {member: type}}."""

   def __init__(self, text):
      self.tokens, self.variables, self.structs = TOKEN.findall(plain(text)), {}, {}
      self._walk(0, len(self.tokens), self.variables, 0)

   def leaves(self, name):
      """A variable's parts that are no structures: ["s.light", "s.way.x"], or [name]."""
      found, kind = [], self.variables.get(name)
      for member, of in self.structs.get(kind, {}).items():
         found += [f'{name}.{member}{rest}' for rest in self._below(of)]
      return found or [name]

   def _below(self, kind):
      return [f'.{member}{rest}' for member, of in self.structs[kind].items() for rest in self._below(of)] \
         if kind in self.structs else ['']

   def _is_type(self, token):
      return token in self.structs or bool(BUILT_IN.fullmatch(token))

   def _after(self, at):
      """Behind the bracket that closes the one at `at`."""
      depth, opening = 0, self.tokens[at]
      for i in range(at, len(self.tokens)):
         depth += (self.tokens[i] == opening) - (self.tokens[i] == CLOSING[opening])
         if not depth:
            return i + 1
      return len(self.tokens)

   def _walk(self, at, end, into, depth):
      """Declarations from `at` to `end`; `depth`: how many brackets are around."""
      words = set()                      # of the statement or parameter so far
      while at < end:
         token = self.tokens[at]
         if token in ';{},(':
            depth += token in '({'
            words = set()
            at += 1
         elif token in ')}':
            depth -= 1
            words = set()
            at += 1
         elif token == 'struct':
            at = self._struct(at, into, words)
         elif (words & (OUTSIDE | DIRECTIONS)) and not depth and at + 1 < end and self.tokens[at + 1] == '{':
            at = self._after(at + 1)      # a block; its name, if it has one, is none of a variable
            words.add('uniform')
         elif self._is_type(token):
            # `const in` is a parameter; `in` outside of functions is the interface
            of_interface = words & DIRECTIONS if not depth else set()
            outside = of_interface or (words & OUTSIDE and not words & DIRECTIONS)
            at = self._declarators(at + 1, token, {} if outside else into)
            words = set()
         else:
            words.add(token)
            at += 1

   def _struct(self, at, into, words):
      name = self.tokens[at + 1] if self.tokens[at + 1] != '{' else f'struct {at}'
      begin = self.tokens.index('{', at)
      end, members = self._after(begin), {}
      self._walk(begin + 1, end - 1, members, 1)
      self.structs[name] = members
      return self._declarators(end, name, {} if words & OUTSIDE else into)

   def _declarators(self, at, kind, into):
      """Names behind a type; of a function's or a constructor's none. Returns where the next token is."""
      while at < len(self.tokens):
         if self.tokens[at] == '[':
            at = self._after(at)
            continue
         if not re.match(r'[A-Za-z_]', self.tokens[at]) or self._is_type(self.tokens[at]) \
               or self.tokens[at] in PRECISIONS | DIRECTIONS | OUTSIDE:
            return at
         name, at = self.tokens[at], at + 1
         if at < len(self.tokens) and self.tokens[at] == '(':
            return at
         into[name] = kind
         while at < len(self.tokens) and self.tokens[at] not in ',;)}{':
            at = self._after(at) if self.tokens[at] in '([' else at + 1
         if at >= len(self.tokens) or self.tokens[at] != ',':
            return at
         at += 1
      return at


def used(line, declarations):
   """The parts of variables that a line of the text names: all of a structure where it names one."""
   names = [name for name in USE.findall(line) if name in declarations.variables]
   return {leaf for name in names for leaf in declarations.leaves(name)}
