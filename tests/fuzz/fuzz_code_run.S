/* SPDX-License-Identifier: MIT */
/*
 * The way into machine code and out of it again (fuzz_code_run.h). Offsets are those of struct
 * fuzz_code_call, of which `fuzz_code_now` is the one at work.
 */
   .intel_syntax noprefix

   .set OF_STATE, 0
   .set OF_ENTRY, 8
   .set OF_STACK, 16
   .set OF_SAVED, 24
   .set OF_KEPT, 32   /* rbx, rbp, r12 to r15, rsp */
   .set OF_FLAGS, 88
   .set OF_MXCSR, 96  /* before, after */
   .set OF_WRONG, 104
   .set OF_VECTORS, 128

   .bss
   .balign 8
   .globl fuzz_code_now
fuzz_code_now:
   .skip 8

   .text

/* Values that no register has on its way in, or after a call: addresses where nothing is. */
   .set NOWHERE, 0x500000000000

   .macro load_vectors from
   .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
   vmovdqu ymm\n, [\from + OF_VECTORS + 2 * \n]
   .endr
   .endm

/* unsigned fuzz_code_enter(struct fuzz_code_call *call) */
   .globl fuzz_code_enter
   .type fuzz_code_enter, @function
fuzz_code_enter:
   push rbx
   push rbp
   push r12
   push r13
   push r14
   push r15
   sub rsp, 8
   mov rax, rdi
   mov [rip + fuzz_code_now], rax
   mov [rax + OF_SAVED], rsp
   stmxcsr [rax + OF_MXCSR]
   /* Code that was written through another mapping is seen after an instruction like this. */
   mov rcx, rsp
   mov edx, ss
   push rdx
   push rcx
   pushfq
   mov edx, cs
   push rdx
   lea rdx, [rip + 1f]
   push rdx
   iretq
1:
   load_vectors rax
   mov rdi, [rax + OF_STATE]
   mov rsp, [rax + OF_STACK]
   lea r11, [rip + returned]
   push r11
   push qword ptr [rax + OF_ENTRY]
   movabs rax, NOWHERE
   .irp r, rbx, rbp, rcx, rdx, r8, r9, r10, r11, r12, r13, r14, r15
   lea \r, [rax + 64]
   add rax, 64
   .endr
   mov rsi, rax
   ret
returned:
   mov r11, [rip + fuzz_code_now]
   mov [r11 + OF_KEPT], rbx
   mov [r11 + OF_KEPT + 8], rbp
   mov [r11 + OF_KEPT + 16], r12
   mov [r11 + OF_KEPT + 24], r13
   mov [r11 + OF_KEPT + 32], r14
   mov [r11 + OF_KEPT + 40], r15
   mov [r11 + OF_KEPT + 48], rsp
   mov rsp, [r11 + OF_SAVED]
   pushfq
   pop qword ptr [r11 + OF_FLAGS]
   stmxcsr [r11 + OF_MXCSR + 4]
   xor eax, eax
leave:
   cld
   vzeroupper
   mov r11, [rip + fuzz_code_now]
   ldmxcsr [r11 + OF_MXCSR]
   add rsp, 8
   pop r15
   pop r14
   pop r13
   pop r12
   pop rbp
   pop rbx
   ret

/* Where a signal's handler leads what does not return, with the stack pointer that was saved. */
   .globl fuzz_code_left
fuzz_code_left:
   mov eax, 1
   jmp leave

/* void fuzz_code_callee(struct test_proof_state *state, uint64_t number): keeps what the ABI says that a callee keeps,
 * and nothing else, neither in registers nor in what may be written of the state. */
   .globl fuzz_code_callee
   .type fuzz_code_callee, @function
fuzz_code_callee:
   mov r11, [rip + fuzz_code_now]
   cmp rdi, [r11 + OF_STATE]
   je 1f
   mov byte ptr [r11 + OF_WRONG], 1
1:
   mov rdi, [r11 + OF_STATE]
   load_vectors r11
   vmovdqu [rdi + 32], ymm4
   movabs rax, NOWHERE
   .irp r, rcx, rdx, rsi, rdi, r8, r9, r10, r11
   add rax, 64
   mov \r, rax
   .endr
   ret

   .section .note.GNU-stack, "", @progbits
