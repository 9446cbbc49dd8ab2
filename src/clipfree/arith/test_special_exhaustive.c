/* SPDX-License-Identifier: MIT */
/*
 * Every function of test_ops.h over all 2^32 inputs: against its reference, within its limit, and
 * with the pinned hash.
 *
 *    test_special_exhaustive [NAME...]
 *
 * Prints one line per function: largest error, the input where it occurs, and the hash of all
 * results; special_results.txt is this output.  Prints wrong results (the first ten of a function)
 * and exits with 1 if there were any.  A minute of one core per function.
 *
 * exp2, log2, sin, cos and 1/sqrt are measured against double-precision libm, which is good to 1
 * ulp of double = 2^-29 ulp of float: the errors printed are right to that, and no limit is that
 * close to a measured error.
 */
#include "clipfree/arith/cf_fp.h"
#include "clipfree/arith/test_ops.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct result {
   double error;
   uint32_t at;
   uint64_t wrong, hash;
};

static int
is_wrong(const struct cf_op_info *op, uint32_t in, uint32_t out, struct result *r)
{
   if (op->unit == CF_OP_EXACT)
      return out != op->ref_bits(in);

   double x = cf_float(in), exact = op->ref(x);
   float y = cf_float(out);
   if (op->unit == CF_OP_ABS && isfinite(x) && !(fabsf(y) <= 1.0f))
      return 1;
   if (op->unit == CF_OP_ABS && isfinite(x) && fabs(x) > op->domain)
      return 0;
   double error = op->unit == CF_OP_ULP || isnan(exact) || isnan(y) ? cf_op_error_ulp(y, exact)
                                                                    : fabs(y - exact);
   if (error > r->error) {
      r->error = error;
      r->at = in;
   }
   return !(error <= op->limit);
}

static struct result
check(const struct cf_op_info *op, cf_op_kernel kernel)
{
   static uint32_t in[CF_OP_BLOCK], out[CF_OP_BLOCK];
   struct result r = { .hash = CF_OP_HASH_SEED };
   for (uint64_t base = 0; base < 1ull << 32; base += CF_OP_BLOCK) {
      for (unsigned i = 0; i < CF_OP_BLOCK; i++)
         in[i] = (uint32_t)base + i;
      kernel(out, in);
      r.hash = cf_op_hash(r.hash, out, CF_OP_BLOCK);
      for (unsigned i = 0; i < CF_OP_BLOCK; i++) {
         if (is_wrong(op, in[i], out[i], &r) && r.wrong++ < 10)
            printf("# %s(0x%08x) = 0x%08x is wrong\n", op->name, in[i], out[i]);
      }
   }
   return r;
}

static int
report(const struct cf_op_info *op, const struct result *r)
{
   if (op->unit == CF_OP_EXACT)
      printf("%-15s exact                                   ", op->name);
   else if (op->unit == CF_OP_ULP)
      printf("%-15s %.4f ulp at %-14a (0x%08x)  ", op->name, r->error, cf_float(r->at), r->at);
   else
      printf("%-15s 2^%.3f  at %-14a (0x%08x)  ", op->name, log2(r->error), cf_float(r->at), r->at);
   printf(" hash 0x%016llx\n", (unsigned long long)r->hash);
   int failed = r->wrong != 0;
   if (r->wrong)
      printf("# %s: %llu wrong results\n", op->name, (unsigned long long)r->wrong);
   if (r->hash != op->full_hash) {
      printf("# %s: the hash differs from the pinned 0x%016llx\n", op->name,
             (unsigned long long)op->full_hash);
      failed = 1;
   }
   fflush(stdout);
   return failed;
}

int
main(int argc, char **argv)
{
   const cf_op_kernel *kernels = cf_op_host_runs(4)   ? cf_op_kernels_v4
                                 : cf_op_host_runs(3) ? cf_op_kernels_v3
                                                      : cf_op_kernels_base;
   int failed = 0, ran = 0;
   for (int i = 0; i < CF_OP_COUNT; i++) {
      int wanted = argc < 2;
      for (int a = 1; a < argc; a++)
         wanted |= !strcmp(argv[a], cf_arith_ops[i].name);
      if (!wanted)
         continue;
      struct result r = check(&cf_arith_ops[i], kernels[i]);
      failed |= report(&cf_arith_ops[i], &r);
      ran++;
   }
   if (!ran)
      fprintf(stderr, "no such function; give none for all\n");
   return failed || !ran;
}
