/* SPDX-License-Identifier: MIT */
/*
 * The level of detail of a sample, and the probes of the anisotropic filter: bit-exact with
 * texture/cf_sample_lod.h.
 *
 * Derivatives of 1D to 3D textures are computed once per quad, in vectors of 8; those of cubes, and
 * explicit gradients, per lane.
 */
#include "clipfree/isa/cf_isa.h"
#include "clipfree/jit/llvm/cf_jit_alu.h"
#include "clipfree/jit/llvm/cf_jit_sampler.h"

static void
set_lanes_like(const struct sampler *s, LLVMValueRef value)
{
   LLVMTypeRef type = LLVMTypeOf(value);
   s->j->lanes = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

/* Whether lane 0 and lane `other` of the quad are both in exec, by quad or, for cubes, by lane. */
static LLVMValueRef
both_in_exec(const struct sampler *s, unsigned other)
{
   LLVMValueRef bits[CF_TASK_LANES];
   const unsigned each = s->lanes / s->j->lanes;
   for (unsigned n = 0; n < s->j->lanes; n++)
      bits[n] = LLVMConstInt(s->j->i32, (1u | 1u << other) << (n * each & ~3u), 0);
   LLVMValueRef both = LLVMConstVector(bits, s->j->lanes);
   return compare_ints(s, LLVMIntEQ, and(s, splat(s->j, s->exec), both), both);
}

/* Size of the first level along an axis, in texels, a float. */
static LLVMValueRef
base_size(const struct sampler *s, unsigned axis)
{
   static const size_t field_B[] = { LEVEL_B(width_px), LEVEL_B(height_px), LEVEL_B(depth_px) };
   LLVMValueRef size_px = load_input(s->j, s->j->i32, level_address(s, first_level(s)), (int64_t)field_B[axis], 4);
   return splat(s->j, LLVMBuildUIToFP(s->j->ir, size_px, s->j->f32, ""));
}

/* ---- on images ---- */

/* Squared length of a vector of coordinates. */
static LLVMValueRef
length_squared(const struct sampler *s, const LLVMValueRef vector[3])
{
   LLVMValueRef squared = NULL;
   for (unsigned a = 0; a < s->key->dims; a++) {
      LLVMValueRef d = s->key->unnormalized ? vector[a] : fmul(s, vector[a], base_size(s, a));
      squared = squared ? fadd(s, squared, fmul(s, d, d)) : fmul(s, d, d);
   }
   return squared;
}

/* Difference of lane `other` of each quad to lane 0. */
static LLVMValueRef
difference_to_lane(const struct sampler *s, LLVMValueRef row, unsigned other)
{
   return fsub(s, of_quads(s, row, other), of_quads(s, row, 0));
}

/* ---- on each lane's own face of a cube ---- */

struct on_face {
   /* of a direction, without their signs, which do not matter to a length */
   LLVMValueRef sc, tc, ma;
};

static struct on_face
face_of(const struct sampler *s, const LLVMValueRef x[3])
{
   struct cf_jit_ir *j = s->j;
   const LLVMValueRef *major = s->major;
   LLVMValueRef is_z = LLVMBuildNot(j->ir, or(s, major[0], major[1]), "");
   return (struct on_face){
      .sc = choose(j, major[0], x[1], x[0]),
      .tc = choose(j, is_z, x[1], x[2]),
      .ma = choose(j, major[0], x[0], choose(j, major[1], x[1], x[2])),
   };
}

/* Squared length of (b a.ma - a b.ma) / (a.ma ma) / 2, in texels. */
static LLVMValueRef
face_length_squared(const struct sampler *s, const struct on_face *a, const struct on_face *b, LLVMValueRef ma)
{
   LLVMValueRef size = fmul(s, f32_of(s, 0.5f), base_size(s, 0));
   LLVMValueRef scale = fdiv(s, size, fmul(s, a->ma, ma));
   return cf_jit_face_length_squared(s->j, a->sc, a->tc, a->ma, b->sc, b->tc, b->ma, scale);
}

static LLVMValueRef
face_difference_squared(const struct sampler *s, unsigned other)
{
   LLVMValueRef first[3], second[3];
   for (unsigned a = 0; a < 3; a++) {
      first[a] = to_lanes(s, of_quads(s, s->str[a], 0));
      second[a] = to_lanes(s, of_quads(s, s->str[a], other));
   }
   const struct on_face at = face_of(s, first), to = face_of(s, second);
   return face_length_squared(s, &at, &to, to.ma);
}

static LLVMValueRef
face_gradient_squared(const struct sampler *s, const LLVMValueRef gradient[3])
{
   const struct on_face at = face_of(s, s->str), to = face_of(s, gradient);
   return face_length_squared(s, &at, &to, at.ma);
}

/* ---- derivatives ---- */

struct derivative_lanes
cf_jit_find_derivatives(const struct sampler *s)
{
   const bool given = s->key->mode == CF_TEXMODE_GRAD, cube = s->key->cube;
   struct derivative_lanes d;
   s->j->lanes = cube || given ? s->lanes : s->lanes / 4;
   for (unsigned n = 0; n < 2; n++) {
      LLVMValueRef way[3];
      if (given) {
         const LLVMValueRef *gradient = s->operand + 3 * n;
         d.along[n] = cube ? face_gradient_squared(s, gradient) : length_squared(s, gradient);
         continue;
      }
      for (unsigned a = 0; a < s->key->dims && !cube; a++)
         way[a] = difference_to_lane(s, s->str[a], n + 1);
      d.along[n] = cube ? face_difference_squared(s, n + 1) : length_squared(s, way);
      d.along[n] = choose(s->j, both_in_exec(s, n + 1), d.along[n], f32_of(s, 0.0f));
   }
   s->j->lanes = s->lanes;
   return d;
}

/* ---- probes ---- */

/* Number of probes; returns the squared length, in texels, of one probe's share of the
 * footprint. */
static LLVMValueRef
count_probes(const struct sampler *s, const struct derivative_lanes *d, LLVMValueRef *count)
{
   LLVMValueRef most = unit_field(s, s->j->i32, offsetof(struct cf_texture_unit, sampler.max_anisotropy));
   most = splat(s->j, LLVMBuildUIToFP(s->j->ir, most, s->j->f32, ""));
   *count = cf_jit_probe_count(s->j, d->along[0], d->along[1], most);
   return fdiv(s, cf_jit_longer(s->j, d->along[0], d->along[1]), fmul(s, *count, *count));
}

LLVMValueRef
cf_jit_most_in_exec(const struct sampler *s, LLVMValueRef count)
{
   static const char name[] = "llvm.vector.reduce.smax";
   LLVMTypeRef type = row_type(s, s->j->i32);
   const unsigned id = LLVMLookupIntrinsicID(name, sizeof(name) - 1);
   LLVMValueRef of_lanes = choose(s->j, in_exec(s), float_to_i32(s->j, count), u32_of(s, 1));
   return LLVMBuildCall2(s->j->ir, LLVMIntrinsicGetType(s->j->context, id, &type, 1),
                         LLVMGetIntrinsicDeclaration(s->j->module, id, &type, 1), &of_lanes, 1, "");
}

/* Difference between neighbouring pixels along the footprint's major axis, by quad or lane as is_x:
 * whether that is x. */
static LLVMValueRef
difference_along(const struct sampler *s, LLVMValueRef row, unsigned axis, LLVMValueRef is_x)
{
   if (s->key->mode == CF_TEXMODE_GRAD)
      return choose(s->j, is_x, s->operand[axis], s->operand[3 + axis]);
   LLVMValueRef across = difference_to_lane(s, row, 1), down = difference_to_lane(s, row, 2);
   return s->key->cube ? choose(s->j, is_x, to_lanes(s, across), to_lanes(s, down))
                       : choose(s->j, is_x, across, down);
}

/* Place the probes. is_x, count: by quad or lane, as the derivatives; j->lanes is their number. */
static void
place_probes(const struct sampler *s, LLVMValueRef is_x, LLVMValueRef count,
             struct filter_probes *probes)
{
   LLVMValueRef one = f32_of(s, 1.0f), zero = f32_of(s, 0.0f);
   LLVMValueRef several = compare_floats(s, LLVMRealOGT, count, one);
   const unsigned axes = s->key->cube ? 3u : s->key->dims;
   for (unsigned a = 0; a < axes; a++) {
      LLVMValueRef way = difference_along(s, s->str[a], a, is_x);
      probes->back[a] = choose(s->j, several, fmul(s, f32_of(s, 0.5f), way), zero);
      probes->step[a] = choose(s->j, several, fdiv(s, way, fadd(s, count, one)), zero);
   }
   probes->reciprocal = fdiv(s, one, count);
   probes->count = count;
}

/* ---- level of detail ---- */

/* Level of detail of the longer derivative, or of one probe's share. */
static LLVMValueRef
lod_of_derivatives(const struct sampler *s, const struct derivative_lanes *d, struct detail *detail)
{
   LLVMValueRef count = NULL;
   set_lanes_like(s, d->along[0]);
   detail->longest = s->key->anisotropic ? count_probes(s, d, &count)
                                         : cf_jit_longer(s->j, d->along[0], d->along[1]);
   LLVMValueRef lod = cf_jit_lod_of_length(s->j, detail->longest);
   LLVMValueRef is_x = compare_floats(s, LLVMRealOGT, d->along[0], d->along[1]);
   if (s->key->anisotropic)
      place_probes(s, is_x, count, &detail->probes);
   s->j->lanes = s->lanes;
   return lod;
}

/* Add the sampler's bias and clamp to its bounds. Sets j->lanes to that of lod. */
static LLVMValueRef
bound_lod(const struct sampler *s, LLVMValueRef lod)
{
   const size_t sampler_B = offsetof(struct cf_texture_unit, sampler);
   LLVMValueRef bias = unit_field(s, s->j->f32, sampler_B + offsetof(struct cf_sampler, lod_bias));
   LLVMValueRef low = unit_field(s, s->j->f32, sampler_B + offsetof(struct cf_sampler, min_lod));
   LLVMValueRef high = unit_field(s, s->j->f32, sampler_B + offsetof(struct cf_sampler, max_lod));
   set_lanes_like(s, lod);
   return cf_jit_lod_clamped(s->j, lod, splat(s->j, bias), splat(s->j, low), splat(s->j, high));
}

bool
cf_jit_has_derivatives(const struct sampler *s)
{
   const unsigned mode = s->key->mode;
   return mode == CF_TEXMODE_GRAD || (s->key->quads && mode != CF_TEXMODE_LOD);
}

LLVMValueRef
cf_jit_all_magnified(const struct sampler *s, const struct derivative_lanes *d)
{
   LLVMValueRef most = bound_lod(s, LLVMConstNull(s->j->f32)), all = LLVMConstInt(s->j->i1, 1, 0);
   LLVMValueRef is_magnified =
      compare_floats(s, LLVMRealOLE, most, f32_of(s, cf_most_magnified(s->key->magnify_to_half)));
   set_lanes_like(s, d->along[0]);
   LLVMTypeRef mask = LLVMIntTypeInContext(s->j->context, s->j->lanes);
   for (unsigned n = 0; n < 2; n++) {
      LLVMValueRef within = compare_floats(s, LLVMRealOLE, d->along[n], f32_of(s, 1.0f));
      within = LLVMBuildBitCast(s->j->ir, within, mask, "");
      all = and(s, all, compare_ints(s, LLVMIntEQ, within, LLVMConstAllOnes(mask)));
   }
   s->j->lanes = s->lanes;
   /* else the level of detail chooses nothing */
   return s->key->mip == CF_MIP_NONE && s->key->min_linear == s->key->mag_linear
             ? all
             : and(s, all, is_magnified);
}

/* The level of detail or the bias. */
static LLVMValueRef
level_operand(const struct sampler *s)
{
   return s->key->offsets && cf_jit_q_is_reference(s->key) ? s->operand[CF_OPERAND_LEVEL]
                                                           : s->strq[3];
}

void
cf_jit_level_of_detail(const struct sampler *s, const struct derivative_lanes *d,
                       struct detail *detail)
{
   LLVMValueRef lod;
   *detail = (struct detail){ NULL };
   if (s->key->mode == CF_TEXMODE_LOD)
      lod = level_operand(s);
   else if (d)
      lod = lod_of_derivatives(s, d, detail);
   else
      lod = LLVMConstNull(s->j->f32);
   if (s->key->mode == CF_TEXMODE_BIAS)
      lod = fadd(s, to_lanes(s, lod), level_operand(s));
   detail->lod = bound_lod(s, lod);
}
