/* SPDX-License-Identifier: MIT
 *
 * Checks of OpenGL 2.1:  desktop_checks --list | NAME. desktop_checks.h says what they have in
 * common.
 */
#include "desktop_checks.h"

#include <stdarg.h>
#include <string.h>

unsigned
random_below(uint64_t *seed, unsigned limit)
{
   *seed = *seed * 6364136223846793005u + 1442695040888963407u;
   return (unsigned)((*seed >> 33) % limit);
}

static GLuint
compile(GLenum stage, const char *source)
{
   const GLuint shader = glCreateShader(stage);
   GLint compiled;
   char log[1000] = "";
   glShaderSource(shader, 1, &source, NULL);
   glCompileShader(shader);
   glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
   glGetShaderInfoLog(shader, sizeof(log), NULL, log);
   if (!compiled)
      die("shader: %s", log);
   return shader;
}

GLuint
use_shaders(const char *vertex, const char *fragment)
{
   const GLuint program = glCreateProgram();
   GLint linked;
   if (vertex)
      glAttachShader(program, compile(GL_VERTEX_SHADER, vertex));
   if (fragment)
      glAttachShader(program, compile(GL_FRAGMENT_SHADER, fragment));
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &linked);
   if (!linked)
      die("a program does not link");
   glUseProgram(program);
   return program;
}

void
check_window(const char *what, void (*expected)(int x, int y, double rgb[3]), double lsb)
{
   uint8_t *pixels = window_read(SIZE_PX, SIZE_PX);
   for (int y = 0; y < SIZE_PX; y++)
      for (int x = 0; x < SIZE_PX; x++) {
         double rgb[3];
         expected(x, y, rgb);
         expect_rgb(pixel_at(pixels, SIZE_PX, x, y), what, x, y, rgb[0], rgb[1], rgb[2], lsb);
      }
   free(pixels);
}

const char *const list_uses[3] = { " without a list", " by a list",
                                   " by a list while it is compiled" };

void
list_begin(enum list_use use)
{
   if (use != LIST_NONE)
      glNewList(1, use == LIST_CALLED ? GL_COMPILE : GL_COMPILE_AND_EXECUTE);
}

void
list_end(enum list_use use)
{
   if (use != LIST_NONE)
      glEndList();
   if (use == LIST_CALLED)
      glCallList(1);
}

void
count_fragments(void)
{
   glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
   glEnable(GL_STENCIL_TEST);
   glStencilFunc(GL_ALWAYS, 0, 0xff);
   glStencilOp(GL_INCR_WRAP, GL_INCR_WRAP, GL_INCR_WRAP);
   glClear(GL_STENCIL_BUFFER_BIT);
}

uint8_t *
fragment_counts(void)
{
   uint8_t *counts = malloc(SIZE_PX * SIZE_PX);
   glReadPixels(0, 0, SIZE_PX, SIZE_PX, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, counts);
   glClear(GL_STENCIL_BUFFER_BIT);
   no_error("reading stencil values");
   return counts;
}

void
compare_counts(const uint8_t *expected, const char *what, ...)
{
   uint8_t *counts = fragment_counts();
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
      if (counts[i] != expected[i]) {
         va_list names;
         va_start(names, what);
         vprintf(what, names);
         va_end(names);
         die(": pixel (%d, %d) has %d fragments, modulo 256, not %d", i % SIZE_PX, i / SIZE_PX,
             counts[i], expected[i]);
      }
   free(counts);
}

static const struct check {
   const char *name;
   void (*run)(void);
} checks[] = {
   { "array-layers", check_array_layers },
   { "array-comparison", check_array_comparison },
   { "begin-attributes", check_begin_attributes },
   { "begin-incomplete", check_begin_incomplete },
   { "begin-feedback", check_begin_feedback },
   { "begin-buffers", check_begin_buffers },
   { "begin-long", check_begin_long },
   { "begin-huge", check_begin_huge },
   { "begin-out-of-memory", check_begin_out_of_memory },
   { "list-arrays", check_list_arrays },
   { "list-current", check_list_current },
   { "list-state", check_list_state },
   { "list-cycles", check_list_cycles },
   { "evaluated-current", check_evaluated_current },
   { "clip-planes", check_clip_planes },
   { "clip-vertex", check_clip_vertex },
   { "clip-ties", check_clip_ties },
   { "clip-samples", check_clip_samples },
   { "depth-clamp", check_depth_clamp },
   { "fog", check_fog },
   { "colour-sum", check_colour_sum },
   { "two-sides", check_two_sides },
   { "shininess-zero", check_shininess_zero },
   { "polygon-modes", check_polygon_modes },
   { "point-parameters", check_point_parameters },
   { "program-point-size", check_program_point_size },
   { "accumulation", check_accumulation },
   { "occlusion-count", check_occlusion_count },
   { "conditional-rendering", check_conditional_rendering },
   { "primitive-numbers", check_primitive_numbers },
   { "pixel-zoom", check_pixel_zoom },
   { "compressed-reads", check_compressed_reads },
   { "depth-stencil-pixels", check_depth_stencil_pixels },
   { "pixels-zoomed-far", check_pixels_zoomed_far },
   { "pixels-again", check_pixels_again },
   { "accumulation-operations", check_accumulation_operations },
   { "rectangle-texture", check_rectangle_texture },
   { "one-dimension", check_one_dimension },
   { "three-dimensions", check_three_dimensions },
   { "texture-environment", check_texture_environment },
   { "srgb", check_srgb },
   { "float-texture", check_float_texture },
   { "blit", check_blit },
   { "seamless", check_seamless },
   { "selection", check_selection },
   { "feedback", check_feedback },
   { "raster-position", check_raster_position },
   { "front-buffer", check_front_buffer },
   { "single-buffer", check_single_buffer },
   { "two-windows", check_two_windows },
   { "front-elsewhere", check_front_elsewhere },
   { "read-drawable", check_read_drawable },
   { "copy-context", check_copy_context },
   { "drawable-errors", check_drawable_errors },
};

int
main(int argc, char **argv)
{
   const size_t count = sizeof(checks) / sizeof(checks[0]);
   if (argc == 2 && strcmp(argv[1], "--list") == 0) {
      for (size_t i = 0; i < count; i++)
         printf("%s\n", checks[i].name);
      return 0;
   }
   for (size_t i = 0; argc == 2 && i < count; i++)
      if (strcmp(argv[1], checks[i].name) == 0) {
         window_open(SIZE_PX, SIZE_PX);
         glViewport(0, 0, SIZE_PX, SIZE_PX);
         checks[i].run();
         no_error("at the end");
         return 0;
      }
   printf("usage: %s --list | NAME\n", argv[0]);
   return 2;
}
