/* SPDX-License-Identifier: MIT */
#include "fuzz_code_run.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <Zydis/Zydis.h>

#include "clipfree/base/cf_lanes.h"
#include "clipfree/base/test_random.h"
#include "clipfree/jit/proof/test_proof_map.h"
#include "fuzz.h"

#define PAGE_B 4096
#define CODE_AT 0x300000000000u /* far from all else */
#define CODE_B (2 * PAGE_B)
#define MEMORY_B (4 * PAGE_B) /* around the pointer to memory, half of it before */
#define STACK_B (3 * CF_PROOF_FRAME_B)
#define TICK_NS 4000000 /* what runs at two of these is endless */
#define NOWHERE 0x500000000000u
#define DIRECTION_FLAG (1u << 10)
#define MXCSR_CONTROL 0xffc0u /* of its bits, those that are not flags of what happened */

/* Registers that a callee keeps, and how many values after NOWHERE fuzz_code_run.S puts there. */
enum { RBX, RBP, R12, R13, R14, R15, RSP, KEPT };
static const unsigned nowhere_plus[RSP] = { 1, 2, 9, 10, 11, 12 };

/* What fuzz_code_run.S reads and writes, at the offsets that it names. */
struct fuzz_code_call {
   struct test_proof_state *state;
   const uint8_t *entry;
   uint8_t *stack; /* top */
   uint8_t *saved; /* the caller's stack pointer */
   uint64_t kept[KEPT];
   uint64_t flags;
   uint32_t mxcsr[2]; /* before, after */
   uint8_t wrong_argument;
   uint8_t reserved[23];
   uint8_t vectors[64];
};
_Static_assert(offsetof(struct fuzz_code_call, kept) == 32, "fuzz_code_run.S");
_Static_assert(offsetof(struct fuzz_code_call, flags) == 88, "fuzz_code_run.S");
_Static_assert(offsetof(struct fuzz_code_call, wrong_argument) == 104, "fuzz_code_run.S");
_Static_assert(offsetof(struct fuzz_code_call, vectors) == 128, "fuzz_code_run.S");

unsigned fuzz_code_enter(struct fuzz_code_call *call);
void fuzz_code_callee(struct test_proof_state *state, uint64_t number);
extern const uint8_t fuzz_code_left[];

/* A page between two that cannot be accessed. A region lies at one of its ends. */
struct page {
   uint8_t *at;
   uint8_t expected[PAGE_B];
};

enum { STATE, TABLE, ROWS, PAGES };
static const size_t region_B[PAGES] = { sizeof(struct test_proof_state),
                                        TEST_PROOF_FUNCTIONS * sizeof(void *),
                                        TEST_PROOF_ROWS *TEST_PROOF_ROW_B };

struct fuzz_code_world {
   uint8_t *code;   /* where it is written; it runs at CODE_AT */
   uint8_t *memory; /* of the GPU */
   uint8_t *stack;  /* its top; a page lies above */
   struct page page[PAGES];
   uint8_t above[PAGE_B]; /* what that page has */
   struct fuzz_code_call call;
   /* for the handlers of signals */
   volatile sig_atomic_t running;
   volatile uint32_t runs, runs_at_tick;
   volatile enum fuzz_code_end end;
   struct sigaction before[NSIG];
};

static struct fuzz_code_world the_world; /* handlers of signals have no argument */

/* ---- signals ---- */

static bool
is_at_code(const ucontext_t *context)
{
   const uint64_t at = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
   return at - CODE_AT < CODE_B;
}

/* The address of an operand in memory, as the registers are. 0: there is none. */
static uint64_t
address_of(const ucontext_t *context, const ZydisDecodedInstruction *instr,
           const ZydisDecodedOperand *operand)
{
   static const int registers[] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                    REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                    REG_R12, REG_R13, REG_R14, REG_R15 };
   const greg_t *values = context->uc_mcontext.gregs;
   ZydisRegisterContext known = { 0 };
   ZyanU64 address;
   for (unsigned i = 0; i < 16; i++)
      known.values[ZYDIS_REGISTER_RAX + i] = (ZyanU64)values[registers[i]];
   if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY ||
       !ZYAN_SUCCESS(
          ZydisCalcAbsoluteAddressEx(instr, operand, (ZyanU64)values[REG_RIP], &known, &address)))
      return 0;
   return address;
}

/* An instruction that wants an address aligned, as vmovaps does, at one that is not: it accesses
 * nothing. */
static bool
is_misaligned(const ucontext_t *context)
{
   ZydisDecoder decoder;
   ZydisDecodedInstruction instr;
   ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
   ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
   if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder,
                                            (const void *)context->uc_mcontext.gregs[REG_RIP],
                                            ZYDIS_MAX_INSTRUCTION_LENGTH, &instr, operands)))
      return false;
   for (unsigned i = 0; i < instr.operand_count_visible; i++) {
      const uint64_t address = address_of(context, &instr, &operands[i]);
      if (address != 0)
         return address >> 47 == 0 && address % 64 != 0;
   }
   return false;
}

/* A division by 0, memory of the GPU that is not there. */
static bool
may_fault(const struct fuzz_code_world *w, const siginfo_t *info, const ucontext_t *context)
{
   const int64_t at = (int64_t)(uintptr_t)info->si_addr;
   const int64_t from_memory = at - (int64_t)(uintptr_t)w->memory;
   if (!is_at_code(context))
      return false;
   if (info->si_signo == SIGFPE)
      return true;
   if (info->si_code == SI_KERNEL)
      return is_misaligned(context);
   return from_memory >= -TEST_PROOF_BEFORE_B && from_memory < TEST_PROOF_AFTER_B;
}

/* Leave the code: what is returned to is the caller of fuzz_code_enter. */
static void
leave(struct fuzz_code_world *w, ucontext_t *context, enum fuzz_code_end end)
{
   w->end = end;
   context->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)fuzz_code_left;
   context->uc_mcontext.gregs[REG_RSP] = (greg_t)(uintptr_t)w->call.saved;
}

static void
on_fault(int signal, siginfo_t *info, void *user)
{
   struct fuzz_code_world *w = &the_world;
   ucontext_t *context = user;
   if (!w->running)
      sigaction(signal, &w->before[signal], NULL); /* not the code's: it happens again */
   else if (signal == SIGILL && is_at_code(context))
      leave(w, context, FUZZ_CODE_UNKNOWN);
   else
      leave(w, context, may_fault(w, info, context) ? FUZZ_CODE_FAULTED : FUZZ_CODE_ESCAPED);
}

static void
on_tick(int signal, siginfo_t *info, void *user)
{
   struct fuzz_code_world *w = &the_world;
   (void)signal;
   (void)info;
   if (w->running && w->runs == w->runs_at_tick && is_at_code(user))
      leave(w, user, FUZZ_CODE_TIME);
   w->runs_at_tick = w->runs;
}

static void
handle(struct fuzz_code_world *w, int signal, void (*handler)(int, siginfo_t *, void *))
{
   struct sigaction action = { .sa_sigaction = handler,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART };
   sigfillset(&action.sa_mask);
   if (sigaction(signal, &action, &w->before[signal]) != 0)
      fuzz_fail("no handler of signal %d", signal);
}

static void
handle_signals(struct fuzz_code_world *w)
{
   static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
   static uint8_t own_stack[4 * PAGE_B + (64 << 10)];
   struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
   const struct itimerspec ticks = { { 0, TICK_NS }, { 0, TICK_NS } };
   timer_t timer;
   if (sigaltstack(&(stack_t){ .ss_sp = own_stack, .ss_size = sizeof(own_stack) }, NULL) != 0)
      fuzz_fail("no stack for handlers of signals");
   for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
      handle(w, faults[i], on_fault);
   handle(w, SIGRTMIN, on_tick);
   if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
       timer_settime(timer, 0, &ticks, NULL) != 0)
      fuzz_fail("no timer");
}

/* ---- memory ---- */

/* Reserve memory of which a part may be accessed. Returns where that part begins. */
static uint8_t *
reserve(uint64_t before_B, uint64_t size_B, uint64_t after_B)
{
   uint8_t *at = mmap(NULL, before_B + size_B + after_B, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
   if (at == MAP_FAILED || mprotect(at + before_B, size_B, PROT_READ | PROT_WRITE) != 0)
      fuzz_fail("no memory");
   return at + before_B;
}

/* The same memory twice: nothing is writable and executable. */
static uint8_t *
reserve_code(void)
{
   const int fd = memfd_create("code", 0);
   if (fd < 0 || ftruncate(fd, CODE_B) != 0)
      fuzz_fail("no memory for code");
   uint8_t *code = mmap(NULL, CODE_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
   const void *run =
      mmap((void *)CODE_AT, CODE_B, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
   if (code == MAP_FAILED || run != (void *)CODE_AT)
      fuzz_fail("no place for code");
   close(fd);
   return code;
}

struct fuzz_code_world *
fuzz_code_open(void)
{
   struct fuzz_code_world *w = &the_world;
   if (cf_host_level() < CF_HOST_V3)
      return NULL;
   if (w->code)
      return w;
   w->code = reserve_code();
   w->memory =
      reserve(TEST_PROOF_BEFORE_B - MEMORY_B / 2, MEMORY_B, TEST_PROOF_AFTER_B) + MEMORY_B / 2;
   w->stack = reserve(PAGE_B, STACK_B + PAGE_B, PAGE_B) + STACK_B;
   for (unsigned i = 0; i < PAGES; i++)
      w->page[i].at = reserve(PAGE_B, PAGE_B, PAGE_B);
   memset(w->above, 0xa5, sizeof(w->above));
   w->call.stack = w->stack;
   w->call.entry = (const uint8_t *)CODE_AT + TEST_PROOF_CONSTANTS_B;
   handle_signals(w);
   return w;
}

/* ---- a run ---- */

/* A number as code finds them: small, large, at the ends of its types, or any. */
static uint64_t
any_number(struct cf_random *random)
{
   static const uint64_t special[] = { 0,          1,          15,         16,        INT32_MAX,
                                       1ull << 31, UINT32_MAX, 1ull << 32, INT64_MAX, UINT64_MAX };
   switch (cf_random_below(random, 3)) {
   case 0:
      return special[cf_random_below(random, sizeof(special) / sizeof(special[0]))];
   case 1:
      return cf_random_u64(random) >> cf_random_below(random, 64);
   default:
      return cf_random_u64(random);
   }
}

static void
fill(void *at, size_t size_B, struct cf_random *random)
{
   for (size_t i = 0; i < size_B; i += 8)
      memcpy((uint8_t *)at + i, &(uint64_t){ any_number(random) }, 8);
}

/* Where region `i` lies now: at the beginning of its page, or at the end. */
static size_t
place_B(unsigned i, uint32_t seed)
{
   return seed >> i & 1 ? PAGE_B - region_B[i] : 0;
}

static void
prepare(struct fuzz_code_world *w, uint32_t seed)
{
   static void (*const table[TEST_PROOF_FUNCTIONS])(
      struct test_proof_state *, uint64_t) = { fuzz_code_callee, fuzz_code_callee };
   struct cf_random random = { seed };
   uint8_t *region[PAGES];
   for (unsigned i = 0; i < PAGES; i++) {
      memset(w->page[i].expected, 0x5a, PAGE_B);
      region[i] = w->page[i].at + place_B(i, seed);
   }
   struct test_proof_state state = { w->memory, (void *)region[TABLE], (void *)region[ROWS] };
   fill(state.read, sizeof(state.read) + sizeof(state.written), &random);
   memcpy(w->page[STATE].expected + place_B(STATE, seed), &state, sizeof(state));
   memcpy(w->page[TABLE].expected + place_B(TABLE, seed), table, sizeof(table));
   fill(w->page[ROWS].expected + place_B(ROWS, seed), 64, &random);
   for (unsigned i = 0; i < PAGES; i++)
      memcpy(w->page[i].at, w->page[i].expected, PAGE_B);
   memset(w->memory - MEMORY_B / 2, 0, MEMORY_B);
   fill(w->memory, 64, &random);
   fill(w->call.vectors, sizeof(w->call.vectors), &random);
   memcpy(w->stack, w->above, PAGE_B);
   w->call.state = (struct test_proof_state *)region[STATE];
   w->call.wrong_argument = 0;
}

/* Whether all of a page is as it was, but for what may be written. */
static bool
is_page_kept(const struct fuzz_code_world *w, unsigned i, uint32_t seed)
{
   const uint8_t *now = w->page[i].at, *then = w->page[i].expected;
   size_t begin_B = place_B(i, seed), end_B = begin_B + region_B[i];
   if (i == STATE)
      begin_B += offsetof(struct test_proof_state, written);
   else if (i == TABLE)
      begin_B = end_B;
   return memcmp(now, then, begin_B) == 0 && memcmp(now + end_B, then + end_B, PAGE_B - end_B) == 0;
}

static const char *
what_is_changed(const struct fuzz_code_world *w, uint32_t seed)
{
   static const char *const around[PAGES] = { "the state, or around it", "the table, or around it",
                                              "around the rows" };
   for (unsigned i = 0; i < PAGES; i++) {
      if (!is_page_kept(w, i, seed))
         return around[i];
   }
   if (memcmp(w->stack, w->above, PAGE_B) != 0)
      return "the caller's stack";
   return w->call.wrong_argument ? "the argument of a function" : NULL;
}

static const char *
what_is_left(const struct fuzz_code_world *w)
{
   const struct fuzz_code_call *call = &w->call;
   for (unsigned i = 0; i < RSP; i++) {
      if (call->kept[i] != NOWHERE + 64 * nowhere_plus[i])
         return "a register of the caller";
   }
   if (call->kept[RSP] != (uint64_t)(uintptr_t)w->stack)
      return "the stack pointer";
   if (call->flags & DIRECTION_FLAG || (call->mxcsr[0] ^ call->mxcsr[1]) & MXCSR_CONTROL)
      return "the mode of the processor";
   return NULL;
}

enum fuzz_code_end
fuzz_code_run(struct fuzz_code_world *w, const uint8_t *code, size_t size_B, uint32_t seed,
              const char **what)
{
   if (size_B > CODE_B)
      fuzz_fail("%zu bytes of code are too many", size_B);
   prepare(w, seed);
   memcpy(w->code, code, size_B);
   memset(w->code + size_B, 0xcc, CODE_B - size_B);
   w->end = FUZZ_CODE_RETURNED;
   w->runs++;
   w->running = 1;
   fuzz_code_enter(&w->call);
   w->running = 0;
   *what = w->end == FUZZ_CODE_ESCAPED ? "memory that it may not access" : what_is_changed(w, seed);
   if (!*what && w->end == FUZZ_CODE_RETURNED)
      *what = what_is_left(w);
   return *what ? FUZZ_CODE_ESCAPED : w->end;
}
