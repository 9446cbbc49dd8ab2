/* SPDX-License-Identifier: MIT
 *
 * Checks that each extension an application may rely on is there and works, without a window.
 * `extension_checks NAME` runs one, prints the reason if it fails; `--list` lists them.
 */
#include "extension_checks.h"

#include <stdlib.h>
#include <string.h>

struct extension_functions gl;

static void
load_functions(void)
{
#define LOAD_FUNCTION(type, name)                                                                  \
   if (!(gl.name = (type)eglGetProcAddress("gl" #name)))                                           \
      die("there is no function gl" #name);
   EXTENSION_FUNCTIONS(LOAD_FUNCTION)
}

/* -------------------------------------------------------------------------------- what there is */

static bool
has_word(const char *words, const char *word)
{
   const size_t length = strlen(word);
   for (const char *at = words; at && (at = strstr(at, word)); at += length) {
      if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0))
         return true;
   }
   return false;
}

void
need_gl(const char *extension)
{
   if (!has_word((const char *)glGetString(GL_EXTENSIONS), extension))
      die("there is no %s", extension);
}

void
need_egl(EGLDisplay display, const char *extension)
{
   if (!has_word(eglQueryString(display, EGL_EXTENSIONS), extension))
      die("there is no %s", extension);
}

static void
find_counter(const char *name, GLuint *group, GLuint *counter)
{
   GLint groups = 0, counters = 0;
   GLuint group_ids[64], ids[64];
   char text[100];
   gl.GetPerfMonitorGroupsAMD(&groups, 64, group_ids);
   for (int g = 0; g < groups; g++) {
      GLint most;
      gl.GetPerfMonitorCountersAMD(group_ids[g], &counters, &most, 64, ids);
      for (int i = 0; i < counters; i++) {
         gl.GetPerfMonitorCounterStringAMD(group_ids[g], ids[i], sizeof(text), NULL, text);
         if (!strcmp(text, name)) {
            *group = group_ids[g];
            *counter = ids[i];
            return;
         }
      }
   }
   die("there is no counter %s", name);
}

void
counter_begin(struct counter *c, const char *name)
{
   need_gl("GL_AMD_performance_monitor");
   find_counter(name, &c->group, &c->counter);
   gl.GenPerfMonitorsAMD(1, &c->monitor);
   gl.SelectPerfMonitorCountersAMD(c->monitor, GL_TRUE, c->group, 1, &c->counter);
   gl.BeginPerfMonitorAMD(c->monitor);
}

uint64_t
counter_end(struct counter *c)
{
   GLuint data[8];
   GLsizei written = 0;
   uint64_t value;
   gl.EndPerfMonitorAMD(c->monitor);
   glFinish();
   gl.GetPerfMonitorCounterDataAMD(c->monitor, GL_PERFMON_RESULT_AMD, sizeof(data), data, &written);
   gl.DeletePerfMonitorsAMD(1, &c->monitor);
   no_error("asking for a counter");
   if (written != 16 || data[0] != c->group || data[1] != c->counter)
      die("%d bytes of counters", written);
   memcpy(&value, data + 2, sizeof(value));
   return value;
}

/* Each extension that programs need on an OpenGL ES 2.0 context is in the string. */
static void
check_promised(EGLDisplay display)
{
   static const char *const promised[] = {
      "GL_OES_EGL_image", "GL_OES_EGL_image_external", "GL_OES_compressed_ETC1_RGB8_texture", "GL_OES_depth24",
      "GL_OES_depth_texture", "GL_OES_depth_texture_cube_map", "GL_OES_element_index_uint", "GL_OES_fbo_render_mipmap",
      "GL_OES_get_program_binary", "GL_OES_mapbuffer", "GL_OES_packed_depth_stencil", "GL_OES_required_internalformat",
      "GL_OES_rgb8_rgba8", "GL_OES_standard_derivatives", "GL_OES_stencil8", "GL_OES_surfaceless_context",
      "GL_OES_texture_3D", "GL_OES_texture_float", "GL_OES_texture_float_linear", "GL_OES_texture_half_float",
      "GL_OES_texture_half_float_linear", "GL_OES_texture_npot", "GL_OES_vertex_array_object",
      "GL_OES_vertex_half_float", "GL_EXT_blend_minmax", "GL_EXT_color_buffer_half_float", "GL_EXT_discard_framebuffer",
      "GL_EXT_disjoint_timer_query", "GL_EXT_draw_buffers", "GL_EXT_draw_instanced", "GL_EXT_instanced_arrays",
      "GL_EXT_frag_depth", "GL_EXT_map_buffer_range", "GL_EXT_multi_draw_arrays", "GL_EXT_occlusion_query_boolean",
      "GL_EXT_read_format_bgra", "GL_EXT_robustness", "GL_EXT_sRGB", "GL_EXT_shader_texture_lod", "GL_EXT_shadow_samplers",
      "GL_EXT_texture_compression_s3tc", "GL_EXT_texture_compression_dxt1", "GL_EXT_texture_filter_anisotropic",
      "GL_EXT_texture_format_BGRA8888", "GL_EXT_texture_rg", "GL_EXT_texture_storage", "GL_EXT_unpack_subimage",
      "GL_KHR_debug", "GL_KHR_robustness", "GL_KHR_robust_buffer_access_behavior", "GL_KHR_no_error",
      "GL_NV_framebuffer_blit",
   };
   context_create(display, EGL_NO_CONTEXT);
   for (size_t i = 0; i < sizeof(promised) / sizeof(promised[0]); i++)
      need_gl(promised[i]);
}

/* Limits that programs were seen to ask for. */
static void
check_limits(EGLDisplay display)
{
   static const struct {
      const char *what;
      GLenum name;
      int least;
   } limits[] = {
      { "texture size", GL_MAX_TEXTURE_SIZE, 8192 },
      { "cube map size", GL_MAX_CUBE_MAP_TEXTURE_SIZE, 8192 },
      { "render buffer size", GL_MAX_RENDERBUFFER_SIZE, 8192 },
      { "attributes", GL_MAX_VERTEX_ATTRIBS, 16 },
      { "varyings", GL_MAX_VARYING_VECTORS, 16 },
      { "samplers of a fragment shader", GL_MAX_TEXTURE_IMAGE_UNITS, 16 },
      { "samplers of a vertex shader", GL_MAX_VERTEX_TEXTURE_IMAGE_UNITS, 16 },
      { "uniforms of a vertex shader", GL_MAX_VERTEX_UNIFORM_VECTORS, 256 },
      { "uniforms of a fragment shader", GL_MAX_FRAGMENT_UNIFORM_VECTORS, 256 },
   };
   context_create(display, EGL_NO_CONTEXT);
   for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
      GLint value = 0;
      glGetIntegerv(limits[i].name, &value);
      if (value < limits[i].least)
         die("%s: %d, not at least %d", limits[i].what, value, limits[i].least);
   }
   GLfloat point_px[2], line_px[2];
   glGetFloatv(GL_ALIASED_POINT_SIZE_RANGE, point_px);
   glGetFloatv(GL_ALIASED_LINE_WIDTH_RANGE, line_px);
   if (point_px[1] < 64 || line_px[1] < 8)
      die("points to %g, lines to %g pixels", point_px[1], line_px[1]);
   GLint range[2], precision;
   glGetShaderPrecisionFormat(GL_FRAGMENT_SHADER, GL_HIGH_FLOAT, range, &precision);
   if (range[0] < 126 || range[1] < 126 || precision < 23)
      die("highp float in fragments: 2^-%d to 2^%d, %d bits", range[0], range[1], precision);
}

/* ------------------------------------------------------------------------------------- messages */

static char message_text[1 << 16];
static size_t message_text_B;

static void GL_APIENTRY
note_message(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
             const GLchar *message, const void *user)
{
   (void)source, (void)type, (void)id, (void)severity, (void)length, (void)user;
   const size_t room_B = sizeof(message_text) - message_text_B;
   const int written = snprintf(message_text + message_text_B, room_B, "%s\n", message);
   message_text_B += written > 0 && (size_t)written < room_B ? (size_t)written : 0;
}

void
messages_begin(void)
{
   message_text_B = 0;
   message_text[0] = 0;
   glEnable(GL_DEBUG_OUTPUT_KHR);
   glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS_KHR);
   gl.DebugMessageControlKHR(GL_DONT_CARE, GL_DONT_CARE, GL_DONT_CARE, 0, NULL, GL_TRUE);
   gl.DebugMessageCallbackKHR(note_message, NULL);
}

const char *
messages_text(void)
{
   return message_text;
}

/* -------------------------------------------------------------------------------------- the run */

static const struct check general_checks[] = {
   { "promised", check_promised },
   { "limits", check_limits },
   { NULL, NULL },
};

static const struct check *const tables[] = {
   general_checks,    program_checks, query_checks, buffer_checks,  draw_checks,
   robustness_checks, debug_checks,   egl_checks,   egl_api_checks, framebuffer_checks,
   texture_checks,    thread_checks,  reuse_checks,
};

int
main(int argc, char **argv)
{
   const char *wanted = argc == 2 ? argv[1] : "";
   for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
      for (const struct check *check = tables[t]; check->name; check++) {
         if (!strcmp(wanted, "--list"))
            printf("%s\n", check->name);
         else if (!strcmp(wanted, check->name)) {
            load_functions();
            check->run(display_open());
            return 0;
         }
      }
   }
   if (!strcmp(wanted, "--list"))
      return 0;
   printf("usage: extension_checks --list | NAME\n");
   return 2;
}
