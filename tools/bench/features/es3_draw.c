/* SPDX-License-Identifier: MIT */
#include "es3.h"

static const char usual_vertex[] = ES3_VERTEX "uniform float times;\n"
                                              "out vec3 at;\n"
                                              "void main() {\n"
                                              "   gl_Position = vec4(position, 0.2, 1.0);\n"
                                              "   at = vec3((position * 0.5 + 0.5) * times, 0.3);\n"
                                              "}\n";

GLuint
es3_program(const struct feature *feature)
{
   const char *vertex = feature->vertex ? feature->vertex : usual_vertex;
   const GLuint program = cost_program(vertex, feature->fragment);
   glUseProgram(program);
   glUniform1f(glGetUniformLocation(program, "times"), feature->times ? feature->times : 1.0f);
   return program;
}

GLuint
make_es3_buffer(GLenum target, const void *data, size_t size_B)
{
   GLuint buffer;
   glGenBuffers(1, &buffer);
   glBindBuffer(target, buffer);
   glBufferData(target, (GLsizeiptr)size_B, data, GL_STATIC_DRAW);
   return buffer;
}

void
set_es3_positions(void)
{
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
}

void
make_es3_quad(void)
{
   static const GLfloat corners[4][2] = { { -1, -1 }, { 1, -1 }, { -1, 1 }, { 1, 1 } };
   make_es3_buffer(GL_ARRAY_BUFFER, corners, sizeof corners);
   set_es3_positions();
}

const char *
set_es3_quad(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   es3_program(feature);
   make_es3_quad();
   return NULL;
}

void
draw_es3_quad(const struct feature *feature, const struct scene *scene)
{
   (void)feature, (void)scene;
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

const char *
set_es3_primitives(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   es3_program(feature);
   make_primitives(feature);
   set_es3_positions();
   return NULL;
}

void
set_es3_attribute(const struct feature *feature)
{
   const GLint components = feature->attribute.components;
   const GLenum type = feature->attribute.type;
   glEnableVertexAttribArray(1);
   if (feature->attribute.kind == ATTRIBUTE_INTEGER)
      glVertexAttribIPointer(1, components, type, 0, NULL);
   else
      glVertexAttribPointer(1, components, type, feature->attribute.kind == ATTRIBUTE_NORMALISED, 0,
                            NULL);
   glVertexAttribDivisor(1, feature->attribute.divisor);
}

/* Fill a square image, layers of them, or faces; see set_es3_texture of compressed ones. */
static void
fill(const struct feature *feature, GLenum target, const void *texels, int size_px)
{
   const GLenum format = feature->image.format, internal = feature->image.internal;
   const bool layered = target == GL_TEXTURE_2D_ARRAY || target == GL_TEXTURE_3D;
   const GLsizei blocks_B = feature->size * (size_px / 4) * (size_px / 4);
   if (!format && layered)
      glCompressedTexImage3D(target, 0, internal, size_px, size_px, ES3_LAYERS, 0,
                             blocks_B * ES3_LAYERS, texels);
   else if (!format)
      glCompressedTexImage2D(target, 0, internal, size_px, size_px, 0, blocks_B, texels);
   else if (layered)
      glTexImage3D(target, 0, (GLint)internal, size_px, size_px, ES3_LAYERS, 0, format,
                   feature->image.type, texels);
   else
      glTexImage2D(target, 0, (GLint)internal, size_px, size_px, 0, format, feature->image.type,
                   texels);
}

GLuint
make_es3_texture(const struct feature *feature, const void *texels, int size_px)
{
   const GLenum target = feature->image.target ? feature->image.target : GL_TEXTURE_2D;
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(target, texture);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   for (GLenum face = 0; face < (target == GL_TEXTURE_CUBE_MAP ? 6u : 1u); face++)
      fill(feature, target == GL_TEXTURE_CUBE_MAP ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + face : target,
           texels, size_px);
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER,
                   (GLint)(feature->filter.min ? feature->filter.min : GL_NEAREST));
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER,
                   (GLint)(feature->filter.mag ? feature->filter.mag : GL_NEAREST));
   return texture;
}

const char *
set_es3_texture(const struct feature *feature, const struct scene *scene)
{
   make_es3_texture(feature, scene->image, ES3_TEXTURE_PX);
   return set_es3_quad(feature, scene);
}
