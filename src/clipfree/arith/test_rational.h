/* SPDX-License-Identifier: MIT */
/* For tests: floats as real numbers, in GMP's rationals. */
#ifndef CF_TEST_RATIONAL_H
#define CF_TEST_RATIONAL_H

#include <gmp.h>

/** r = p0 q0 - p1 q1 */
static inline void
rational_minor(mpq_t r, double p0, double q0, double p1, double q1)
{
   mpq_t t, u;
   mpq_inits(t, u, NULL);
   mpq_set_d(r, p0);
   mpq_set_d(t, q0);
   mpq_mul(r, r, t);
   mpq_set_d(t, p1);
   mpq_set_d(u, q1);
   mpq_mul(t, t, u);
   mpq_sub(r, r, t);
   mpq_clears(t, u, NULL);
}

#endif
