/* SPDX-License-Identifier: MIT */
#include "texture_draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool
has_extension(const char *name)
{
   const size_t length = strlen(name);
   for (const char *at = (const char *)glGetString(GL_EXTENSIONS); (at = strstr(at, name));
        at += length) {
      if (at[length] == ' ' || at[length] == 0)
         return true;
   }
   return false;
}

const struct gl_ext *
gl_ext(void)
{
   static struct gl_ext functions;
#define EXTENSION_FUNCTION(name, type) functions.name = (type)eglGetProcAddress("gl" #name);
   if (!functions.TexImage3DOES) {
      EXTENSION_FUNCTIONS(EXTENSION_FUNCTION)
   }
#undef EXTENSION_FUNCTION
   return &functions;
}

/* --------------------------------------------------------------------------------------- canvas */

struct tex_canvas
tex_canvas_create(int width_px, int height_px)
{
   struct tex_canvas canvas = { .width_px = width_px, .height_px = height_px };
   glGenFramebuffers(1, &canvas.framebuffer);
   glGenRenderbuffers(1, &canvas.renderbuffer);
   glBindRenderbuffer(GL_RENDERBUFFER, canvas.renderbuffer);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8_OES, width_px, height_px);
   glBindFramebuffer(GL_FRAMEBUFFER, canvas.framebuffer);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                             canvas.renderbuffer);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      die("a framebuffer of RGBA8, %d x %d, is not complete", width_px, height_px);
   tex_canvas_bind(&canvas);
   glClear(GL_COLOR_BUFFER_BIT);
   return canvas;
}

struct tex_canvas
tex_canvas_create_pbuffer(int width_px, int height_px)
{
   target_create_pbuffer(eglGetCurrentDisplay(), width_px, height_px);
   return (struct tex_canvas){ .width_px = width_px, .height_px = height_px };
}

void
tex_canvas_bind(const struct tex_canvas *canvas)
{
   glBindFramebuffer(GL_FRAMEBUFFER, canvas->framebuffer);
   glViewport(0, 0, canvas->width_px, canvas->height_px);
}

void
tex_canvas_delete(struct tex_canvas *canvas)
{
   glDeleteFramebuffers(1, &canvas->framebuffer);
   glDeleteRenderbuffers(1, &canvas->renderbuffer);
}

/* ------------------------------------------------------------------------------------- programs */

static const char lookup_vertex[] =
   "attribute highp vec4 position, coordinate; varying highp vec4 v;\n"
   "void main() { gl_Position = position; v = coordinate; }\n";

static const struct {
   const char *sampler, *call, *extension;
} lookups[LOOKUP_COUNT] = {
   [LOOKUP_2D] = { "sampler2D", "texture2D(image, v.xy)", NULL },
   [LOOKUP_2D_BIAS] = { "sampler2D", "texture2D(image, v.xy, lod)", NULL },
   [LOOKUP_2D_PROJ3] = { "sampler2D", "texture2DProj(image, v.xyw)", NULL },
   [LOOKUP_2D_PROJ4] = { "sampler2D", "texture2DProj(image, v)", NULL },
   [LOOKUP_2D_PROJ_BIAS] = { "sampler2D", "texture2DProj(image, v, lod)", NULL },
   [LOOKUP_2D_LOD] = { "sampler2D", "texture2DLodEXT(image, v.xy, lod)",
                       "GL_EXT_shader_texture_lod" },
   [LOOKUP_CUBE] = { "samplerCube", "textureCube(image, v.xyz)", NULL },
   [LOOKUP_CUBE_BIAS] = { "samplerCube", "textureCube(image, v.xyz, lod)", NULL },
   [LOOKUP_CUBE_LOD] = { "samplerCube", "textureCubeLodEXT(image, v.xyz, lod)",
                         "GL_EXT_shader_texture_lod" },
   [LOOKUP_3D] = { "sampler3D", "texture3D(image, v.xyz)", "GL_OES_texture_3D" },
   [LOOKUP_3D_BIAS] = { "sampler3D", "texture3D(image, v.xyz, lod)", "GL_OES_texture_3D" },
};

GLuint
program_link(const char *vertex, const char *fragment)
{
   return program_link_attributes(vertex, fragment,
                                  (const char *const[]){ "position", "coordinate", NULL });
}

bool
lookup_supported(enum lookup_kind kind)
{
   return !lookups[kind].extension || has_extension(lookups[kind].extension);
}

bool
lookup_is_projective(enum lookup_kind kind)
{
   return kind == LOOKUP_2D_PROJ3 || kind == LOOKUP_2D_PROJ4 || kind == LOOKUP_2D_PROJ_BIAS;
}

void
lookup_use(enum lookup_kind kind, float lod)
{
   static GLuint programs[LOOKUP_COUNT];
   if (!programs[kind]) {
      char fragment[600], extension[100] = "";
      if (lookups[kind].extension)
         snprintf(extension, sizeof(extension), "#extension %s : require\n",
                  lookups[kind].extension);
      snprintf(fragment, sizeof(fragment),
               "%sprecision highp float; precision highp %s;\n"
               "uniform %s image; uniform float lod; varying vec4 v;\n"
               "void main() { gl_FragColor = %s; }\n",
               extension, lookups[kind].sampler, lookups[kind].sampler, lookups[kind].call);
      programs[kind] = program_link(lookup_vertex, fragment);
   }
   glUseProgram(programs[kind]);
   glUniform1f(glGetUniformLocation(programs[kind], "lod"), lod);
}

/* -------------------------------------------------------------------------------------- drawing */

void
show_only_level(GLenum target, int level)
{
   if (!has_extension("GL_APPLE_texture_max_level"))
      rules_skip("no GL_APPLE_texture_max_level");
   glTexParameteri(target, GL_TEXTURE_MAX_LEVEL_APPLE, level);
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

void
draw_lookup(const struct affine coordinate[4], const struct affine *w_divisor, int width_px,
            int height_px)
{
   float vertices[4][8];
   for (int i = 0; i < 4; i++) {
      const int x = i & 1, y = i >> 1;
      const double w =
         1 / (w_divisor->c + w_divisor->dx * x * width_px + w_divisor->dy * y * height_px);
      const double position[4] = { (2 * x - 1) * w, (2 * y - 1) * w, 0, w };
      for (int c = 0; c < 4; c++) {
         const struct affine *f = &coordinate[c];
         vertices[i][c] = (float)position[c];
         vertices[i][4 + c] = (float)((f->c + f->dx * x * width_px + f->dy * y * height_px) * w);
      }
   }
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof(*vertices), vertices[0]);
   glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, sizeof(*vertices), vertices[0] + 4);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

void
draw_whole_texture(void)
{
   const struct affine coordinate[4] = { { .dx = 1 }, { .dy = 1 } }, one = { .c = 1 };
   draw_lookup(coordinate, &one, 1, 1);
}

void
face_directions(int face, int width_px, int height_px, struct affine direction[3])
{
   /* table 3.10 solved for the direction: the major axis is +-1, sc = 2 s - 1 and tc = 2 t - 1 */
   const struct affine sc = { -1, 2.0 / width_px, 0 }, tc = { -1, 0, 2.0 / height_px };
   static const struct {
      int s, t, m;
      double s_sign, t_sign;
   } table[6] = { { 2, 1, 0, -1, -1 }, { 2, 1, 0, 1, -1 }, { 0, 2, 1, 1, 1 },
                  { 0, 2, 1, 1, -1 },  { 0, 1, 2, 1, -1 }, { 0, 1, 2, -1, -1 } };
   const double ss = table[face].s_sign, ts = table[face].t_sign;
   direction[table[face].s] = (struct affine){ ss * sc.c, ss * sc.dx, ss * sc.dy };
   direction[table[face].t] = (struct affine){ ts * tc.c, ts * tc.dx, ts * tc.dy };
   direction[table[face].m] = (struct affine){ face % 2 ? -1 : 1, 0, 0 };
}

uint8_t *
random_level(struct rules *r, const struct image_format *format, struct ref_level *level, int width,
             int height, int depth)
{
   ref_level_create(level, width, height, depth);
   const size_t texels = (size_t)width * height * depth, pixel_B = (size_t)format->pixel_B;
   uint8_t *bytes = malloc(texels * pixel_B);
   for (size_t i = 0; i < texels; i++) {
      format_random_pixel(r, format, bytes + i * pixel_B);
      format->decode(bytes + i * pixel_B, level->texel[i]);
   }
   return bytes;
}

void
expect_texels(struct rules *r, int width_px, int height_px, double (*texel)[4], double lsb,
              const char *what)
{
   uint8_t *pixels = rules_read(r, width_px, height_px);
   for (int i = 0; i < 4 * width_px * height_px; i++) {
      const double wanted = 255 * fmin(fmax(texel[i / 4][i % 4], 0), 1);
      if (fabs(pixels[i] - wanted) > lsb)
         rules_fail(r, "%s, %d x %d: channel %d of pixel (%d, %d) is %d, not %.3f", what, width_px,
                    height_px, i % 4, i / 4 % width_px, i / 4 / width_px, pixels[i], wanted);
   }
   free(pixels);
}
