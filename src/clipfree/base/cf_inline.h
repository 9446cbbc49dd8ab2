/* SPDX-License-Identifier: MIT */
#ifndef CF_INLINE_H
#define CF_INLINE_H

/** Before a static function: it is inlined in each caller, however large it is. For inner loops
 * with parameters that are constants at each call (a layout, a number of samples): each call gets a
 * copy specialised for them. */
#ifdef CF_COVERAGE /* counts each function's branches once (docs/code-coverage.md) */
#define CF_INLINE static inline
#else
#define CF_INLINE static inline __attribute__((always_inline))
#endif

#endif
