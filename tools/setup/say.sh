# SPDX-License-Identifier: MIT
#
# Messages, logs, temporary files and the lock of ./clipfree.

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

# quoted TEXT: as one word of a command line that can be pasted.
quoted() {
   printf "'%s'\n" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}

# need_scratch: makes the folder $scratch for temporary files, which goes with this process, however it ends. What
# becomes another program by exec calls drop_scratch first.
need_scratch() {
   [ -z "$scratch" ] || return 0
   scratch=$(mktemp -d)
   trap drop_scratch EXIT
   trap 'exit 130' INT
   trap 'exit 143' TERM
}
scratch=

drop_scratch() {
   [ -z "$scratch" ] || rm -rf "$scratch"
}

# One set-up at a time in a tree: descriptor 9 holds the lock until unlock or exit.
lock() {
   mkdir -p "$log_dir" 2>/dev/null && [ -w "$log_dir" ] && { [ ! -e "$work/lock" ] || [ -w "$work/lock" ]; } ||
      die_unwritable
   exec 9>>"$work/lock"
   flock -n 9 || { say "another set-up runs in this tree; waiting for it"; flock 9; }
}

die_unwritable() {
   local owner
   owner=$(stat -c %U "$work/lock" 2>/dev/null || stat -c %U "$work" 2>/dev/null || :)
   [ -z "$owner" ] || [ "$owner" = "$(id -un)" ] ||
      die "cannot write to $work, which belongs to $owner: was the set-up begun as $owner?" \
         "Have root run the following line, then repeat:" "chown -R $(id -un) $(quoted "$root")"
   die "cannot write to $root." "The set-up needs a tree it may write to: clone or copy it to a folder of yours."
}

unlock() {
   exec 9>&-
}
