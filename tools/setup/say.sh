# SPDX-License-Identifier: MIT
#
# Messages, logs and the lock of ./clipfree.

work=$root/.clipfree # private tools, logs, the lock; ignored by git
log_dir=$work/log

# say TEXT...: one line for the user, on stderr: stdout is the program's.
say() {
   echo "clipfree: $*" >&2
}

# die REASON [ADVICE...]: says what went wrong and, a line each, what to do; ends ./clipfree.
die() {
   local advice
   say "$1"
   shift
   for advice; do
      echo "          $advice" >&2
   done
   exit 1
}

# logged NAME COMMAND...: runs a command, output to .clipfree/log/NAME.log, whose end is shown if it fails.
logged() {
   local log
   log=$log_dir/$1.log
   shift
   "$@" >"$log" 2>&1 && return
   echo "  ..." >&2
   { grep -A 15 '^FAILED:\|ERROR:\|^E: ' "$log" || tail -n 25 "$log"; } | tail -n 40 | sed 's/^/  | /' >&2
   say "the full log is $log"
   return 1
}

# One set-up at a time in a tree: descriptor 9 holds the lock until unlock or exit.
lock() {
   mkdir -p "$log_dir" 2>/dev/null && [ -w "$log_dir" ] ||
      die "cannot write to $root." "The set-up needs a tree it may write to: clone or copy it to a folder of yours."
   exec 9>>"$work/lock"
   flock -n 9 || { say "another set-up runs in this tree; waiting for it"; flock 9; }
}

unlock() {
   exec 9>&-
}
