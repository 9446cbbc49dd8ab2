/* SPDX-License-Identifier: MIT */
/*
 * LLVM: passes and code generation. Every compilation has its own context and target machine, so
 * that threads share nothing.
 *
 * Few passes are run: stack slots to values, folding, common subexpressions. More of them, or a
 * higher code generation level, made compilation slower and no program faster. Without fast-math
 * flags the optimiser changes no value except the bits of NaNs.
 */
#include "clipfree/jit/cf_jit_llvm.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "clipfree/base/cf_host.h"
#include "clipfree/jit/cf_jit_relocate.h"
#include "clipfree/jit/llvm/cf_jit_sample_ir.h"
#include "clipfree/jit/llvm/cf_jit_target.h"
#include "clipfree/jit/llvm/cf_jit_translate.h"

#if LLVM_VERSION_MAJOR >= 18
#define INSTCOMBINE                                                                                \
   "instcombine<no-verify-fixpoint>" /* as in LLVM's own pipelines: the fixpoint check is for LLVM's tests */
#else
#define INSTCOMBINE "instcombine"
#endif
#define PASSES "sroa,early-cse," INSTCOMBINE ",simplifycfg"
#if LLVM_VERSION_MAJOR >= 17
#define KEEP_BRANCHES "<no-speculate-blocks>"
#else
#define KEEP_BRANCHES
#endif
/* More branches than this stay branches: made selections, they become one block, in which the
 * selection of machine instructions takes minutes. */
#define MOST_SELECTED_BRANCHES 100
#define LOOP_PASSES "loop-mssa(licm),gvn"

/* ---- the end of the process ---- */

/* exit() destroys LLVM's objects even during a compilation. So this handler waits for running
 * compilations, but not for ever, and prevents new ones. Handlers run in reverse order of
 * registration: it is registered at the end of the first compilation, when LLVM has registered
 * nearly all of its own. (Until then cf_jit_compile.c protects.) */
static atomic_bool ending;
static atomic_int compilations; /* that somebody waits for */
static _Atomic uint64_t last_began_ns;

static void
end_process(void)
{
   atomic_store(&ending, true);
   while (atomic_load(&compilations) &&
          cf_time_ns() < atomic_load(&last_began_ns) + CF_JIT_LIMIT_NS)
      nanosleep(&(struct timespec){ .tv_nsec = 500000 }, NULL);
}

/* In the child of a fork, where nothing is compiled any more. */
static void
forget_compilations(void)
{
   atomic_store(&compilations, 0);
}

static void
init_once(void)
{
   pthread_atfork(NULL, NULL, forget_compilations);
   cf_jit_target_init();
}

static bool
begin_compilation(char *error, size_t error_size)
{
   static pthread_once_t once = PTHREAD_ONCE_INIT;
   atomic_fetch_add(&compilations, 1);
   atomic_store(&last_began_ns, cf_time_ns());
   if (!atomic_load(&ending))
      pthread_once(&once, init_once);
   if (!atomic_load(&ending))
      return true;
   atomic_fetch_sub(&compilations, 1);
   snprintf(error, error_size, "the process ends");
   return false;
}

static void
register_end(void)
{
   atexit(end_process);
}

/* False: it was left. */
static bool
end_compilation(atomic_int *phase)
{
   static pthread_once_t once = PTHREAD_ONCE_INIT;
   int before = atomic_load(phase);
   pthread_once(&once, register_end);
   while (before != CF_JIT_LEFT && !atomic_compare_exchange_weak(phase, &before, CF_JIT_ENDED))
      ;
   if (before != CF_JIT_LEFT)
      atomic_fetch_sub(&compilations, 1);
   return before != CF_JIT_LEFT;
}

static bool
leave(atomic_int *phase)
{
   int before = CF_JIT_WORKS;
   const bool left = atomic_compare_exchange_strong(phase, &before, CF_JIT_LEFT);
   if (left)
      atomic_fetch_sub(&compilations, 1);
   return left;
}

/* ---- compilations ---- */

/* One compilation. */
struct compilation {
   struct cf_jit_ir j;
   LLVMTargetMachineRef machine;
   atomic_int *phase;
};

static bool
fail(char *error, size_t error_size, const char *what, char *message)
{
   snprintf(error, error_size, "%s: %s", what, message ? message : "failed");
   LLVMDisposeMessage(message);
   return false;
}

/* What LLVM may use of a host of this level. The names of x86-64's levels are those of its psABI;
 * all of AArch64's have NEON. */
static const char *
processor(enum cf_host_level level)
{
   if (CF_JIT_MACHINE != EM_X86_64)
      return "generic";
   return level >= CF_HOST_V4 ? "x86-64-v4" : level == CF_HOST_V3 ? "x86-64-v3" : "x86-64";
}

/* And beside what that processor has. */
static const char *
features(enum cf_host_level level)
{
   return level == CF_HOST_V4_BYTES ? "+avx512vbmi" : "";
}

static LLVMTargetMachineRef
create_machine(enum cf_host_level level, char *error, size_t error_size)
{
   char *triple = LLVMGetDefaultTargetTriple(), *message = NULL;
   LLVMTargetRef target;
   LLVMTargetMachineRef machine = NULL;
   if (LLVMGetTargetFromTriple(triple, &target, &message)) {
      fail(error, error_size, "LLVM has no target for this host", message);
   } else {
      machine = LLVMCreateTargetMachine(target, triple, processor(level), features(level),
                                        LLVMCodeGenLevelLess, LLVMRelocPIC, LLVMCodeModelSmall);
      if (!machine)
         fail(error, error_size, "LLVM's target machine", NULL);
   }
   LLVMDisposeMessage(triple);
   return machine;
}

static void
add_attribute(const struct cf_jit_ir *j, LLVMValueRef function, const char *key, const char *value)
{
   LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                           LLVMCreateStringAttribute(j->context, key, (unsigned)strlen(key), value,
                                                     (unsigned)strlen(value)));
}

/* False: it was left. */
static bool
unit_end(struct compilation *u)
{
   if (u->machine)
      LLVMDisposeTargetMachine(u->machine);
   LLVMDisposeBuilder(u->j.ir);
   LLVMDisposeModule(u->j.module);
   LLVMContextDispose(u->j.context);
   return end_compilation(u->phase);
}

static bool
unit_begin(struct compilation *u, enum cf_host_level level, char *error, size_t error_size)
{
   struct cf_jit_ir *j = &u->j;
   atomic_store(u->phase, CF_JIT_READS);
   if (!begin_compilation(error, error_size))
      return false;
   j->x86 = CF_JIT_MACHINE == EM_X86_64;
   j->rounding_instrs = !j->x86 || level != CF_HOST_BASE;
   j->half_instrs = !j->x86 || level >= CF_HOST_V3;
   j->gathers = j->x86 && level >= CF_HOST_V4;
   j->permutes_bytes = j->x86 && level == CF_HOST_V4_BYTES;
   j->permutes = j->x86 && level >= CF_HOST_V3;
   j->context = LLVMContextCreate();
   j->module = LLVMModuleCreateWithNameInContext("clipfree", j->context);
   j->ir = LLVMCreateBuilderInContext(j->context);
   j->i1 = LLVMInt1TypeInContext(j->context);
   j->i8 = LLVMInt8TypeInContext(j->context);
   j->i32 = LLVMInt32TypeInContext(j->context);
   j->i64 = LLVMInt64TypeInContext(j->context);
   j->f32 = LLVMFloatTypeInContext(j->context);
   j->f64 = LLVMDoubleTypeInContext(j->context);
   j->pointer = LLVMPointerType(j->i8, 0);
   u->machine = create_machine(level, error, error_size);
   if (!u->machine) {
      unit_end(u);
      return false;
   }
   LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(u->machine);
   LLVMSetModuleDataLayout(j->module, layout);
   LLVMDisposeTargetData(layout);
   char *triple = LLVMGetTargetMachineTriple(u->machine);
   LLVMSetTarget(j->module, triple);
   LLVMDisposeMessage(triple);
   return true;
}

static unsigned
count_op(const struct cf_decoded *program, enum cf_op op)
{
   unsigned count = 0;
   for (unsigned i = 0; i < program->count; i++)
      count += program->instrs[i].op == op;
   return count;
}

/* The passes for a source, in LLVM's words. */
static void
passes_of(const struct cf_jit_source *source, char *text, size_t size)
{
   const struct cf_decoded *program = source->program;
   const bool branches = program && count_op(program, CF_OP_IF) > MOST_SELECTED_BRANCHES,
              loops = program &&
                      (count_op(program, CF_OP_LOOP) || (source->pixel && source->pixel->samples));
   snprintf(text, size, "function(%s%s%s)", PASSES, branches ? KEEP_BRANCHES : "",
            loops ? "," LOOP_PASSES : "");
}

static bool
translate(struct compilation *u, const struct cf_jit_source *source)
{
   if (source->program)
      return cf_jit_translate(&u->j, source);
   cf_jit_translate_sample(&u->j, source->sample);
   return true;
}

/* Translate a source and run the passes. */
static bool
build(struct compilation *u, const struct cf_jit_source *source, enum cf_host_level level,
      char *error, size_t error_size)
{
   char *message = NULL;
   if (!translate(u, source)) {
      snprintf(error, error_size, "out of memory");
      return false;
   }
   LLVMValueRef function = LLVMGetNamedFunction(u->j.module, CF_JIT_ENTRY);
   if (level >= CF_HOST_V4) {
      add_attribute(&u->j, function, "prefer-vector-width", "512");
      add_attribute(&u->j, function, "min-legal-vector-width", "512");
   }
   add_attribute(&u->j, function, "no-trapping-math", "true");
   const unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
   LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                           LLVMCreateEnumAttribute(u->j.context, nounwind, 0));
   /* unwind tables for every instruction, for debuggers */
   const unsigned uwtable = LLVMGetEnumAttributeKindForName("uwtable", 7);
   LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                           LLVMCreateEnumAttribute(u->j.context, uwtable, 2));
#ifndef NDEBUG
   if (LLVMVerifyModule(u->j.module, LLVMReturnStatusAction, &message))
      return fail(error, error_size, "LLVM's verifier", message);
   LLVMDisposeMessage(message);
#endif
   char passes[200];
   passes_of(source, passes, sizeof(passes));
   atomic_store(u->phase, CF_JIT_WORKS);
   LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
   LLVMErrorRef failure = LLVMRunPasses(u->j.module, passes, u->machine, options);
   LLVMDisposePassBuilderOptions(options);
   if (failure) {
      message = LLVMGetErrorMessage(failure);
      snprintf(error, error_size, "LLVM's passes: %s", message);
      LLVMDisposeErrorMessage(message);
      return false;
   }
   return true;
}

/* Emit code to a buffer that ends with an additional 0. */
static bool
emit(struct compilation *u, LLVMCodeGenFileType type, struct cf_jit_bytes *object, char *error,
     size_t error_size)
{
   char *message = NULL;
   LLVMMemoryBufferRef buffer;
   if (LLVMTargetMachineEmitToMemoryBuffer(u->machine, u->j.module, type, &message, &buffer))
      return fail(error, error_size, "LLVM's code generator", message);
   object->size_B = LLVMGetBufferSize(buffer);
   object->data = calloc(1, object->size_B + 1);
   if (object->data)
      memcpy(object->data, LLVMGetBufferStart(buffer), object->size_B);
   else
      snprintf(error, error_size, "out of memory");
   LLVMDisposeMemoryBuffer(buffer);
   return object->data != NULL;
}

static bool
compile(const struct cf_jit_source *source, enum cf_host_level level, struct cf_jit_bytes *object,
        char *error, size_t error_size, atomic_int *phase)
{
   struct compilation u = { .phase = phase };
   if (!unit_begin(&u, level, error, error_size))
      return false;
   const bool ok = build(&u, source, level, error, error_size) &&
                   emit(&u, LLVMObjectFile, object, error, error_size);
   const bool left = !unit_end(&u);
   if (ok && left)
      free(object->data);
   return ok && !left;
}

static char *
print(const struct cf_jit_source *source, enum cf_host_level level, bool assembly, char *error,
      size_t error_size)
{
   atomic_int phase;
   struct compilation u = { .phase = &phase };
   struct cf_jit_bytes text = { NULL, 0 };
   if (!unit_begin(&u, level, error, error_size))
      return NULL;
   if (build(&u, source, level, error, error_size)) {
      if (assembly) {
         emit(&u, LLVMAssemblyFile, &text, error, error_size);
      } else {
         char *printed = LLVMPrintModuleToString(u.j.module);
         text.data = (uint8_t *)strdup(printed);
         LLVMDisposeMessage(printed);
      }
   }
   unit_end(&u);
   return (char *)text.data;
}

__attribute__((visibility("default"))) const struct cf_jit_compiler cf_jit_compiler = {
   .size_B = sizeof(struct cf_jit_compiler),
   .compile = compile,
   .leave = leave,
   .print = print,
};
