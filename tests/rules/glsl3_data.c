/* SPDX-License-Identifier: MIT
 *
 * Uniforms, uniform blocks and textures of random programs of GLSL ES 3.00.
 */
#include <GLES3/gl3.h>

#include "glsl3_program.h"

#include <string.h>

enum { BLOCK_B = 16384 };

/* ------------------------------------------------------------------------------------- uniforms */

static void
set_matrix(GLint location, struct g3_type type, const uint32_t *words)
{
   typedef void (*setter)(GLint, GLsizei, GLboolean, const GLfloat *);
   static const setter setters[3][3] = {
      { glUniformMatrix2fv, glUniformMatrix2x3fv, glUniformMatrix2x4fv },
      { glUniformMatrix3x2fv, glUniformMatrix3fv, glUniformMatrix3x4fv },
      { glUniformMatrix4x2fv, glUniformMatrix4x3fv, glUniformMatrix4fv }
   };
   setters[type.columns - 2][type.rows - 2](location, type.length ? type.length : 1, GL_FALSE,
                                            (const GLfloat *)words);
}

static void
set_vector(GLint location, struct g3_type type, const uint32_t *words)
{
   typedef void (*int_setter)(GLint, GLsizei, const GLint *);
   typedef void (*uint_setter)(GLint, GLsizei, const GLuint *);
   typedef void (*float_setter)(GLint, GLsizei, const GLfloat *);
   static const int_setter ints[] = { glUniform1iv, glUniform2iv, glUniform3iv, glUniform4iv };
   static const uint_setter uints[] = { glUniform1uiv, glUniform2uiv, glUniform3uiv,
                                        glUniform4uiv };
   static const float_setter floats[] = { glUniform1fv, glUniform2fv, glUniform3fv, glUniform4fv };
   const int count = type.length ? type.length : 1, i = type.rows - 1;
   if (type.base == G3_FLOAT)
      floats[i](location, count, (const GLfloat *)words);
   else if (type.base == G3_UINT)
      uints[i](location, count, words);
   else
      ints[i](location, count, (const GLint *)words);
}

/* A uniform and all of its members; those that the compiler removed are ignored. */
static void
set_uniform(GLuint program, const char *path, struct g3_type type, const uint32_t *words)
{
   char part[80];
   if (type.base != G3_STRUCT) {
      const GLint location = glGetUniformLocation(program, path);
      if (type.columns > 1)
         set_matrix(location, type, words);
      else
         set_vector(location, type, words);
      return;
   }
   for (int i = 0; i < type.length; i++) {
      snprintf(part, sizeof(part), "%s[%d]", path, i);
      set_uniform(program, part, g3_part(type), words + i * type.structure->words);
   }
   for (int m = 0; m < type.structure->members && !type.length; m++) {
      const struct g3_member *member = &type.structure->member[m];
      snprintf(part, sizeof(part), "%s.%s", path, member->name);
      set_uniform(program, part, member->type, words + member->offset);
   }
}

/* --------------------------------------------------------------------------------------- blocks */

static int
aligned(int offset_B, int alignment_B)
{
   return (offset_B + alignment_B - 1) / alignment_B * alignment_B;
}

/* OpenGL ES 3.0, section 2.12.6.4: vectors of three are aligned as those of four; arrays, matrices
 * and structures as vectors of four. */
static int
alignment_B(struct g3_type type)
{
   if (!g3_is_vector(type))
      return 16;
   return type.rows == 1 ? 4 : type.rows == 2 ? 8 : 16;
}

/* Writes a value at an offset, and returns where it ends. */
static int
pack_value(uint8_t *bytes, int offset_B, struct g3_type type, bool row_major, const uint32_t *words)
{
   const int begin_B = offset_B;
   if (type.length) {
      for (int i = 0; i < type.length; i++, words += g3_words(g3_part(type)))
         offset_B = aligned(pack_value(bytes, offset_B, g3_part(type), row_major, words), 16);
      return offset_B;
   }
   if (type.base == G3_STRUCT) {
      for (int m = 0; m < type.structure->members; m++) {
         const struct g3_member *member = &type.structure->member[m];
         offset_B = pack_value(bytes, aligned(offset_B, alignment_B(member->type)), member->type,
                               row_major, words + member->offset);
      }
      return aligned(offset_B, 16);
   }
   for (int i = 0; i < g3_components(type); i++) {
      const int column = i / type.rows, row = i % type.rows;
      const bool across = row_major && type.columns > 1;
      const int at_B = across ? 16 * row + 4 * column : 16 * column + 4 * row;
      memcpy(bytes + begin_B + at_B, &words[i], sizeof(words[i]));
   }
   if (type.columns > 1)
      return begin_B + 16 * (row_major ? type.rows : type.columns);
   return begin_B + 4 * type.rows;
}

static GLuint
create_block(const struct rules *r, const struct g3_program *p, GLuint program, int number)
{
   static uint8_t bytes[BLOCK_B];
   GLuint buffer;
   GLint size_B = 0;
   int end_B = 0;
   const GLuint index = glGetUniformBlockIndex(program, p->block[number - 1].name);
   memset(bytes, 0xff, sizeof(bytes));
   for (int i = 0; i < p->variables; i++) {
      const struct g3_variable *v = &p->variable[i];
      if (v->block != number)
         continue;
      end_B = pack_value(bytes, aligned(end_B, alignment_B(v->type)), v->type, v->row_major,
                         p->initial + v->memory);
   }
   if (index == GL_INVALID_INDEX)
      rules_fail(r, "block %s is not there", p->block[number - 1].name);
   glGetActiveUniformBlockiv(program, index, GL_UNIFORM_BLOCK_DATA_SIZE, &size_B);
   if (size_B < end_B || size_B > aligned(end_B, 16))
      rules_fail(r, "block %s has %d bytes, not %d", p->block[number - 1].name, size_B, end_B);
   glGenBuffers(1, &buffer);
   glBindBufferBase(GL_UNIFORM_BUFFER, (GLuint)number, buffer);
   glBufferData(GL_UNIFORM_BUFFER, size_B, bytes, GL_STATIC_DRAW);
   glUniformBlockBinding(program, index, (GLuint)number);
   return buffer;
}

/* ------------------------------------------------------------------------------------- textures */

static GLuint
create_texture(const struct g3_texture *t, int unit)
{
   static const GLenum sized[] = { GL_RGBA32F, GL_RGBA32I, GL_RGBA32UI },
                       types[] = { GL_FLOAT, GL_INT, GL_UNSIGNED_INT };
   GLuint name;
   glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
   glGenTextures(1, &name);
   glBindTexture(GL_TEXTURE_2D, name);
   glTexStorage2D(GL_TEXTURE_2D, 2, sized[t->base], t->width, t->height);
   for (int level = 0; level < 2; level++)
      glTexSubImage2D(GL_TEXTURE_2D, level, 0, 0, t->width >> level, t->height >> level,
                      t->base == G3_FLOAT ? GL_RGBA : GL_RGBA_INTEGER, types[t->base],
                      t->texel[level ? t->width * t->height : 0]);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glActiveTexture(GL_TEXTURE0);
   return name;
}

struct g3_data
g3_data_create(const struct rules *r, const struct g3_program *p, GLuint program)
{
   struct g3_data d = { 0 };
   for (int i = 0; i < p->variables; i++) {
      const struct g3_variable *v = &p->variable[i];
      if (v->storage == G3_UNIFORM && !v->block)
         set_uniform(program, v->name, v->type, p->initial + v->memory);
   }
   for (int i = 0; i < p->blocks; i++)
      d.buffers[i] = create_block(r, p, program, i + 1);
   for (int i = 0; i < G3_TEXTURES; i++) {
      char name[4];
      snprintf(name, sizeof(name), "t%d", i);
      glUniform1i(glGetUniformLocation(program, name), i);
      d.textures[i] = create_texture(&p->texture[i], i);
   }
   no_error("setting a random program's data");
   return d;
}

void
g3_data_delete(struct g3_data *d)
{
   glDeleteTextures(G3_TEXTURES, d->textures);
   glDeleteBuffers(sizeof(d->buffers) / sizeof(d->buffers[0]), d->buffers);
}
