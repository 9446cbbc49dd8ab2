/* SPDX-License-Identifier: MIT */
#include "clipfree/jit/cf_jit_object.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "clipfree/base/cf_host.h"
#include "clipfree/jit/cf_jit_map.h"
#include "clipfree/jit/cf_jit_memory.h"
#include "clipfree/jit/cf_jit_relocate.h"
#include "clipfree/jit/cf_jit_symbols.h"

#define MAX_SECTIONS 64

struct object {
   const uint8_t *data;
   size_t size_B;
   const Elf64_Shdr *section; /* [count] */
   unsigned count;
   const Elf64_Sym *symbol;
   unsigned symbol_count;
   const char *strings; /* of symbols; ends in 0 */
   size_t strings_B;
   uint64_t place[MAX_SECTIONS]; /* offset in memory, of each loaded section */
};

static bool
inside(const struct object *o, uint64_t offset, uint64_t size_B)
{
   return offset <= o->size_B && size_B <= o->size_B - offset;
}

static bool
has_contents(const Elf64_Shdr *section)
{
   return section->sh_type != SHT_NOBITS && section->sh_type != SHT_NULL;
}

static const char *
read_sections(struct object *o)
{
   const Elf64_Ehdr *head = (const Elf64_Ehdr *)o->data;
   if (o->size_B < sizeof(*head) || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
       head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_type != ET_REL ||
       CF_JIT_MACHINE == EM_NONE || head->e_machine != CF_JIT_MACHINE)
      return "not a relocatable object of this machine";
   if (head->e_shentsize != sizeof(Elf64_Shdr) || head->e_shnum > MAX_SECTIONS ||
       head->e_shoff % 8 || !inside(o, head->e_shoff, head->e_shnum * sizeof(Elf64_Shdr)))
      return "the section table is outside the object";
   o->section = (const Elf64_Shdr *)(o->data + head->e_shoff);
   o->count = head->e_shnum;
   for (unsigned i = 0; i < o->count; i++) {
      if (has_contents(&o->section[i]) &&
          !inside(o, o->section[i].sh_offset, o->section[i].sh_size))
         return "a section is outside the object";
   }
   return NULL;
}

static const char *
read_symbols(struct object *o)
{
   for (unsigned i = 0; i < o->count; i++) {
      const Elf64_Shdr *s = &o->section[i];
      if (s->sh_type != SHT_SYMTAB)
         continue;
      if (s->sh_link >= o->count || s->sh_offset % 8)
         return "the symbol table is damaged";
      const Elf64_Shdr *strings = &o->section[s->sh_link];
      if (strings->sh_type != SHT_STRTAB || !strings->sh_size ||
          o->data[strings->sh_offset + strings->sh_size - 1])
         return "the symbol names are damaged";
      o->symbol = (const Elf64_Sym *)(o->data + s->sh_offset);
      o->symbol_count = (unsigned)(s->sh_size / sizeof(Elf64_Sym));
      o->strings = (const char *)o->data + strings->sh_offset;
      o->strings_B = strings->sh_size;
      return NULL;
   }
   return "no symbols";
}

/* Place the loadable sections one after the other. */
static const char *
place_sections(struct object *o, size_t *memory_B)
{
   uint64_t end = 0;
   for (unsigned i = 0; i < o->count; i++) {
      const Elf64_Shdr *s = &o->section[i];
      if (!(s->sh_flags & SHF_ALLOC))
         continue;
      const uint64_t align = s->sh_addralign ? s->sh_addralign : 1;
      if (align > 4096 || (align & (align - 1)) || s->sh_size > 1u << 28 || s->sh_flags & SHF_WRITE)
         return "a section of a kind that is not loaded";
      o->place[i] = (end + align - 1) & ~(align - 1);
      end = o->place[i] + s->sh_size;
   }
   *memory_B = end;
   return end ? NULL : "no code";
}

/* Address of a symbol, or 0 if it is not in a loaded section. */
static uint64_t
symbol_address(const struct object *o, uint64_t memory, uint64_t index)
{
   if (index >= o->symbol_count)
      return 0;
   const Elf64_Sym *symbol = &o->symbol[index];
   if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= o->count ||
       !(o->section[symbol->st_shndx].sh_flags & SHF_ALLOC))
      return 0;
   return memory + o->place[symbol->st_shndx] + symbol->st_value;
}

static const char *
relocate_section(const struct object *o, uint8_t *memory, const Elf64_Shdr *relocations)
{
   const unsigned target = relocations->sh_info;
   if (target >= o->count || relocations->sh_offset % 8)
      return "relocations of no section";
   if (!(o->section[target].sh_flags & SHF_ALLOC))
      return NULL;
   const Elf64_Rela *rela = (const Elf64_Rela *)(o->data + relocations->sh_offset);
   for (size_t i = 0; i < relocations->sh_size / sizeof(*rela); i++) {
      const uint32_t type = ELF64_R_TYPE(rela[i].r_info);
      const unsigned size_B = cf_jit_relocation_B(CF_JIT_MACHINE, type);
      const uint64_t section_B = o->section[target].sh_size;
      const uint64_t address =
         symbol_address(o, (uint64_t)(uintptr_t)memory, ELF64_R_SYM(rela[i].r_info));
      if (rela[i].r_offset > section_B || size_B > section_B - rela[i].r_offset || !address)
         return "a relocation against something outside the object";
      const char *wrong = size_B ? cf_jit_relocate(CF_JIT_MACHINE, type,
                                                   memory + o->place[target] + rela[i].r_offset,
                                                   address + (uint64_t)rela[i].r_addend)
                                 : "a relocation of an unknown type";
      if (wrong)
         return wrong;
   }
   return NULL;
}

static const char *
fill(const struct object *o, uint8_t *memory)
{
   for (unsigned i = 0; i < o->count; i++) {
      const Elf64_Shdr *s = &o->section[i];
      if (s->sh_flags & SHF_ALLOC && has_contents(s))
         memcpy(memory + o->place[i], o->data + s->sh_offset, s->sh_size);
   }
   for (unsigned i = 0; i < o->count; i++) {
      const char *wrong =
         o->section[i].sh_type == SHT_RELA ? relocate_section(o, memory, &o->section[i]) : NULL;
      if (wrong)
         return wrong;
   }
   return NULL;
}

/* Index of the function's symbol; symbol_count: there is none. */
static unsigned
find_symbol(const struct object *o, const char *name)
{
   for (unsigned i = 0; i < o->symbol_count; i++) {
      const Elf64_Sym *symbol = &o->symbol[i];
      if (symbol->st_name < o->strings_B && strcmp(o->strings + symbol->st_name, name) == 0 &&
          ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx < o->count &&
          symbol->st_value < o->section[symbol->st_shndx].sh_size)
         return i;
   }
   return o->symbol_count;
}

/* ---- for debuggers ---- */

/* Describe sections as loaded: at their addresses, relocated. The symbols' names are the last
 * `names_B` bytes of the object. */
static void
describe_sections(const struct object *o, const uint8_t *memory, uint8_t *file, size_t names_B)
{
   Elf64_Shdr *sections = (Elf64_Shdr *)(file + ((const uint8_t *)o->section - o->data));
   for (unsigned i = 0; i < o->count; i++) {
      Elf64_Shdr *s = &sections[i];
      if (s->sh_type == SHT_RELA) {
         *s = (Elf64_Shdr){ 0 };
      } else if (s->sh_flags & SHF_ALLOC) {
         s->sh_addr = (uint64_t)(uintptr_t)memory + o->place[i];
         if (has_contents(s))
            memcpy(file + s->sh_offset, memory + o->place[i], s->sh_size);
      } else if (s->sh_type == SHT_STRTAB && o->strings == (const char *)o->data + s->sh_offset) {
         s->sh_offset = o->size_B;
         s->sh_size = names_B;
      }
   }
}

/* Copy the object as loaded, with the symbol renamed to `name`. NULL: out of memory. */
static uint8_t *
describe(const struct object *o, const uint8_t *memory, unsigned symbol, const char *name,
         size_t *file_B)
{
   const size_t name_B = strlen(name) + 1;
   *file_B = o->size_B + o->strings_B + name_B;
   uint8_t *file = malloc(*file_B);
   if (!file)
      return NULL;
   memcpy(file, o->data, o->size_B);
   memcpy(file + o->size_B, o->strings, o->strings_B);
   memcpy(file + o->size_B + o->strings_B, name, name_B);
   describe_sections(o, memory, file, o->strings_B + name_B);
   Elf64_Sym *symbols = (Elf64_Sym *)(file + ((const uint8_t *)o->symbol - o->data));
   symbols[symbol].st_name = (uint32_t)o->strings_B;
   return file;
}

static void
add_symbol(struct cf_jit_code *code, const struct object *o, unsigned symbol, const char *name)
{
   size_t file_B;
   uint8_t *file = describe(o, code->memory, symbol, name, &file_B);
   code->symbol = cf_jit_symbol_add(name, code->entry, o->symbol[symbol].st_size, file, file_B);
}

/* ---- loading ---- */

/* The function alone is the code: all of its section. */
static const char *
prove(const struct object *o, struct cf_jit_code *code, const struct cf_jit_source *source,
      unsigned symbol)
{
   const unsigned section = o->symbol[symbol].st_shndx;
   const size_t begin_B = o->place[section];
   const struct cf_proof_code look = { .memory = code->memory,
                                       .memory_B = code->memory_B,
                                       .begin_B = begin_B,
                                       .end_B = begin_B + o->section[section].sh_size,
                                       .entry_B = begin_B + o->symbol[symbol].st_value };
   const uint64_t begin_ns = cf_thread_cpu_ns();
   const char *wrong = cf_jit_prove(source, look).wrong;
   code->proof_ns = cf_thread_cpu_ns() - begin_ns;
   return wrong;
}

const char *
cf_jit_object_load(struct cf_jit_code *code, const uint8_t *object, size_t size_B,
                   const struct cf_jit_source *source, const char *symbol, const char *name)
{
   struct object o = { .data = object, .size_B = size_B };
   memset(code, 0, sizeof(*code));
   const char *wrong = read_sections(&o);
   wrong = wrong ? wrong : read_symbols(&o);
   wrong = wrong ? wrong : place_sections(&o, &code->memory_B);
   if (wrong)
      return wrong;
   code->memory = cf_jit_memory_map(code->memory_B);
   if (!code->memory)
      return "no memory for code";
   wrong = fill(&o, code->memory);
   const unsigned found = find_symbol(&o, symbol);
   code->entry = (void *)(uintptr_t)symbol_address(&o, (uint64_t)(uintptr_t)code->memory, found);
   if (!wrong && !code->entry)
      wrong = "the function is missing";
   const char *unproven = !wrong && cf_proof_is_built() ? prove(&o, code, source, found) : NULL;
   wrong = wrong ? wrong : unproven;
   if (!wrong && !cf_jit_memory_seal(code->memory, code->memory_B))
      wrong = cf_jit_memory_refused;
   if (wrong) {
      cf_jit_object_unload(code);
      code->refused = unproven;
   } else if (name)
      add_symbol(code, &o, found, name);
   return wrong;
}

void
cf_jit_object_unload(struct cf_jit_code *code)
{
   if (code->symbol)
      mmap(code->memory, code->memory_B, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
   else if (code->memory)
      munmap(code->memory, code->memory_B);
   cf_jit_symbol_remove(code->symbol);
   memset(code, 0, sizeof(*code));
}
