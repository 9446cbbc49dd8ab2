/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: what compiled code may access, for the proof (proof/cf_proof.h): the structs
 * that it is called with, what they point to, and which of their bytes it writes.
 */
#ifndef CF_JIT_MAP_H
#define CF_JIT_MAP_H

#include "clipfree/jit/proof/cf_proof.h"

struct cf_jit_source;

/** Why code of this source may not be run; NULL: it may. `arguments` of the code are set here. */
struct cf_proof_verdict cf_jit_prove(const struct cf_jit_source *source, struct cf_proof_code code);

#endif
