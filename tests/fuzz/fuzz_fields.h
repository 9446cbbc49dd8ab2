/* SPDX-License-Identifier: MIT */
/*
 * Mutations of packets, field by field, for targets whose inputs have some.
 */
#ifndef FUZZ_FIELDS_H
#define FUZZ_FIELDS_H

#include "clipfree/base/test_random.h"

/** Another number in place of one of `width` bits. */
uint64_t fuzz_bits(struct cf_random *random, uint64_t now, uint32_t width);

/** Change a field of a packet, which may be malformed, or a bit of it. address: where one of its
 * addresses may point. */
void fuzz_change_field(struct cf_random *random, uint32_t *packet, uint32_t dwords,
                       uint64_t address);

#endif
