/* SPDX-License-Identifier: MIT */
/*
 * Delta debugging: the fewest things for which a test still holds.
 */
#ifndef REDUCE_DDMIN_H
#define REDUCE_DDMIN_H

#include <stdbool.h>
#include <stdint.h>

struct reduce_test {
   /* Whether it still holds with the things that are kept alone. */
   bool (*holds)(void *user, const bool *keep);
   void *user;
};

/** Leave out things, in runs of many first, down to runs of `least`. keep[i] says at the end
 * whether thing i remains; those that are not kept at the beginning are out already. With all that
 * are kept the test holds, and is not asked. With `least` 1, and if the same question gets the same
 * answer, no thing that remains can be left out alone. Returns how many remain. */
uint32_t reduce_ddmin(uint32_t count, uint32_t least, bool *keep, const struct reduce_test *test);

#endif
