/* SPDX-License-Identifier: MIT
 *
 * Uniform blocks (OpenGL ES 3.0, section 2.12.6): random ones in layout std140 against a packer
 * written from section 2.12.6.4, and as many and as large ones as the limits allow.
 */
#include "es3_rules.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_PX = 16, MOST_LEAVES = SIZE_PX * SIZE_PX, BLOCK_B = 16384 };

/* A scalar in a block: how a shader reads it, and where it lies. */
struct leaf {
   char path[80], kind; /* f, i, u or b */
   int offset_B;
};

struct layout {
   struct text declared, structs;
   struct leaf leaves[MOST_LEAVES];
   int leaf_count, struct_count, end_B;
   bool row_major; /* of the block */
};

struct block_type {
   const char *name;
   int columns, rows;
   char kind;
};

static const struct block_type block_types[] = {
   { "float", 1, 1, 'f' },  { "vec2", 1, 2, 'f' },   { "vec3", 1, 3, 'f' },
   { "vec4", 1, 4, 'f' },   { "int", 1, 1, 'i' },    { "ivec2", 1, 2, 'i' },
   { "ivec3", 1, 3, 'i' },  { "ivec4", 1, 4, 'i' },  { "uint", 1, 1, 'u' },
   { "uvec2", 1, 2, 'u' },  { "uvec3", 1, 3, 'u' },  { "uvec4", 1, 4, 'u' },
   { "bool", 1, 1, 'b' },   { "bvec2", 1, 2, 'b' },  { "bvec3", 1, 3, 'b' },
   { "bvec4", 1, 4, 'b' },  { "mat2", 2, 2, 'f' },   { "mat2x3", 2, 3, 'f' },
   { "mat2x4", 2, 4, 'f' }, { "mat3x2", 3, 2, 'f' }, { "mat3", 3, 3, 'f' },
   { "mat3x4", 3, 4, 'f' }, { "mat4x2", 4, 2, 'f' }, { "mat4x3", 4, 3, 'f' },
   { "mat4", 4, 4, 'f' },
};

static int
aligned(int offset_B, int alignment_B)
{
   return (offset_B + alignment_B - 1) / alignment_B * alignment_B;
}

/* Rules 1 to 3: a vector of three is aligned like one of four. */
static int
vector_alignment(int rows)
{
   return rows == 1 ? 4 : rows == 2 ? 8 : 16;
}

static void
add_leaf(struct layout *l, char kind, int offset_B, const char *format, const char *path, int a,
         int b)
{
   struct leaf *leaf = &l->leaves[l->leaf_count++];
   leaf->kind = kind, leaf->offset_B = offset_B;
   snprintf(leaf->path, sizeof(leaf->path), format, path, a, b);
}

/* Rules 1 to 8 for one value at `offset_B`, aligned. */
static void
place_value(struct layout *l, const struct block_type *t, bool row_major, int offset_B,
            const char *path)
{
   for (int c = 0; c < t->columns; c++) {
      for (int k = 0; k < t->rows; k++) {
         const int at = t->columns == 1 ? 4 * k : row_major ? 16 * k + 4 * c : 16 * c + 4 * k;
         if (t->columns > 1)
            add_leaf(l, t->kind, offset_B + at, "%s[%d][%d]", path, c, k);
         else if (t->rows > 1)
            add_leaf(l, t->kind, offset_B + at, "%s[%d]", path, k, 0);
         else
            add_leaf(l, t->kind, offset_B, "%s", path, 0, 0);
      }
   }
}

struct member {
   const struct block_type *type;
   int length; /* of an array; 0: none */
   bool row_major, says_major;
};

static struct member
random_member(struct rules *r, bool row_major)
{
   struct member m = { .type = &rules_pick(r, block_types) };
   m.length = rules_chance(r, 30) ? rules_between(r, 1, 3) : 0;
   m.says_major = rules_chance(r, 30);
   m.row_major = m.says_major ? rules_chance(r, 50) : row_major;
   return m;
}

static int
member_alignment(const struct member *m)
{
   return m->length || m->type->columns > 1 ? 16 : vector_alignment(m->type->rows);
}

/* Bytes of an element of an array, or of what is none. */
static int
element_size(const struct member *m)
{
   const struct block_type *t = m->type;
   if (t->columns > 1)
      return 16 * (m->row_major ? t->rows : t->columns);
   return m->length ? 16 : 4 * t->rows;
}

static void
declare_member(const struct text *t, const struct member *m, const char *name)
{
   if (m->says_major && m->type->columns > 1)
      add(*t, "layout(%s) ", m->row_major ? "row_major" : "column_major");
   add(*t, "%s %s", m->type->name, name);
   if (m->length)
      add(*t, "[%d]", m->length);
   add(*t, ";\n");
}

/* Puts a member at the next place behind `end_B`; returns the end. */
static int
place_member(struct layout *l, const struct member *m, int end_B, const char *path)
{
   const int begin_B = aligned(end_B, member_alignment(m)), size_B = element_size(m);
   for (int e = 0; e < (m->length ? m->length : 1); e++) {
      char element[40];
      snprintf(element, sizeof(element), m->length ? "%s[%d]" : "%s", path, e);
      place_value(l, m->type, m->row_major, begin_B + e * size_B, element);
   }
   return begin_B + (m->length ? m->length : 1) * size_B;
}

/* Rules 9 and 10: an array of structures, each aligned to 16 bytes and padded to them. */
static void
add_structure(struct rules *r, struct layout *l, int index)
{
   struct member members[3];
   const int count = rules_between(r, 1, 3), length = rules_between(r, 1, 2);
   add(l->structs, "struct S%d {\n", index);
   for (int i = 0; i < count; i++) {
      char name[16];
      members[i] = random_member(r, l->row_major);
      snprintf(name, sizeof(name), "s%d", i);
      /* of members of structures no layout may be said: it is the block's */
      members[i].says_major = false, members[i].row_major = l->row_major;
      declare_member(&l->structs, &members[i], name);
   }
   add(l->structs, "};\n");
   add(l->declared, "S%d m%d[%d];\n", index, index, length);
   for (int e = 0; e < length; e++) {
      l->end_B = aligned(l->end_B, 16);
      for (int i = 0; i < count; i++) {
         char path[40];
         snprintf(path, sizeof(path), "m%d[%d].s%d", index, e, i);
         l->end_B = place_member(l, &members[i], l->end_B, path);
      }
      l->end_B = aligned(l->end_B, 16);
   }
}

static void
random_layout(struct rules *r, struct layout *l)
{
   l->row_major = rules_chance(r, 40);
   text_begin(&l->declared), text_begin(&l->structs);
   /* the largest structures: two of three arrays of three mat4 */
   for (int i = 0, n = rules_between(r, 1, 8); i < n && l->leaf_count < 60; i++) {
      char name[16];
      snprintf(name, sizeof(name), "m%d", i);
      if (l->leaf_count == 0 && rules_chance(r, 25) && r->n > 10) {
         add_structure(r, l, i);
         continue;
      }
      const struct member m = random_member(r, l->row_major);
      declare_member(&l->declared, &m, name);
      l->end_B = place_member(l, &m, l->end_B, name);
   }
   text_end(&l->declared), text_end(&l->structs);
}

/* A function for the bits of leaves, by a switch; 0 for others. */
static void
add_switch(const struct text *t, const struct layout *l)
{
   static const char *const reads[] = {
      ['f'] = "floatBitsToUint(%s)", ['i'] = "uint(%s)", ['u'] = "%s", ['b'] = "uint(%s)"
   };
   add(*t, "uint leaf(int i) {\n   uint bits = 0u;\n   switch (i) {\n");
   for (int i = 0; i < l->leaf_count; i++) {
      add(*t, "   case %d: bits = ", i);
      fprintf(t->file, reads[(int)l->leaves[i].kind], l->leaves[i].path);
      add(*t, "; break;\n");
   }
   add(*t, "   }\n   return bits;\n}\n");
}

/* The bits of each leaf at a pixel of its own. */
static char *
layout_shader(const struct layout *l)
{
   struct text t;
   text_begin(&t);
   add(t, "%slayout(std140%s) uniform Block {\n%s};\nflat in int dummy; out uvec4 v;\n",
       l->structs.chars, l->row_major ? ", row_major" : "", l->declared.chars);
   add_switch(&t, l);
   add(t, "void main() {\n   ivec2 p = ivec2(gl_FragCoord.xy);\n   int i = p.x + 16 * p.y;\n"
          "   v = uvec4(leaf(i), 0u, 0u, 1u);\n}\n");
   return text_end(&t);
}

static uint32_t
wanted_leaf(const struct leaf *leaf, const uint8_t *bytes)
{
   uint32_t bits;
   memcpy(&bits, bytes + leaf->offset_B, sizeof(bits));
   return leaf->kind == 'b' ? bits != 0 : bits;
}

/* Random words that are floats if a float is read; a bool is true if any bit is set. */
static void
fill_block(struct rules *r, const struct layout *l, uint8_t *bytes)
{
   for (int i = 0; i < BLOCK_B; i += 4) {
      const uint32_t bits = es3_random_bits(r);
      memcpy(bytes + i, &bits, sizeof(bits));
   }
   for (int i = 0; i < l->leaf_count; i++) {
      uint32_t bits = es3_bits(rules_float(r, -1000, 1000));
      if (l->leaves[i].kind == 'b')
         bits = rules_chance(r, 50) ? 0 : es3_random_bits(r);
      if (l->leaves[i].kind == 'f' || l->leaves[i].kind == 'b')
         memcpy(bytes + l->leaves[i].offset_B, &bits, sizeof(bits));
   }
}

static void
check_layout(struct rules *r, const struct layout *l)
{
   uint8_t bytes[BLOCK_B];
   GLuint buffer;
   GLint alignment_B, data_B, most_B = aligned(l->end_B, 16);
   char *fragment = layout_shader(l);
   GLuint program = es3_program(r,
                                "flat out int dummy;\nvoid main() { dummy = 1;\n"
                                "   gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID "
                                "== 2 ? 3.0 : -1.0, 0, 1);\n}",
                                fragment);
   glGetIntegerv(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, &alignment_B);
   glGetActiveUniformBlockiv(program, 0, GL_UNIFORM_BLOCK_DATA_SIZE, &data_B);
   if (data_B < l->end_B || data_B > most_B)
      rules_fail(r, "%s is of %d bytes, not %d", fragment, data_B, most_B);
   fill_block(r, l, bytes);
   const int offset_B = alignment_B * rules_between(r, 0, 5);
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_UNIFORM_BUFFER, buffer);
   glBufferData(GL_UNIFORM_BUFFER, offset_B + data_B, NULL, GL_STATIC_DRAW);
   glBufferSubData(GL_UNIFORM_BUFFER, offset_B, data_B, bytes);
   const GLuint point = rules_below(r, 24);
   glUniformBlockBinding(program, 0, point);
   glBindBufferRange(GL_UNIFORM_BUFFER, point, buffer, offset_B, data_B);
   es3_draw_whole();
   uint32_t *have = es3_read_uint(r, SIZE_PX, SIZE_PX);
   for (int i = 0; i < l->leaf_count; i++) {
      const uint32_t wanted = wanted_leaf(&l->leaves[i], bytes);
      if (have[4 * i] != wanted)
         rules_fail(r, "%s\n%s, at byte %d, is 0x%08x, not 0x%08x", fragment, l->leaves[i].path,
                    l->leaves[i].offset_B, have[4 * i], wanted);
   }
   free(have);
   free(fragment);
   glDeleteBuffers(1, &buffer);
   glDeleteProgram(program);
}

void
es3_block_layout(struct rules *r)
{
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIZE_PX, SIZE_PX);
   while (rules_next(r)) {
      struct layout l = { 0 };
      random_layout(r, &l);
      if (l.leaf_count <= MOST_LEAVES)
         check_layout(r, &l);
      free(l.declared.chars);
      free(l.structs.chars);
   }
   es3_target_delete(&target);
}

/* --------------------------------------------------------------------------------------- limits */

static int
limit(const struct rules *r, GLenum name, int least)
{
   GLint value = 0;
   glGetIntegerv(name, &value);
   if (value < least)
      rules_fail(r, "limit 0x%04x is %d, not at least %d", name, value, least);
   return value;
}

/* All blocks of both stages, each with its own part of one buffer; the vertex stage's are summed
 * into a varying. */
static void
check_many_blocks(struct rules *r)
{
   const int vertex = limit(r, GL_MAX_VERTEX_UNIFORM_BLOCKS, 12),
             fragment = limit(r, GL_MAX_FRAGMENT_UNIFORM_BLOCKS, 12),
             step_B = aligned(64, limit(r, GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, 1));
   limit(r, GL_MAX_UNIFORM_BUFFER_BINDINGS, vertex + fragment);
   struct text v, f;
   text_begin(&v), text_begin(&f);
   for (int i = 0; i < vertex; i++)
      add(v, "layout(std140) uniform V%d { uvec4 a[4]; } v%d;\n", i, i);
   for (int i = 0; i < fragment; i++)
      add(f, "layout(std140) uniform F%d { uvec4 a[4]; } f%d;\n", i, i);
   add(v, "uniform int at; flat out uvec4 sum;\nvoid main() { sum = uvec4(0u);\n");
   add(f, "uniform int at; flat in uvec4 sum; out uvec4 result;\nvoid main() { result = sum;\n");
   for (int i = 0; i < vertex; i++)
      add(v, "sum += %du * v%d.a[at];\n", i + 1, i);
   for (int i = 0; i < fragment; i++)
      add(f, "result += %du * f%d.a[at];\n", 100 + i, i);
   add(
      v,
      "gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0, 1);\n}");
   add(f, "}");
   GLuint buffer, program = es3_program(r, text_end(&v), text_end(&f));
   const int blocks = vertex + fragment, words = blocks * step_B / 4;
   uint32_t *data = malloc((size_t)words * 4), wanted[4] = { 0 };
   for (int i = 0; i < words; i++)
      data[i] = es3_random_bits(r);
   const int at = rules_between(r, 0, 3);
   es3_uniform(program, "at", at);
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_UNIFORM_BUFFER, buffer);
   glBufferData(GL_UNIFORM_BUFFER, words * 4, data, GL_STATIC_DRAW);
   for (int i = 0; i < blocks; i++) {
      char name[16];
      snprintf(name, sizeof(name), i < vertex ? "V%d" : "F%d", i < vertex ? i : i - vertex);
      glUniformBlockBinding(program, glGetUniformBlockIndex(program, name), (GLuint)i);
      glBindBufferRange(GL_UNIFORM_BUFFER, (GLuint)i, buffer, i * step_B, 64);
      for (int c = 0; c < 4; c++)
         wanted[c] +=
            (uint32_t)(i < vertex ? i + 1 : 100 + i - vertex) * data[i * step_B / 4 + 4 * at + c];
   }
   es3_draw_whole();
   uint32_t *have = es3_read_uint(r, 1, 1);
   if (memcmp(have, wanted, sizeof(wanted)))
      rules_fail(r, "the sum over %d blocks is 0x%08x, not 0x%08x", blocks, have[0], wanted[0]);
   free(have), free(data), free(v.chars), free(f.chars);
   glDeleteBuffers(1, &buffer);
   glDeleteProgram(program);
}

/* A block of the largest size, indexed at each pixel. */
static void
check_large_block(struct rules *r)
{
   const int size_B = limit(r, GL_MAX_UNIFORM_BLOCK_SIZE, 16384), vectors = size_B / 16;
   char fragment[400];
   snprintf(fragment, sizeof(fragment),
            "layout(std140) uniform Block { uvec4 a[%d]; }; out uvec4 v;\n"
            "void main() { ivec2 p = ivec2(gl_FragCoord.xy);\n"
            "   v = a[(p.x + %d * p.y) * %d %% %d]; if (p == ivec2(%d)) v = a[%d]; }",
            vectors, SIZE_PX, 37 * (vectors / 256) + 1, vectors, SIZE_PX - 1, vectors - 1);
   uint32_t *data = malloc((size_t)size_B);
   for (int i = 0; i < size_B / 4; i++)
      data[i] = es3_random_bits(r);
   GLuint buffer, program = es3_program(r, es3_vertex_whole, fragment);
   glGenBuffers(1, &buffer);
   glBindBufferBase(GL_UNIFORM_BUFFER, 0, buffer);
   glBufferData(GL_UNIFORM_BUFFER, size_B, data, GL_STATIC_DRAW);
   es3_draw_whole();
   uint32_t *have = es3_read_uint(r, SIZE_PX, SIZE_PX);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
      const int at =
         i == SIZE_PX * SIZE_PX - 1 ? vectors - 1 : i * (37 * (vectors / 256) + 1) % vectors;
      if (memcmp(have + 4 * i, data + 4 * at, 16))
         rules_fail(r, "vector %d of a block of %d bytes is 0x%08x.., not 0x%08x..", at, size_B,
                    have[4 * i], data[4 * at]);
   }
   free(have), free(data);
   glDeleteBuffers(1, &buffer);
   glDeleteProgram(program);
}

/* One block more than a stage may have, and a block that is too large: no program. */
static void
refuse_blocks(struct rules *r)
{
   for (int kind = 0; kind < 2; kind++) {
      const int blocks = kind ? 1 : limit(r, GL_MAX_FRAGMENT_UNIFORM_BLOCKS, 12) + 1;
      const int vectors = kind ? limit(r, GL_MAX_UNIFORM_BLOCK_SIZE, 16384) / 16 + 1 : 1;
      char log[1000] = "";
      GLint ok = GL_FALSE;
      struct text f;
      text_begin(&f);
      add(f, "%suniform int at; out uvec4 v;\n", es3_head);
      for (int i = 0; i < blocks; i++)
         add(f, "layout(std140) uniform F%d { uvec4 a[%d]; } f%d;\n", i, vectors, i);
      add(f, "void main() { v = uvec4(0u);\n");
      for (int i = 0; i < blocks; i++)
         add(f, "v += f%d.a[at];\n", i);
      add(f, "}");
      GLuint shader = shader_compile(GL_FRAGMENT_SHADER, "", text_end(&f), log, sizeof(log));
      if (shader) {
         char whole[2000];
         snprintf(whole, sizeof(whole), "%s%s", es3_head, es3_vertex_whole);
         GLuint program = glCreateProgram();
         glAttachShader(program, shader);
         glAttachShader(program, shader_compile(GL_VERTEX_SHADER, "", whole, log, sizeof(log)));
         glLinkProgram(program);
         glGetProgramiv(program, GL_LINK_STATUS, &ok);
         glGetProgramInfoLog(program, sizeof(log), NULL, log);
         glDeleteProgram(program);
      }
      if (ok || !log[0])
         rules_fail(r, "%d blocks of %d vectors: %s", blocks, vectors,
                    ok ? "should not link" : "fail without a message");
      free(f.chars);
   }
}

void
es3_block_limits(struct rules *r)
{
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIZE_PX, SIZE_PX);
   while (rules_next(r)) {
      check_many_blocks(r);
      check_large_block(r);
      refuse_blocks(r);
   }
   es3_target_delete(&target);
}
