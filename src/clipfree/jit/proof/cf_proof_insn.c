/* SPDX-License-Identifier: MIT */
/*
 * Decoding by Zydis. All bytes are decoded one instruction after the other, and jumps must go to
 * one of these: what runs is what was decoded, so nothing hides in the middle of an instruction.
 */
#include "clipfree/jit/proof/cf_proof_insn.h"

#include <stdlib.h>
#include <string.h>

#ifdef CF_PROOF_ZYDIS
#include <Zydis/Zydis.h>

struct decoding {
   ZydisDecodedInstruction in;
   ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
};

/* ---- what is allowed ---- */

/* Whether it finds the first or last bit that is set. Without one some processors leave all 64 bits
 * of the destination as they are: of BSF and BSR, and where there is no TZCNT or LZCNT, which are
 * these then. */
static bool
finds_bit(ZydisMnemonic mnemonic)
{
   return mnemonic == ZYDIS_MNEMONIC_TZCNT || mnemonic == ZYDIS_MNEMONIC_LZCNT ||
          mnemonic == ZYDIS_MNEMONIC_BSF || mnemonic == ZYDIS_MNEMONIC_BSR;
}

/* Kinds of instructions, by Zydis' categories: arithmetic, moves and control flow. */
static bool
is_allowed_kind(const ZydisDecodedInstruction *in)
{
   switch (in->meta.category) {
   case ZYDIS_CATEGORY_AVX:
   case ZYDIS_CATEGORY_AVX2:
   case ZYDIS_CATEGORY_AVX2GATHER:
   case ZYDIS_CATEGORY_AVX512:
   case ZYDIS_CATEGORY_AVX512_VBMI: /* permutations of bytes, and shifts */
   case ZYDIS_CATEGORY_BINARY:
   case ZYDIS_CATEGORY_BLEND:
   case ZYDIS_CATEGORY_BMI1:
   case ZYDIS_CATEGORY_BMI2:
   case ZYDIS_CATEGORY_BROADCAST:
   case ZYDIS_CATEGORY_CALL:
   case ZYDIS_CATEGORY_CMOV:
   case ZYDIS_CATEGORY_COND_BR:
   case ZYDIS_CATEGORY_CONVERT:
   case ZYDIS_CATEGORY_DATAXFER:
   case ZYDIS_CATEGORY_EXPAND:
   case ZYDIS_CATEGORY_GATHER:
   case ZYDIS_CATEGORY_KMASK:
   case ZYDIS_CATEGORY_LOGICAL:
   case ZYDIS_CATEGORY_LOGICAL_FP:
   case ZYDIS_CATEGORY_LZCNT:
   case ZYDIS_CATEGORY_NOP:
   case ZYDIS_CATEGORY_POP:
   case ZYDIS_CATEGORY_PUSH:
   case ZYDIS_CATEGORY_RET:
   case ZYDIS_CATEGORY_ROTATE:
   case ZYDIS_CATEGORY_SCATTER:
   case ZYDIS_CATEGORY_SETCC:
   case ZYDIS_CATEGORY_SHIFT:
   case ZYDIS_CATEGORY_SSE:
   case ZYDIS_CATEGORY_UNCOND_BR:
   case ZYDIS_CATEGORY_VFMA:
   case ZYDIS_CATEGORY_WIDENOP:
      return true;
   default:
      return in->mnemonic == ZYDIS_MNEMONIC_LEA || in->mnemonic == ZYDIS_MNEMONIC_BT ||
             finds_bit(in->mnemonic);
   }
}

/* Of those kinds, but not allowed. */
static bool
is_excluded(ZydisMnemonic mnemonic)
{
   switch (mnemonic) {
   case ZYDIS_MNEMONIC_LDMXCSR: /* rounding and exceptions are the caller's */
   case ZYDIS_MNEMONIC_STMXCSR:
   case ZYDIS_MNEMONIC_VLDMXCSR:
   case ZYDIS_MNEMONIC_VSTMXCSR:
   case ZYDIS_MNEMONIC_MASKMOVDQU: /* stores at rdi, which no operand names */
   case ZYDIS_MNEMONIC_MASKMOVQ:
   case ZYDIS_MNEMONIC_VMASKMOVDQU:
   case ZYDIS_MNEMONIC_ENTER:
   case ZYDIS_MNEMONIC_LEAVE:
   case ZYDIS_MNEMONIC_PUSHF:
   case ZYDIS_MNEMONIC_PUSHFD:
   case ZYDIS_MNEMONIC_PUSHFQ:
   case ZYDIS_MNEMONIC_POPF:
   case ZYDIS_MNEMONIC_POPFD:
   case ZYDIS_MNEMONIC_POPFQ:
   case ZYDIS_MNEMONIC_XLAT:
   case ZYDIS_MNEMONIC_FXSAVE:
   case ZYDIS_MNEMONIC_FXSAVE64:
   case ZYDIS_MNEMONIC_FXRSTOR:
   case ZYDIS_MNEMONIC_FXRSTOR64:
   case ZYDIS_MNEMONIC_XBEGIN:
   case ZYDIS_MNEMONIC_LOOP: /* jumps change no registers */
   case ZYDIS_MNEMONIC_LOOPE:
   case ZYDIS_MNEMONIC_LOOPNE:
      return true;
   default:
      return false;
   }
}

/* Prefixes that change what an instruction accesses, or hold the bus. */
#define PREFIXES                                                                                   \
   (ZYDIS_ATTRIB_HAS_LOCK | ZYDIS_ATTRIB_HAS_SEGMENT | ZYDIS_ATTRIB_HAS_REP |                      \
    ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE | ZYDIS_ATTRIB_HAS_XACQUIRE |                   \
    ZYDIS_ATTRIB_HAS_XRELEASE)

static const char *
why_not_allowed(const ZydisDecodedInstruction *in)
{
   if (!is_allowed_kind(in) || is_excluded(in->mnemonic))
      return "an instruction of a kind that is not allowed";
   const bool nop =
      in->meta.category == ZYDIS_CATEGORY_NOP || in->meta.category == ZYDIS_CATEGORY_WIDENOP;
   if (!nop && (in->attributes & PREFIXES || in->address_width != 64))
      return "a prefix that is not allowed";
   return NULL;
}

/* ---- operands ---- */

/* The number of a general register, of any width; CF_PROOF_NO_REG: it is none. */
static uint8_t
gpr(ZydisRegister reg)
{
   static const ZydisRegister first[] = { ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_EAX,
                                          ZYDIS_REGISTER_AX };
   for (unsigned i = 0; i < 3; i++) {
      if (reg >= first[i] && reg < first[i] + CF_PROOF_GPRS)
         return (uint8_t)(reg - first[i]);
   }
   if (reg >= ZYDIS_REGISTER_AL && reg <= ZYDIS_REGISTER_BL)
      return (uint8_t)(reg - ZYDIS_REGISTER_AL);
   if (reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH)
      return (uint8_t)(reg - ZYDIS_REGISTER_AH);
   if (reg >= ZYDIS_REGISTER_SPL && reg <= ZYDIS_REGISTER_R15B)
      return (uint8_t)(reg - ZYDIS_REGISTER_SPL + CF_PROOF_RSP);
   return CF_PROOF_NO_REG;
}

static bool
is_known_register(ZydisRegister reg)
{
   switch (ZydisRegisterGetClass(reg)) {
   case ZYDIS_REGCLASS_GPR8:
   case ZYDIS_REGCLASS_GPR16:
   case ZYDIS_REGCLASS_GPR32:
   case ZYDIS_REGCLASS_GPR64:
   case ZYDIS_REGCLASS_XMM:
   case ZYDIS_REGCLASS_YMM:
   case ZYDIS_REGCLASS_ZMM:
   case ZYDIS_REGCLASS_MASK:
   case ZYDIS_REGCLASS_FLAGS:
   case ZYDIS_REGCLASS_IP:
      return true;
   default:
      return reg == ZYDIS_REGISTER_MXCSR; /* read by arithmetic */
   }
}

static bool
has_dword_indices(ZydisMnemonic mnemonic)
{
   switch (mnemonic) {
   case ZYDIS_MNEMONIC_VGATHERDPD:
   case ZYDIS_MNEMONIC_VGATHERDPS:
   case ZYDIS_MNEMONIC_VPGATHERDD:
   case ZYDIS_MNEMONIC_VPGATHERDQ:
   case ZYDIS_MNEMONIC_VSCATTERDPD:
   case ZYDIS_MNEMONIC_VSCATTERDPS:
   case ZYDIS_MNEMONIC_VPSCATTERDD:
   case ZYDIS_MNEMONIC_VPSCATTERDQ:
      return true;
   default:
      return false;
   }
}

/* What gathers and scatters access for each index. */
static unsigned
element_B(ZydisMnemonic mnemonic)
{
   const bool dwords =
      mnemonic == ZYDIS_MNEMONIC_VGATHERDPS || mnemonic == ZYDIS_MNEMONIC_VPGATHERDD ||
      mnemonic == ZYDIS_MNEMONIC_VSCATTERDPS || mnemonic == ZYDIS_MNEMONIC_VPSCATTERDD;
   return dwords ? 4 : 8;
}

static const char *
note_address(struct cf_proof_insn *insn, const struct decoding *d,
             const ZydisDecodedOperand *operand)
{
   const ZydisDecodedOperandMem *mem = &operand->mem;
   const bool vector = mem->type == ZYDIS_MEMOP_TYPE_VSIB;
   if (insn->base != CF_PROOF_NO_REG || insn->index != CF_PROOF_NO_REG ||
       (!vector && mem->type == ZYDIS_MEMOP_TYPE_MIB))
      return "two accesses of memory at once";
   insn->base = mem->base == ZYDIS_REGISTER_RIP ? CF_PROOF_RIP : gpr(mem->base);
   insn->index = mem->index == ZYDIS_REGISTER_NONE ? CF_PROOF_NO_REG
                 : vector                          ? (uint8_t)ZydisRegisterGetId(mem->index)
                                                   : gpr(mem->index);
   insn->scale = mem->scale;
   insn->disp = mem->disp.value;
   insn->vector_index = vector;
   if (vector && !has_dword_indices(d->in.mnemonic))
      return "addresses in a vector";
   return NULL;
}

static const char *
note_memory(struct cf_proof_insn *insn, const struct decoding *d,
            const ZydisDecodedOperand *operand)
{
   if (operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN) { /* the stack */
      const bool stack = insn->op == CF_MC_PUSH || insn->op == CF_MC_POP ||
                         insn->op == CF_MC_CALL || insn->op == CF_MC_RET;
      return stack ? NULL : "an access of memory that no operand names";
   }
   const char *wrong = note_address(insn, d, operand);
   if (wrong || insn->op == CF_MC_LEA)
      return wrong;
   const bool nop =
      d->in.meta.category == ZYDIS_CATEGORY_NOP || d->in.meta.category == ZYDIS_CATEGORY_WIDENOP;
   const unsigned size_B = insn->vector_index ? element_B(d->in.mnemonic) : operand->size / 8;
   insn->memory =
      nop ? CF_MEM_NONE
          : (uint8_t)((operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ ? CF_MEM_READ : 0) |
                      (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE ? CF_MEM_WRITE : 0));
   if (d->in.mnemonic == ZYDIS_MNEMONIC_BT)
      return "bits of memory, which lie anywhere";
   insn->access_B = (uint16_t)size_B;
   return insn->memory && !insn->access_B ? "an access of unknown size" : NULL;
}

static const char *
note_register(struct cf_proof_insn *insn, const ZydisDecodedOperand *operand)
{
   const uint8_t reg = gpr(operand->reg.value);
   if (!is_known_register(operand->reg.value))
      return "a register that is not allowed";
   if (reg != CF_PROOF_NO_REG && operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
      insn->clobbers |= (uint16_t)(1u << reg);
   if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
       ZydisRegisterGetClass(operand->reg.value) == ZYDIS_REGCLASS_FLAGS)
      insn->flags = true;
   return NULL;
}

/* ---- operations ---- */

/* What general registers get, where the proof has to know. */
static bool
is_lane(ZydisMnemonic mnemonic)
{
   return mnemonic == ZYDIS_MNEMONIC_VMOVD || mnemonic == ZYDIS_MNEMONIC_MOVD ||
          mnemonic == ZYDIS_MNEMONIC_VPEXTRD || mnemonic == ZYDIS_MNEMONIC_PEXTRD ||
          mnemonic == ZYDIS_MNEMONIC_VEXTRACTPS || mnemonic == ZYDIS_MNEMONIC_EXTRACTPS;
}

static enum cf_proof_op
op_of(const ZydisDecodedInstruction *in)
{
   static const struct {
      ZydisMnemonic mnemonic;
      enum cf_proof_op op;
   } ops[] = {
      { ZYDIS_MNEMONIC_MOV, CF_MC_MOV },     { ZYDIS_MNEMONIC_MOVZX, CF_MC_MOV },
      { ZYDIS_MNEMONIC_MOVSX, CF_MC_MOVSX }, { ZYDIS_MNEMONIC_MOVSXD, CF_MC_MOVSX },
      { ZYDIS_MNEMONIC_LEA, CF_MC_LEA },     { ZYDIS_MNEMONIC_ADD, CF_MC_ADD },
      { ZYDIS_MNEMONIC_INC, CF_MC_ADD },     { ZYDIS_MNEMONIC_SUB, CF_MC_SUB },
      { ZYDIS_MNEMONIC_DEC, CF_MC_SUB },     { ZYDIS_MNEMONIC_AND, CF_MC_AND },
      { ZYDIS_MNEMONIC_OR, CF_MC_OR },       { ZYDIS_MNEMONIC_XOR, CF_MC_XOR },
      { ZYDIS_MNEMONIC_SHL, CF_MC_SHL },     { ZYDIS_MNEMONIC_SHR, CF_MC_SHR },
      { ZYDIS_MNEMONIC_SAR, CF_MC_SAR },     { ZYDIS_MNEMONIC_IMUL, CF_MC_IMUL },
      { ZYDIS_MNEMONIC_SHRX, CF_MC_SHR },    { ZYDIS_MNEMONIC_SARX, CF_MC_SAR },
      { ZYDIS_MNEMONIC_CMP, CF_MC_CMP },     { ZYDIS_MNEMONIC_PUSH, CF_MC_PUSH },
      { ZYDIS_MNEMONIC_POP, CF_MC_POP },     { ZYDIS_MNEMONIC_CALL, CF_MC_CALL },
      { ZYDIS_MNEMONIC_RET, CF_MC_RET },     { ZYDIS_MNEMONIC_JMP, CF_MC_JMP },
   };
   if (in->meta.category == ZYDIS_CATEGORY_CMOV)
      return CF_MC_CMOV;
   if (is_lane(in->mnemonic))
      return CF_MC_LANE;
   if (in->meta.category == ZYDIS_CATEGORY_SETCC)
      return CF_MC_SET;
   if (in->meta.category == ZYDIS_CATEGORY_COND_BR)
      return CF_MC_JCC;
   for (unsigned i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
      if (ops[i].mnemonic == in->mnemonic)
         return ops[i].op;
   }
   return CF_MC_OTHER;
}

static enum cf_proof_condition
condition_of(ZydisMnemonic mnemonic)
{
   switch (mnemonic) {
   case ZYDIS_MNEMONIC_JB:
   case ZYDIS_MNEMONIC_CMOVB:
      return CF_IF_BELOW;
   case ZYDIS_MNEMONIC_JNB:
   case ZYDIS_MNEMONIC_CMOVNB:
      return CF_IF_NOT_BELOW;
   case ZYDIS_MNEMONIC_JNBE:
   case ZYDIS_MNEMONIC_CMOVNBE:
      return CF_IF_ABOVE;
   case ZYDIS_MNEMONIC_JBE:
   case ZYDIS_MNEMONIC_CMOVBE:
      return CF_IF_NOT_ABOVE;
   case ZYDIS_MNEMONIC_JZ:
   case ZYDIS_MNEMONIC_CMOVZ:
      return CF_IF_EQUAL;
   case ZYDIS_MNEMONIC_JNZ:
   case ZYDIS_MNEMONIC_CMOVNZ:
      return CF_IF_NOT_EQUAL;
   default:
      return CF_IF_UNKNOWN;
   }
}

static uint8_t
register_of(const ZydisDecodedOperand *operand)
{
   return operand->type == ZYDIS_OPERAND_TYPE_REGISTER ? gpr(operand->reg.value) : CF_PROOF_NO_REG;
}

/* Registers of which a part is kept are not followed, but for the low byte. */
static bool
is_followed(const ZydisDecodedOperand *operand)
{
   return operand->type != ZYDIS_OPERAND_TYPE_REGISTER || operand->size >= 32;
}

/* ah, bh, ch, dh. */
static bool
is_second_byte(const ZydisDecodedOperand *operand)
{
   return operand->type == ZYDIS_OPERAND_TYPE_REGISTER && operand->reg.value >= ZYDIS_REGISTER_AH &&
          operand->reg.value <= ZYDIS_REGISTER_BH;
}

/* An operation of 8 bits on a register. */
static enum cf_proof_op
byte_op_of(const struct cf_proof_insn *insn)
{
   switch (insn->op) {
   case CF_MC_MOV:
      return CF_MC_BYTE;
   case CF_MC_AND:
      return CF_MC_BYTE_AND;
   case CF_MC_OR:
   case CF_MC_XOR:
      return CF_MC_BYTE_OR;
   default:
      return insn->op == CF_MC_SET ? CF_MC_SET : CF_MC_OTHER;
   }
}

/* What is followed of an operation, by its operands. */
static enum cf_proof_op
followed(const struct cf_proof_insn *insn, const struct decoding *d)
{
   const unsigned count = d->in.operand_count_visible;
   const ZydisDecodedOperand *first = &d->operand[0], *last = &d->operand[count - 1];
   const bool wide = insn->op == CF_MC_IMUL && count == 1; /* to rax and rdx */
   if (insn->op < CF_MC_MOV || insn->op > CF_MC_CMP)
      return insn->op;
   if (is_second_byte(first) || is_second_byte(last) || wide)
      return CF_MC_OTHER;
   if (first->size == 8 && insn->dst != CF_PROOF_NO_REG && insn->op != CF_MC_CMP)
      return byte_op_of(insn);
   return is_followed(first) || insn->op == CF_MC_SET ? insn->op : CF_MC_OTHER;
}

/* Explicit operands: destination, left source, last source. */
static void
note_operands(struct cf_proof_insn *insn, const struct decoding *d)
{
   const unsigned count = d->in.operand_count_visible;
   const ZydisDecodedOperand *first = &d->operand[0], *last = &d->operand[count ? count - 1 : 0];
   insn->imm = d->in.mnemonic == ZYDIS_MNEMONIC_INC || d->in.mnemonic == ZYDIS_MNEMONIC_DEC ? 1 : 0;
   if (!count)
      return;
   insn->width_B = (uint8_t)(first->size / 8);
   insn->from_B = (uint8_t)(last->size / 8);
   if (finds_bit(d->in.mnemonic))
      insn->width_B = 8;
   insn->dst = register_of(first);
   insn->left = count == 3 ? register_of(&d->operand[1]) : insn->dst;
   insn->src = count > 1 || insn->op == CF_MC_PUSH || insn->op == CF_MC_CALL ? register_of(last)
                                                                             : CF_PROOF_NO_REG;
   if (last->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
      insn->imm = last->imm.is_signed ? last->imm.value.s : (int64_t)last->imm.value.u;
   insn->op = (uint8_t)followed(insn, d);
}

static const char *
note_flow(struct cf_proof_insn *insn, const struct decoding *d, const struct cf_proof_code *code)
{
   const ZydisDecodedOperand *to = &d->operand[0];
   ZyanU64 target;
   if (d->in.attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE) /* processors disagree on what it does */
      return "a prefix that is not allowed";
   if (insn->op == CF_MC_RET)
      return d->in.operand_count_visible || d->in.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR
                ? "a return of another kind"
                : NULL;
   if (insn->op == CF_MC_CALL)
      return to->type == ZYDIS_OPERAND_TYPE_IMMEDIATE          ? "a call of an address"
             : d->in.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR ? "a far call"
                                                               : NULL;
   if (to->type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
      return "an indirect jump";
   if (insn->clobbers)
      return "a jump that changes registers";
   if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&d->in, to, insn->at_B, &target)) ||
       target < code->begin_B || target >= code->end_B)
      return "a jump out of the code";
   insn->target = (uint32_t)target;
   return NULL;
}

/* ---- vectors ---- */

static bool
is_vector_move(ZydisMnemonic mnemonic)
{
   switch (mnemonic) {
   case ZYDIS_MNEMONIC_VMOVDQA:
   case ZYDIS_MNEMONIC_VMOVDQA32:
   case ZYDIS_MNEMONIC_VMOVDQA64:
   case ZYDIS_MNEMONIC_VMOVDQU:
   case ZYDIS_MNEMONIC_VMOVDQU32:
   case ZYDIS_MNEMONIC_VMOVDQU64:
   case ZYDIS_MNEMONIC_VMOVAPS:
   case ZYDIS_MNEMONIC_VMOVUPS:
   case ZYDIS_MNEMONIC_VMOVAPD:
   case ZYDIS_MNEMONIC_VMOVUPD:
   case ZYDIS_MNEMONIC_VPBROADCASTD:
   case ZYDIS_MNEMONIC_VBROADCASTSS:
   case ZYDIS_MNEMONIC_VEXTRACTF128:
   case ZYDIS_MNEMONIC_VEXTRACTI128:
   case ZYDIS_MNEMONIC_VEXTRACTF32X4:
   case ZYDIS_MNEMONIC_VEXTRACTI32X4:
   case ZYDIS_MNEMONIC_VEXTRACTF64X4:
   case ZYDIS_MNEMONIC_VEXTRACTI64X4:
   case ZYDIS_MNEMONIC_VMOVD: /* the others are 0 */
   case ZYDIS_MNEMONIC_MOVD:
   case ZYDIS_MNEMONIC_MOVDQA:
   case ZYDIS_MNEMONIC_MOVDQU:
   case ZYDIS_MNEMONIC_MOVAPS:
   case ZYDIS_MNEMONIC_MOVUPS:
   case ZYDIS_MNEMONIC_MOVAPD:
   case ZYDIS_MNEMONIC_MOVUPD:
   case ZYDIS_MNEMONIC_PSHUFD:
      return true;
   default:
      return false;
   }
}

static bool
is_vector_blend(ZydisMnemonic mnemonic)
{
   switch (mnemonic) {
   case ZYDIS_MNEMONIC_VPBLENDMD:
   case ZYDIS_MNEMONIC_VBLENDMPS:
   case ZYDIS_MNEMONIC_VPBLENDD:
   case ZYDIS_MNEMONIC_VBLENDPS:
   case ZYDIS_MNEMONIC_BLENDPS:
   case ZYDIS_MNEMONIC_VBLENDVPS:
   case ZYDIS_MNEMONIC_BLENDVPS:
      return true;
   default:
      return false;
   }
}

static enum cf_proof_op
vector_logic_of(ZydisMnemonic mnemonic)
{
   switch (mnemonic) {
   case ZYDIS_MNEMONIC_VPAND:
   case ZYDIS_MNEMONIC_VPANDD:
   case ZYDIS_MNEMONIC_VPANDQ:
   case ZYDIS_MNEMONIC_PAND:
   case ZYDIS_MNEMONIC_VANDPS: /* LLVM takes these for integers, too, beside floats or doubles */
   case ZYDIS_MNEMONIC_ANDPS:
   case ZYDIS_MNEMONIC_VANDPD:
   case ZYDIS_MNEMONIC_ANDPD:
      return CF_MC_AND;
   case ZYDIS_MNEMONIC_VPOR:
   case ZYDIS_MNEMONIC_VPORD:
   case ZYDIS_MNEMONIC_VPORQ:
   case ZYDIS_MNEMONIC_POR:
   case ZYDIS_MNEMONIC_VORPS:
   case ZYDIS_MNEMONIC_ORPS:
   case ZYDIS_MNEMONIC_VORPD:
   case ZYDIS_MNEMONIC_ORPD:
      return CF_MC_OR;
   case ZYDIS_MNEMONIC_VPXOR:
   case ZYDIS_MNEMONIC_VPXORD:
   case ZYDIS_MNEMONIC_VPXORQ:
   case ZYDIS_MNEMONIC_PXOR:
   case ZYDIS_MNEMONIC_VXORPS:
   case ZYDIS_MNEMONIC_XORPS:
   case ZYDIS_MNEMONIC_VXORPD:
   case ZYDIS_MNEMONIC_XORPD:
      return CF_MC_XOR;
   case ZYDIS_MNEMONIC_VPTERNLOGD:
   case ZYDIS_MNEMONIC_VPTERNLOGQ:
      return CF_MC_TERNARY_LOGIC;
   default:
      return CF_MC_OTHER;
   }
}

/* What is followed of vectors: the bounds of dwords that are indices. */
static enum cf_proof_op
vector_op_of(ZydisMnemonic mnemonic)
{
   if (is_vector_move(mnemonic))
      return CF_MC_MOV;
   if (is_vector_blend(mnemonic))
      return CF_MC_BLEND;
   switch (mnemonic) {
   case ZYDIS_MNEMONIC_VPMINUD:
      return CF_MC_MIN;
   case ZYDIS_MNEMONIC_VPADDD:
   case ZYDIS_MNEMONIC_PADDD:
      return CF_MC_ADD;
   case ZYDIS_MNEMONIC_VPSLLD:
   case ZYDIS_MNEMONIC_PSLLD:
      return CF_MC_SHL;
   case ZYDIS_MNEMONIC_VPSRLD:
   case ZYDIS_MNEMONIC_PSRLD:
      return CF_MC_SHR;
   case ZYDIS_MNEMONIC_VPMULLD:
      return CF_MC_IMUL;
   case ZYDIS_MNEMONIC_VPSHUFB:
      return CF_MC_SHUFFLE;
   case ZYDIS_MNEMONIC_VPMOVZXBD:
   case ZYDIS_MNEMONIC_VPMOVZXWD:
      return CF_MC_ZERO_EXTEND;
   case ZYDIS_MNEMONIC_VPMOVSXBD:
   case ZYDIS_MNEMONIC_VPMOVSXWD:
      return CF_MC_SIGN_EXTEND;
   case ZYDIS_MNEMONIC_VPMADDWD:
   case ZYDIS_MNEMONIC_PMADDWD:
      return CF_MC_MADD;
   case ZYDIS_MNEMONIC_VZEROUPPER:
   case ZYDIS_MNEMONIC_VZEROALL:
      return CF_MC_CLEAR;
   default:
      return vector_logic_of(mnemonic);
   }
}

static bool
is_vector(const ZydisDecodedOperand *operand)
{
   const ZydisRegisterClass kind = operand->type == ZYDIS_OPERAND_TYPE_REGISTER
                                      ? ZydisRegisterGetClass(operand->reg.value)
                                      : ZYDIS_REGCLASS_INVALID;
   return kind == ZYDIS_REGCLASS_XMM || kind == ZYDIS_REGCLASS_YMM || kind == ZYDIS_REGCLASS_ZMM;
}

static uint8_t
vector_of(const ZydisDecodedOperand *operand)
{
   return is_vector(operand) ? (uint8_t)ZydisRegisterGetId(operand->reg.value) : CF_PROOF_NO_REG;
}

/* Bytes of a vector register; of an operand Zydis says how many are read, of vextractf128's the
 * upper half. 0: it is no vector. */
static uint8_t
vector_width_B(const ZydisDecodedOperand *operand)
{
   return is_vector(operand)
             ? (uint8_t)(ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, operand->reg.value) / 8)
             : 0;
}

/* Whether the destination of SSE is also its first source. */
static bool
is_source_too(const struct decoding *d)
{
   return d->in.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY && is_vector(&d->operand[0]) &&
          d->operand[0].actions & ZYDIS_OPERAND_ACTION_MASK_READ;
}

/* The order of operands: destination, mask, sources, constant. An instruction may write several
 * vectors; then its destination is the first, and it is none of those that are followed. */
static void
note_vectors(struct cf_proof_insn *insn, const struct decoding *d)
{
   const ZydisDecodedOperand *source[2] = { NULL, NULL };
   unsigned sources = 0;
   if (is_source_too(d))
      source[sources++] = &d->operand[0];
   for (unsigned i = 1; i < d->in.operand_count_visible && sources < 2; i++) {
      const bool mask = d->operand[i].encoding == ZYDIS_OPERAND_ENCODING_MASK;
      if (!mask && d->operand[i].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
         source[sources++] = &d->operand[i];
   }
   insn->vector_dst = vector_of(&d->operand[0]);
   insn->vector_op = (uint8_t)vector_op_of(d->in.mnemonic);
   if ((insn->vector_op == CF_MC_SHL || insn->vector_op == CF_MC_SHR) && sources != 1)
      /* by a vector */
      insn->vector_op = CF_MC_OTHER;
   if (d->in.mnemonic == ZYDIS_MNEMONIC_VMOVD || d->in.mnemonic == ZYDIS_MNEMONIC_MOVD)
      insn->whole = false;
   insn->lanes = d->in.avx.mask.mode != ZYDIS_MASK_MODE_INVALID &&
                 d->in.avx.mask.mode != ZYDIS_MASK_MODE_DISABLED;
   if (insn->vector_op == CF_MC_SHUFFLE && insn->lanes) /* a mask of bytes: parts of dwords stay */
      insn->vector_op = CF_MC_OTHER;
   insn->wide |= insn->vector_op == CF_MC_CLEAR;
   insn->vector_left = source[0] ? vector_of(source[0]) : CF_PROOF_NO_REG;
   insn->vector_src = sources ? vector_of(source[sources - 1]) : CF_PROOF_NO_REG;
   insn->number = sources && source[0]->type == ZYDIS_OPERAND_TYPE_REGISTER
                     ? gpr(source[0]->reg.value)
                     : CF_PROOF_NO_REG;
}

/* ---- instructions ---- */

static const char *
note(struct cf_proof_insn *insn, const struct decoding *d, const struct cf_proof_code *code)
{
   const char *wrong = why_not_allowed(&d->in);
   *insn = (struct cf_proof_insn){ .at_B = insn->at_B,
                                   .length_B = d->in.length,
                                   .dst = CF_PROOF_NO_REG,
                                   .src = CF_PROOF_NO_REG,
                                   .left = CF_PROOF_NO_REG,
                                   .base = CF_PROOF_NO_REG,
                                   .index = CF_PROOF_NO_REG,
                                   .vector_dst = CF_PROOF_NO_REG,
                                   .also = CF_PROOF_NO_REG };
   insn->op = (uint8_t)op_of(&d->in);
   insn->condition = (uint8_t)condition_of(d->in.mnemonic);
   for (unsigned i = 0; i < d->in.operand_count && !wrong; i++) {
      const bool second =
         i && is_vector(&d->operand[i]) && d->operand[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
      if (is_vector(&d->operand[i])) {
         const uint8_t size_B = vector_width_B(&d->operand[i]);
         insn->wide |= d->in.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY;
         insn->vector_B = size_B > insn->vector_B ? size_B : insn->vector_B;
         insn->whole = vector_width_B(&d->operand[0]) == insn->vector_B;
      }
      if (second) /* gathers write their mask, which may be a vector */
         insn->also = (uint8_t)ZydisRegisterGetId(d->operand[i].reg.value);
      if (d->operand[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
         wrong = note_memory(insn, d, &d->operand[i]);
      else if (d->operand[i].type == ZYDIS_OPERAND_TYPE_REGISTER)
         wrong = note_register(insn, &d->operand[i]);
      else if (d->operand[i].type == ZYDIS_OPERAND_TYPE_POINTER)
         wrong = "a far pointer";
   }
   if (!wrong && insn->op >= CF_MC_CALL)
      wrong = note_flow(insn, d, code);
   if (!wrong) {
      note_operands(insn, d);
      note_vectors(insn, d);
   }
   return wrong;
}

/* ---- all of it ---- */

/* How much of vectors the code sees. With instructions of AVX in it those of SSE are not followed,
 * as they keep the upper parts, which code of SSE alone never sees. */
static void
compare_widths(struct cf_proof_insns *insns)
{
   bool wide = false;
   uint8_t most_B = 0;
   for (unsigned i = 0; i < insns->count; i++) {
      wide |= insns->insn[i].wide;
      most_B = insns->insn[i].vector_B > most_B ? insns->insn[i].vector_B : most_B;
   }
   for (unsigned i = 0; i < insns->count; i++) {
      struct cf_proof_insn *insn = &insns->insn[i];
      insn->whole = insn->whole && insn->vector_B == most_B;
      if (wide && !insn->wide)
         insn->vector_op = CF_MC_OTHER;
   }
}

static const char *
decode_all(struct cf_proof_insns *insns, const struct cf_proof_code *code, size_t *at)
{
   ZydisDecoder decoder;
   ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
   for (*at = code->begin_B; *at < code->end_B; insns->count++) {
      struct decoding d;
      struct cf_proof_insn *insn = &insns->insn[insns->count];
      if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code->memory + *at, code->end_B - *at,
                                               &d.in, d.operand)))
         return "no instruction";
      insn->at_B = (uint32_t)*at;
      const char *wrong = note(insn, &d, code);
      if (wrong)
         return wrong;
      insns->number_at[*at - code->begin_B] = insns->count + 1;
      *at += d.in.length;
   }
   return insns->count ? NULL : "no instruction";
}

/* Jumps go to instructions that were decoded, and none runs beyond the last one. */
static const char *
link_jumps(struct cf_proof_insns *insns, const struct cf_proof_code *code, size_t *at)
{
   for (unsigned i = 0; i < insns->count; i++) {
      struct cf_proof_insn *insn = &insns->insn[i];
      *at = insn->at_B;
      if (insn->op != CF_MC_JMP && insn->op != CF_MC_JCC)
         continue;
      const uint32_t number = insns->number_at[insn->target - code->begin_B];
      if (!number)
         return "a jump into the middle of an instruction";
      insn->target = number - 1;
   }
   return insns->number_at[code->entry_B - code->begin_B]
             ? NULL
             : "the entry is in the middle of an instruction";
}

bool
cf_proof_is_built(void)
{
   return true;
}

bool
cf_proof_decode(struct cf_proof_insns *insns, const struct cf_proof_code *code,
                struct cf_proof_verdict *verdict)
{
   const size_t size_B = code->end_B - code->begin_B;
   *insns = (struct cf_proof_insns){ .insn = malloc((size_B + 1) * sizeof(*insns->insn)),
                                     .number_at = calloc(size_B + 1, sizeof(*insns->number_at)) };
   verdict->at_B = code->begin_B;
   verdict->wrong = insns->insn && insns->number_at ? NULL : "out of memory";
   if (!verdict->wrong)
      verdict->wrong = decode_all(insns, code, &verdict->at_B);
   if (!verdict->wrong)
      verdict->wrong = link_jumps(insns, code, &verdict->at_B);
   if (!verdict->wrong)
      compare_widths(insns);
   if (verdict->wrong)
      cf_proof_insns_free(insns);
   return !verdict->wrong;
}

#else

bool
cf_proof_is_built(void)
{
   return false;
}

bool
cf_proof_decode(struct cf_proof_insns *insns, const struct cf_proof_code *code,
                struct cf_proof_verdict *verdict)
{
   *insns = (struct cf_proof_insns){ 0 };
   *verdict = (struct cf_proof_verdict){ .wrong = "there is no decoder", .at_B = code->begin_B };
   return false;
}

#endif

void
cf_proof_insns_free(struct cf_proof_insns *insns)
{
   free(insns->insn);
   free(insns->number_at);
   *insns = (struct cf_proof_insns){ 0 };
}
