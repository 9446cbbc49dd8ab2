# SPDX-License-Identifier: MIT
#
# A display to draw on: the user's, or a private Xvfb that ends with this process.

# need_display: a display for a program of the user's: the user's, of Wayland or X, where there is one.
need_display() {
   [ -z "${WAYLAND_DISPLAY:-}" ] || return 0
   if [ -n "${DISPLAY:-}" ]; then
      ! command -v xdpyinfo >/dev/null || timeout 10 xdpyinfo >/dev/null 2>&1 && return
      say "the display $DISPLAY does not answer"
   else
      say "no display found"
   fi
   if ! command -v Xvfb >/dev/null; then # where clipfree is installed
      say "there is no Xvfb: only programs without windows can run (Debian's packages xvfb and x11-utils)"
      return
   fi
   use_private_display
}

# use_private_display: what is compared or measured has a display of its own: the same everywhere, and nobody's windows
# on it.
use_private_display() {
   unset WAYLAND_DISPLAY
   start_xvfb
}

# Xvfb without -noreset resets when its last client leaves, and the next one may fail. It gets a session of its own,
# so that Ctrl-C reaches the program alone, and a watcher that ends it after this process, or subshell: which may become
# the program by exec, so that exit status, signals and input are the program's own.
start_xvfb() {
   local number tries shell
   need_scratch
   shell=$(exec sh -c 'echo $PPID') # $$ would be that of the whole script, also in a subshell
   number=$scratch/display
   rm -f "$number"
   setsid sh -c '
      exec 3>"$1"
      Xvfb -displayfd 3 -screen 0 1280x1024x24 -noreset -nolisten tcp >"$2" 2>&1 &
      exec 3>&-
      tail --pid="$3" -f /dev/null
      kill $!' sh "$number" "$log_dir/xvfb.log" "$shell" </dev/null >/dev/null 2>&1 &
   tries=0
   while [ ! -s "$number" ]; do
      tries=$((tries + 1))
      [ $tries -lt 200 ] ||
         die "Xvfb did not start within 10 seconds." "Its messages: $log_dir/xvfb.log"
      sleep 0.05
   done
   DISPLAY=:$(cat "$number")
   export DISPLAY
   say "using a private Xvfb at $DISPLAY, 1280x1024"
}
