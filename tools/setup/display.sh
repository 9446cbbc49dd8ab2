# SPDX-License-Identifier: MIT
#
# A display to draw on: the user's, or a private Xvfb that ends with this process.

# need_display: makes sure that programs find a display; sets private_display where it is a private one.
need_display() {
   private_display=
   [ -z "${WAYLAND_DISPLAY:-}" ] || return 0
   if [ -n "${DISPLAY:-}" ]; then
      timeout 10 xdpyinfo >/dev/null 2>&1 && return
      say "the display $DISPLAY does not answer"
   fi
   start_xvfb
   private_display=yes
}

# Xvfb without -noreset resets when its last client leaves, and the next one may fail. It gets a session of its own,
# so that Ctrl-C reaches the program alone, and a watcher that ends it after this process: which may become the
# program by exec, so that exit status, signals and input are the program's own.
start_xvfb() {
   local number tries
   number=$(mktemp)
   setsid sh -c '
      exec 3>"$1"
      Xvfb -displayfd 3 -screen 0 1280x1024x24 -noreset -nolisten tcp >"$2" 2>&1 &
      exec 3>&-
      tail --pid="$3" -f /dev/null
      kill $!' sh "$number" "$log_dir/xvfb.log" $$ </dev/null >/dev/null 2>&1 &
   tries=0
   while [ ! -s "$number" ]; do
      tries=$((tries + 1))
      [ $tries -lt 200 ] ||
         die "Xvfb did not start within 10 seconds." "Its messages: $log_dir/xvfb.log"
      sleep 0.05
   done
   DISPLAY=:$(cat "$number")
   export DISPLAY
   rm -f "$number"
   say "no display found: using a private Xvfb at $DISPLAY, 1280x1024"
}
