/* SPDX-License-Identifier: MIT
 *
 * A program that takes steps, each a word of its command line, in their order: it draws off screen
 * under what its host refuses. It ends with the first that fails. Some steps have a number: draw=1.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "confine.h"
#include "gles2_context.h"
#include "trust_fork.h"
#include "trust_picture.h"

static EGLDisplay display;

/* Where the suite reads what was drawn: the file TRUST_REPORT, or standard output, which may be
 * closed. With a buffer: else one is made later, which takes system calls. */
static FILE *report;

static void
open_report(void)
{
   static char buffer[BUFSIZ];
   const char *path = getenv("TRUST_REPORT");
   const int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
   report = path ? fdopen(fcntl(file, F_DUPFD, STDERR_FILENO + 1), "w") : stdout;
   if (file >= 0)
      close(file);
   if (!report)
      exit(3);
   setvbuf(report, buffer, _IOLBF, sizeof(buffer));
}

static void
say_picture(uint64_t hash)
{
   fprintf(report, "picture %016llx\n", (unsigned long long)hash);
   fflush(report);
}

/* Load all libraries that open_context needs. */
static void
load_libraries(void)
{
   eglTerminate(display_open());
}

static void
open_context(void)
{
   display = display_open();
   context_create(display, EGL_NO_CONTEXT);
}

/* The GPU goes; another one is made when the display is opened again. */
static void
close_display(void)
{
   eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglTerminate(display);
}

static void
draw(unsigned number)
{
   say_picture(picture_draw(number));
}

static void
draw_again(void)
{
   say_picture(picture_draw_again());
}

static void *
function_named(const char *name)
{
   void *found = (void *)eglGetProcAddress(name);
   if (!found)
      die("there is no %s", name);
   return found;
}

/* What OpenGL 2.1 leaves to Mesa: feedback, whose vertices Mesa itself converts. */
static void
draw_for_feedback(void)
{
   static const GLenum feedback = 0x1c01, render = 0x1c00, xyz = 0x0601;
   float buffer[64];
   context_create_desktop(display, EGL_NO_CONTEXT);
   struct target target = target_create(16, 16);
   ((void (*)(GLsizei, GLenum, GLfloat *))function_named("glFeedbackBuffer"))(64, xyz, buffer);
   GLint (*mode)(GLenum) = (GLint(*)(GLenum))function_named("glRenderMode");
   void (*vertex)(float, float) = (void (*)(float, float))function_named("glVertex2f");
   mode(feedback);
   ((void (*)(GLenum))function_named("glBegin"))(GL_TRIANGLES);
   vertex(-0.5f, -0.5f);
   vertex(0.5f, -0.5f);
   vertex(0, 0.5f);
   ((void (*)(void))function_named("glEnd"))();
   const GLint values = mode(render);
   if (values != 2 + 3 * 3)
      die("feedback of a triangle has %d values", values);
   target_delete(&target);
}

/* No mapping of this process is writable and executable. */
static void
look_at_maps(void)
{
   char line[512];
   unsigned mappings = 0;
   FILE *maps = fopen("/proc/self/maps", "r");
   while (maps && fgets(line, sizeof(line), maps)) {
      char rights[5];
      mappings += sscanf(line, "%*s %4s", rights) == 1;
      if (rights[1] == 'w' && rights[2] == 'x')
         die("writable and executable: %s", line);
   }
   if (mappings < 20)
      die("/proc/self/maps cannot be read");
   fclose(maps);
}

/* What a sandbox may ask for: this process has one thread, and no open folder. */
static void
look_for_one_thread(void)
{
   struct stat status;
   unsigned threads = 0;
   DIR *tasks = opendir("/proc/self/task");
   for (struct dirent *entry; tasks && (entry = readdir(tasks));)
      threads += entry->d_name[0] != '.';
   if (!tasks || closedir(tasks) || threads != 1)
      die("there are %u threads", threads);
   for (int fd = 0; fd < 1000; fd++) {
      if (!fstat(fd, &status) && S_ISDIR(status.st_mode))
         die("descriptor %d is a folder", fd);
   }
}

static void
look_for_compiler(void)
{
   char line[512];
   bool found = false;
   FILE *maps = fopen("/proc/self/maps", "r");
   while (maps && fgets(line, sizeof(line), maps))
      found |= strstr(line, "libLLVM") != NULL;
   if (!found)
      die("the compiler is not loaded");
   fclose(maps);
}

static const struct {
   const char *name;
   void (*take)(void);
   void (*take_number)(unsigned number); /* instead, of a step that has one */
} steps[] = {
   { "load", .take = load_libraries },
   { "open", .take = open_context },
   { "close", .take = close_display },
   { "draw", .take_number = draw },
   { "draw-again", .take = draw_again },
   { "feedback", .take = draw_for_feedback },
   { "maps", .take = look_at_maps },
   { "one-thread", .take = look_for_one_thread },
   { "compiler", .take = look_for_compiler },
   { "fork", .take_number = fork_while_drawing },
   { "kill-writable-code", .take = kill_writable_code },
   { "refuse-code-in-memory", .take = refuse_code_in_memory },
   { "refuse-executable-gain", .take = refuse_executable_gain },
   { "refuse-all-code", .take = refuse_all_code },
   { "refuse-threads", .take = refuse_threads },
   { "refuse-files", .take = refuse_files },
   { "allow-few", .take = allow_few },
   { "print-allowed", .take = print_allowed },
};

static void
take(const char *step)
{
   const size_t length = strcspn(step, "=");
   const unsigned number = step[length] ? (unsigned)strtoul(step + length + 1, NULL, 10) : 0;
   for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
      if (!strncmp(steps[i].name, step, length) && !steps[i].name[length]) {
         if (steps[i].take)
            steps[i].take();
         else
            steps[i].take_number(number);
         return;
      }
   }
   die("there is no step '%s'", step);
}

int
main(int argc, char **argv)
{
   open_report();
   for (int i = 1; i < argc; i++)
      take(argv[i]);
   return 0;
}
