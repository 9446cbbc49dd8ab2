/* SPDX-License-Identifier: MIT
 *
 * Array textures of one and of two dimensions (EXT_texture_array). In the window's columns of 4
 * pixels the layer coordinate goes from -1.5 to 6 in halves; in its rows of 16 pixels the level of
 * detail from 0 to 3, by a bias or by the size of steps between pixels.
 */
#include "desktop_checks.h"

#define LAYERS 5
#define LEVELS 4
#define WIDTH_PX 8
#define HEIGHT_PX 16

#define HEAD                                              \
   "#extension GL_EXT_texture_array : require\n"          \
   "uniform sampler image;\n"                             \
   "void main() {\n"                                      \
   "   float level = floor(gl_FragCoord.y / 16.0);\n"     \
   "   float layer = floor(gl_FragCoord.x / 4.0) * 0.5 - 1.5;\n" \
   "   vec2 at = gl_FragCoord.xy / vec2(8.0, 16.0), far = at * exp2(level);\n"

/* A kind of array texture, how it is looked up with the level by a bias, if there is that, and with
 * it by the distance of pixels. */
static const struct kind {
   GLenum target;
   int height_px;
   const char *color, *shadow;
} kinds[] = {
   { GL_TEXTURE_1D_ARRAY, 1,
     "#define sampler sampler1DArray\n" HEAD "gl_FragColor = texture1DArray(image, vec2(at.x, layer), level); }",
     "#define sampler sampler1DArrayShadow\n" HEAD "gl_FragColor = shadow1DArray(image, vec3(at.x, layer, 0.5), level); }" },
   { GL_TEXTURE_2D_ARRAY, HEIGHT_PX,
     "#define sampler sampler2DArray\n" HEAD "gl_FragColor = texture2DArray(image, vec3(far, layer)); }",
     "#define sampler sampler2DArrayShadow\n" HEAD "gl_FragColor = shadow2DArray(image, vec4(far, layer, 0.5)); }" },
};

/* Section 3.8.8: max(0, min(layers - 1, floor(coordinate + 0.5))). */
static int
layer_of(int x)
{
   const double coordinate = 0.5 * (x / 4) - 1.5;
   const int rounded = coordinate < 0 ? 0 : (int)(coordinate + 0.5);
   return rounded < LAYERS ? rounded : LAYERS - 1;
}

static int
level_of(int y)
{
   return y / 16;
}

static int
minify(int size, int level)
{
   return size >> level ? size >> level : 1;
}

static GLuint
new_array(const struct kind *kind, GLint internal_format, GLenum format)
{
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(kind->target, texture);
   glTexParameteri(kind->target, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
   glTexParameteri(kind->target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glTexParameteri(kind->target, GL_TEXTURE_MAX_LEVEL, LEVELS - 1);
   for (int level = 0; level < LEVELS; level++) {
      const int width = minify(WIDTH_PX, level), height = minify(kind->height_px, level);
      if (kind->target == GL_TEXTURE_1D_ARRAY)
         glTexImage2D(kind->target, level, internal_format, width, LAYERS, 0, format, GL_FLOAT,
                      NULL);
      else
         glTexImage3D(kind->target, level, internal_format, width, height, LAYERS, 0, format,
                      GL_FLOAT, NULL);
   }
   return texture;
}

/* One layer of a level of the bound texture: every texel is the `channels` numbers of `value`. */
static void
upload(const struct kind *kind, int level, int layer, GLenum format, int channels,
       const float *value)
{
   static float texels[4 * WIDTH_PX * HEIGHT_PX];
   const int width = minify(WIDTH_PX, level), height = minify(kind->height_px, level);
   for (int i = 0; i < channels * width * height; i++)
      texels[i] = value[i % channels];
   if (kind->target == GL_TEXTURE_1D_ARRAY)
      glTexSubImage2D(kind->target, level, 0, layer, width, 1, format, GL_FLOAT, texels);
   else
      glTexSubImage3D(kind->target, level, 0, 0, layer, width, height, 1, format, GL_FLOAT, texels);
}

static void
draw(const char *fragment)
{
   use_shaders(NULL, fragment);
   window_in_pixels(SIZE_PX, SIZE_PX);
   glRectf(0, 0, SIZE_PX, SIZE_PX);
}

/* ---- colours ----
 * One for a layer of a level. Odd layers get it by upload, even ones by clearing a frame buffer. */

static void
layer_rgb(int x, int y, double rgb[3])
{
   rgb[0] = 51 * layer_of(x);
   rgb[1] = 85 * level_of(y);
   rgb[2] = 0;
}

static void
render(GLuint texture, int level, int layer, const float color[4])
{
   glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, level, layer);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      die("layer %d of level %d cannot be rendered to", layer, level);
   glClearColor(color[0], color[1], color[2], color[3]);
   glClear(GL_COLOR_BUFFER_BIT);
}

void
check_array_layers(void)
{
   GLuint framebuffer;
   glGenFramebuffers(1, &framebuffer);
   for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
      const GLuint texture = new_array(&kinds[k], GL_RGBA8, GL_RGBA);
      glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
      for (int i = 0; i < LAYERS * LEVELS; i++) {
         const int layer = i % LAYERS, level = i / LAYERS;
         const float color[4] = { (float)layer / 5, (float)level / 3, 0, 1 };
         if (layer % 2)
            upload(&kinds[k], level, layer, GL_RGBA, 4, color);
         else
            render(texture, level, layer, color);
      }
      glBindFramebuffer(GL_FRAMEBUFFER, 0);
      draw(kinds[k].color);
      check_window("layers", layer_rgb, 0);
   }
}

/* ---- comparison ----
 * The reference 0.5 is not greater than the depth where layer and level are odd together. */

static void
comparison_rgb(int x, int y, double rgb[3])
{
   rgb[0] = rgb[1] = rgb[2] = (layer_of(x) + level_of(y)) % 2 ? 255 : 0;
}

void
check_array_comparison(void)
{
   for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
      new_array(&kinds[k], GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT);
      glTexParameteri(kinds[k].target, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_R_TO_TEXTURE);
      glTexParameteri(kinds[k].target, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
      for (int i = 0; i < LAYERS * LEVELS; i++) {
         const int layer = i % LAYERS, level = i / LAYERS;
         upload(&kinds[k], level, layer, GL_DEPTH_COMPONENT, 1,
                (layer + level) % 2 ? (float[1]){ 0.75f } : (float[1]){ 0.25f });
      }
      draw(kinds[k].shadow);
      check_window("comparison", comparison_rgb, 0);
   }
}
