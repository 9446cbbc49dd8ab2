/* SPDX-License-Identifier: MIT */
/*
 * Functions that test_proof.c looks at and nobody runs: each with its name and why it is refused; "" is fine. Before each
 * lies a constant, sixteen dwords of 15. Its argument rdi is a pointer to the state (test_proof.c):
 *
 *   0   pointer to memory of the GPU          24  numbers
 *   8   table of two functions                32  to 64 may be written
 *   16  array of sixteen rows of 128 bytes
 */
   .intel_syntax noprefix

   .macro CASE name, why
   .section .data.rel.ro.cf_cases, "aw", @progbits
   .quad .Lname\@, .Lwhy\@, .Lcode\@
   .section .rodata.cf_text, "a", @progbits
.Lname\@:
   .asciz "\name"
.Lwhy\@:
   .asciz "\why"
   .section .rodata.cf_code, "a", @progbits
   .set cf_constant, .
   .fill 16, 4, 15
.Lcode\@:
   .endm

   .section .data.rel.ro.cf_cases, "aw", @progbits
   .balign 8
   .globl cf_proof_cases
   .hidden cf_proof_cases
cf_proof_cases:

   CASE "stores to the state", ""
   mov dword ptr [rdi + 32], 1
   vmovups [rdi + 32], ymm0
   ret

   CASE "an aligned frame", ""
   push rbp
   mov rbp, rsp
   push rbx
   and rsp, -64
   sub rsp, 256
   mov [rsp + 8], rdi
   mov rdi, [rsp + 8]
   mov dword ptr [rdi + 32], 1
   lea rsp, [rbp - 8]
   pop rbx
   pop rbp
   ret

   CASE "memory at offsets of 32 bits", ""
   mov rax, [rdi]
   mov ecx, [rdi + 24]
   mov dword ptr [rax + rcx], 1
   movsxd rcx, dword ptr [rdi + 24]
   vmovups [rax + rcx + 64], ymm0
   ret

   CASE "a call", ""
   push rbx
   mov rbx, rdi
   mov rax, [rdi + 8]
   mov esi, 5
   call [rax + 8]
   mov dword ptr [rbx + 32], 1
   pop rbx
   ret

   CASE "a gather from memory", ""
   mov rax, [rdi]
   vpgatherdd zmm0{k1}, [rax + zmm1]
   ret

   CASE "a row below a bound", ""
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   cmp ecx, 15
   mov edx, 15
   cmovae ecx, edx
   shl ecx, 7
   vmovups [rax + rcx], zmm0
   vmovups [rax + rcx + 64], zmm0
   ret

   CASE "a row by a mask", ""
   mov rax, [rdi + 16]
   mov rcx, [rdi + 24]
   and ecx, 15
   shl rcx, 7
   vmovups [rax + rcx + 64], zmm0
   ret

   CASE "a row below a branch", ""
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   cmp ecx, 16
   jae 1f
   shl rcx, 7
   mov dword ptr [rax + rcx + 124], 1
1:
   ret

   CASE "rows in a loop", ""
   mov rax, [rdi + 16]
   xor ecx, ecx
1:
   mov edx, ecx
   shl edx, 7
   mov dword ptr [rax + rdx], 1
   inc ecx
   cmp ecx, 16
   jb 1b
   ret

   CASE "a row below a bound in a long loop", ""
   mov rax, [rdi + 16]
   mov r9d, [rdi + 24]
   xor edx, edx
1:
   lea ecx, [rdx + 3]
   cmp ecx, 12
   jb 2f
   mov ecx, 12
2:
   shl ecx, 7
   mov dword ptr [rax + rcx], 1
   inc edx
   cmp edx, r9d
   jb 1b
   ret

   CASE "an offset of 32 bits in a long loop", ""
   mov rax, [rdi]
   mov r9d, [rdi + 24]
   xor edx, edx
1:
   lea ecx, [rdx + rdx + 8192]
   cmp ecx, r9d
   jae 2f
   mov dword ptr [rax + 4*rcx], 1
2:
   inc edx
   cmp edx, r9d
   jb 1b
   ret

   CASE "a scatter below a bound", ""
   mov rax, [rdi + 16]
   vpminud zmm0, zmm1, dword ptr [rip + cf_constant]{1to16}
   vpslld zmm0, zmm0, 7
   vpscatterdd [rax + zmm0]{k1}, zmm2
   ret

   CASE "a scatter by constants of bytes", ""
   mov rax, [rdi + 16]
   vpmovsxbd zmm0, xmmword ptr [rip + cf_constant]
   vpslld zmm0, zmm0, 7
   vpscatterdd [rax + zmm0]{k1}, zmm2
   vpmovzxbd zmm1, xmmword ptr [rip + cf_constant]
   vpslld zmm1, zmm1, 7
   vpscatterdd [rax + zmm1]{k2}, zmm2
   ret

   CASE "a scatter by constants of words", ""
   mov rax, [rdi + 16]
   vpmovsxwd zmm0, ymmword ptr [rip + cf_constant]
   vpslld zmm0, zmm0, 7
   vpscatterdd [rax + zmm0]{k1}, zmm2
   vpmovzxwd zmm1, ymmword ptr [rip + cf_constant]
   vpslld zmm1, zmm1, 7
   vpscatterdd [rax + zmm1]{k2}, zmm2
   ret

   CASE "a scatter by bytes of a vector", ""
   mov rax, [rdi + 16]
   vpmovzxbd zmm0, xmm1
   vpsrld zmm0, zmm0, 4
   vpminud zmm0, zmm0, dword ptr [rip + cf_constant]{1to16}
   vpslld zmm0, zmm0, 7
   vpscatterdd [rax + zmm0]{k1}, zmm2
   ret

   CASE "an element of a vector on the stack", ""
   mov rcx, [rdi + 24]
   and ecx, 15
   vmovups [rsp - 64], zmm0
   mov eax, [rsp + 4*rcx - 64]
   ret

   CASE "a constant at an index of some bits", ""
   mov ecx, [rdi + 24]
   and ecx, 15
   lea rdx, [rip + cf_constant]
   mov eax, [rdx + 4 * rcx]
   ret

   CASE "a constant at the least of an index and the last", ""
   mov ecx, [rdi + 24]
   mov eax, 15
   cmp ecx, 15
   cmovb eax, ecx
   lea rdx, [rip + cf_constant]
   mov eax, [rdx + 4 * rax]
   ret

   CASE "constants gathered at indices below a bound", ""
   vpminud zmm0, zmm1, dword ptr [rip + cf_constant]{1to16}
   lea rdx, [rip + cf_constant]
   vpgatherdd zmm2{k1}, [rdx + 4 * zmm0]
   ret

   CASE "constants gathered at indices of some bits", ""
   vpsrld zmm0, zmm1, 28
   lea rdx, [rip + cf_constant]
   vpgatherdd zmm2{k1}, [rdx + 4 * zmm0]
   ret

   CASE "a constant at an index of some bits, by SSE", ""
   psrld xmm1, 28
   pshufd xmm2, xmm1, 0x55
   movd ecx, xmm2
   lea rdx, [rip + cf_constant]
   mov eax, [rdx + 4 * rcx]
   ret

   CASE "constants gathered at 0", ""
   vpxor xmm0, xmm0, xmm0
   lea rdx, [rip + cf_constant]
   vpgatherdd zmm2{k1}, [rdx + zmm0]
   vxorpd zmm1, zmm1, zmm1
   vpgatherdd zmm2{k1}, [rdx + zmm1]
   ret

   CASE "constants gathered at indices of some bits, of several words", ""
   vpbroadcastd zmm0, dword ptr [rip + cf_constant]
   vpternlogd zmm0, zmm1, zmm2, 0xe0
   lea rdx, [rip + cf_constant]
   vpgatherdd zmm2{k1}, [rdx + 4 * zmm0]
   ret

   CASE "a constant by a mask", ""
   mov ecx, [rdi + 24]
   and ecx, 15
   lea rax, [rip + cf_constant]
   mov eax, [rax + 4*rcx]
   ret

   CASE "a row by the byte of a condition", ""
   mov rax, [rdi + 16]
   mov rdx, [rdi + 24]
   xor ecx, ecx
   cmp edx, 3
   setg dl
   cmp esi, 5
   jge 1f
   mov cl, dl
1:
   shl ecx, 7
   mov dword ptr [rax + rcx + 14*128], 1
   movzx ecx, dl
   shl ecx, 7
   mov dword ptr [rax + rcx + 14*128], 1
   ret

   CASE "a row by a byte with some bits", ""
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   mov edx, [rdi + 28]
   and cl, 15
   or cl, 3
   xor cl, 8
   and dl, cl
   movzx ecx, dl
   shl ecx, 7
   mov dword ptr [rax + rcx], 1
   mov edx, [rdi + 28]
   mov dl, 9
   movzx ecx, dl
   and cl, byte ptr [rdi + 24]
   shl ecx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row before the end", ""
   mov rax, [rdi + 16]
   add rax, 16*128
   mov ecx, [rdi + 24]
   shl ecx, 7
   or rcx, -2048
   mov dword ptr [rax + rcx], 1
   ret

   CASE "one of the last rows by bits that overlap", ""
   mov rax, [rdi + 16]
   add rax, 16*128
   xor ecx, ecx
   cmp esi, 3
   setg cl
   shl ecx, 7
   or rcx, -128
   mov dword ptr [rax + rcx], 1
   ret

   CASE "one of the last rows", ""
   mov rax, [rdi + 16]
   add rax, 16*128
   xor ecx, ecx
   cmp esi, 3
   setg cl
   shl ecx, 7
   or rcx, -256
   mov dword ptr [rax + rcx], 1
   ret

   CASE "rows by lanes of products", ""
   mov rax, [rdi + 16]
   vpandd zmm0, zmm1, dword ptr [rip + cf_constant]{1to16}
   vpmaddwd zmm2, zmm0, [rip + cf_constant]
   vextracti32x4 xmm2, zmm2, 3
   vpextrd ecx, xmm2, 1
   mov dword ptr [rax + 4*rcx], 1
   vpmulld zmm2, zmm0, [rip + cf_constant]
   vmovd ecx, xmm2
   mov dword ptr [rax + 4*rcx], 1
   ret

   CASE "rows by lanes of SSE", ""
   mov rax, [rdi + 16]
   movdqa xmm0, [rip + cf_constant]
   pand xmm0, xmm1
   movdqa xmm2, xmm0
   pmaddwd xmm2, [rip + cf_constant]
   movdqu [rsp - 64], xmm2
   mov ecx, [rsp - 60]
   mov dword ptr [rax + 4*rcx], 1
   pshufd xmm3, xmm2, 3
   movd ecx, xmm3
   mov dword ptr [rax + 4*rcx], 1
   ret

   CASE "rows by and, and or, of floats", ""
   mov rax, [rdi + 16]
   vandps ymm0, ymm1, [rip + cf_constant]
   vandps ymm2, ymm3, [rip + cf_constant]
   vorps ymm0, ymm0, ymm2
   vmovups [rsp - 64], ymm0
   mov ecx, [rsp - 36]
   shl ecx, 6
   mov dword ptr [rax + rcx], 1
   ret

   CASE "rows by and, and or, of floats of SSE", ""
   mov rax, [rdi + 16]
   movaps xmm0, [rip + cf_constant]
   movaps xmm2, xmm0
   andps xmm0, xmm1
   andps xmm2, xmm3
   orps xmm0, xmm2
   por xmm0, xmm2
   movups [rsp - 64], xmm0
   mov ecx, [rsp - 60]
   shl ecx, 5
   mov dword ptr [rax + rcx], 1
   ret

   CASE "rows by and, and or, of doubles", ""
   mov rax, [rdi + 16]
   vmovupd ymm3, [rip + cf_constant]
   vandpd ymm0, ymm1, ymm3
   vmovapd ymm2, ymm3
   vorpd ymm0, ymm0, ymm2
   vmovupd [rsp - 64], ymm0
   mov ecx, [rsp - 36]
   shl ecx, 6
   mov dword ptr [rax + rcx], 1
   ret

   CASE "rows by and, and or, of doubles of SSE", ""
   mov rax, [rdi + 16]
   movupd xmm0, [rip + cf_constant]
   movapd xmm2, xmm0
   andpd xmm0, xmm1
   orpd xmm0, xmm2
   movupd [rsp - 64], xmm0
   mov ecx, [rsp - 60]
   shl ecx, 5
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by or of floats", "a store outside of what may be written"
   mov rax, [rdi + 16]
   movaps xmm0, [rip + cf_constant]
   orps xmm0, xmm1
   movups [rsp - 64], xmm0
   mov ecx, [rsp - 60]
   shl ecx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by and-not of floats", "a store outside of what may be written"
   mov rax, [rdi + 16]
   movaps xmm0, [rip + cf_constant]
   andnps xmm0, xmm1
   movups [rsp - 64], xmm0
   mov ecx, [rsp - 60]
   shl ecx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "bytes of a vector", ""
   mov rax, [rdi + 16]
   vmovdqa ymm2, [rip + 2f]
   vpshufb ymm0, ymm1, ymm2
   vpextrd ecx, xmm0, 3
   mov dword ptr [rax + 4*rcx], 1
   ret
   .balign 32, 0x90
2:
   .long 0x80808000, 0x80808001, 0x80808002, 0x80808003, 0x80808004, 0x80808005, 0x80808006, 0x80808007

   CASE "a byte on the stack", ""
   mov rax, [rdi + 16]
   cmp esi, 3
   setg cl
   mov [rsp - 9], cl
   movzx ecx, byte ptr [rsp - 9]
   shl ecx, 10
   mov dword ptr [rax + rcx], 1
   cmp esi, 5
   setg byte ptr [rsp - 10]
   movzx ecx, byte ptr [rsp - 10]
   shl ecx, 10
   mov dword ptr [rax + rcx], 1
   ret

   CASE "one of rows whose bits lie apart", ""
   mov rax, [rdi + 16]
   add rax, 16*128
   xor ecx, ecx
   cmp esi, 3
   setg cl
   shl ecx, 8
   or rcx, -0x780
   mov dword ptr [rax + rcx], 1
   ret

   CASE "one of two addresses", ""
   mov rax, [rdi + 16]
   lea rcx, [rsp - 8]
   cmp dword ptr [rdi + 24], 3
   cmovb rax, rcx
   mov eax, [rax]
   ret

   CASE "pointers that move on the stack", ""
   mov rax, [rdi + 16]
   mov [rsp - 8], rax
   add qword ptr [rsp - 8], 15*128
   mov rax, [rsp - 8]
   mov dword ptr [rax], 1
   mov ecx, 14*128
   sub [rsp - 8], rcx
   inc qword ptr [rsp - 8]
   mov rax, [rsp - 8]
   mov dword ptr [rax - 128 - 1], 1
   ret

   CASE "a pointer that moves too far on the stack", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov [rsp - 8], rax
   add qword ptr [rsp - 8], 16*128
   mov rax, [rsp - 8]
   mov dword ptr [rax], 1
   ret

   CASE "a pointer that moves back too far on the stack", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov [rsp - 8], rax
   sub qword ptr [rsp - 8], 1
   mov rax, [rsp - 8]
   mov dword ptr [rax], 1
   ret

   CASE "half a pointer that moves on the stack", "an address that is no known pointer"
   mov rax, [rdi + 16]
   mov [rsp - 8], rax
   add dword ptr [rsp - 8], 128
   mov rax, [rsp - 8]
   mov dword ptr [rax], 1
   ret

   CASE "a row behind a bound in a long loop", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov r9d, [rdi + 24]
   xor edx, edx
1:
   lea ecx, [rdx + 3]
   cmp ecx, 16
   jb 2f
   mov ecx, 16
2:
   shl ecx, 7
   mov dword ptr [rax + rcx], 1
   inc edx
   cmp edx, r9d
   jb 1b
   ret

   CASE "an offset of 64 bits in a long loop", "a store outside of what may be written"
   mov rax, [rdi]
   mov r9d, [rdi + 24]
   xor edx, edx
1:
   lea rcx, [rdx + rdx + 8192]
   cmp rcx, r9
   jae 2f
   mov dword ptr [rax + 8*rcx], 1
2:
   inc rdx
   cmp rdx, r9
   jb 1b
   ret

   CASE "a row behind the last by the byte of a condition", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov rdx, [rdi + 24]
   xor ecx, ecx
   cmp edx, 3
   setg dl
   mov cl, dl
   shl ecx, 7
   mov dword ptr [rax + rcx + 15*128], 1
   ret

   CASE "a row by a byte that is not known", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov rdx, [rdi + 24]
   xor ecx, ecx
   mov cl, dl
   shl ecx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by a byte beside a condition", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov rdx, [rdi + 24]
   cmp esi, 3
   setg dh
   movzx ecx, dl
   shl ecx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row before the first", "a store outside of what may be written"
   mov rax, [rdi + 16]
   add rax, 16*128
   mov ecx, [rdi + 24]
   shl ecx, 7
   or rcx, -4096
   mov dword ptr [rax + rcx], 1
   ret

   CASE "half a row before the end", "a store outside of what may be written"
   mov rax, [rdi + 16]
   add rax, 16*128
   mov ecx, [rdi + 24]
   add ecx, ecx
   or rcx, -2048
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row before the end and behind it", "a store outside of what may be written"
   mov rax, [rdi + 16]
   add rax, 17*128
   mov ecx, [rdi + 24]
   shl ecx, 7
   or rcx, -2048
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by a byte with too many bits", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and cl, 16
   movzx ecx, cl
   shl ecx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by a byte with a bit more", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and cl, 15
   or cl, 16
   movzx ecx, cl
   shl ecx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by a byte with a bit changed", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and cl, 15
   xor cl, 16
   movzx ecx, cl
   shl ecx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by a byte with bits of memory", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and cl, 15
   or cl, byte ptr [rdi + 28]
   movzx ecx, cl
   shl ecx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by a byte of memory with bits of another", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and cl, byte ptr [rdi + 28]
   movzx ecx, cl
   shl ecx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by a byte loaded over a bounded one", "a store outside of what may be written"
   mov rax, [rdi + 16]
   xor ecx, ecx
   mov cl, byte ptr [rdi + 28]
   shl ecx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by a byte of which another was bounded", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ch, 15
   movzx ecx, cl
   shl ecx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by a byte that was counted up", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and cl, 15
   inc cl
   movzx ecx, cl
   shl ecx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by a register whose byte is bounded", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and cl, 15
   shl ecx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by a byte of one of two ways", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov rdx, [rdi + 24]
   cmp esi, 3
   jg 1f
   setg dl
1:
   movzx ecx, dl
   shl ecx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row in a register whose byte is one", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   mov cl, 1
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by a product that is too large", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpmaddwd zmm2, zmm1, [rip + cf_constant]
   vmovd ecx, xmm2
   mov dword ptr [rax + 4*rcx], 1
   ret

   CASE "a row by a product whose sign is lost", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpandd zmm0, zmm1, [rip + cf_constant]
   vpslld zmm0, zmm0, 12
   vpmaddwd zmm0, zmm0, [rip + cf_constant]
   vmovd ecx, xmm0
   shr ecx, 9
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row in a register whose byte is a condition", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   cmp esi, 3
   setg dl
   mov cl, dl
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by a product of 32 bits", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpandd zmm0, zmm1, dword ptr [rip + cf_constant]{1to16}
   vpmulld zmm2, zmm0, zmm1
   vmovd ecx, xmm2
   mov dword ptr [rax + 4*rcx], 1
   ret

   CASE "a row by the upper part of a vector", "a store outside of what may be written"
   mov rax, [rdi + 16]
   movdqa xmm0, [rip + cf_constant]
   vmovdqu [rsp - 64], ymm0
   mov ecx, [rsp - 40]
   mov dword ptr [rax + 4*rcx], 1
   ret

   CASE "a row by a dword of bytes", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpshufb xmm0, xmm1, [rip + cf_constant]
   vmovd ecx, xmm0
   mov dword ptr [rax + 4*rcx], 1
   ret

   CASE "a row by a byte on the stack that is not known", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov [rsp - 9], sil
   movzx ecx, byte ptr [rsp - 9]
   shl ecx, 10
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by what moving a dword makes 0", "a store outside of what may be written"
   mov rax, [rdi + 16]
   sub rax, 4
   mov ecx, 15
   vmovd xmm0, ecx
   vpextrd ecx, xmm0, 1
   mov dword ptr [rax + 4*rcx], 1
   ret

   CASE "a row by what a narrow vector makes 0", "a store outside of what may be written"
   mov rax, [rdi + 16]
   sub rax, 4
   vmovups ymm1, [rdi]
   vmovdqa xmm0, [rip + cf_constant]
   vextracti128 xmm0, ymm0, 1
   vmovd ecx, xmm0
   mov dword ptr [rax + 4*rcx], 1
   ret

   CASE "a wild store", "an address that is no known pointer"
   mov rax, [rdi + 24]
   mov dword ptr [rax], 1
   ret

   CASE "an absolute address", "an address that is no known pointer"
   mov dword ptr ds:[0x10000], 1
   ret

   CASE "an absolute address of 64 bits", "an address that is no known pointer"
   movabs [0x1122334455667788], eax
   ret

   CASE "a constant as pointer", "an address that is no known pointer"
   movabs rax, 0x1122334455667788
   mov [rax], ecx
   ret

   CASE "a store before what may be written", "a store outside of what may be written"
   mov dword ptr [rdi + 28], 1
   ret

   CASE "a store across the end", "a store outside of what may be written"
   mov dword ptr [rdi + 61], 1
   ret

   CASE "a store over a pointer", "a store outside of what may be written"
   mov [rdi], rax
   ret

   CASE "a wide store across the end", "a store outside of what may be written"
   vmovups [rdi + 33], ymm0
   ret

   CASE "an offset of 64 bits", "a store outside of what may be written"
   mov rax, [rdi]
   mov rcx, [rdi + 24]
   mov dword ptr [rax + rcx], 1
   ret

   CASE "an offset times 64", "a store outside of what may be written"
   mov rax, [rdi]
   mov ecx, [rdi + 24]
   shl rcx, 6
   mov dword ptr [rax + rcx], 1
   ret

   CASE "two offsets of 32 bits, twice", "a store outside of what may be written"
   mov rax, [rdi]
   mov ecx, [rdi + 24]
   lea rax, [rax + 8*rcx]
   lea rax, [rax + 8*rcx]
   mov dword ptr [rax], 1
   ret

   CASE "a displacement before what is reserved", "a store outside of what may be written"
   mov rax, [rdi]
   movsxd rcx, dword ptr [rdi + 24]
   mov dword ptr [rax + 2*rcx - 64], 1
   ret

   CASE "a row without a bound", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row below a bound too large", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   cmp ecx, 17
   mov edx, 15
   cmovae ecx, edx
   shl ecx, 7
   vmovups [rax + rcx], zmm0
   ret

   CASE "a row below the bound of another", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   cmp r8d, 15
   mov edx, 15
   cmovae ecx, edx
   shl ecx, 7
   vmovups [rax + rcx], zmm0
   ret

   CASE "a row beyond its bound", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   cmp ecx, 15
   mov edx, 15
   cmovae ecx, edx
   inc ecx
   shl ecx, 7
   vmovups [rax + rcx], zmm0
   ret

   CASE "a row below a bound with a sign", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   cmp ecx, 15
   mov edx, 15
   cmovge ecx, edx
   shl ecx, 7
   vmovups [rax + rcx], zmm0
   ret

   CASE "a row on the other side of a bound", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   cmp ecx, 15
   mov edx, 15
   cmovb ecx, edx
   shl ecx, 7
   vmovups [rax + rcx], zmm0
   ret

   CASE "a bound of 16 bits", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   cmp cx, 15
   mov edx, 15
   cmovae ecx, edx
   shl ecx, 7
   vmovups [rax + rcx], zmm0
   ret

   CASE "flags that changed since", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   cmp ecx, 15
   mov edx, 15
   test r8d, r8d
   cmovae ecx, edx
   shl ecx, 7
   vmovups [rax + rcx], zmm0
   ret

   CASE "a number that changed since", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   cmp ecx, 15
   mov edx, 15
   mov ecx, [rdi + 28]
   cmovae ecx, edx
   shl ecx, 7
   vmovups [rax + rcx], zmm0
   ret

   CASE "the wrong way of a branch", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   cmp ecx, 16
   jb 1f
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
1:
   ret

   CASE "a bound on one way alone", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   cmp dword ptr [rdi + 28], 1
   je 1f
   and ecx, 15
1:
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "the end of the last row", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   cmp ecx, 15
   mov edx, 15
   cmovae ecx, edx
   shl ecx, 7
   vmovups [rax + rcx + 65], zmm0
   ret

   CASE "a loop with one turn too many", "a store outside of what may be written"
   mov rax, [rdi + 16]
   xor ecx, ecx
1:
   mov edx, ecx
   shl edx, 7
   mov dword ptr [rax + rdx], 1
   inc ecx
   cmp ecx, 17
   jb 1b
   ret

   CASE "a loop that moves a pointer", "an address that is no known pointer"
   mov rax, [rdi + 16]
1:
   mov dword ptr [rax], 1
   add rax, 4
   dec ecx
   jne 1b
   ret

   CASE "a scatter without a bound", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpslld zmm0, zmm0, 7
   vpscatterdd [rax + zmm0]{k1}, zmm2
   ret

   CASE "a scatter with lanes beyond the bound", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpminud zmm0{k1}, zmm1, dword ptr [rip + cf_constant]{1to16}
   vpslld zmm0, zmm0, 7
   vpscatterdd [rax + zmm0]{k1}, zmm2
   ret

   CASE "a scatter shifted beyond", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpminud zmm0, zmm1, dword ptr [rip + cf_constant]{1to16}
   vpslld zmm0, zmm0, 8
   vpscatterdd [rax + zmm0]{k1}, zmm2
   ret

   CASE "a scatter by a byte too large", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpmovzxbd zmm0, xmmword ptr [rip + 2f]
   vpslld zmm0, zmm0, 7
   vpscatterdd [rax + zmm0]{k1}, zmm2
   ret
2:
   .fill 16, 1, 0x90 /* no operation */

   CASE "a scatter by bytes shifted beyond", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpmovzxbd zmm0, xmmword ptr [rip + cf_constant]
   vpslld zmm0, zmm0, 8
   vpscatterdd [rax + zmm0]{k1}, zmm2
   ret

   CASE "a scatter by a byte with a sign", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpmovsxbd zmm0, xmmword ptr [rip + 2f]
   vpscatterdd [rax + zmm0]{k1}, zmm2
   ret
2:
   .fill 16, 1, 0x90 /* no operation */

   CASE "a scatter by a word with a sign", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpmovsxwd zmm0, ymmword ptr [rip + 2f]
   vpscatterdd [rax + zmm0]{k1}, zmm2
   ret
2:
   .fill 32, 1, 0x90 /* no operation */

   CASE "a scatter by a word too large", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpmovzxwd zmm0, ymmword ptr [rip + 2f]
   vpscatterdd [rax + zmm0]{k1}, zmm2
   ret
2:
   .fill 32, 1, 0x90 /* no operation */

   CASE "a scatter by bytes of memory", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpmovzxbd zmm0, xmmword ptr [rdi + 24]
   vpslld zmm0, zmm0, 7
   vpscatterdd [rax + zmm0]{k1}, zmm2
   ret

   CASE "a scatter by words of a vector", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpmovzxwd zmm0, ymm1
   vpscatterdd [rax + zmm0]{k1}, zmm2
   ret

   CASE "a scatter by bytes of a vector with their signs", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpmovsxbd zmm0, xmm1
   vpscatterdd [rax + zmm0]{k1}, zmm2
   ret

   CASE "a scatter by a masked byte", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpmovzxbd zmm0{k1}, xmmword ptr [rip + cf_constant]
   vpslld zmm0, zmm0, 7
   vpscatterdd [rax + zmm0]{k1}, zmm2
   ret

   CASE "a scatter into the state", "a store outside of what may be written"
   vpscatterdd [rdi + zmm0]{k1}, zmm2
   ret

   CASE "a scatter with a bound lost in a call", "a store outside of what may be written"
   push rbx
   mov rbx, [rdi + 16]
   vpandd zmm0, zmm0, dword ptr [rip + cf_constant]{1to16}
   mov rax, [rdi + 8]
   call [rax]
   vpscatterdd [rbx + zmm0]{k1}, zmm2
   pop rbx
   ret

   CASE "a gather of 64-bit indices", "addresses in a vector"
   mov rax, [rdi]
   vpgatherqq zmm0{k1}, [rax + zmm1]
   ret

   CASE "a scatter of 64-bit indices", "addresses in a vector"
   mov rax, [rdi]
   vpscatterqd [rax + zmm1]{k1}, ymm0
   ret

   CASE "a store to the code", "a store to the code or its constants"
   mov [rip - 2], eax
   ret

   CASE "a store to constants", "a store to the code or its constants"
   mov [rip + cf_constant], eax
   ret

   CASE "a pointer or a number", "an address that is no known pointer"
   mov rax, [rdi]
   or rax, [rdi + 24]
   mov dword ptr [rax], 1
   ret

   CASE "a pointer shifted", "an address that is no known pointer"
   mov rax, [rdi]
   shl rax, 1
   mov dword ptr [rax], 1
   ret

   CASE "a pointer negated", "an address that is no known pointer"
   mov rax, [rdi]
   neg rax
   mov dword ptr [rax], 1
   ret

   CASE "half of a pointer", "an address that is no known pointer"
   mov eax, [rdi]
   mov dword ptr [rax], 1
   ret

   CASE "a pointer moved as 32 bits", "an address that is no known pointer"
   mov rax, [rdi]
   mov eax, eax
   mov dword ptr [rax], 1
   ret

   CASE "a pointer with another low byte", "an address that is no known pointer"
   mov rax, [rdi]
   mov al, 1
   mov dword ptr [rax], 1
   ret

   CASE "parts of two pointers", "an address that is no known pointer"
   mov rax, [rdi + 4]
   mov dword ptr [rax], 1
   ret

   CASE "a pointer through a vector", "an address that is no known pointer"
   vmovq xmm0, qword ptr [rdi]
   vmovq rax, xmm0
   mov dword ptr [rax], 1
   ret

   CASE "a difference of pointers", "an address that is no known pointer"
   mov rax, [rdi]
   sub rax, [rdi + 16]
   mov dword ptr [rax], 1
   ret

   CASE "a pointer on one way alone", "an address that is no known pointer"
   mov rax, [rdi + 24]
   cmp dword ptr [rdi + 28], 1
   je 1f
   mov rax, [rdi]
1:
   mov dword ptr [rax], 1
   ret

   CASE "a store to one of two addresses", "an access beside what was chosen"
   mov rax, [rdi + 16]
   lea rcx, [rsp - 8]
   cmp dword ptr [rdi + 24], 3
   cmovb rax, rcx
   mov dword ptr [rax], 1
   ret

   CASE "beside one of two addresses", "an access beside what was chosen"
   mov rax, [rdi + 16]
   lea rcx, [rsp - 8]
   cmp dword ptr [rdi + 24], 3
   cmovb rax, rcx
   mov eax, [rax + 4]
   ret

   CASE "a pointer lost in a call", "an address that is no known pointer"
   push rbx
   mov rcx, [rdi]
   mov rax, [rdi + 8]
   call [rax]
   mov dword ptr [rcx], 1
   pop rbx
   ret

   CASE "an argument lost in a call", "an address that is no known pointer"
   push rbx
   mov rax, [rdi + 8]
   call [rax]
   mov dword ptr [rdi + 32], 1
   pop rbx
   ret

   CASE "a spilled pointer, in part overwritten", "an address that is no known pointer"
   mov rax, [rdi]
   mov [rsp - 8], rax
   mov byte ptr [rsp - 6], 0
   mov rax, [rsp - 8]
   mov dword ptr [rax], 1
   ret

   CASE "a spilled pointer, overwritten at a computed place", "an address that is no known pointer"
   mov rax, [rdi]
   mov [rsp - 32], rax
   mov ecx, [rdi + 24]
   and ecx, 7
   mov [rsp + 8*rcx - 64], rdx
   mov rax, [rsp - 32]
   mov dword ptr [rax], 1
   ret

   CASE "a pointer spilled below the stack, lost in a call", "an address that is no known pointer"
   push rbx
   mov rax, [rdi]
   mov [rsp - 24], rax
   mov rax, [rdi + 8]
   call [rax]
   mov rax, [rsp - 24]
   mov dword ptr [rax], 1
   pop rbx
   ret

   CASE "a pointer spilled on one way alone", "an address that is no known pointer"
   mov rax, [rdi]
   cmp dword ptr [rdi + 24], 1
   je 1f
   mov [rsp - 8], rax
1:
   mov rax, [rsp - 8]
   mov dword ptr [rax], 1
   ret

   CASE "a read and a write at a computed place", "a store outside of what may be written"
   mov ecx, [rdi + 24]
   add dword ptr [rdi + rcx], 1
   ret

   CASE "an exchange with memory", "a store outside of what may be written"
   xchg [rdi], rax
   ret

   CASE "a wild load", "an address that is no known pointer"
   mov rax, [rdi + 24]
   mov eax, [rax]
   ret

   CASE "a load beyond a struct", "a load outside of what may be read"
   mov eax, [rdi + 64]
   ret

   CASE "a load before a struct", "a load outside of what may be read"
   mov eax, [rdi - 4]
   ret

   CASE "a load at a computed place", "a load outside of what may be read"
   mov ecx, [rdi + 24]
   mov eax, [rdi + rcx]
   ret

   CASE "a gather from a struct", "a load outside of what may be read"
   vpgatherdd zmm0{k1}, [rdi + zmm1]
   ret

   CASE "a load beyond the constants", "a load outside of what may be read"
   mov eax, [rip + 0x10000]
   ret

   CASE "a constant at any index", "a load outside of what may be read"
   mov ecx, [rdi + 24]
   lea rdx, [rip + cf_constant]
   mov eax, [rdx + 4 * rcx]
   ret

   CASE "a constant at an index of a bit too many", "a load outside of what may be read"
   mov ecx, [rdi + 24]
   and ecx, 31
   lea rdx, [rip + cf_constant]
   mov eax, [rdx + 4 * rcx]
   ret

   CASE "a constant at an index before the first", "a load outside of what may be read"
   mov ecx, [rdi + 24]
   and ecx, 1
   lea rdx, [rip + cf_constant - 4]
   mov eax, [rdx + 4 * rcx]
   ret

   CASE "constants gathered at any indices", "a load outside of what may be read"
   lea rdx, [rip + cf_constant]
   vpgatherdd zmm2{k1}, [rdx + 4 * zmm0]
   ret

   CASE "constants gathered at what differs", "a load outside of what may be read"
   vpxor xmm0, xmm0, xmm1
   lea rdx, [rip + cf_constant]
   vpgatherdd zmm2{k1}, [rdx + zmm0]
   ret

   CASE "constants gathered at indices of several words", "a load outside of what may be read"
   vpbroadcastd zmm0, dword ptr [rip + cf_constant]
   vpternlogd zmm0, zmm1, zmm2, 0xe2
   lea rdx, [rip + cf_constant]
   vpgatherdd zmm2{k1}, [rdx + 4 * zmm0]
   ret

   CASE "a constant at an index of a bit too many, by SSE", "a load outside of what may be read"
   psrld xmm1, 27
   movd ecx, xmm1
   lea rdx, [rip + cf_constant]
   mov eax, [rdx + 4 * rcx]
   ret

   CASE "constants gathered at indices of a bit too many", "a load outside of what may be read"
   vpsrld zmm0, zmm1, 27
   lea rdx, [rip + cf_constant]
   vpgatherdd zmm2{k1}, [rdx + 4 * zmm0]
   ret

   CASE "constants gathered at indices that are shifted by a vector", "a load outside of what may be read"
   vpxor xmm3, xmm3, xmm3
   vpsrld zmm0, zmm1, xmm3
   lea rdx, [rip + cf_constant]
   vpgatherdd zmm2{k1}, [rdx + 4 * zmm0]
   ret

   CASE "constants gathered at indices of which some keep what they are", "a load outside of what may be read"
   vpsrld zmm0{k2}, zmm1, 28
   lea rdx, [rip + cf_constant]
   vpgatherdd zmm2{k1}, [rdx + 4 * zmm0]
   ret

   CASE "an operand of arithmetic beyond a struct", "a load outside of what may be read"
   vaddps zmm0, zmm0, [rdi + 1]
   ret

   CASE "the return address, overwritten", "an access outside of the stack frame"
   mov [rsp], rax
   ret

   CASE "a store above the frame", "an access outside of the stack frame"
   mov [rsp + 16], rax
   ret

   CASE "the return address, read", "an access outside of the stack frame"
   mov rax, [rsp]
   ret

   CASE "the return address, overwritten by an index", "an access outside of the stack frame"
   mov ecx, [rdi + 24]
   and ecx, 8
   mov [rsp + 8*rcx - 64], rax
   ret

   CASE "the return address, overwritten by a vector", "an access outside of the stack frame"
   vmovups [rsp - 32], zmm0
   ret

   CASE "an index of the frame without a bound", "an access outside of the stack frame"
   mov ecx, [rdi + 24]
   mov [rsp + 8*rcx - 64], rax
   ret

   CASE "a return with a push left", "a return with another stack pointer than at the entry"
   push rax
   ret

   CASE "a pop of the return address", "an access outside of the stack frame"
   pop rax
   ret

   CASE "a return with the stack pointer moved", "a return with another stack pointer than at the entry"
   sub rsp, 8
   ret

   CASE "a return that pops", "a return of another kind"
   ret 8

   CASE "a register of the caller, changed", "a return with a register that was not restored"
   mov ebx, 1
   ret

   CASE "registers of the caller, exchanged", "a return with a register that was not restored"
   push rbx
   push rbp
   pop rbx
   pop rbp
   ret

   CASE "a saved register, overwritten", "a return with a register that was not restored"
   push r12
   mov dword ptr [rsp + 4], 1
   pop r12
   ret

   CASE "a register of the caller, changed on one way", "a return with a register that was not restored"
   cmp dword ptr [rdi + 24], 1
   je 1f
   xor r15d, r15d
1:
   ret

   CASE "a frame too large", "an access outside of the stack frame"
   sub rsp, 0x20000
   mov [rsp], rax
   add rsp, 0x20000
   ret

   CASE "a frame too large for a call", "an access outside of the stack frame"
   sub rsp, 0x20000
   mov rax, [rdi + 8]
   call [rax]
   add rsp, 0x20000
   ret

   CASE "a stack pointer from memory", "a stack pointer that is not known"
   mov rsp, [rdi + 24]
   ret

   CASE "a stack pointer less a number", "a stack pointer that is not known"
   sub rsp, rax
   ret

   CASE "a stack pointer from a pointer", "a stack pointer that is not known"
   mov rsp, [rdi]
   ret

   CASE "a stack pointer exchanged", "a stack pointer that is not known"
   xchg rsp, rax
   ret

   CASE "a pop of the stack pointer", "a pop of another kind"
   push rax
   pop rsp
   ret

   CASE "a frame aligned twice", "a stack pointer that is not known"
   push rbp
   mov rbp, rsp
   push rbx
   and rsp, -64
   sub rsp, 256
   and rsp, -128
   lea rsp, [rbp - 8]
   pop rbx
   pop rbp
   ret

   CASE "a frame aligned by no power of two", "a stack pointer that is not known"
   push rbp
   mov rbp, rsp
   push rbx
   and rsp, -96
   sub rsp, 256
   lea rsp, [rbp - 8]
   pop rbx
   pop rbp
   ret

   CASE "a place below the aligned frame", "an access below the aligned frame"
   push rbp
   mov rbp, rsp
   push rbx
   and rsp, -64
   sub rsp, 256
   mov [rbp - 0x80], rax
   lea rsp, [rbp - 8]
   pop rbx
   pop rbp
   ret

   CASE "a place above the aligned frame", "an access outside of the stack frame"
   push rbp
   mov rbp, rsp
   push rbx
   and rsp, -64
   sub rsp, 256
   mov [rsp + 256], rax
   lea rsp, [rbp - 8]
   pop rbx
   pop rbp
   ret

   CASE "a push in a loop", "ways meet with different stacks"
1:
   push rax
   dec ecx
   jne 1b
   ret

   CASE "a push on one way alone", "ways meet with different stacks"
   cmp dword ptr [rdi + 24], 1
   je 1f
   push rax
1:
   ret

   CASE "a push of memory", "a push of another kind"
   push [rdi + 24]
   pop rax
   ret

   CASE "a call of an address", "a call of an address"
   call .+0x1000
   ret

   CASE "a call of the code itself", "a call of an address"
   call 1f
1:
   pop rax
   ret

   CASE "a call of a number", "a call of what is no listed function"
   sub rsp, 8
   mov rax, [rdi + 24]
   call rax
   add rsp, 8
   ret

   CASE "a call of what is no function", "a call of what is no listed function"
   sub rsp, 8
   call [rdi]
   add rsp, 8
   ret

   CASE "a call of a register of the caller", "a call of what is no listed function"
   sub rsp, 8
   call rbx
   add rsp, 8
   ret

   CASE "a call beside a function", "a call of what is no listed function"
   sub rsp, 8
   mov rax, [rdi + 8]
   mov rax, [rax]
   add rax, 4
   call rax
   add rsp, 8
   ret

   CASE "a call of a part of a pointer", "a call of what is no listed function"
   sub rsp, 8
   mov rax, [rdi + 8]
   call [rax + 4]
   add rsp, 8
   ret

   CASE "a call beyond the table", "a load outside of what may be read"
   sub rsp, 8
   mov rax, [rdi + 8]
   call [rax + 16]
   add rsp, 8
   ret

   CASE "a call at a computed place of the table", "a call of what is no listed function"
   sub rsp, 8
   mov rax, [rdi + 8]
   mov ecx, [rdi + 24]
   and ecx, 1
   call [rax + 8*rcx]
   add rsp, 8
   ret

   CASE "a call with another pointer", "a call with another pointer than it takes"
   sub rsp, 8
   mov rax, [rdi + 8]
   mov rdi, [rdi]
   call [rax]
   add rsp, 8
   ret

   CASE "a call with a pointer moved", "a call with another pointer than it takes"
   sub rsp, 8
   mov rax, [rdi + 8]
   add rdi, 8
   call [rax]
   add rsp, 8
   ret

   CASE "a function as data", "an address that is no known pointer"
   mov rax, [rdi + 8]
   mov rax, [rax]
   mov eax, [rax]
   ret

   CASE "a far call", "a far call"
   call fword ptr [rdi + 24]
   ret

   CASE "a jump to a register", "an indirect jump"
   jmp rax

   CASE "a jump to a function", "an indirect jump"
   mov rax, [rdi + 8]
   jmp [rax]

   CASE "a table of jumps", "an indirect jump"
   lea rax, [rip + cf_constant]
   movsxd rcx, dword ptr [rax]
   add rax, rcx
   jmp rax

   CASE "a far jump", "an indirect jump"
   jmp fword ptr [rdi + 24]

   CASE "a jump out of the code", "a jump out of the code"
   jmp .+0x1000

   CASE "a jump before the code", "a jump out of the code"
   jmp .-64

   CASE "a branch out of the code", "a jump out of the code"
   je .+0x1000
   ret

   CASE "a jump into an instruction", "a jump into the middle of an instruction"
   jmp 1f + 1
1:
   mov eax, 0x050f
   ret

   CASE "a branch into an instruction", "a jump into the middle of an instruction"
   je 1f + 2
1:
   movabs rax, 0x050f050f050f050f
   ret

   CASE "a jump into itself", "a jump into the middle of an instruction"
   .byte 0xeb, 0xff
   ret

   CASE "code without an end", "code runs beyond its end"
   mov eax, 1

   CASE "a branch at the end", "code runs beyond its end"
1:
   je 1b

   CASE "a call at the end", "code runs beyond its end"
   push rax
   mov rax, [rdi + 8]
   call [rax]

   CASE "half an instruction at the end", "no instruction"
   ret
   .byte 0xe8, 0

   CASE "no instruction", "no instruction"
   .byte 0x06
   ret

   CASE "an access that hides behind the end", "no instruction"
   ret
   .byte 0x62

   CASE "syscall", "an instruction of a kind that is not allowed"
   syscall
   ret

   CASE "sysenter", "an instruction of a kind that is not allowed"
   sysenter
   ret

   CASE "int 0x80", "an instruction of a kind that is not allowed"
   int 0x80
   ret

   CASE "int3", "an instruction of a kind that is not allowed"
   int3
   ret

   CASE "ud2", "an instruction of a kind that is not allowed"
   ud2
   ret

   CASE "hlt", "an instruction of a kind that is not allowed"
   hlt
   ret

   CASE "in", "an instruction of a kind that is not allowed"
   in al, dx
   ret

   CASE "out", "an instruction of a kind that is not allowed"
   out dx, al
   ret

   CASE "iretq", "an access of memory that no operand names"
   iretq
   ret

   CASE "cpuid", "an instruction of a kind that is not allowed"
   cpuid
   ret

   CASE "rdtsc", "an instruction of a kind that is not allowed"
   rdtsc
   ret

   CASE "rdrand", "an instruction of a kind that is not allowed"
   rdrand eax
   ret

   CASE "xgetbv", "an instruction of a kind that is not allowed"
   xgetbv
   ret

   CASE "wrpkru", "an instruction of a kind that is not allowed"
   wrpkru
   ret

   CASE "wrfsbase", "an instruction of a kind that is not allowed"
   wrfsbase rax
   ret

   CASE "swapgs", "an instruction of a kind that is not allowed"
   swapgs
   ret

   CASE "lgdt", "an instruction of a kind that is not allowed"
   lgdt [rdi + 32]
   ret

   CASE "movsb", "an instruction of a kind that is not allowed"
   movsb
   ret

   CASE "stosq", "an instruction of a kind that is not allowed"
   stosq
   ret

   CASE "lodsb", "an instruction of a kind that is not allowed"
   lodsb
   ret

   CASE "scasb", "an instruction of a kind that is not allowed"
   scasb
   ret

   CASE "cmpsb", "an instruction of a kind that is not allowed"
   cmpsb
   ret

   CASE "rep stosb", "an instruction of a kind that is not allowed"
   rep stosb
   ret

   CASE "pushfq", "an instruction of a kind that is not allowed"
   pushfq
   ret

   CASE "popfq", "an instruction of a kind that is not allowed"
   popfq
   ret

   CASE "leave", "an instruction of a kind that is not allowed"
   leave
   ret

   CASE "enter", "an instruction of a kind that is not allowed"
   enter 16, 0
   ret

   CASE "std", "an instruction of a kind that is not allowed"
   std
   ret

   CASE "xlat", "an instruction of a kind that is not allowed"
   xlatb
   ret

   CASE "maskmovdqu", "an instruction of a kind that is not allowed"
   maskmovdqu xmm0, xmm1
   ret

   CASE "ldmxcsr", "an instruction of a kind that is not allowed"
   ldmxcsr [rdi + 24]
   ret

   CASE "vldmxcsr", "an instruction of a kind that is not allowed"
   vldmxcsr [rdi + 24]
   ret

   CASE "fld", "an instruction of a kind that is not allowed"
   fld dword ptr [rdi + 24]
   ret

   CASE "fldcw", "an instruction of a kind that is not allowed"
   fldcw [rdi + 24]
   ret

   CASE "fxsave", "an instruction of a kind that is not allowed"
   fxsave [rdi + 24]
   ret

   CASE "xsave", "an instruction of a kind that is not allowed"
   xsave [rdi + 24]
   ret

   CASE "cmpxchg", "an instruction of a kind that is not allowed"
   cmpxchg [rdi + 32], eax
   ret

   CASE "clflush", "an instruction of a kind that is not allowed"
   clflush [rdi + 24]
   ret

   CASE "prefetch", "an instruction of a kind that is not allowed"
   prefetcht0 [rdi]
   ret

   CASE "xbegin", "an instruction of a kind that is not allowed"
   xbegin 1f
1:
   ret

   CASE "bts", "an instruction of a kind that is not allowed"
   bts [rdi + 32], rax
   ret

   CASE "movdir64b", "an instruction of a kind that is not allowed"
   movdir64b rax, [rdi]
   ret

   CASE "emms", "an instruction of a kind that is not allowed"
   emms
   ret

   CASE "mov to cr0", "a register that is not allowed"
   mov cr0, rax
   ret

   CASE "mov from dr7", "a register that is not allowed"
   mov rax, dr7
   ret

   CASE "loop", "an instruction of a kind that is not allowed"
1:
   loop 1b
   ret

   CASE "loope", "an instruction of a kind that is not allowed"
1:
   loope 1b
   ret

   CASE "loopne", "an instruction of a kind that is not allowed"
1:
   loopne 1b
   ret

   CASE "rdpid", "an instruction of a kind that is not allowed"
   rdpid rax
   ret

   CASE "vzeroall and a system call", "an instruction of a kind that is not allowed"
   vzeroall
   syscall
   ret

   CASE "a bit of memory", "bits of memory, which lie anywhere"
   bt [rdi + 32], rax
   ret

   CASE "fs", "a prefix that is not allowed"
   mov eax, fs:[rdi + 24]
   ret

   CASE "gs", "a prefix that is not allowed"
   mov gs:[rdi + 32], eax
   ret

   CASE "lock", "a prefix that is not allowed"
   lock add dword ptr [rdi + 32], 1
   ret

   CASE "an address of 32 bits", "a prefix that is not allowed"
   mov [edi + 32], eax
   ret

   CASE "lea of 32 bits", "a prefix that is not allowed"
   lea rax, [edi + 32]
   ret

   CASE "a segment register", "a register that is not allowed"
   mov fs, eax
   ret

   CASE "a push of a segment register", "a register that is not allowed"
   push fs
   pop rax
   ret

   CASE "a row shifted by one more", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 15
   shl ecx, 7
   shl ecx, 1
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row times three", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 7
   imul ecx, ecx, 384
   mov dword ptr [rax + rcx], 1
   ret

   CASE "the number of a bit that old processors do not write", "a store outside of what may be written"
   mov rax, [rdi]
   mov rcx, [rdi + 16]
   tzcnt ecx, dword ptr [rdi + 24]
   mov dword ptr [rax + rcx], 1
   ret

   CASE "the number of the first bit, which bsf does not write", "a store outside of what may be written"
   mov rax, [rdi]
   mov rcx, [rdi + 16]
   bsf ecx, dword ptr [rdi + 24]
   mov dword ptr [rax + rcx], 1
   ret

   CASE "the number of the last bit, which bsr does not write", "a store outside of what may be written"
   mov rax, [rdi]
   mov rcx, [rdi + 16]
   bsr ecx, dword ptr [rdi + 24]
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a return of 16 bits", "a prefix that is not allowed"
   .byte 0x66
   ret

   CASE "a jump of 16 bits", "a prefix that is not allowed"
   .byte 0x66, 0xe9, 0, 0, 0, 0
   ret

   CASE "a call of 16 bits", "a prefix that is not allowed"
   push rax
   mov rax, [rdi + 8]
   mov rax, [rax]
   .byte 0x66
   call rax
   pop rax
   ret

   CASE "a frame on one way alone", ""
   cmp dword ptr [rdi + 24], 1
   je 1f
   push rbp
   mov rbp, rsp
   push rbx
   and rsp, -64
   sub rsp, 256
   mov [rsp], rdi
   mov rdi, [rsp]
   lea rsp, [rbp - 8]
   pop rbx
   pop rbp
1:
   mov dword ptr [rdi + 32], 1
   ret

   CASE "a place in a frame that is left", "an address that is no known pointer"
   push rbp
   mov rbp, rsp
   push rbx
   and rsp, -64
   sub rsp, 256
   lea rcx, [rsp + 8]
   lea rsp, [rbp - 8]
   mov [rcx], rax
   pop rbx
   pop rbp
   ret

   CASE "a place in a frame that is left, from the stack", "an address that is no known pointer"
   push rbp
   mov rbp, rsp
   push rbx
   and rsp, -64
   sub rsp, 256
   lea rcx, [rsp + 8]
   mov [rbp - 8], rcx
   lea rsp, [rbp - 8]
   pop rcx
   pop rbp
   mov [rcx], rax
   ret

   CASE "a number in a frame that is left", "a store outside of what may be written"
   push rbp
   mov rbp, rsp
   push rbx
   and rsp, -64
   sub rsp, 256
   mov eax, 1
   mov [rsp], rax
   lea rsp, [rbp - 8]
   and rsp, -64
   sub rsp, 256
   mov rax, [rdi + 16]
   mov ecx, [rsp]
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   lea rsp, [rbp - 8]
   pop rbx
   pop rbp
   ret

   CASE "a frame aligned at the return address", "a stack pointer that is not known"
   and rsp, -64
   ret

   CASE "a row below a bound that is not the number's own", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov rcx, [rdi + 24]
   cmp ecx, 16
   jae 1f
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
1:
   ret

   CASE "a row below a bound with a sign of 64 bits", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov rcx, [rdi + 24]
   cmp rcx, -1
   jae 1f
   mov dword ptr [rax + rcx], 1
1:
   ret

   CASE "a row of 64 bits below a bound", ""
   mov rax, [rdi + 16]
   mov rcx, [rdi + 24]
   cmp rcx, 16
   jae 1f
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
1:
   ret

   CASE "a row of 64 bits above a bound", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov rcx, [rdi + 24]
   cmp rcx, 3
   jbe 1f
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
1:
   ret

   CASE "a row before the last", ""
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 15
   cmp ecx, 15
   je 1f
   shl ecx, 7
   mov dword ptr [rax + rcx + 128], 1
1:
   ret

   CASE "a row behind the first", ""
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 15
   cmp ecx, 0
   je 1f
   shl ecx, 7
   mov dword ptr [rax + rcx - 128], 1
1:
   ret

   CASE "a row that is not one in the middle", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 15
   cmp ecx, 7
   je 1f
   shl ecx, 7
   mov dword ptr [rax + rcx + 128], 1
1:
   ret

   CASE "a way that no number takes", ""
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 15
   cmp ecx, 16
   jb 1f
   shl ecx, 8
   mov dword ptr [rax + rcx], 1
1:
   ret

   CASE "a way that the greatest number takes", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 15
   cmp ecx, 15
   jb 1f
   shl ecx, 8
   mov dword ptr [rax + rcx], 1
1:
   ret

   CASE "a jump that no number takes", ""
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 15
   cmp ecx, 15
   ja 1f
   ret
1:
   shl ecx, 8
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a jump that the greatest number takes", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 15
   cmp ecx, 15
   jae 1f
   ret
1:
   shl ecx, 8
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a jump to below the least number", ""
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 15
   cmp ecx, 0
   jb 1f
   ret
1:
   shl ecx, 8
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a jump of the least number", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 15
   cmp ecx, 0
   jbe 1f
   ret
1:
   shl ecx, 8
   mov dword ptr [rax + rcx - 4], 1
   ret

   CASE "a jump of all numbers", ""
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 15
   cmp ecx, 15
   jbe 1f
   shl ecx, 8
   mov dword ptr [rax + rcx], 1
1:
   ret

   CASE "a jump of all numbers but one", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 15
   cmp ecx, 14
   jbe 1f
   shl ecx, 8
   mov dword ptr [rax + rcx], 1
1:
   ret

   CASE "a jump of a number between two steps", ""
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 3
   shl ecx, 2
   cmp ecx, 6
   je 1f
   ret
1:
   shl ecx, 8
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a jump of a number on a step", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 3
   shl ecx, 2
   cmp ecx, 8
   je 1f
   ret
1:
   mov ecx, [rdi + 24]
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a jump unless the only number", ""
   mov rax, [rdi + 16]
   mov ecx, 16
   cmp ecx, 16
   jne 1f
   ret
1:
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a jump unless one of two numbers", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 1
   cmp ecx, 0
   jne 1f
   ret
1:
   mov ecx, [rdi + 24]
   mov dword ptr [rax + rcx], 1
   ret

   CASE "numbers with a sign are above", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 15
   sub rcx, 16
   cmp rcx, 16
   jae 1f
   ret
1:
   shl ecx, 8
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a number of 64 bits by its lower half", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, 1
   shl rcx, 32
   cmp ecx, 1
   jb 1f
   ret
1:
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a way that a later turn takes", "a store outside of what may be written"
   mov rax, [rdi + 16]
   xor ecx, ecx
1:
   cmp ecx, 7
   je 2f
   inc ecx
   cmp ecx, 9
   jb 1b
   ret
2:
   shl ecx, 9
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a way that a turn takes after bounds are given up", "a store outside of what may be written"
   mov rax, [rdi + 16]
   xor ecx, ecx
1:
   cmp ecx, 99
   je 2f
   inc ecx
   cmp ecx, 200
   jb 1b
   ret
2:
   shl ecx, 5
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a move that no number makes", ""
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 15
   cmp ecx, 16
   mov edx, [rdi + 28]
   cmovae ecx, edx
   shl ecx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a move that the greatest number makes", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 15
   cmp ecx, 15
   mov edx, [rdi + 28]
   cmovae ecx, edx
   shl ecx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a move that all numbers make", ""
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 15
   mov edx, ecx
   mov ecx, [rdi + 28]
   cmp edx, 16
   cmovb ecx, edx
   shl ecx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a move that all numbers but one make", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 15
   mov edx, ecx
   mov ecx, [rdi + 28]
   cmp edx, 15
   cmovb ecx, edx
   shl ecx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a pointer that is compared", ""
   cmp rdi, 16
   jb 1f
   mov dword ptr [rdi + 32], 1
1:
   ret

   CASE "a number above all", ""
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 15
   movabs rdx, 0x7fffffffffffffff
   cmp rcx, rdx
   ja 1f
   shl ecx, 7
   mov dword ptr [rax + rcx], 1
1:
   ret

   CASE "a row shifted by what is not known", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   mov edx, 1
   shl edx, cl
   mov dword ptr [rax + rdx], 1
   ret

   CASE "a row shifted by 32 of 32 bits", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 15
   shl ecx, 32
   mov dword ptr [rax + 8*rcx + 1950], 1
   ret

   CASE "a row shifted by 40 of 64 bits", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, 1
   shl rcx, 40
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row shifted back with its sign", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   sar ecx, 28
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row of 64 bits shifted back", ""
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   sar rcx, 28
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by memory times a number", "a store outside of what may be written"
   mov rax, [rdi + 16]
   imul ecx, dword ptr [rdi + 24], 128
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by half a vector's dword", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpandd zmm0, zmm1, dword ptr [rip + cf_constant]{1to16}
   vmovups [rsp - 64], zmm0
   mov ecx, [rsp - 62]
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by a word of a vector", ""
   mov rax, [rdi + 16]
   vpandd zmm0, zmm1, dword ptr [rip + cf_constant]{1to16}
   vmovups [rsp - 64], zmm0
   movzx ecx, word ptr [rsp - 64]
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by two dwords of a vector", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpandd zmm0, zmm1, dword ptr [rip + cf_constant]{1to16}
   vmovups [rsp - 64], zmm0
   mov rcx, [rsp - 64]
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by a dword of two vectors at a computed place", ""
   mov rax, [rdi + 16]
   mov edx, [rdi + 24]
   and edx, 31
   vpandd zmm0, zmm1, dword ptr [rip + cf_constant]{1to16}
   vmovups [rsp - 64], zmm0
   vmovups [rsp - 128], zmm0
   mov ecx, [rsp + 4*rdx - 128]
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by a dword at a computed place that is not all known", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov edx, [rdi + 24]
   and edx, 31
   vpandd zmm0, zmm1, dword ptr [rip + cf_constant]{1to16}
   vmovups [rsp - 128], zmm0
   mov ecx, [rsp + 4*rdx - 128]
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by a dword at an odd computed place", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov edx, [rdi + 24]
   and edx, 15
   vpandd zmm0, zmm1, dword ptr [rip + cf_constant]{1to16}
   vmovups [rsp - 64], zmm0
   mov ecx, [rsp + 2*rdx - 64]
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by a word at a computed place", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov edx, [rdi + 24]
   and edx, 15
   vpandd zmm0, zmm1, dword ptr [rip + cf_constant]{1to16}
   vmovups [rsp - 64], zmm0
   movzx ecx, word ptr [rsp + 4*rdx - 64]
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by a dword on the stack that is not known", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   mov [rsp - 8], ecx
   mov ecx, [rsp - 8]
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a pointer spilled among too many", "an address that is no known pointer"
   mov rax, [rdi + 16]
   .set cf_place, 8
   .rept 1024
   mov [rsp - cf_place], rax
   .set cf_place, cf_place + 8
   .endr
   mov [rsp - cf_place], rax
   mov rcx, [rsp - cf_place + 8]
   mov dword ptr [rcx], 1
   mov rcx, [rsp - cf_place]
   mov dword ptr [rcx], 1
   ret

   CASE "the same function on two ways", ""
   push rbx
   mov rax, [rdi + 8]
   mov ecx, [rdi + 24]
   mov rdx, [rax]
   cmp ecx, 1
   je 1f
   mov rdx, [rax]
1:
   call rdx
   pop rbx
   ret

   CASE "another function on another way", "a call of what is no listed function"
   push rbx
   mov rax, [rdi + 8]
   mov ecx, [rdi + 24]
   mov rdx, [rax]
   cmp ecx, 1
   je 1f
   mov rdx, [rax + 8]
1:
   call rdx
   pop rbx
   ret

   CASE "a function at half a place of the table", "a call of what is no listed function"
   push rbx
   mov rax, [rdi + 8]
   mov ecx, [rdi + 24]
   and ecx, 1
   call [rax + 4*rcx]
   pop rbx
   ret

   CASE "what a function has in its memory", "an address that is no known pointer"
   mov rax, [rdi + 8]
   mov rax, [rax]
   mov rax, [rax]
   mov dword ptr [rax], 1
   ret

   CASE "constants as a pointer", "an address that is no known pointer"
   mov rax, [rip + cf_constant]
   mov dword ptr [rax], 1
   ret

   CASE "a pointer on the stack whose bits change", "an address that is no known pointer"
   mov rax, [rdi + 16]
   mov [rsp - 8], rax
   and qword ptr [rsp - 8], -8
   mov rax, [rsp - 8]
   mov dword ptr [rax], 1
   ret

   CASE "a pointer on the stack whose first word is another", "an address that is no known pointer"
   mov rax, [rdi + 16]
   mov [rsp - 8], rax
   mov word ptr [rsp - 8], cx
   mov rax, [rsp - 8]
   mov dword ptr [rax], 1
   ret

   CASE "a frame aligned by a register", "a stack pointer that is not known"
   push rbx
   and rsp, rax
   ret

   CASE "a frame aligned to what is above it", "a stack pointer that is not known"
   push rbx
   and rsp, 64
   ret

   CASE "a frame aligned beyond a page", "a stack pointer that is not known"
   push rbx
   and rsp, -8192
   ret

   CASE "a frame aligned in 32 bits", "a stack pointer that is not known"
   push rbx
   and esp, -64
   ret

   CASE "a number that is pushed", "a push of another kind"
   push 5
   pop rcx
   ret

   CASE "a number of 32 bits that is pushed", "a push of another kind"
   push 0x12345678
   pop rcx
   ret

   CASE "an offset with a sign that moved", "a store outside of what may be written"
   mov rax, [rdi]
   movsxd rcx, dword ptr [rdi + 24]
   add rcx, 0x7fffffff
   mov dword ptr [rax + 8*rcx], 1
   ret

   CASE "a row by two dwords of a vector's register", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpandd zmm0, zmm1, dword ptr [rip + cf_constant]{1to16}
   vmovq rcx, xmm0
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by two dwords that a vector's register stored", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpandd zmm0, zmm1, dword ptr [rip + cf_constant]{1to16}
   vmovq qword ptr [rsp - 64], xmm0
   mov rcx, [rsp - 64]
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by two words of a vector", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpandd zmm0, zmm1, dword ptr [rip + cf_constant]{1to16}
   vpmovdw [rsp - 64], zmm0
   mov ecx, [rsp - 64]
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a scatter shifted by a vector", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpminud zmm0, zmm1, dword ptr [rip + cf_constant]{1to16}
   vpslld zmm0, zmm0, xmm3
   vpscatterdd [rax + zmm0]{k1}, zmm2
   ret

   CASE "a gather with a vector as mask", ""
   mov rax, [rdi]
   vpgatherdd ymm0, [rax + ymm1], ymm2
   ret

   CASE "a row by the mask that a gather changed", "a store outside of what may be written"
   mov rax, [rdi]
   vpand ymm2, ymm3, [rip + cf_constant]
   vpgatherdd ymm0, [rax + ymm1], ymm2
   mov rax, [rdi + 16]
   vmovd ecx, xmm2
   mov dword ptr [rax + 4*rcx], 1
   ret

   CASE "a row by a product beyond 64 bits", "a store outside of what may be written"
   mov rax, [rdi + 16]
   movabs rcx, 0x4000000000000001
   imul rcx, rcx, 4
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a number of 64 bits without a sign by its lower half", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov rcx, [rdi + 24]
   shr rcx, 1
   cmp ecx, 16
   jae 1f
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
1:
   ret

   CASE "a call with a pointer that may have moved", "a call with another pointer than it takes"
   push rbx
   mov rax, [rdi + 8]
   mov ecx, [rdi + 24]
   add rdi, rcx
   call [rax]
   pop rbx
   ret

   CASE "a row by a byte without bits", ""
   mov rax, [rdi + 16]
   xor ecx, ecx
   or cl, 0
   shl ecx, 11
   mov dword ptr [rax + rcx + 15*128], 1
   ret

   CASE "frames aligned at different places", "ways meet with different stacks"
   push rbp
   mov rbp, rsp
   cmp dword ptr [rdi + 24], 1
   je 1f
   push rax
   and rsp, -64
   jmp 2f
1:
   and rsp, -64
2:
   mov rsp, rbp
   pop rbp
   ret

   CASE "a scatter by constants at a computed place", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 15
   lea rdx, [rip + cf_constant]
   vpmovzxbd zmm0, xmmword ptr [rdx + rcx]
   vpslld zmm0, zmm0, 7
   vpscatterdd [rax + zmm0]{k1}, zmm2
   ret

   CASE "a scatter by one of two constants a lane", ""
   mov rax, [rdi + 16]
   vpxord zmm0, zmm0, zmm0
   vpblendmd zmm0{k2}, zmm0, [rip + cf_constant]
   vpslld zmm0, zmm0, 7
   vpscatterdd [rax + zmm0]{k1}, zmm2
   ret

   CASE "a scatter by what a lane had before it was one of two constants", ""
   mov rax, [rdi + 16]
   vpxord zmm1, zmm1, zmm1
   vpblendmd zmm0{k2}, zmm1, [rip + cf_constant]
   vpslld zmm0, zmm0, 7
   vpscatterdd [rax + zmm0]{k1}, zmm2
   ret

   CASE "a scatter by a constant or 0", ""
   mov rax, [rdi + 16]
   vpminud zmm1, zmm1, [rip + cf_constant]
   vpblendmd zmm0{k2}{z}, zmm1, [rip + cf_constant]
   vpslld zmm0, zmm0, 7
   vpscatterdd [rax + zmm0]{k1}, zmm2
   ret

   CASE "constants gathered at one of two", ""
   lea rax, [rip + cf_constant]
   vpxor ymm1, ymm1, ymm1
   vblendvps ymm1, ymm1, [rax], ymm2
   vpblendd ymm1, ymm1, [rax], 5
   vblendps ymm1, ymm1, [rax], 5
   vpgatherdd ymm0, [rax + 4*ymm1], ymm3
   ret

   CASE "a scatter by a constant or by anything", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpblendmd zmm0{k2}, zmm1, [rip + cf_constant]
   vpslld zmm0, zmm0, 7
   vpscatterdd [rax + zmm0]{k1}, zmm2
   ret

   CASE "a scatter by anything or by a constant", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vpandd zmm1, zmm1, [rip + cf_constant]
   vpblendmd zmm0{k2}, zmm1, zmm3
   vpslld zmm0, zmm0, 7
   vpscatterdd [rax + zmm0]{k1}, zmm2
   ret

   CASE "a row by a number that loses bits in memory", ""
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   mov [rsp - 8], rcx
   and qword ptr [rsp - 8], 15
   mov rcx, [rsp - 8]
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   mov ecx, [rdi + 24]
   and ecx, 3
   mov [rsp - 16], ecx
   or dword ptr [rsp - 16], 12
   xor dword ptr [rsp - 16], 12
   shr dword ptr [rsp - 16], 1
   mov ecx, [rsp - 16]
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by a number that gets bits in memory", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 3
   mov [rsp - 8], rcx
   or qword ptr [rsp - 8], 16
   mov rcx, [rsp - 8]
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by a sign of 16 bits shifted to the right in memory", "a store outside of what may be written"
   mov rax, [rdi + 16]
   sar word ptr [rsp - 8], 12
   movzx ecx, word ptr [rsp - 8]
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by a number below 0 in memory", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 15
   mov [rsp - 8], ecx
   sub dword ptr [rsp - 8], 1
   mov ecx, [rsp - 8]
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a row by a number shifted in memory by what is not known", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   mov dword ptr [rsp - 8], 15
   shl dword ptr [rsp - 8], cl
   mov ecx, [rsp - 8]
   shl rcx, 7
   mov dword ptr [rax + rcx], 1
   ret

   CASE "a store where exclusive or with a constant below 0 leads", "an address that is no known pointer"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   xor rcx, -16
   mov dword ptr [rax + rcx + 16], 1
   ret

   CASE "a store where exclusive or with a constant below 0 leads in memory", "an address that is no known pointer"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   mov [rsp - 8], rcx
   xor qword ptr [rsp - 8], -16
   mov rcx, [rsp - 8]
   mov dword ptr [rax + rcx + 16], 1
   ret

   CASE "a row shifted to the right by what is not known", ""
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   mov edx, 15
   shrx rsi, rdx, rcx
   shl rsi, 7
   mov dword ptr [rax + rsi], 1
   sarx esi, edx, ecx
   shl rsi, 7
   mov dword ptr [rax + rsi], 1
   shr edx, cl
   shl rdx, 7
   mov dword ptr [rax + rdx], 1
   ret

   CASE "a row by anything shifted to the right", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   and ecx, 15
   shrx rsi, [rdi + 24], rcx
   shl rsi, 7
   mov dword ptr [rax + rsi], 1
   ret

   CASE "a row by a sign shifted to the right", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   mov edx, 0x80000000
   sarx edx, edx, ecx
   shr rdx, 28
   shl rdx, 7
   mov dword ptr [rax + rdx + 128], 1
   ret

   CASE "a store by steps of a mask, counted from above", "a store outside of what may be written"
   mov rax, [rdi + 16]
   mov ecx, [rdi + 24]
   cmp rcx, 800
   ja 1f
   and ecx, 0x780
   mov edx, 800
   sub rdx, rcx
   cmp rdx, 240
   jae 1f
   mov dword ptr [rax + rdx + 16*128 - 132], 1
1:
   ret

   CASE "a scatter by constants that are cleared", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vmovdqa64 zmm0, [rip + cf_constant]
   vpslld zmm0, zmm0, 7
   vzeroall
   vpscatterdd [rax + zmm0 - 15*128]{k1}, zmm2
   ret

   CASE "a scatter by constants whose upper parts are cleared", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vmovdqa64 zmm0, [rip + cf_constant]
   vpslld zmm0, zmm0, 7
   vzeroupper
   vpscatterdd [rax + zmm0 - 15*128]{k1}, zmm2
   ret

   CASE "a row by the upper half of a vector", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vmovdqu xmm1, [rip + cf_constant]
   vextractf128 xmm0, ymm1, 1
   vmovd ecx, xmm0
   shl rcx, 7
   mov dword ptr [rax + rcx - 15*128], 1
   ret

   CASE "a scatter by bytes of which a mask keeps some", "a store outside of what may be written"
   mov rax, [rdi + 16]
   vmovdqa64 zmm0, [rip + cf_constant]
   vpslld zmm0, zmm0, 5
   vpbroadcastd zmm3, dword ptr [rip + 1f]
   vpshufb zmm0{k2}, zmm1, zmm3
   vpscatterdd [rax + 4*zmm0 + 124]{k1}, zmm2
   ret
   .balign 32, 0x90
1:
   .long 0x80808000, 0x80808001, 0x80808002, 0x80808003, 0x80808004, 0x80808005, 0x80808006, 0x80808007

   CASE "a scatter by bytes", ""
   mov rax, [rdi + 16]
   vpbroadcastd zmm3, dword ptr [rip + 1f]
   vpshufb zmm0, zmm1, zmm3
   vpscatterdd [rax + 4*zmm0 + 124]{k1}, zmm2
   ret
   .balign 32, 0x90
1:
   .long 0x80808000, 0x80808001, 0x80808002, 0x80808003, 0x80808004, 0x80808005, 0x80808006, 0x80808007

   CASE "", ""

/* Cases of functions that take, beside the state, one of the rows, 16 bytes to read and 16 to write. Of the rows, the
 * third is another function's. */
   .section .data.rel.ro.cf_cases, "aw", @progbits
   .globl cf_proof_call_cases
   .hidden cf_proof_call_cases
cf_proof_call_cases:

   CASE "a call with the last row", ""
   sub rsp, 24
   mov rax, [rdi + 8]
   mov rsi, [rdi + 16]
   add rsi, 15*128
   lea rdx, [rsp]
   lea rcx, [rsp]
   call [rax + 8]
   add rsp, 24
   ret

   CASE "a call with the row of another function", "a call with a pointer beside what it takes"
   sub rsp, 24
   mov rax, [rdi + 8]
   mov rsi, [rdi + 16]
   add rsi, 3*128
   lea rdx, [rsp]
   lea rcx, [rsp]
   call [rax + 8]
   add rsp, 24
   ret

   CASE "a call with the row behind the last", "a call with a pointer beside what it takes"
   sub rsp, 24
   mov rax, [rdi + 8]
   mov rsi, [rdi + 16]
   add rsi, 16*128
   lea rdx, [rsp]
   lea rcx, [rsp]
   call [rax + 8]
   add rsp, 24
   ret

   CASE "a call with the row before the first", "a call with a pointer beside what it takes"
   sub rsp, 24
   mov rax, [rdi + 8]
   mov rsi, [rdi + 16]
   sub rsi, 128
   lea rdx, [rsp]
   lea rcx, [rsp]
   call [rax + 8]
   add rsp, 24
   ret

   CASE "a call with half a row", "a call with a pointer beside what it takes"
   sub rsp, 24
   mov rax, [rdi + 8]
   mov rsi, [rdi + 16]
   add rsi, 64
   lea rdx, [rsp]
   lea rcx, [rsp]
   call [rax + 8]
   add rsp, 24
   ret

   CASE "a call with a row that is not known", "a call with a pointer beside what it takes"
   sub rsp, 24
   mov rax, [rdi + 8]
   mov rsi, [rdi + 16]
   mov edx, [rdi + 24]
   and edx, 128
   add rsi, rdx
   lea rdx, [rsp]
   lea rcx, [rsp]
   call [rax + 8]
   add rsp, 24
   ret

   CASE "a call with memory as a row", "a call with a pointer beside what it takes"
   sub rsp, 24
   mov rax, [rdi + 8]
   mov rsi, [rdi + 0]
   lea rdx, [rsp]
   lea rcx, [rsp]
   call [rax + 8]
   add rsp, 24
   ret

   CASE "a call that reads the state", ""
   sub rsp, 24
   mov rax, [rdi + 8]
   mov rsi, [rdi + 16]
   lea rdx, [rdi + 48]
   lea rcx, [rsp]
   call [rax + 8]
   add rsp, 24
   ret

   CASE "a call that reads beyond the state", "a load outside of what may be read"
   sub rsp, 24
   mov rax, [rdi + 8]
   mov rsi, [rdi + 16]
   lea rdx, [rdi + 49]
   lea rcx, [rsp]
   call [rax + 8]
   add rsp, 24
   ret

   CASE "a call that writes the state", ""
   sub rsp, 24
   mov rax, [rdi + 8]
   mov rsi, [rdi + 16]
   lea rdx, [rsp]
   lea rcx, [rdi + 48]
   call [rax + 8]
   add rsp, 24
   ret

   CASE "a call that writes what may be read alone", "a store outside of what may be written"
   sub rsp, 24
   mov rax, [rdi + 8]
   mov rsi, [rdi + 16]
   lea rdx, [rsp]
   lea rcx, [rdi + 31]
   call [rax + 8]
   add rsp, 24
   ret

   CASE "a call that writes the return address", "an access outside of the stack frame"
   sub rsp, 24
   mov rax, [rdi + 8]
   mov rsi, [rdi + 16]
   lea rdx, [rsp]
   lea rcx, [rsp + 9]
   call [rax + 8]
   add rsp, 24
   ret

   CASE "a pointer on the stack that a call overwrites", "an address that is no known pointer"
   sub rsp, 24
   mov [rsp + 8], rsi
   mov rax, [rdi]
   mov [rsp], rax
   mov rax, [rdi + 8]
   mov rsi, [rdi + 16]
   lea rdx, [rdi + 48]
   lea rcx, [rsp]
   call [rax + 8]
   mov rax, [rsp]
   mov dword ptr [rax], 1
   add rsp, 24
   ret

   CASE "", ""
   .section .note.GNU-stack, "", @progbits
