/* SPDX-License-Identifier: MIT */
/*
 * LLVM's target for this host's code. By name: to LLVM's headers the native target is that of the
 * machine where LLVM was configured, and a cross build may have those of the build machine.
 */
#ifndef CF_JIT_TARGET_H
#define CF_JIT_TARGET_H

#include <llvm-c/Target.h>

/** Make it known to LLVM. Once in a process. */
static inline void
cf_jit_target_init(void)
{
#if defined(__aarch64__)
   LLVMInitializeAArch64TargetInfo();
   LLVMInitializeAArch64Target();
   LLVMInitializeAArch64TargetMC();
   LLVMInitializeAArch64AsmPrinter();
#else
   LLVMInitializeX86TargetInfo();
   LLVMInitializeX86Target();
   LLVMInitializeX86TargetMC();
   LLVMInitializeX86AsmPrinter();
#endif
}

#endif
