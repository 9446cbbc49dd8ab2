# SPDX-License-Identifier: MIT
#
# The help, from the list of commands (commands.txt). $installed: yes where clipfree is installed and not built here.

# the_commands: a line for each command that there is here: NAME|ARGUMENTS|what it does.
the_commands() {
   sed -n 's/ *| */|/g; /^#/d; /|/p' "$root/tools/setup/commands.txt" |
      awk -F '|' -v installed="${installed:-}" 'installed == "" || $4 == "both" { print $1 "|" $2 "|" $3 }'
}

# help: the commands, in one screen of 80 columns and 24 lines (tests/frontdoor/run).
help() {
   echo "clipfree: a GPU that is a program, and its OpenGL driver (Mesa $mesa_version)."
   the_commands | awk -F '|' -v name="$called" '{ printf "  %-32s  %s\n", name " " $1 ($2 ? " " $2 : ""), $3 }'
   cat <<EOF

Each says more with --help. A capture is made by
    CLIPFREE_CAPTURE=file=FILE,frame=N $called run PROGRAM
From a wrong picture to its cause: ${documents:-docs}/debugging.md.
EOF
}

# known_commands: their names, with commas.
known_commands() {
   the_commands | cut -d '|' -f 1 | paste -s -d ',' | sed 's/,/, /g'
}
