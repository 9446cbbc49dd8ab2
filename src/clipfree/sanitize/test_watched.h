/* SPDX-License-Identifier: MIT */
/*
 * For tests of the room: a sanitiser without a GPU, with memory, in submission 1. The events that
 * it is given are made by the test. All functions fail the test where they fail.
 */
#ifndef CF_SANE_TEST_WATCHED_H
#define CF_SANE_TEST_WATCHED_H

#include "clipfree/sanitize/cf_sane.h"

struct watched {
   struct cf_memory *memory;
   struct cf_sanitize *s;
   const struct cf_observer *observer;
   uint64_t packet; /* the address of the last one; the next one comes PACKET_B behind */
};

#define PACKET_B 0x100

/** Begin with all checks. */
void watch(struct watched *w);
void stop(struct watched *w);

/** Put data into memory. */
uint64_t put(struct watched *w, const void *data, size_t size_B);

/** Give a packet. */
void give(struct watched *w, const uint32_t *dw);

#define GIVE(w, type, ...)                                                                         \
   do {                                                                                            \
      const struct cf_##type packet_ = { __VA_ARGS__ };                                            \
      uint32_t dw_[64];                                                                            \
      cf_##type##_pack(dw_, &packet_);                                                             \
      give(w, dw_);                                                                                \
   } while (0)

/** Give a packet that says a dword more than it has. */
#define GIVE_MALFORMED(w, type, ...)                                                               \
   do {                                                                                            \
      const struct cf_##type packet_ = { __VA_ARGS__ };                                            \
      uint32_t dw_[64] = { 0 };                                                                    \
      cf_##type##_pack(dw_, &packet_);                                                             \
      dw_[0] += 1u << 16;                                                                          \
      give(w, dw_);                                                                                \
   } while (0)

/** A descriptor of a type, put into memory: PUT(w, surface, SURFACE, .width_px = 8). */
#define PUT(w, type, TYPE, ...)                                                                    \
   ({                                                                                              \
      const struct cf_##type it_ = { __VA_ARGS__ };                                                \
      uint32_t dw_[CF_##TYPE##_DWORDS];                                                            \
      cf_##type##_pack(dw_, &it_);                                                                 \
      put(w, dw_, sizeof(dw_));                                                                    \
   })

/** The descriptor of a program of 16 vector and 8 scalar registers. */
uint64_t program_of(struct watched *w, enum cf_shader_stage stage, const uint64_t *code,
                    uint32_t count);
uint64_t assembled(struct watched *w, enum cf_shader_stage stage, const char *text);

/** Bind a program of a text. */
void bind(struct watched *w, enum cf_shader_stage stage, const char *text);

/** Give a note about an address, and free it. */
void note_of(struct watched *w, uint64_t address, struct cf_note *note);

#endif
