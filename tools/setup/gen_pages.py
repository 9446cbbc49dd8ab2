#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What an installed clipfree has from the lists of the tree: the man pages clipfree(1), of the commands (commands.txt),
and clipfree(7), of the driver's variables, flags and counters (gen_tables.py), and bash's completion of commands.

Usage: gen_pages.py SHARE   (writes SHARE/man/man1/clipfree.1, SHARE/man/man7/clipfree.7 and
                            SHARE/bash-completion/completions/clipfree)
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src" / "gallium" / "drivers" / "clipfree"))

import gen_tables  # noqa: E402

COMMANDS = ROOT / "tools" / "setup" / "commands.txt"


def commands(where=("both",)):
    """[(name, arguments, text, words)] of the commands that are there."""
    lines = [line for line in COMMANDS.read_text().splitlines() if line and not line.startswith("#")]
    rows = [[cell.strip() for cell in line.split("|")] for line in lines]
    return [(name, arguments, text, words.split()) for name, arguments, text, place, words in rows if place in where]


def version():
    return re.search(r"^  version : '(.*)',$", (ROOT / "meson.build").read_text(), re.M)[1]


def roff(text):
    """Text as troff sees it: no macros, no ligatures of quotes and minus, Markdown's code in bold."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", text)
    return re.sub(r"^\.", r"\\&.", text, flags=re.M)


def item(head, text):
    return f".TP\n.B {roff(head)}\n{roff(text)}"


def page(section, title, parts):
    """A man page: {heading: troff}."""
    head = f'.TH CLIPFREE {section} "" "clipfree {version()}" "{title}"'
    return "\n".join([head] + [f".SH {name}\n{text}" for name, text in parts.items()]) + "\n"


def commands_page():
    usage = "\n.br\n".join(f".B clipfree {name}\n{roff(arguments)}".rstrip() for name, arguments, _, _ in commands())
    told = "\n".join(item(f"{name} {arguments}".strip(), text + ".") for name, arguments, text, _ in commands())
    return page(1, "User Commands", {
        "NAME": "clipfree \\- run programs on a GPU that is a program, and look into what it does",
        "SYNOPSIS": usage,
        "DESCRIPTION": roff(
            "clipfree is an OpenGL driver whose GPU is a program: the same everywhere, and open to questions.\n"
            "`clipfree run` starts a program on it; the other commands look into a capture of a frame, which the\n"
            "driver makes:") + "\n.PP\n.nf\n" + roff("    CLIPFREE_CAPTURE=file=FILE,frame=N clipfree run PROGRAM")
        + "\n.fi\n.PP\n" + roff("Each command says more with `--help`."),
        "COMMANDS": told,
        "OPTIONS": item("--version", "The versions of clipfree and of its Mesa."),
        "EXIT STATUS": roff("That of the program, or of the tool: 0, if it could answer."),
        "FILES": roff("Logs lie in `~/.cache/clipfree/log`, where XDG_CACHE_HOME names no other folder."),
        "SEE ALSO": roff("`clipfree`(7), of the driver's variables; the documents in /usr/share/doc/clipfree."),
    })


def variables_page():
    return page(7, "Miscellaneous", {
        "NAME": "clipfree \\- variables of the environment that its OpenGL driver reads",
        "DESCRIPTION": roff(
            "These variables are read in every program that runs on clipfree. A value that is not known is an error\n"
            "that lists what is, and a set\\-uid process ignores those that write files.".replace("\\-", "-")),
        "CHOOSING CLIPFREE": roff(
            "Where clipfree is installed beside the system's Mesa, glvnd asks the vendor that is named:")
        + "\n" + item("__EGL_VENDOR_LIBRARY_FILENAMES",
                      "For EGL: /usr/share/glvnd/egl_vendor.d/90_clipfree.json.")
        + "\n" + item("__GLX_VENDOR_LIBRARY_NAME", "For GLX: clipfree."),
        "VARIABLES": "\n".join(item(f"{name}", f"{values}.\n{text}") for name, values, text in gen_tables.variables()),
        "FLAGS": roff("Of `CLIPFREE_DEBUG`, with commas between them:") + "\n"
        + "\n".join(item(name, text) for name, text in gen_tables.debug_flags()),
        "COUNTERS": roff("For `GALLIUM_HUD` and GL_AMD_performance_monitor:") + "\n"
        + "\n".join(item(name, text.capitalize() + ".") for name, text in gen_tables.counters()),
        "SEE ALSO": roff("`clipfree`(1)"),
    })


def suites():
    """The names of the test suites."""
    text = (ROOT / "tools" / "setup" / "suites.sh").read_text()
    found = re.findall(r'^(?:default|other)_suites="(?:\$\w+ )?([^"]*)"', text, re.M)
    return " ".join(found)


def completion():
    """Of bash: commands, words that may follow them, programs, files. In a tree of the sources the tree's, too."""
    known = " ".join(name for name, *_ in commands())
    tree = " ".join(name for name, *_ in commands(("both", "tree")))
    special = {"PROGRAM": '-c -- "$word"', "SUITE": f'-W "{suites()}" -- "$word"'}
    cases = []
    for name, _, _, words in commands(("both", "tree")):
        if words:
            made = special.get(words[0], f'-W "{" ".join(words)}" -- "$word"')
            more = "" if words[0] in special else ' $(compgen -f -- "$word")'
            cases.append(f"   {name}) COMPREPLY=($(compgen {made}){more}) ;;")
    return f"""# SPDX-License-Identifier: MIT
# bash's completion of clipfree's commands: made by gen_pages.py.
_clipfree()
{{
   local word=${{COMP_WORDS[COMP_CWORD]}} known="{known}"
   [[ ${{COMP_WORDS[0]}} != */* ]] || known="{tree}"
   COMPREPLY=()
   if ((COMP_CWORD == 1)); then
      COMPREPLY=($(compgen -W "$known --version" -- "$word"))
      return
   fi
   case ${{COMP_WORDS[1]}} in
{chr(10).join(cases)}
   esac
}}
complete -o default -F _clipfree clipfree ./clipfree
"""


PAGES = {"man/man1/clipfree.1": commands_page, "man/man7/clipfree.7": variables_page,
         "bash-completion/completions/clipfree": completion}


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    for name, make in PAGES.items():
        path = Path(sys.argv[1], name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
