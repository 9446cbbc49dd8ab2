#!/bin/sh
# SPDX-License-Identifier: MIT
# A guest as virglrenderer's test server has it: the guest's OpenGL is the system's Mesa, which hands over all that is
# drawn; the server draws it with the driver that this script is started with. Usage: guest.sh PROGRAM ARGUMENTS...
set -eu
socket=/tmp/.virgl_test   # there is but this one
virgl_test_server --use-egl-surfaceless &
server=$!
trap 'kill $server 2>/dev/null || :' EXIT
for _ in 1 2 3 4 5 6 7 8 9 10; do
   [ -S $socket ] && break
   sleep 0.5
done
env -u LD_LIBRARY_PATH -u GBM_BACKENDS_PATH -u CLIPFREE_DEBUG LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=virpipe "$@"
