/* SPDX-License-Identifier: MIT */
#include "clipfree/sanitize/test_watched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "clipfree/isa/cf_asm.h"

#define EVERYTHING (CF_SANITIZE_ALL | 1u << CF_SANITIZE_UNWRITTEN_UNIFORM)

void
watch(struct watched *w)
{
   w->memory = cf_memory_create(64u << 20);
   w->s = cf_sanitize_open(&(struct cf_sanitize_config){ .checks = EVERYTHING, .quiet = true });
   assert_non_null(w->memory);
   assert_non_null(w->s);
   w->observer = cf_sanitize_observer(w->s);
   w->packet = 0x1000;
   w->observer->submission_begin(w->s, &(struct cf_submission_event){ .number = 1 });
}

void
stop(struct watched *w)
{
   cf_sanitize_close(w->s);
   cf_memory_destroy(w->memory);
}

uint64_t
put(struct watched *w, const void *data, size_t size_B)
{
   const uint64_t address = cf_memory_alloc(w->memory, size_B);
   assert_int_not_equal(address, 0);
   memcpy(cf_memory_at(w->memory, address, size_B), data, size_B);
   return address;
}

void
give(struct watched *w, const uint32_t *dw)
{
   w->packet += PACKET_B;
   w->observer->packet(w->s, &(struct cf_packet_event){ .submission = 1,
                                                        .address = w->packet,
                                                        .dw = dw,
                                                        .dwords = dw[0] >> 16,
                                                        .memory = w->memory });
}

uint64_t
program_of(struct watched *w, enum cf_shader_stage stage, const uint64_t *code, uint32_t count)
{
   const struct cf_program info = { .code = put(w, code, count * sizeof(*code)),
                                    .code_instrs = count,
                                    .stage = stage,
                                    .vector_regs = 16,
                                    .scalar_regs = 8 };
   uint32_t dw[CF_PROGRAM_DWORDS];
   cf_program_pack(dw, &info);
   return put(w, dw, sizeof(dw));
}

uint64_t
assembled(struct watched *w, enum cf_shader_stage stage, const char *text)
{
   uint64_t *code;
   unsigned count;
   char error[200];
   if (!cf_assemble_text(text, &code, &count, error, sizeof(error)))
      fail_msg("%s: %s", text, error);
   const uint64_t descriptor = program_of(w, stage, code, count);
   free(code);
   return descriptor;
}

void
note_of(struct watched *w, uint64_t address, struct cf_note *note)
{
   w->observer->note(w->s, address, note->data, note->size_B);
   cf_note_free(note);
}

void
bind(struct watched *w, enum cf_shader_stage stage, const char *text)
{
   const uint64_t program = assembled(w, stage, text);
   GIVE(w, shader, .stage = stage, .program = program);
   assert_non_null(w->s->bound[stage]);
}
