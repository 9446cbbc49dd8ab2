/* SPDX-License-Identifier: MIT
 *
 * Textures that are parts of buffers (ARB_texture_buffer_range).
 */
#include "gl33_rules.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE_PX = 16, PIXELS = SIDE_PX * SIDE_PX };

void
gl33_buffer_range(struct rules *r)
{
   enum { WORDS = 4096, BUFFER = 0x8C2A }; /* GL_TEXTURE_BUFFER */
   static const GLenum formats[] = { GL_R32UI, GL_RG32UI, GL_RGBA32UI };
   void (*range)(GLenum, GLenum, GLuint, GLintptr, GLsizeiptr) =
      (void (*)(GLenum, GLenum, GLuint, GLintptr, GLsizeiptr))eglGetProcAddress("glTexBufferRange");
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIDE_PX, SIDE_PX);
   const GLuint program = gl33_program(
      r, &(struct gl33_stages){
            .vertex = es3_vertex_whole,
            .fragment = "uniform usamplerBuffer s; out uvec4 v; void main() {\n"
                        "   int i = int(gl_FragCoord.x) + 16 * int(gl_FragCoord.y);\n"
                        "   v = i == 255 ? uvec4(textureSize(s)) : texelFetch(s, i); }" });
   while (rules_next(r)) {
      const int channels = 1 << r->n % 3, first_B = 16 * rules_between(r, 0, 200),
                size_B = rules_between(r, 1, 4 * WORDS - first_B), texels = size_B / (4 * channels);
      uint32_t words[WORDS];
      GLuint buffer, texture;
      for (int i = 0; i < WORDS; i++)
         words[i] = es3_random_bits(r);
      glGenBuffers(1, &buffer);
      glBindBuffer(BUFFER, buffer);
      glBufferData(BUFFER, sizeof(words), words, GL_STATIC_DRAW);
      glGenTextures(1, &texture);
      glBindTexture(BUFFER, texture);
      range(BUFFER, formats[r->n % 3], buffer, first_B, size_B);
      es3_draw_whole();
      no_error("fetching from a part of a buffer");
      uint32_t *have = es3_read_uint(r, SIDE_PX, SIDE_PX);
      for (int i = 0; i < PIXELS; i++) {
         uint32_t wanted[4] = { 0, 0, 0, i < texels };
         for (int c = 0; c < channels && i < texels; c++)
            wanted[c] = words[first_B / 4 + i * channels + c];
         for (int c = 0; c < 4 && i == PIXELS - 1; c++)
            wanted[c] = (uint32_t)texels;
         if (i >= texels && i < PIXELS - 1) /* undefined; here 0 */
            wanted[3] = have[4 * i + 3] == 1 ? 1 : 0;
         if (memcmp(have + 4 * i, wanted, sizeof(wanted)) != 0)
            rules_fail(r, "%d channels, %d bytes from %d on: texel %d is 0x%x, not 0x%x", channels,
                       size_B, first_B, i, have[4 * i], wanted[0]);
      }
      free(have);
      glDeleteTextures(1, &texture);
      glDeleteBuffers(1, &buffer);
   }
   glDeleteProgram(program);
   es3_target_delete(&target);
}
