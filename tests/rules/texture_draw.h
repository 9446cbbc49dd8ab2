/* SPDX-License-Identifier: MIT
 *
 * What the rules of textures share: targets, random textures that exist in GL and in the reference,
 * and rectangles that show a lookup at every pixel.
 */
#ifndef TEXTURE_DRAW_H
#define TEXTURE_DRAW_H

#include "rules.h"
#include "texture_format.h"
#include "texture_reference.h"

/* Whether GL_EXTENSIONS has this name. */
bool has_extension(const char *name);

/* Functions of extensions, which not every libGLESv2 exports: gl_ext()->TexImage3DOES(...). */
#define EXTENSION_FUNCTIONS(F)                                                                                         \
   F(TexImage3DOES, PFNGLTEXIMAGE3DOESPROC)                                                                            \
   F(TexSubImage3DOES, PFNGLTEXSUBIMAGE3DOESPROC)                                                                      \
   F(CopyTexSubImage3DOES, PFNGLCOPYTEXSUBIMAGE3DOESPROC)                                                              \
   F(FramebufferTexture3DOES, PFNGLFRAMEBUFFERTEXTURE3DOESPROC)                                                        \
   F(TexStorage2DEXT, PFNGLTEXSTORAGE2DEXTPROC)                                                                        \
   F(EGLImageTargetTexture2DOES, PFNGLEGLIMAGETARGETTEXTURE2DOESPROC)                                                  \
   F(EGLImageTargetRenderbufferStorageOES, PFNGLEGLIMAGETARGETRENDERBUFFERSTORAGEOESPROC)                              \
   F(MapBufferOES, PFNGLMAPBUFFEROESPROC)                                                                              \
   F(UnmapBufferOES, PFNGLUNMAPBUFFEROESPROC)                                                                          \
   F(MapBufferRangeEXT, PFNGLMAPBUFFERRANGEEXTPROC)                                                                    \
   F(FlushMappedBufferRangeEXT, PFNGLFLUSHMAPPEDBUFFERRANGEEXTPROC)                                                    \
   F(DrawArraysInstancedEXT, PFNGLDRAWARRAYSINSTANCEDEXTPROC)                                                          \
   F(DrawElementsInstancedEXT, PFNGLDRAWELEMENTSINSTANCEDEXTPROC)                                                      \
   F(VertexAttribDivisorEXT, PFNGLVERTEXATTRIBDIVISOREXTPROC)                                                          \
   F(GenVertexArraysOES, PFNGLGENVERTEXARRAYSOESPROC)                                                                  \
   F(BindVertexArrayOES, PFNGLBINDVERTEXARRAYOESPROC)                                                                  \
   F(DeleteVertexArraysOES, PFNGLDELETEVERTEXARRAYSOESPROC)                                                            \
   F(GetProgramBinaryOES, PFNGLGETPROGRAMBINARYOESPROC)                                                                \
   F(ProgramBinaryOES, PFNGLPROGRAMBINARYOESPROC)                                                                      \
   F(ReadnPixelsEXT, PFNGLREADNPIXELSEXTPROC)

#define EXTENSION_FUNCTION(name, type) type name;
struct gl_ext {
   EXTENSION_FUNCTIONS(EXTENSION_FUNCTION)
};
#undef EXTENSION_FUNCTION
const struct gl_ext *gl_ext(void);

/* A frame buffer object with one texture or renderbuffer, RGBA8, bound, its viewport set, cleared
 * to zero. */
struct tex_canvas {
   GLuint framebuffer, renderbuffer;
   int width_px, height_px;
};
struct tex_canvas tex_canvas_create(int width_px, int height_px);
/* The default frame buffer of a new pbuffer, whose rows lie the other way round. */
struct tex_canvas tex_canvas_create_pbuffer(int width_px, int height_px);
void tex_canvas_bind(const struct tex_canvas *canvas);
void tex_canvas_delete(struct tex_canvas *canvas);

/* What a program of draw_lookup() looks up; the varying has s, t, r, q in x, y, z, w. */
enum lookup_kind {
   LOOKUP_2D,
   LOOKUP_2D_BIAS,
   LOOKUP_2D_PROJ3, /* texture2DProj with a vec3: q in z */
   LOOKUP_2D_PROJ4, /* with a vec4: q in w */
   LOOKUP_2D_PROJ_BIAS,
   LOOKUP_2D_LOD,
   LOOKUP_CUBE,
   LOOKUP_CUBE_BIAS,
   LOOKUP_CUBE_LOD,
   LOOKUP_3D,
   LOOKUP_3D_BIAS,
   LOOKUP_COUNT
};

/* A program for the kind, made when first asked for in this context's life and made current; NULL
 * extension needed: lookup_supported says whether it can be. */
bool lookup_supported(enum lookup_kind kind);
void lookup_use(enum lookup_kind kind, float lod);
bool lookup_is_projective(enum lookup_kind kind);

/* Makes lookups of the bound texture come from one level, whatever the coordinates
 * (GL_APPLE_texture_max_level): the nearest texels of it. To be used with lookup_use(LOOKUP_2D_BIAS
 * or LOOKUP_CUBE_BIAS, TO_LAST_LEVEL). */
#define TO_LAST_LEVEL 40.0f
void show_only_level(GLenum target, int level);

/* Draws a rectangle over window pixels [0, width) x [0, height) with the viewport set so, from unit
 * 0. The varying is coordinate[i] / w_divisor at every point: w_divisor is 1 / gl_Position.w. */
void draw_lookup(const struct affine coordinate[4], const struct affine *w_divisor, int width_px,
                 int height_px);

/* A rectangle that copies the whole of the 2D texture bound to unit 0 to the whole viewport. */
void draw_whole_texture(void);

/* The direction that looks at (s, t) of a face, s and t running from 0 to 1 over [0, width] x [0,
 * height]. */
void face_directions(int face, int width_px, int height_px, struct affine direction[3]);

/* Fills a level of the reference with random texels of a format and returns their bytes, with no
 * padding; the caller frees them. */
uint8_t *random_level(struct rules *r, const struct image_format *format, struct ref_level *level,
                      int width, int height, int depth);

/* Fails unless the w x h pixels of the bound frame buffer are `texel`, clamped to [0, 1] and
 * rounded to 8 bits, but for `lsb` of 255; half a unit is the rounding itself. */
void expect_texels(struct rules *r, int width_px, int height_px, double (*texel)[4], double lsb,
                   const char *what);

/* Compiles two shaders with `position` at 0 and `coordinate` at 1; the sampler uniform `image` is
 * unit 0. */
GLuint program_link(const char *vertex, const char *fragment);

#endif
