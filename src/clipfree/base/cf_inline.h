/* SPDX-License-Identifier: MIT */
#ifndef CF_INLINE_H
#define CF_INLINE_H

/** Before a function of one file: it is made part of each caller, however large it is. For inner
 * loops whose parameters are constants at each call (a layout, a number of samples), which then are
 * made once for each of them. */
#define CF_INLINE static inline __attribute__((always_inline))

#endif
