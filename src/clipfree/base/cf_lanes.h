/* SPDX-License-Identifier: MIT */
/*
 * Host vector levels. Files whose inner loops run over lanes are compiled once per level (same source, other -march) and
 * export one table of functions each, named with CF_LANES(). A room picks the table of the running host once, when a GPU
 * is created. The levels differ in speed only: contraction is off and no operation depends on the vector width.
 */
#ifndef CF_LANES_H
#define CF_LANES_H

#define CF_TASK_LANES 32
#define CF_TASK_QUADS 8

#define CF_LANES_PASTE2(name, suffix) name##suffix
#define CF_LANES_PASTE(name, suffix) CF_LANES_PASTE2(name, suffix)
/** The name of a symbol at the vector level being compiled: CF_LANES(cf_x) is cf_x_base, cf_x_v3 or cf_x_v4. */
#define CF_LANES(name) CF_LANES_PASTE(name, CF_LANES_SUFFIX)

enum cf_host_level {
   CF_HOST_BASE, /* x86-64 (SSE2), or whatever the host's baseline is: suffix _base */
   CF_HOST_V3,   /* x86-64-v3 (AVX2): suffix _v3 */
   CF_HOST_V4,   /* x86-64-v4 (AVX-512): suffix _v4 */
   /* and permutations of bytes (AVX-512 VBMI), which compiled programs use: suffix _v4 */
   CF_HOST_V4_BYTES,
   CF_HOST_LEVELS
};

/** The best level this host runs; it runs all below. */
enum cf_host_level
cf_host_level(void);

/* Declares the three tables of one room and the choice between them. */
#if defined(__x86_64__)
#define CF_LANES_DECLARE(type, name)                                                               \
   extern const type name##_base, name##_v3, name##_v4;                                            \
   static inline const type *name##_at(enum cf_host_level level)                                   \
   {                                                                                               \
      return level >= CF_HOST_V4 ? &name##_v4 : level == CF_HOST_V3 ? &name##_v3 : &name##_base;   \
   }
#else
#define CF_LANES_DECLARE(type, name)                                                              \
   extern const type name##_base;                                                                 \
   static inline const type *name##_at(enum cf_host_level level)                                  \
   {                                                                                              \
      (void)level;                                                                                \
      return &name##_base;                                                                        \
   }
#endif

#endif
