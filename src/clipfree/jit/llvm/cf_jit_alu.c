/* SPDX-License-Identifier: MIT */
#include "clipfree/jit/llvm/cf_jit_alu.h"

#include "clipfree/arith/cf_special.h"
#include "clipfree/memory/cf_channel.h"
#include "clipfree/memory/cf_s3tc.h"
#include "clipfree/pixel/cf_pixel_formulas.h"
#include "clipfree/texture/cf_texture_formulas.h"

#include "clipfree/jit/cf_jit_formulas.inc" /* generated: cf_jit_alu, cf_jit_* of cf_* */
