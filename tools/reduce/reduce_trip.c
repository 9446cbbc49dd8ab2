/* SPDX-License-Identifier: MIT */
#include "reduce_trip.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reduce_gles.h"

/* Exit statuses of the script. */
enum { NOT_COMPILED = 2, NOT_RUN = 3, UNDEFINED = 4 };

/* $1 is the folder of the program, $2 that of clipfree's libraries. Mesa warns of variables that
 * are read before they are written: such a program is not simpler but worse. */
static const char script[] =
   "cd \"$1\" && rm -f drawn.cap\n"
   "${CC:-cc} -w -o picture picture.c -L\"$2\" -Xlinker -rpath-link -Xlinker \"$2\" -lEGL"
   " -lGLESv2 || exit 2\n"
   "export LD_LIBRARY_PATH=\"$2\" LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=clipfree\n"
   "export MESA_SHADER_CACHE_DISABLE=true CLIPFREE_CAPTURE=file=drawn.cap,count=1000000\n"
   "./picture picture.ppm 2>log || { cat log >&2; exit 3; }\n"
   "cat log >&2\n"
   "! grep -qE 'used uninitialized|not written by' log || exit 4\n";

static const char *const files[] = { "picture.c", "picture", "picture.ppm", "log", "drawn.cap" };

void
reduce_trip_clean(const char *folder)
{
   char path[PATH_MAX];
   for (uint32_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
      snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
      unlink(path);
   }
}

/* The folder of the driver's libraries: beside that of the tools. False: they are not there. */
static bool
find_libraries(char folder[PATH_MAX])
{
   char library[PATH_MAX];
   const ssize_t length = readlink("/proc/self/exe", library, sizeof(library) - 1);
   library[length > 0 ? length : 0] = 0;
   for (uint32_t up = 0; up < 2 && strchr(library, '/'); up++)
      *strrchr(library, '/') = 0;
   const int end = snprintf(folder, PATH_MAX, "%s/lib", library);
   return end > 0 && end < PATH_MAX - 16 &&
          snprintf(library, sizeof(library), "%.*s/libEGL.so", end, folder) > 0 &&
          access(library, R_OK) == 0;
}

/* Write the program. */
static bool
write_program(struct reduce_trial *trial, const struct reduce_case *c, char *error, size_t error_B)
{
   char path[PATH_MAX];
   json_t *lost = json_array();
   snprintf(path, sizeof(path), "%s/picture.c", trial->folder);
   FILE *file = reduce_case_save(c, trial->file) ? fopen(path, "w") : NULL;
   bool ok = file && reduce_gles_write(trial->file, file, lost, error, error_B);
   if (!file || (fclose(file) != 0 && ok)) {
      snprintf(error, error_B, "cannot write %s: %s", path, strerror(errno));
      ok = false;
   }
   json_decref(lost);
   return ok;
}

/* Why the script failed. */
static void
explain(int status, char *error, size_t error_B)
{
   const char *compiler = getenv("CC") ? getenv("CC") : "cc";
   if (status == NOT_COMPILED)
      snprintf(error, error_B,
               "%s does not compile the program in C; --verbose shows what it prints. It needs the "
               "headers of EGL and OpenGL ES 2.0 (Debian: gcc libc6-dev libegl-dev libgles-dev); "
               "CC names another compiler",
               compiler);
   else if (status == NOT_RUN)
      snprintf(error, error_B,
               "the program in C does not run to its end on clipfree's driver; --verbose shows "
               "what it prints");
   else
      snprintf(error, error_B, "the program in C does not end in order, or in time (--limit)");
}

struct reduce_case *
reduce_trip(struct reduce_trial *trial, const struct reduce_case *c, char *error, size_t error_B)
{
   char libraries[PATH_MAX], drawn[PATH_MAX];
   if (!find_libraries(libraries)) {
      snprintf(error, error_B,
               "clipfree's driver, which draws what simpler GLSL makes, is not in %s: it needs a "
               "build with Mesa (./clipfree setup)",
               libraries);
      return NULL;
   }
   if (!write_program(trial, c, error, error_B))
      return NULL;
   const int status = reduce_run_script(trial, script, trial->folder, libraries);
   if (!trial->proved && status == UNDEFINED)
      trial->may_be_undefined = true;
   if (status != 0 && !(status == UNDEFINED && trial->may_be_undefined)) {
      explain(status, error, error_B);
      return NULL;
   }
   snprintf(drawn, sizeof(drawn), "%s/drawn.cap", trial->folder);
   return reduce_case_load(drawn, error, error_B);
}
