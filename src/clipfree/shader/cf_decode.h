/* SPDX-License-Identifier: MIT */
/* Private to the room: what decoding a program, checking it and interpreting it agree on. */
#ifndef CF_DECODE_H
#define CF_DECODE_H

#include "clipfree/shader/cf_decoded.h"

/* Numbers of handlers (cf_step.handler): the operation's, plus these. Steps with a scalar destination
 * write all lanes: they have handlers of their own. */
#define CF_HANDLER_SCALAR 256
/* So have special functions by CORDIC; their imm is the number of iterations. */
#define CF_HANDLER_CORDIC 512
#define CF_HANDLER_LIMIT (2 * CF_HANDLER_CORDIC)

/** Check decoded->instrs against decoded->info and the rules of cf_program_decode. False: the
 * reason is in error. */
bool cf_program_validate(const struct cf_decoded *decoded, char *error, size_t error_size);

#endif
