/* SPDX-License-Identifier: MIT */
/*
 * The loader of compiled code: an object is loaded, relocated and runs; each damage that it names,
 * in any of its fields, is refused with what is wrong, and so is a host that has no memory for
 * code. The linker leads the loader's calls here (--wrap).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/jit/cf_jit_memory.h"
#include "clipfree/jit/cf_jit_object.h"
#include "clipfree/jit/cf_jit_relocate.h"
#include "clipfree/jit/cf_jit_source.h"
#include "clipfree/jit/proof/cf_proof.h"
#include "clipfree/shader/cf_decoded.h"

/* ------------------------------------------------------------------ a host that refuses */

static bool has_no_memory, seals_nothing, has_no_decoder;
static size_t refused_B; /* of the heap: as many at once */

void *__real_cf_jit_memory_map(size_t size_B);
bool __real_cf_jit_memory_seal(void *memory, size_t size_B);
bool __real_cf_proof_is_built(void);
void *__real_malloc(size_t size_B);
void *__wrap_cf_jit_memory_map(size_t size_B);
bool __wrap_cf_jit_memory_seal(void *memory, size_t size_B);
bool __wrap_cf_proof_is_built(void);
void *__wrap_malloc(size_t size_B);

void *
__wrap_cf_jit_memory_map(size_t size_B)
{
   return has_no_memory ? NULL : __real_cf_jit_memory_map(size_B);
}

bool
__wrap_cf_jit_memory_seal(void *memory, size_t size_B)
{
   return !seals_nothing && __real_cf_jit_memory_seal(memory, size_B);
}

bool
__wrap_cf_proof_is_built(void)
{
   return !has_no_decoder && __real_cf_proof_is_built();
}

void *
__wrap_malloc(size_t size_B)
{
   return size_B == refused_B ? NULL : __real_malloc(size_B);
}

/* ------------------------------------------------------------------ an object */

#define VALUE 0x12345678

/* A function that returns the value in the data, with two relocations. */
#if defined(__aarch64__)
static const uint8_t code_bytes[] = { 0x00, 0x00, 0x00, 0x90,   /* adrp x0, data */
                                      0x00, 0x00, 0x40, 0xb9,   /* ldr w0, [x0, data] */
                                      0xc0, 0x03, 0x5f, 0xd6 }; /* ret */
static const Elf64_Rela to_data[2] = {
   { 0, ELF64_R_INFO(1, R_AARCH64_ADR_PREL_PG_HI21), 0 },
   { 4, ELF64_R_INFO(1, R_AARCH64_LDST32_ABS_LO12_NC), 0 },
};
#define R_DISTANCE R_AARCH64_PREL32
#define R_ADDRESS R_AARCH64_ABS64
#define R_UNKNOWN R_AARCH64_GOTREL64
#else
static const uint8_t code_bytes[] = { 0x8b, 0x05, 0, 0, 0, 0, 0xc3 }; /* mov eax, data; ret */
static const Elf64_Rela to_data[2] = {
   { 2, ELF64_R_INFO(1, R_X86_64_PC32), -4 },
   { 2, ELF64_R_INFO(1, R_X86_64_PLT32), -4 }, /* the same again */
};
#define R_DISTANCE R_X86_64_PC32
#define R_ADDRESS R_X86_64_64
#define R_UNKNOWN R_X86_64_GOTPCREL
#endif

enum section { NONE, TEXT, DATA, ROOM, COMMENT, SYMBOLS, NAMES, RELA, OTHER_RELA, SECTIONS };
enum symbol { NO_SYMBOL, OF_DATA /* 1, in to_data */, OF_COMMENT, FUNCTION, NOWHERE, COUNT };

static const char names[] = "\0other\0function"; /* of symbols, 1 and 7 */
#define NAME_B 7

struct image {
   Elf64_Ehdr head;
   Elf64_Shdr section[SECTIONS];
   Elf64_Sym symbol[COUNT];
   Elf64_Rela rela[2], other_rela[1];
   uint64_t data[2]; /* a value, and the function's address */
   uint8_t text[16];
   char comment[8], names[sizeof(names)];
};

static Elf64_Shdr
section_of(uint32_t type, uint64_t flags, size_t offset_B, size_t size_B)
{
   return (Elf64_Shdr){ .sh_type = type,
                        .sh_flags = flags,
                        .sh_offset = offset_B,
                        .sh_size = size_B,
                        .sh_addralign = 8 };
}

#define SECTION(type, flags, member)                                                               \
   section_of(type, flags, offsetof(struct image, member), sizeof(((struct image *)0)->member))

/* The function, the data, and room for bytes that the object does not have. */
static void
make(struct image *o)
{
   memset(o, 0, sizeof(*o));
   memcpy(o->head.e_ident, ELFMAG, SELFMAG);
   o->head.e_ident[EI_CLASS] = ELFCLASS64;
   o->head.e_type = ET_REL;
   o->head.e_machine = CF_JIT_MACHINE;
   o->head.e_shentsize = sizeof(Elf64_Shdr);
   o->head.e_shnum = SECTIONS;
   o->head.e_shoff = offsetof(struct image, section);
   o->section[TEXT] = SECTION(SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, text);
   o->section[DATA] = SECTION(SHT_PROGBITS, SHF_ALLOC, data);
   o->section[ROOM] = section_of(SHT_NOBITS, SHF_ALLOC, 1 << 20, 64);
   o->section[COMMENT] = SECTION(SHT_PROGBITS, 0, comment);
   o->section[SYMBOLS] = SECTION(SHT_SYMTAB, 0, symbol);
   o->section[SYMBOLS].sh_link = NAMES;
   o->section[NAMES] = SECTION(SHT_STRTAB, 0, names);
   o->section[RELA] = SECTION(SHT_RELA, 0, rela);
   o->section[RELA].sh_info = TEXT;
   o->section[OTHER_RELA] = SECTION(SHT_RELA, 0, other_rela);
   o->section[OTHER_RELA].sh_info = DATA;
   o->symbol[OF_DATA] = (Elf64_Sym){ .st_info = STT_SECTION, .st_shndx = DATA };
   o->symbol[OF_COMMENT] = (Elf64_Sym){ .st_info = STT_SECTION, .st_shndx = COMMENT };
   o->symbol[FUNCTION] = (Elf64_Sym){
      .st_name = NAME_B, .st_info = STT_FUNC, .st_shndx = TEXT, .st_size = sizeof(code_bytes)
   };
   o->symbol[NOWHERE] = (Elf64_Sym){ .st_name = 1, .st_info = STT_FUNC, .st_shndx = SHN_ABS };
   memcpy(o->rela, to_data, sizeof(to_data));
   o->other_rela[0] = (Elf64_Rela){ 8, ELF64_R_INFO(FUNCTION, R_ADDRESS), 0 };
   o->data[0] = VALUE;
   memset(o->text, 0xc3, sizeof(o->text)); /* of x86-64 all of them are instructions, too: ret */
   memcpy(o->text, code_bytes, sizeof(code_bytes));
   memcpy(o->names, names, sizeof(names));
}

static const struct cf_sample_key key;
static const struct cf_jit_source source = { .sample = &key };

static const char *
load(struct cf_jit_code *code, const struct image *o, size_t size_B)
{
   return cf_jit_object_load(code, (const uint8_t *)o, size_B, &source, "function", NULL);
}

/* The object is not loaded, for this reason. */
static void
refused(const struct image *o, size_t size_B, const char *reason)
{
   struct cf_jit_code code;
   const char *wrong = load(&code, o, size_B);
   assert_non_null(wrong);
   assert_string_equal(wrong, reason);
   assert_null(code.memory);
   assert_null(code.entry);
}

/* The object is loaded, and its function gives the value. */
static void
runs(const struct image *o)
{
   struct cf_jit_code code;
   assert_null(load(&code, o, sizeof(*o)));
   assert_non_null(code.entry);
   assert_false(code.refused);
   assert_null(code.symbol);
#if defined(__x86_64__) || defined(__aarch64__)
   int (*function)(void);
   memcpy(&function, &code.entry, sizeof(function));
   assert_int_equal(function(), VALUE);
#endif
   cf_jit_object_unload(&code);
   assert_null(code.memory);
   cf_jit_object_unload(&code); /* nothing is left */
}

/* ------------------------------------------------------------------ tests */

static void
is_loaded(void **state)
{
   struct image o;
   make(&o);
   runs(&o);
   o.section[TEXT].sh_addralign = 0;
   runs(&o);
   o.section[TEXT].sh_addralign = 4096;
   runs(&o);
   make(&o);
   o.section[OTHER_RELA].sh_info = COMMENT; /* what is not loaded is not relocated */
   o.other_rela[0].r_offset = 1000;
   runs(&o);
}

/* The address of the function in the data is where it was loaded. */
static void
is_relocated(void **state)
{
   struct image o;
   struct cf_jit_code code;
   make(&o);
   assert_null(load(&code, &o, sizeof(o)));
   uint64_t data[2];
   memcpy(data, (uint8_t *)code.memory + sizeof(o.text), sizeof(data));
   assert_int_equal(data[0], VALUE);
   assert_int_equal(data[1], (uintptr_t)code.entry);
   cf_jit_object_unload(&code);
}

/* One field is another number. */
struct damage {
   size_t at_B, size_B;
   uint64_t value;
   const char *reason;
};
#define FIELD(member) offsetof(struct image, member), sizeof(((struct image *)0)->member)

#define NO_OBJECT "not a relocatable object of this machine"
#define NO_TABLE "the section table is outside the object"
#define OUTSIDE "a section is outside the object"
#define SYMBOL_TABLE "the symbol table is damaged"
#define SYMBOL_NAMES "the symbol names are damaged"
#define KIND "a section of a kind that is not loaded"
#define NO_SECTION "relocations of no section"
#define NO_TARGET "a relocation against something outside the object"
#define NO_FUNCTION "the function is missing"

static const struct damage damages[] = {
   { FIELD(head.e_ident[0]), 0, NO_OBJECT },
   { FIELD(head.e_ident[EI_CLASS]), ELFCLASS32, NO_OBJECT },
   { FIELD(head.e_type), ET_EXEC, NO_OBJECT },
   { FIELD(head.e_machine), EM_RISCV, NO_OBJECT },
   { FIELD(head.e_shentsize), sizeof(Elf64_Shdr) - 1, NO_TABLE },
   { FIELD(head.e_shnum), 65, NO_TABLE },
   { FIELD(head.e_shoff), offsetof(struct image, section) + 4, NO_TABLE },
   { FIELD(head.e_shoff), sizeof(struct image) + 8, NO_TABLE },
   { FIELD(head.e_shoff), sizeof(struct image) / 8 * 8 - 8, NO_TABLE },
   { FIELD(section[COMMENT].sh_offset), sizeof(struct image) + 1, OUTSIDE },
   { FIELD(section[COMMENT].sh_size), sizeof(struct image), OUTSIDE },
   { FIELD(section[COMMENT].sh_size), UINT64_MAX, OUTSIDE },
   { FIELD(section[SYMBOLS].sh_type), SHT_PROGBITS, "no symbols" },
   { FIELD(section[SYMBOLS].sh_link), SECTIONS, SYMBOL_TABLE },
   { FIELD(section[SYMBOLS].sh_offset), offsetof(struct image, symbol) + 4, SYMBOL_TABLE },
   { FIELD(section[SYMBOLS].sh_link), COMMENT, SYMBOL_NAMES },
   { FIELD(section[NAMES].sh_size), 0, SYMBOL_NAMES },
   { FIELD(names[sizeof(names) - 1]), 'x', SYMBOL_NAMES },
   { FIELD(section[TEXT].sh_addralign), 8192, KIND },
   { FIELD(section[TEXT].sh_addralign), 24, KIND },
   { FIELD(section[ROOM].sh_size), (1u << 28) + 1, KIND },
   { FIELD(section[DATA].sh_flags), SHF_ALLOC | SHF_WRITE, KIND },
   { FIELD(section[RELA].sh_info), SECTIONS, NO_SECTION },
   { FIELD(section[RELA].sh_offset), offsetof(struct image, rela) + 4, NO_SECTION },
   { FIELD(rela[0].r_offset), sizeof(((struct image *)0)->text) + 1, NO_TARGET },
   { FIELD(rela[0].r_offset), sizeof(((struct image *)0)->text) - 3, NO_TARGET },
   { FIELD(other_rela[0].r_offset), 9, NO_TARGET },
   { FIELD(rela[0].r_info), ELF64_R_INFO(COUNT, R_DISTANCE), NO_TARGET },
   { FIELD(rela[0].r_info), ELF64_R_INFO(NO_SYMBOL, R_DISTANCE), NO_TARGET },
   { FIELD(rela[0].r_info), ELF64_R_INFO(NOWHERE, R_DISTANCE), NO_TARGET },
   { FIELD(rela[0].r_info), ELF64_R_INFO(OF_COMMENT, R_DISTANCE), NO_TARGET },
   { FIELD(rela[0].r_info), ELF64_R_INFO(OF_DATA, R_UNKNOWN), "a relocation of an unknown type" },
   { FIELD(symbol[FUNCTION].st_name), sizeof(names), NO_FUNCTION },
   { FIELD(symbol[FUNCTION].st_name), 1, NO_FUNCTION },
   { FIELD(symbol[FUNCTION].st_info), STT_OBJECT, NO_FUNCTION },
   { FIELD(symbol[FUNCTION].st_value), sizeof(((struct image *)0)->text), NO_FUNCTION },
};

/* Each field that decides on something. */
static void
damaged(void **state)
{
   for (unsigned i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
      struct image o;
      make(&o);
      memcpy((uint8_t *)&o + damages[i].at_B, &damages[i].value, damages[i].size_B);
      refused(&o, sizeof(o), damages[i].reason);
   }
   /* A function in no section, and in one that is not loaded. */
   static const uint16_t places[] = { SHN_UNDEF, COMMENT, SECTIONS, SHN_ABS };
   for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
      struct image o;
      make(&o);
      o.other_rela[0].r_info = ELF64_R_INFO(OF_DATA, R_ADDRESS);
      o.symbol[FUNCTION].st_shndx = places[i];
      refused(&o, sizeof(o), NO_FUNCTION);
   }
}

/* An object that ends anywhere. */
static void
cut_off(void **state)
{
   struct image o;
   make(&o);
   for (size_t size_B = 0; size_B < sizeof(o.head); size_B++)
      refused(&o, size_B, NO_OBJECT);
   for (size_t size_B = sizeof(o.head); size_B < offsetof(struct image, symbol); size_B++)
      refused(&o, size_B, NO_TABLE);
   for (size_t size_B = offsetof(struct image, symbol); size_B < sizeof(o); size_B++) {
      if (size_B < offsetof(struct image, names) + sizeof(names))
         refused(&o, size_B, OUTSIDE);
   }
}

static void
no_code(void **state)
{
   struct image o;
   make(&o);
   o.section[TEXT].sh_flags = o.section[DATA].sh_flags = o.section[ROOM].sh_flags = 0;
   refused(&o, sizeof(o), "no code");
}

/* Code that does what it may not is refused by the proof, which is told apart. A build without a
 * decoder proves nothing, and loads it. */
static void
no_proof(void **state)
{
   static const uint8_t call[] = { 0x0f, 0x05, 0xc3 }; /* syscall; ret */
   struct image o;
   struct cf_jit_code code;
   if (!cf_proof_is_built())
      skip();
   make(&o);
   memcpy(o.text, call, sizeof(call));
   o.section[RELA].sh_size = 0;
   assert_non_null(load(&code, &o, sizeof(o)));
   assert_true(code.refused);
   assert_null(code.memory);
   has_no_decoder = true;
   assert_null(load(&code, &o, sizeof(o)));
   has_no_decoder = false;
   assert_false(code.refused);
   assert_non_null(code.entry);
   cf_jit_object_unload(&code);
}

/* Programs that sample units of which there are none, or one several times. */
static void
samples(void **state)
{
   static const uint8_t units[][2] = { { 0, 0 }, { 15, 15 }, { 16, 0 }, { 255, 16 } };
   struct image o;
   make(&o);
   for (unsigned i = 0; i < 4; i++) {
      struct cf_instr instrs[2] = { { .op = CF_OP_TEX }, { .op = CF_OP_TEX } };
      struct cf_step steps[2] = { { 0 } };
      struct cf_decoded program = { .count = 2, .instrs = instrs, .steps = steps };
      const struct cf_jit_source programs = { .program = &program };
      struct cf_jit_code code;
      for (unsigned k = 0; k < 2; k++)
         instrs[k].unit = units[i][k];
      assert_null(
         cf_jit_object_load(&code, (const uint8_t *)&o, sizeof(o), &programs, "function", NULL));
      assert_non_null(code.entry);
      cf_jit_object_unload(&code);
   }
}

static void
no_host(void **state)
{
   struct image o;
   struct cf_jit_code code;
   make(&o);
   has_no_memory = true;
   refused(&o, sizeof(o), "no memory for code");
   has_no_memory = false;
   seals_nothing = true;
   assert_ptr_equal(load(&code, &o, sizeof(o)), cf_jit_memory_refused);
   assert_false(code.refused);
   assert_null(code.memory);
   seals_nothing = false;
   runs(&o);
}

/* Code with a name is known to debuggers, as long as it is loaded; without memory for that it is
 * loaded nevertheless. */
static void
has_a_name(void **state)
{
   struct image o;
   struct cf_jit_code code;
   static const char name[] = "test_object";
   make(&o);
   o.section[COMMENT].sh_type = SHT_STRTAB; /* strings that are not the symbols' names */
   for (int known = 0; known < 2; known++) {
      refused_B = known ? 0 : sizeof(o) + sizeof(names) + sizeof(name);
      const char *wrong =
         cf_jit_object_load(&code, (const uint8_t *)&o, sizeof(o), &source, "function", name);
      refused_B = 0;
      assert_null(wrong);
      assert_int_equal(code.symbol != NULL, known);
      assert_non_null(code.entry);
      cf_jit_object_unload(&code);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(is_loaded), cmocka_unit_test(is_relocated), cmocka_unit_test(damaged),
      cmocka_unit_test(cut_off),   cmocka_unit_test(no_code),      cmocka_unit_test(no_proof),
      cmocka_unit_test(no_host),   cmocka_unit_test(has_a_name),   cmocka_unit_test(samples),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
