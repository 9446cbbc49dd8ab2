/* SPDX-License-Identifier: MIT */
/*
 * Instructions and short sequences that test_proof_truth.c runs on the processor, and goes over with the proof's step
 * function. Each is also its own name. They use rax, rcx, rdx, rsi, rdi, r8, r9, zmm0 to zmm3 (or the parts of them
 * that the level has), k1 and k2, of which any value is fine, and the 64 bytes below the stack pointer.
 */
   .intel_syntax noprefix

   .set at_flags, 128
   .set at_masks, 136
   .set at_level, 152
   .set at_stack, 160
   .set at_vectors, 224
   .set stack_B, 64

   /* of enum cf_host_level */
   .set base, 0
   .set v3, 1
   .set v4, 2
   .set v4_bytes, 3
   .set level, base

   .macro CASE text
   .section .data.rel.ro.cf_truth, "aw", @progbits
   .quad .Lname\@, .Lcode\@, level
   .section .rodata.cf_truth, "a", @progbits
.Lname\@:
   .asciz "\text"
   .text
.Lcode\@:
   \text
   ret
   .endm

   .section .data.rel.ro.cf_truth, "aw", @progbits
   .balign 8
   .globl cf_truth_cases
   .hidden cf_truth_cases
cf_truth_cases:

   .text
   .balign 64
   .globl cf_truth_memory
   .hidden cf_truth_memory
cf_truth_memory:
fifteens:
   .fill 16, 4, 15
steps: /* from 8 */
   .set n, 8
   .rept 16
   .long n
   .set n, n + 8
   .endr
places: /* of a vector's lowest bytes: each for the lowest byte of a dword, the rest 0 */
   .set n, 0
   .rept 16
   .long 0x80808000 + n
   .set n, n + 1
   .endr
elements:
   .byte 1, 2, 127, 128, 255, 0, 7, 77, 200, 5, 6, 129, 3, 9, 254, 33
   .fill 24, 2, 0x8001
signs:
   .fill 8, 4, 0xfffffff8
   .fill 8, 4, 0x80000000

/* ---- a run ---- */

/*
 * cf_truth_run(rdi: struct machine, rsi: code): load registers and the bytes below the stack pointer, run the code as a
 * function, and save them. Its stack pointer is a multiple of 64, and is in place before the bytes below it are filled
 * and until they are saved, so that no signal changes them: they lie within the red zone.
 */
   .globl cf_truth_run
   .hidden cf_truth_run
   .type cf_truth_run, @function
cf_truth_run:
   .irp reg, rbx, rbp, r12, r13, r14, r15
   push \reg
   .endr
   mov rax, rsp
   and rsp, -64
   sub rsp, 64
   lea rcx, [rip + .Lback]
   mov [rsp], rcx
   mov [rsp + 8], rsi
   mov [rsp + 16], rdi
   mov [rsp + 24], rax
   mov [rdi + 4*8], rsp
   cmp qword ptr [rdi + at_level], v3
   jb .Lload_base
   je .Lload_v3
   kmovq k1, [rdi + at_masks]
   kmovq k2, [rdi + at_masks + 8]
   .irp n, 0, 1, 2, 3
   vmovups zmm\n, [rdi + at_vectors + 64*\n]
   .endr
   jmp .Lloaded
.Lload_v3:
   .irp n, 0, 1, 2, 3
   vmovups ymm\n, [rdi + at_vectors + 64*\n]
   .endr
   jmp .Lloaded
.Lload_base:
   .irp n, 0, 1, 2, 3
   movups xmm\n, [rdi + at_vectors + 64*\n]
   .endr
.Lloaded:
   push qword ptr [rdi + at_flags]
   popfq
   .irp at, 0, 8, 16, 24, 32, 40, 48, 56
   mov rax, [rdi + at_stack + \at]
   mov [rsp - stack_B + \at], rax
   .endr
   mov rax, [rdi]
   mov rcx, [rdi + 1*8]
   mov rdx, [rdi + 2*8]
   mov rbx, [rdi + 3*8]
   mov rbp, [rdi + 5*8]
   mov rsi, [rdi + 6*8]
   .irp n, 8, 9, 10, 11, 12, 13, 14, 15
   mov r\n, [rdi + \n*8]
   .endr
   mov rdi, [rdi + 7*8]
   jmp [rsp + 8]
.Lback:
   lea rsp, [rsp - 8 - stack_B] /* no flag changes, and the bytes stay above it */
   push rdi
   pushfq
   mov rdi, [rsp + 16 + stack_B + 16]
   mov [rdi], rax
   mov [rdi + 1*8], rcx
   mov [rdi + 2*8], rdx
   mov [rdi + 3*8], rbx
   mov [rdi + 5*8], rbp
   mov [rdi + 6*8], rsi
   .irp n, 8, 9, 10, 11, 12, 13, 14, 15
   mov [rdi + \n*8], r\n
   .endr
   pop qword ptr [rdi + at_flags]
   pop qword ptr [rdi + 7*8]
   .irp at, 0, 8, 16, 24, 32, 40, 48, 56
   mov rax, [rsp + \at]
   mov [rdi + at_stack + \at], rax
   .endr
   cmp qword ptr [rdi + at_level], v3
   jb .Lsave_base
   je .Lsave_v3
   kmovq [rdi + at_masks], k1
   kmovq [rdi + at_masks + 8], k2
   .irp n, 0, 1, 2, 3
   vmovups [rdi + at_vectors + 64*\n], zmm\n
   .endr
   vzeroupper
   jmp .Lsaved
.Lsave_v3:
   .irp n, 0, 1, 2, 3
   vmovups [rdi + at_vectors + 64*\n], ymm\n
   .endr
   vzeroupper
   jmp .Lsaved
.Lsave_base:
   .irp n, 0, 1, 2, 3
   movups [rdi + at_vectors + 64*\n], xmm\n
   .endr
.Lsaved:
   mov rsp, [rsp + stack_B + 24]
   .irp reg, r15, r14, r13, r12, rbp, rbx
   pop \reg
   .endr
   ret
   .size cf_truth_run, . - cf_truth_run

/* ---- arithmetic of general registers ---- */

   .irp op, add, sub, and, or, xor, imul
   CASE "\op rax, rcx"
   CASE "\op eax, ecx"
   CASE "\op ax, cx"
   CASE "\op rax, rax"
   CASE "\op eax, eax"
   CASE "\op rcx, [rsp - 8]"
   CASE "\op ecx, [rsp - 8]"
   CASE "\op cx, [rsp - 8]"
   CASE "mov [rsp - 8], rdx; \op rcx, [rsp - 8]"
   CASE "mov [rsp - 8], edx; \op ecx, [rsp - 8]"
   .irp constant, 0, 1, 12, 255, -1, -16, -0x80000000, 0x7fffffff
   CASE "mov ecx, \constant; \op rax, rcx"
   CASE "mov rcx, \constant; \op eax, ecx"
   .endr
   .endr

   .irp op, add, sub, and, or, xor, adc
   .irp constant, 0, 1, 12, 255, 0x7fffffff, -1, -5, -16, -0x1000, -0x80000000
   CASE "\op rax, \constant"
   CASE "\op eax, \constant"
   CASE "\op rcx, \constant"
   CASE "\op qword ptr [rsp - 8], \constant"
   CASE "\op dword ptr [rsp - 8], \constant"
   CASE "mov [rsp - 16], rcx; \op qword ptr [rsp - 16], \constant; mov rax, [rsp - 16]"
   CASE "mov [rsp - 16], ecx; \op dword ptr [rsp - 16], \constant; mov eax, [rsp - 16]"
   CASE "movzx ecx, al; \op rcx, \constant"
   CASE "mov eax, ecx; \op rax, \constant; mov ecx, eax"
   .endr
   .irp constant, 0, 12, 127, -1, -16
   CASE "\op ax, \constant"
   CASE "\op al, \constant"
   CASE "\op ch, \constant"
   CASE "movzx eax, cl; \op al, \constant; movzx edx, al"
   CASE "\op word ptr [rsp - 8], \constant"
   CASE "\op byte ptr [rsp - 8], \constant"
   CASE "mov [rsp - 8], cl; \op byte ptr [rsp - 8], \constant; movzx eax, byte ptr [rsp - 8]"
   .endr
   CASE "\op al, cl"
   CASE "\op al, al"
   CASE "\op al, ah"
   CASE "\op ah, cl"
   CASE "\op al, [rsp - 8]"
   CASE "movzx eax, cl; movzx edx, dl; \op al, dl"
   CASE "setb al; setz dl; \op al, dl; movzx eax, al"
   CASE "\op [rsp - 8], rcx"
   CASE "\op [rsp - 8], ecx"
   CASE "\op [rsp - 8], cx"
   CASE "\op [rsp - 8], cl"
   CASE "mov [rsp - 8], rax; \op [rsp - 8], rax"
   CASE "mov [rsp - 8], eax; \op [rsp - 8], ecx"
   CASE "mov [rsp - 8], al; \op [rsp - 8], cl"
   CASE "mov [rsp - 8], rax; \op [rsp - 4], ecx"
   .endr

   .irp op, inc, dec, neg, not
   CASE "\op rax"
   CASE "\op ecx"
   CASE "\op ax"
   CASE "\op al"
   CASE "\op ah"
   CASE "\op qword ptr [rsp - 8]"
   CASE "\op dword ptr [rsp - 8]"
   CASE "\op word ptr [rsp - 8]"
   CASE "\op byte ptr [rsp - 8]"
   CASE "mov [rsp - 8], rax; \op qword ptr [rsp - 8]"
   CASE "mov [rsp - 8], ecx; \op dword ptr [rsp - 8]; mov eax, [rsp - 8]"
   .endr

   .irp constant, 0, 1, 3, 128, 1000, 0x7fffffff, -1, -7, -0x80000000
   CASE "imul rax, rcx, \constant"
   CASE "imul eax, ecx, \constant"
   CASE "imul rcx, rcx, \constant"
   CASE "imul rcx, [rsp - 8], \constant"
   CASE "imul ecx, [rsp - 8], \constant"
   CASE "mov [rsp - 8], edx; imul ecx, [rsp - 8], \constant"
   .endr
   CASE "imul ax, cx, 3"
   .irp extend, movsx, movzx
   CASE "\extend rax, al; imul rax, rax, 12"
   CASE "\extend rax, al; movzx ecx, cl; imul rax, rcx"
   CASE "\extend rax, al; movzx ecx, cl; imul rcx, rax; mov eax, ecx"
   CASE "\extend rax, al; movsx rcx, cl; imul rax, rcx"
   CASE "\extend eax, ax; movzx ecx, cx; imul eax, ecx; imul rax, rcx"
   .endr
   .irp op, mul, imul
   CASE "\op rcx"
   CASE "\op ecx"
   CASE "\op eax"
   CASE "\op cx"
   CASE "\op cl"
   CASE "\op qword ptr [rsp - 8]"
   .endr
   CASE "xor edx, edx; or rcx, 1; div rcx"
   CASE "xor edx, edx; or ecx, 1; div ecx"
   CASE "movzx eax, al; or cl, 1; div cl"

/* ---- shifts ---- */

   .irp op, shl, shr, sar
   .irp count, 0, 1, 3, 7, 30, 31, 32, 33, 63, 64, 255
   CASE "\op rax, \count"
   CASE "\op eax, \count"
   CASE "\op qword ptr [rsp - 8], \count"
   CASE "\op dword ptr [rsp - 8], \count"
   CASE "mov [rsp - 8], rcx; \op qword ptr [rsp - 8], \count; mov rax, [rsp - 8]"
   CASE "mov [rsp - 8], ecx; \op dword ptr [rsp - 8], \count; mov eax, [rsp - 8]"
   CASE "movzx ecx, cl; \op rcx, \count; movzx ecx, cx"
   .endr
   .endr
   .irp op, shl, shr, sar, rol, ror, rcl, rcr
   .irp count, 1, 4, 12, cl
   CASE "\op eax, \count"
   CASE "\op ax, \count"
   CASE "\op al, \count"
   CASE "\op word ptr [rsp - 8], \count"
   CASE "\op byte ptr [rsp - 8], \count"
   CASE "mov [rsp - 8], ax; \op word ptr [rsp - 8], \count; movzx eax, word ptr [rsp - 8]"
   .endr
   CASE "\op rax, cl"
   CASE "\op rcx, cl"
   CASE "\op qword ptr [rsp - 8], cl"
   CASE "\op dword ptr [rsp - 8], cl"
   CASE "mov [rsp - 8], eax; \op dword ptr [rsp - 8], cl"
   CASE "mov eax, edx; \op rax, cl"
   CASE "movzx eax, dl; \op eax, cl"
   CASE "movzx ecx, cl; mov eax, ecx; \op eax, cl"
   .endr
   .irp op, shld, shrd
   CASE "\op rax, rcx, 3"
   CASE "\op eax, edx, cl"
   CASE "\op [rsp - 8], rcx, 5"
   .endr

/* ---- moves ---- */

   CASE "mov rax, rcx"
   CASE "mov eax, ecx"
   CASE "mov ecx, ecx"
   CASE "mov ax, cx"
   CASE "mov al, cl"
   CASE "mov al, ch"
   CASE "mov ah, cl"
   CASE "mov al, [rsp - 8]"
   CASE "mov eax, -1"
   CASE "mov eax, 0x80000000"
   CASE "mov rax, -1"
   CASE "mov rax, -0x80000000"
   CASE "mov rax, 0x7fffffff"
   CASE "movabs rax, 0x123456789abcdef0"
   CASE "movabs rax, -0x7edcba9876543210"
   CASE "mov ax, 5"
   CASE "mov al, 5"
   CASE "mov ah, 5"
   CASE "mov al, 200; movzx eax, al"
   CASE "movzx eax, cl; mov al, dl"
   CASE "movzx eax, cl; mov al, 3"
   CASE "movzx eax, cl; mov ah, 3"
   CASE "xor eax, eax; mov al, cl"
   CASE "mov rax, 0x7700; mov al, cl; movzx edx, al"
   .irp to, ax, eax, rax
   CASE "movzx \to, cl"
   CASE "movsx \to, cl"
   CASE "movzx \to, byte ptr [rsp - 8]"
   CASE "movsx \to, byte ptr [rsp - 8]"
   .endr
   .irp from, ah, ch
   CASE "movzx eax, \from"
   CASE "movsx eax, \from"
   .endr
   .irp to, eax, rax
   CASE "movzx \to, cx"
   CASE "movsx \to, cx"
   CASE "movzx \to, word ptr [rsp - 8]"
   CASE "movsx \to, word ptr [rsp - 8]"
   .endr
   CASE "movsxd rax, ecx"
   CASE "movsxd rcx, ecx"
   CASE "movsxd rax, dword ptr [rsp - 8]"
   CASE "mov ecx, ecx; movsxd rax, ecx"
   CASE "movsxd rcx, ecx; lea rax, [rdx + 4*rcx]"
   .irp op, cbw, cwde, cdqe, cwd, cdq, cqo
   CASE "\op"
   .endr
   CASE "xchg rax, rcx"
   CASE "xchg eax, ecx"
   CASE "xchg ax, cx"
   CASE "xchg al, cl"
   CASE "bswap rax"
   CASE "bswap ecx"
   CASE "movnti [rsp - 8], rax"

   .irp to, ax, eax, rax
   CASE "lea \to, [rcx]"
   CASE "lea \to, [rcx + 8]"
   CASE "lea \to, [rcx - 8]"
   CASE "lea \to, [rcx + 0x7fffffff]"
   CASE "lea \to, [rcx - 0x80000000]"
   CASE "lea \to, [rcx + rdx]"
   CASE "lea \to, [rcx + 2*rdx]"
   CASE "lea \to, [rcx + 4*rdx + 5]"
   CASE "lea \to, [rcx + 8*rdx - 64]"
   CASE "lea \to, [8*rcx + 16]"
   CASE "lea \to, [2*rcx - 1]"
   CASE "lea \to, [rcx + rcx]"
   CASE "lea \to, [rcx + 2*rcx]"
   CASE "lea \to, [rcx + 8*rcx - 1]"
   CASE "lea \to, [0x1000]"
   CASE "lea \to, [-8]"
   CASE "lea \to, [rsp - 8]"
   CASE "lea \to, [rsp + 2*rcx + 8]"
   CASE "lea \to, [rip + fifteens]"
   .endr

/* ---- bits ---- */

   CASE "bsf rax, rcx"
   CASE "bsf eax, ecx"
   CASE "bsr rax, rcx"
   CASE "bsr eax, ecx"
   CASE "bsf ax, cx"
   CASE "bt rax, rcx; setb al"
   CASE "bt eax, 5; cmovb eax, ecx"

   .set level, v3
   .irp op, tzcnt, lzcnt, popcnt
   CASE "\op rax, rcx"
   CASE "\op eax, ecx"
   CASE "\op ax, cx"
   CASE "\op ecx, [rsp - 8]"
   .endr
   .irp op, shlx, shrx, sarx, bextr, bzhi
   CASE "\op rax, rcx, rdx"
   CASE "\op eax, ecx, edx"
   CASE "\op rcx, rcx, rcx"
   CASE "\op rax, [rsp - 8], rdx"
   CASE "\op eax, [rsp - 8], edx"
   CASE "mov ecx, ecx; \op rax, rcx, rdx"
   CASE "movzx ecx, cl; \op eax, ecx, edx"
   .endr
   .irp op, andn, pdep, pext, mulx
   CASE "\op rax, rcx, rdx"
   CASE "\op eax, ecx, edx"
   .endr
   CASE "rorx rax, rcx, 5"
   CASE "rorx eax, ecx, 5"
   CASE "blsi rax, rcx"
   CASE "blsr eax, ecx"
   CASE "blsmsk rcx, rcx"
   CASE "crc32 eax, ecx"
   CASE "movbe eax, [rsp - 8]"
   .set level, base

/* ---- conditions ---- */

   .irp compare, "cmp", "test"
   CASE "\compare rax, rcx"
   CASE "\compare eax, ecx"
   CASE "\compare ax, cx"
   CASE "\compare al, cl"
   CASE "\compare rax, rax"
   CASE "\compare [rsp - 8], rax"
   CASE "\compare dword ptr [rsp - 8], 12"
   .irp constant, 0, 1, 7, 16, 255, 0x1000, 0x7fffffff, -1, -16, -0x80000000
   CASE "\compare rax, \constant"
   CASE "\compare ecx, \constant"
   CASE "mov ecx, \constant; \compare rax, rcx"
   CASE "mov rcx, \constant; \compare eax, ecx"
   CASE "mov ecx, ecx; \compare rcx, \constant"
   CASE "and eax, 0x1ff8; \compare eax, \constant"
   CASE "sub rax, 9; \compare rax, \constant"
   .endr
   CASE "\compare ax, 12"
   CASE "\compare al, 12"
   CASE "\compare ah, 12"
   .endr
   CASE "cmp rax, [rsp - 8]"
   CASE "cmp eax, [rsp - 8]"
   CASE "mov [rsp - 8], rcx; cmp rax, [rsp - 8]"
   CASE "mov [rsp - 8], ecx; cmp eax, [rsp - 8]"
   CASE "cmp rax, 16; mov rcx, rdx"
   CASE "cmp rax, 16; mov rax, rcx"
   CASE "cmp rax, 16; mov al, cl"
   CASE "cmp rax, 16; lea rax, [rax + 1]"
   CASE "cmp rax, 16; xchg rcx, rax"
   CASE "cmp rax, 16; inc rcx"
   CASE "cmp rax, 16; shr rcx, cl"
   CASE "cmp rax, 16; not rcx"
   CASE "cmp rax, 16; inc dword ptr [rsp - 8]"
   CASE "cmp rax, rcx; mov rcx, rdx"
   CASE "cmp rax, 16; cmp cl, 5"
   CASE "cmp rax, 16; cmp [rsp - 8], rcx"

   .irp condition, b, ae, a, be, e, ne, l, ge, g, le, s, ns, o, no, p, np
   CASE "set\condition al"
   CASE "set\condition ah"
   CASE "set\condition byte ptr [rsp - 8]"
   CASE "set\condition cl; movzx ecx, cl"
   CASE "xor eax, eax; set\condition al"
   CASE "cmp rax, 10; set\condition al"
   .endr
   .irp condition, b, ae, a, be, e, ne, l, ge, g, le, s
   CASE "cmov\condition rax, rcx"
   CASE "cmov\condition eax, ecx"
   CASE "cmov\condition ax, cx"
   CASE "cmov\condition rax, [rsp - 8]"
   CASE "cmov\condition ecx, [rsp - 8]"
   CASE "mov [rsp - 8], edx; cmov\condition ecx, [rsp - 8]"
   .irp constant, 0, 10, 0x1000, -16
   CASE "cmp rax, \constant; cmov\condition rax, rcx"
   CASE "cmp rax, \constant; cmov\condition rcx, rax"
   CASE "cmp rax, \constant; cmov\condition rdx, rcx"
   CASE "cmp eax, \constant; cmov\condition eax, ecx"
   CASE "cmp eax, \constant; cmov\condition ecx, eax"
   CASE "mov edx, \constant; cmp eax, edx; cmov\condition eax, edx"
   CASE "mov edx, \constant; cmp rax, rdx; cmov\condition rdx, rax"
   CASE "cmp eax, \constant; cmov\condition eax, [rsp - 8]"
   CASE "movzx ecx, cl; cmp ecx, \constant; cmov\condition ecx, edx"
   .endr
   CASE "cmp cl, 10; cmov\condition ecx, eax"
   CASE "cmp rax, rcx; cmov\condition rax, rcx"
   CASE "cmp eax, ecx; cmov\condition ecx, eax"
   CASE "cmp rax, 10; mov rax, rdx; cmov\condition rcx, rax"
   CASE "cmp rax, 10; cmov\condition eax, ecx; cmov\condition edx, eax"
   .endr

/* ---- the stack ---- */

   .irp store, "mov [rsp - 16], rax", "mov [rsp - 16], eax", "mov [rsp - 16], ax", "mov [rsp - 16], al", \
               "mov qword ptr [rsp - 16], 5", "mov dword ptr [rsp - 16], -5", "mov byte ptr [rsp - 16], 5", \
               "mov [rsp - 16], ah", "movups [rsp - 16], xmm1", "movups [rsp - 32], xmm1", \
               "movd [rsp - 16], xmm1", "nop"
   CASE "\store"
   .irp at, 20, 17, 16, 14, 12, 8
   CASE "\store; mov rcx, [rsp - \at]"
   CASE "\store; mov ecx, [rsp - \at]"
   CASE "\store; movzx ecx, word ptr [rsp - \at]"
   CASE "\store; movzx ecx, byte ptr [rsp - \at]"
   CASE "\store; movsx rcx, byte ptr [rsp - \at]"
   CASE "\store; movsxd rcx, dword ptr [rsp - \at]"
   CASE "\store; mov cl, [rsp - \at]"
   CASE "\store; mov [rsp - \at], rcx; mov rdx, [rsp - 16]"
   CASE "\store; mov [rsp - \at], ecx; mov edx, [rsp - 16]"
   CASE "\store; mov [rsp - \at], cx; mov rdx, [rsp - 16]"
   CASE "\store; mov [rsp - \at], cl; mov edx, [rsp - 16]"
   CASE "\store; movups xmm2, [rsp - \at - 8]"
   CASE "\store; movups [rsp - \at - 8], xmm2"
   CASE "\store; movd xmm2, [rsp - \at]"
   .endr
   .endr
   CASE "push rax; pop rcx"
   CASE "push rax; mov [rsp + 4], ecx; pop rdx"
   CASE "push rax; push rcx; pop rax; pop rcx"
   CASE "push rsp; pop rax"
   CASE "push rbx; mov rbx, rax; lea rcx, [rbx + 1]; pop rbx"
   CASE "sub rsp, 64; mov [rsp + 8], rax; mov rcx, [rsp + 8]; add rsp, 64"
   CASE "sub rsp, 64; mov [rsp + 56], eax; lea rcx, [rsp + 56]; mov edx, [rcx]; add rsp, 64"
   CASE "mov rdx, rsp; sub rsp, 8; and rsp, -32; mov [rsp - 32], rax; mov rcx, [rsp - 32]; mov rsp, rdx"
   CASE "mov [rsp - 8], rsp; mov rax, [rsp - 8]; mov eax, eax"
   CASE "and ecx, 7; mov [rsp + 8*rcx - 64], rdx"
   CASE "lea rdi, [rsp - 64]; and ecx, 7; lea rdi, [rdi + 8*rcx]; mov [rdi], eax; mov rdx, [rdi]"
   CASE "and ecx, 7; mov rax, [rsp + 8*rcx - 64]"
   CASE "and ecx, 15; mov eax, [rsp + 4*rcx - 64]"
   CASE "and ecx, 7; mov eax, [rsp + 4*rcx - 32]"
   CASE "and ecx, 12; mov eax, [rsp + rcx - 16]"
   CASE "and ecx, 13; mov eax, [rsp + rcx - 32]"
   CASE "movups [rsp - 32], xmm1; movups [rsp - 16], xmm2; and ecx, 7; mov eax, [rsp + 4*rcx - 32]"
   CASE "mov [rsp - 8], rcx; and edx, 7; mov [rsp + rdx - 12], al; mov rcx, [rsp - 8]"

/* ---- several together ---- */

   CASE "and ecx, 15; shl rcx, 7; lea rax, [rcx + 124]"
   CASE "mov eax, ecx; sub rax, 5; and eax, -8"
   .irp mask, 12, -2, -4, -8
   CASE "and rcx, \mask; mov eax, 100; sub rax, rcx"
   CASE "and ecx, \mask; mov eax, 100; sub eax, ecx; mov edx, eax"
   CASE "and rcx, \mask; mov [rsp - 8], rcx; mov eax, 100; sub rax, [rsp - 8]"
   CASE "and rcx, \mask; and rdx, \mask; lea rax, [rcx + 4*rdx]; sub rdx, rcx"
   CASE "and rcx, \mask; cmp rcx, 100; cmova rcx, rax; sub rax, rcx"
   .endr
   CASE "sub eax, 5; movsxd rax, eax; add rax, 5"
   CASE "shr rax, 40; imul rax, rax, 100; add eax, -7"
   CASE "neg ecx; and ecx, 31; shl ecx, 3; or ecx, 5"
   CASE "and ecx, -16; or ecx, 3; xor ecx, 3; mov edx, ecx"
   CASE "and eax, 0xff00; and ecx, 0xff; or rax, rcx; xor rax, rcx"
   CASE "or rax, -64; add rax, 64; mov ecx, eax"
   CASE "shl rax, 31; shl rax, 31; sar rax, 3"
   CASE "add rax, rax; add rax, rax; sub rax, 4; shr eax, 2"
   CASE "and ecx, 12; imul ecx, ecx, 3; add ecx, 4; and ecx, 60"

/* ---- vectors of SSE ---- */

   .irp op, pand, por, pxor, andps, orps, xorps, andpd, orpd, xorpd, paddd, pmaddwd, psubd, \
      punpckldq, pcmpeqd, addps, unpcklps
   CASE "\op xmm0, xmm1"
   CASE "\op xmm0, xmm0"
   CASE "\op xmm0, [rsp - 16]"
   CASE "\op xmm0, [rip + fifteens]"
   CASE "\op xmm0, [rip + steps]"
   CASE "\op xmm0, [rip + signs]"
   .endr
   .irp op, movdqa, movdqu, movaps, movups, movapd, movupd
   CASE "\op xmm0, xmm1"
   CASE "\op xmm0, [rsp - 16]"
   CASE "\op xmm0, [rip + elements]"
   CASE "\op [rsp - 16], xmm1"
   CASE "\op [rsp - 32], xmm1; \op xmm2, [rsp - 32]; mov eax, [rsp - 20]"
   .endr
   .irp count, 0, 1, 7, 31, 32, 255, xmm1
   CASE "pslld xmm0, \count"
   CASE "psrld xmm0, \count"
   .endr
   CASE "pshufd xmm0, xmm1, 0x1b"
   CASE "pshufd xmm0, [rsp - 16], 0x1b"
   CASE "shufps xmm0, xmm1, 0x1b"
   CASE "movd eax, xmm1"
   CASE "movd xmm0, eax"
   CASE "movd xmm0, [rsp - 8]"
   CASE "movd [rsp - 8], xmm0"
   CASE "movq rax, xmm1"
   CASE "movq xmm0, rax"
   CASE "movq [rsp - 8], xmm1"
   CASE "movss xmm0, xmm1"
   CASE "movss xmm0, [rsp - 8]"
   CASE "movsd [rsp - 8], xmm0"
   CASE "movhlps xmm0, xmm1"
   CASE "movlps xmm0, [rsp - 8]"
   CASE "movlps [rsp - 8], xmm0"
   CASE "movmskps eax, xmm1"
   CASE "pmovmskb eax, xmm1"
   CASE "cvttss2si eax, xmm1"
   CASE "pextrw eax, xmm1, 3"
   CASE "ucomiss xmm0, xmm1; cmovb eax, ecx"
   CASE "psrld xmm0, 28; pmaddwd xmm0, xmm0; paddd xmm0, xmm1"
   CASE "movd xmm0, eax; pshufd xmm0, xmm0, 0; pand xmm0, [rip + fifteens]; movd ecx, xmm0"

   .set level, v3
   CASE "blendps xmm0, xmm1, 5"
   CASE "blendps xmm1, [rip + steps], 5"
   CASE "blendvps xmm1, xmm2, xmm0"
   CASE "blendvps xmm1, [rsp - 16], xmm0"
   CASE "pextrd eax, xmm1, 3"
   CASE "pextrd [rsp - 8], xmm1, 1"
   CASE "pextrb eax, xmm1, 3"
   CASE "extractps eax, xmm1, 2"
   CASE "pinsrd xmm1, eax, 2"
   CASE "pminud xmm0, xmm1"
   CASE "pmulld xmm0, xmm1"
   CASE "pshufb xmm0, [rip + places]"
   CASE "pmovzxbd xmm0, xmm1"
   CASE "pmovzxwd xmm0, [rip + elements]"
   CASE "pcmpistri xmm1, xmm2, 0"
   CASE "pcmpistrm xmm1, xmm2, 0"
   CASE "paddd xmm1, xmm2; vzeroall"

/* ---- vectors of AVX and AVX2 ---- */

   .irp w, xmm, ymm
   .irp op, vpand, vpor, vpxor, vandps, vorps, vxorps, vandpd, vorpd, vxorpd, \
      vpaddd, vpmulld, vpminud, vpmaddwd, vpshufb, vpsubd
   CASE "\op \w\()0, \w\()1, \w\()2"
   CASE "\op \w\()0, \w\()1, \w\()1"
   CASE "\op \w\()0, \w\()0, \w\()1"
   CASE "\op \w\()0, \w\()1, [rsp - 32]"
   .irp constants, fifteens, steps, places, elements, signs
   CASE "\op \w\()0, \w\()1, [rip + \constants]"
   .endr
   CASE "vpaddd ymm0, ymm0, ymm3; \op \w\()0, \w\()1, \w\()2"
   CASE "vmovdqu ymm3, [rip + steps]; \op \w\()0, \w\()3, \w\()2"
   .endr
   .endr

   .irp w, xmm, ymm
   .irp op, vmovdqa, vmovdqu, vmovaps, vmovups, vmovapd, vmovupd
   CASE "\op \w\()0, \w\()1"
   CASE "\op \w\()0, [rsp - 32]"
   CASE "\op \w\()0, [rip + elements]"
   CASE "\op [rsp - 32], \w\()1"
   CASE "\op [rsp - 64], \w\()1; \op \w\()2, [rsp - 64]; mov eax, [rsp - 52]"
   .endr
   .irp count, 0, 1, 7, 31, 32, 255, xmm2
   CASE "vpslld \w\()0, \w\()1, \count"
   CASE "vpsrld \w\()0, \w\()1, \count"
   CASE "vpsrad \w\()0, \w\()1, \count"
   .endr
   .irp op, vpbroadcastd, vbroadcastss
   CASE "\op \w\()0, xmm1"
   CASE "\op \w\()0, [rsp - 8]"
   CASE "\op \w\()0, [rip + steps]"
   CASE "mov [rsp - 8], eax; \op \w\()0, [rsp - 8]"
   .endr
   CASE "vpblendd \w\()0, \w\()1, \w\()2, 5"
   CASE "vpblendd \w\()0, \w\()1, [rip + steps], 5"
   CASE "vblendps \w\()0, \w\()1, \w\()2, 5"
   CASE "vblendps \w\()0, \w\()1, [rip + signs], 5"
   CASE "vblendvps \w\()0, \w\()1, \w\()2, \w\()3"
   CASE "vblendvps \w\()0, \w\()1, [rip + steps], \w\()3"
   CASE "vpblendvb \w\()0, \w\()1, \w\()2, \w\()3"
   .irp op, vpmovzxbd, vpmovsxbd, vpmovzxwd, vpmovsxwd, vpmovzxbw, vpmovzxdq
   CASE "\op \w\()0, xmm1"
   CASE "\op \w\()0, [rsp - 16]"
   CASE "\op \w\()0, [rip + elements]"
   CASE "\op \w\()0, [rip + fifteens]"
   .endr
   CASE "vpshufd \w\()0, \w\()1, 0x1b"
   CASE "vshufps \w\()0, \w\()1, \w\()2, 0x1b"
   CASE "vpunpckldq \w\()0, \w\()1, \w\()2"
   CASE "vpermilps \w\()0, \w\()1, 0x1b"
   CASE "vpmaskmovd \w\()0, \w\()1, [rsp - 32]"
   CASE "vpmaskmovd [rsp - 32], \w\()1, \w\()2"
   CASE "vpsrld \w\()0, \w\()0, 28; vpsrld \w\()1, \w\()1, 20; vpmaddwd \w\()0, \w\()0, \w\()1"
   CASE "vpsrld \w\()0, \w\()0, 16; vpmaddwd \w\()0, \w\()0, \w\()0"
   CASE "vpsrld \w\()0, \w\()0, 17; vpmulld \w\()0, \w\()0, \w\()0; vpslld \w\()0, \w\()0, 1"
   .endr
   .irp op, vextracti128, vextractf128
   CASE "\op xmm0, ymm1, 1"
   CASE "\op [rsp - 16], ymm1, 1"
   .endr
   CASE "vinserti128 ymm0, ymm1, xmm2, 1"
   CASE "vperm2i128 ymm0, ymm1, ymm2, 0x81"
   CASE "vpermd ymm0, ymm1, ymm2"
   CASE "vpermq ymm0, ymm1, 0x1b"
   CASE "vmovd eax, xmm1"
   CASE "vmovd xmm0, eax"
   CASE "vmovd xmm0, [rsp - 8]"
   CASE "vmovd [rsp - 8], xmm1"
   CASE "vmovd [rsp - 8], xmm1; mov eax, [rsp - 8]"
   CASE "vmovd xmm0, eax; vpbroadcastd ymm0, xmm0"
   CASE "vmovd xmm0, eax; vpaddd ymm1, ymm0, ymm2"
   CASE "vmovq rax, xmm1"
   CASE "vmovq xmm0, rax"
   CASE "vmovq [rsp - 8], xmm1"
   CASE "vmovss xmm0, xmm1, xmm2"
   CASE "vmovss xmm0, [rsp - 8]"
   CASE "vpextrd eax, xmm1, 3"
   CASE "vpextrd [rsp - 8], xmm1, 2"
   CASE "vpextrq rax, xmm1, 1"
   CASE "vpextrb eax, xmm1, 7"
   CASE "vextractps eax, xmm1, 2"
   CASE "vextractps [rsp - 8], xmm1, 2"
   CASE "vpinsrd xmm0, xmm1, eax, 2"
   CASE "vmovmskps eax, ymm1"
   CASE "vpmovmskb eax, ymm1"
   CASE "vptest ymm0, ymm1; cmovb eax, ecx"
   CASE "vcvtps2ph xmm0, ymm1, 0"
   CASE "vpaddd ymm0, ymm1, ymm2; vmovdqa xmm0, xmm1"
   CASE "vpaddd ymm0, ymm1, ymm2; vmovdqu xmm0, [rsp - 16]"
   CASE "vpaddd ymm0, ymm1, ymm2; paddd xmm0, xmm1"
   CASE "vpaddd ymm0, ymm1, ymm2; movdqa xmm3, xmm1; movd eax, xmm3"
   CASE "vpaddd ymm0, ymm1, ymm2; movd [rsp - 8], xmm1; mov eax, [rsp - 8]"
   CASE "vpaddd ymm0, ymm1, ymm2; vzeroupper"
   CASE "vpaddd ymm0, ymm1, ymm2; vzeroall"
   CASE "lea rax, [rip + steps]; vpsrld ymm1, ymm1, 28; vpgatherdd ymm0, [rax + 4*ymm1], ymm3"
   CASE "lea rax, [rip + steps]; vpsrld xmm1, xmm1, 28; vpgatherdd xmm0, [rax + 4*xmm1], xmm3; vpaddd ymm2, ymm2, ymm0"

/* ---- vectors of AVX-512 ---- */

   .set level, v4
   .irp w, xmm, ymm, zmm
   .irp op, vpandd, vpandq, vpord, vporq, vpxord, vpxorq, vpaddd, vpmulld, vpminud, vpmaddwd, vpshufb, vpsubd
   .irp mask, "", "{k1}", "{k1}{z}"
   CASE "\op \w\()0\mask, \w\()1, \w\()2"
   CASE "\op \w\()0\mask, \w\()1, \w\()1"
   CASE "\op \w\()0\mask, \w\()0, [rsp - 64]"
   .irp constants, fifteens, steps, places, signs
   CASE "\op \w\()0\mask, \w\()1, [rip + \constants]"
   .endr
   CASE "vpaddd zmm0, zmm0, zmm3; \op \w\()0\mask, \w\()1, \w\()2"
   .endr
   .endr
   .endr
   .irp op, vandps, vorps, vxorps, vandpd, vorpd, vxorpd
   CASE "\op zmm0, zmm1, zmm2"
   CASE "\op zmm0{k1}, zmm1, zmm1"
   .endr
   .irp op, vpandd, vpord, vpxord, vpaddd, vpmulld, vpminud
   .irp mask, "", "{k1}", "{k1}{z}"
   CASE "\op zmm0\mask, zmm1, [rip + steps]{1to16}"
   CASE "\op ymm0\mask, ymm1, [rip + signs]{1to8}"
   CASE "\op zmm0\mask, zmm1, [rsp - 8]{1to16}"
   CASE "mov [rsp - 8], eax; \op zmm0\mask, zmm1, [rsp - 8]{1to16}"
   .endr
   .endr
   .irp op, vpandq, vporq, vpxorq
   CASE "\op zmm0, zmm1, [rip + elements]{1to8}"
   CASE "mov [rsp - 8], rax; \op zmm0, zmm1, [rsp - 8]{1to8}"
   .endr
   .irp table, 0x00, 0x01, 0x0f, 0x54, 0x80, 0x96, 0xca, 0xc8, 0xd8, 0xf8, 0xaa, 0xfe, 0x20
   .irp mask, "", "{k1}", "{k1}{z}"
   CASE "vpternlogd zmm0\mask, zmm1, zmm2, \table"
   CASE "vpternlogq zmm0\mask, zmm1, zmm2, \table"
   CASE "vpternlogd zmm0\mask, zmm1, [rip + fifteens]{1to16}, \table"
   CASE "vpternlogd ymm0\mask, ymm1, [rip + steps], \table"
   CASE "vpternlogd xmm0\mask, xmm0, xmm1, \table"
   .endr
   .endr
   .irp mask, "", "{k1}", "{k1}{z}"
   CASE "vpblendmd zmm0\mask, zmm1, zmm2"
   CASE "vpblendmd zmm0\mask, zmm1, [rip + steps]"
   CASE "vpblendmd zmm0\mask, zmm1, [rip + signs]{1to16}"
   CASE "vblendmps ymm0\mask, ymm1, ymm2"
   CASE "vpblendmq zmm0\mask, zmm1, zmm2"
   .irp op, vmovdqa32, vmovdqu32, vmovdqa64, vmovdqu64, vmovaps, vmovups, vmovapd, vmovupd, vmovdqu8
   CASE "\op zmm0\mask, zmm1"
   CASE "\op zmm0\mask, [rsp - 64]"
   CASE "\op ymm0\mask, [rip + elements]"
   .endr
   .irp count, 0, 1, 7, 31, 32, 255
   CASE "vpslld zmm0\mask, zmm1, \count"
   CASE "vpsrld zmm0\mask, zmm1, \count"
   CASE "vprold zmm0\mask, zmm1, \count"
   CASE "vpslld zmm0\mask, [rsp - 64], \count"
   CASE "vpsrld zmm0\mask, [rip + signs]{1to16}, \count"
   .endr
   CASE "vpslld zmm0\mask, zmm1, xmm2"
   CASE "vpsrld zmm0\mask, zmm1, [rsp - 16]"
   CASE "vpsllvd zmm0\mask, zmm1, zmm2"
   CASE "vpbroadcastd zmm0\mask, eax"
   CASE "vpbroadcastd zmm0\mask, xmm1"
   CASE "vpbroadcastd zmm0\mask, [rsp - 8]"
   CASE "vbroadcastss zmm0\mask, xmm1"
   CASE "vpbroadcastd ymm0\mask, eax"
   .irp op, vpmovzxbd, vpmovsxbd, vpmovzxwd, vpmovsxwd
   CASE "\op xmm0\mask, xmm1"
   CASE "\op ymm0\mask, [rip + elements]"
   CASE "\op zmm0\mask, [rip + elements]"
   CASE "\op zmm0\mask, [rip + fifteens]"
   CASE "\op zmm0\mask, [rsp - 32]"
   .endr
   .irp op, vextracti32x4, vextractf32x4
   CASE "\op xmm0\mask, zmm1, 3"
   .endr
   .irp op, vextracti64x4, vextractf64x4
   CASE "\op ymm0\mask, zmm1, 1"
   .endr
   CASE "vinserti32x4 zmm0\mask, zmm1, xmm2, 3"
   CASE "vinserti64x4 zmm0\mask, zmm1, ymm2, 1"
   CASE "vpshufd zmm0\mask, zmm1, 0x1b"
   CASE "vpunpckhdq zmm0\mask, zmm1, zmm2"
   CASE "vshufi32x4 zmm0\mask, zmm1, zmm2, 0x1b"
   CASE "vpermd zmm0\mask, zmm1, zmm2"
   CASE "vpermt2d zmm0\mask, zmm1, zmm2"
   CASE "vpermi2d zmm0\mask, zmm1, zmm2"
   CASE "valignd zmm0\mask, zmm1, zmm2, 3"
   CASE "vpexpandd zmm0\mask, zmm1"
   CASE "vpmovdb xmm0\mask, zmm1"
   CASE "vcvtdq2ps zmm0\mask, zmm1"
   CASE "vpsrld zmm0, zmm0, 28; vpsrld zmm1, zmm1, 20; vpmaddwd zmm0\mask, zmm0, zmm1"
   CASE "vpsrld zmm0, zmm0, 17; vpmulld zmm0\mask, zmm0, zmm0; vpslld zmm1\mask, zmm0, 1"
   .endr
   .irp mask, "", "{k1}"
   .irp op, vmovdqu32, vmovdqa64, vmovups, vmovupd, vmovdqu8
   CASE "\op [rsp - 64]\mask, zmm1"
   CASE "\op [rsp - 32]\mask, ymm1"
   CASE "\op [rsp - 64]\mask, zmm1; mov eax, [rsp - 4]"
   CASE "\op [rsp - 64]\mask, zmm1; vmovdqu ymm2, [rsp - 48]"
   .endr
   CASE "vextracti32x4 [rsp - 16]\mask, zmm1, 3"
   CASE "vextracti64x4 [rsp - 32]\mask, zmm1, 1"
   CASE "vpmovdb [rsp - 16]\mask, zmm1"
   .endr
   CASE "vmovups [rsp - 64], zmm1; and ecx, 15; mov eax, [rsp + 4*rcx - 64]"
   CASE "vmovups [rsp - 64], zmm1; mov [rsp - 40], eax; vmovups zmm2, [rsp - 64]"
   CASE "vmovups [rsp - 64], ymm1; vmovups [rsp - 32], ymm2; and ecx, 15; mov eax, [rsp + 4*rcx - 64]"
   CASE "vmovups [rsp - 64], ymm1; vmovups [rsp - 32], ymm2; vmovups zmm0, [rsp - 64]"
   CASE "vpandd zmm1, zmm1, [rip + fifteens]; vpscatterdd [rsp + 4*zmm1 - 64]{k1}, zmm2"
   CASE "vpandd zmm1, zmm1, [rip + fifteens]; vpgatherdd zmm0{k1}, [rsp + 4*zmm1 - 64]"
   CASE "vmovd xmm0, eax; vpaddd zmm1, zmm0, zmm2"
   CASE "vpaddd zmm0, zmm1, zmm2; vmovdqa ymm0, ymm1"
   CASE "vpaddd zmm0, zmm1, zmm2; vpbroadcastd ymm0, xmm1"
   CASE "vpaddd zmm0, zmm1, zmm2; vpblendd ymm0, ymm1, ymm2, 5"
   CASE "vpaddd zmm0, zmm1, zmm2; vpmovzxbd ymm0, [rip + fifteens]"
   CASE "vpaddd zmm0, zmm1, zmm2; vzeroupper"
   CASE "vpaddd zmm0, zmm1, zmm2; vzeroall"
   CASE "vpcmpud k1, zmm0, zmm1, 1; vpaddd zmm2{k1}, zmm0, zmm1"
   CASE "kmovw eax, k1"
   CASE "kmovb ecx, k1"
   CASE "kmovq rax, k1"
   CASE "kmovd k1, eax; vmovdqa32 zmm0{k1}{z}, zmm1"
   CASE "kortestw k1, k2; cmovb eax, ecx"
   CASE "vpbroadcastd zmm0, eax; vpminud zmm0, zmm0, [rip + fifteens]{1to16}; vmovd ecx, xmm0; shl rcx, 7"

   .set level, v4_bytes
   .irp w, xmm, ymm, zmm
   .irp mask, "", "{k1}", "{k1}{z}"
   .irp op, vpermb, vpermi2b, vpermt2b, vpmultishiftqb
   CASE "\op \w\()0\mask, \w\()1, \w\()2"
   CASE "\op \w\()0\mask, \w\()1, [rip + steps]"
   CASE "vpaddd zmm0, zmm0, zmm3; \op \w\()0\mask, \w\()1, \w\()2"
   .endr
   .endr
   .endr

   CASE "" /* the end */
   .section .note.GNU-stack, "", @progbits
