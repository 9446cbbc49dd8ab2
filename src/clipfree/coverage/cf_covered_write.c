/* SPDX-License-Identifier: MIT */
/*
 * Coverage as text, in the format of lcov's .info files (geninfo(1)). A line ran as often as the
 * instruction of it that ran most; a source that several programs have sums theirs.
 */
#include "clipfree/coverage/cf_covered.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clipfree/interface/cf_note.h"
#include "clipfree/interface/cf_observer.h"

#define OBJECTS 32 /* shader objects of a program; further ones are left out */

/* A branch: number `number` of its line, in the order of the program. */
struct covered_branch {
   uint32_t line, number;
   uint64_t ways[2];
};

/* A source with the counts of all programs that have it. */
struct covered_source {
   struct covered_source *next;
   const char *text; /* in a program's note */
   enum cf_shader_stage stage;
   uint32_t lines; /* numbers are 1 .. lines */
   bool *has;      /* by line: there are instructions of it */
   uint64_t *count, *now; /* by line: of all programs; of the one being added */
   struct covered_branch *branch;
   uint32_t branches, capacity;
};

/* ------------------------------------------------------------------ sources */

static uint32_t
count_lines(const char *text)
{
   uint32_t lines = 1;
   for (; *text; text++)
      lines += *text == '\n';
   return lines;
}

/* The source with this text; new, if there is none yet. NULL: out of memory. */
static struct covered_source *
source_of(struct covered_source **sources, const char *text, enum cf_shader_stage stage)
{
   for (struct covered_source *source = *sources; source; source = source->next) {
      if (source->stage == stage && !strcmp(source->text, text))
         return source;
   }
   struct covered_source *source = calloc(1, sizeof(*source));
   if (!source)
      return NULL;
   *source = (struct covered_source){ .text = text, .stage = stage, .lines = count_lines(text) };
   source->has = calloc(source->lines + 1, sizeof(*source->has));
   source->count = calloc(source->lines + 1, sizeof(*source->count));
   source->now = calloc(source->lines + 1, sizeof(*source->now));
   source->next = *sources;
   *sources = source;
   return source->has && source->count && source->now ? source : NULL;
}

static void
free_sources(struct covered_source *sources)
{
   for (struct covered_source *next; sources; sources = next) {
      next = sources->next;
      free(sources->has);
      free(sources->count);
      free(sources->now);
      free(sources->branch);
      free(sources);
   }
}

/* ------------------------------------------------------------------ counts */

/* Add to branch `number` of a line. False: out of memory. */
static bool
add_branch(struct covered_source *source, uint32_t line, uint32_t number, const uint64_t ways[2])
{
   struct covered_branch *branch = source->branch;
   uint32_t i = 0;
   while (i < source->branches && (branch[i].line != line || branch[i].number != number))
      i++;
   if (i == source->capacity) {
      const uint32_t capacity = 2 * source->capacity + 16;
      branch = realloc(branch, capacity * sizeof(*branch));
      if (!branch)
         return false;
      source->branch = branch;
      source->capacity = capacity;
   }
   if (i == source->branches)
      branch[source->branches++] = (struct covered_branch){ .line = line, .number = number };
   branch[i].ways[0] += ways[0];
   branch[i].ways[1] += ways[1];
   return true;
}

/* How many branches of the line come before entry `i` of the table. */
static uint32_t
branch_number(const struct cf_covered_program *program, const struct cf_note_part *table,
              uint32_t i)
{
   const struct cf_note_line line = cf_note_line(table, i);
   uint32_t number = 0;
   for (uint32_t k = 0; k < i; k++) {
      const struct cf_note_line before = cf_note_line(table, k);
      number += before.object == line.object && before.text_line == line.text_line &&
                before.instr < program->instrs && program->decides[before.instr];
   }
   return number;
}

/* Add an entry of a program's line table. False: out of memory. */
static bool
add_entry(struct covered_source *const *objects, uint32_t object_count,
          const struct cf_covered_program *program, const struct cf_note_part *table, uint32_t i)
{
   const struct cf_note_line line = cf_note_line(table, i);
   struct covered_source *source = line.object < object_count ? objects[line.object] : NULL;
   if (!source || line.text_line > source->lines || line.instr >= program->instrs)
      return true;
   const uint64_t lanes = program->lanes[line.instr];
   source->has[line.text_line] = true;
   if (lanes > source->now[line.text_line])
      source->now[line.text_line] = lanes;
   return !program->decides[line.instr] ||
          add_branch(source, line.text_line, branch_number(program, table, i),
                     program->ways[line.instr]);
}

/* Add a program's counts to its sources. False: out of memory. */
static bool
add_program(struct covered_source **sources, const struct cf_covered_program *program)
{
   struct covered_source *object[OBJECTS];
   struct cf_note_part part, table = { 0 };
   uint32_t objects = 0;
   for (size_t at = 0; cf_note_next(program->note, program->note_B, &at, &part);) {
      if (part.field == CF_NOTE_LINES)
         table = part;
      if (part.field != CF_NOTE_SOURCE || objects == OBJECTS)
         continue;
      object[objects] = source_of(sources, part.text, program->stage);
      if (!object[objects++])
         return false;
   }
   for (uint32_t i = 0; i < table.count; i++) {
      if (!add_entry(object, objects, program, &table, i))
         return false;
   }
   for (uint32_t i = 0; i < objects; i++) {
      for (uint32_t line = 0; line <= object[i]->lines; line++) {
         object[i]->count[line] += object[i]->now[line];
         object[i]->now[line] = 0;
      }
   }
   return true;
}

/* ------------------------------------------------------------------ text */

static uint64_t
hash_text(const char *text)
{
   uint64_t hash = 0xcbf29ce484222325u;
   for (; *text; text++)
      hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
   return hash;
}

/* The name of a source's file; free() it. NULL: out of memory. */
static char *
source_path(const struct covered_source *source, const char *folder)
{
   char *path;
   const char *stage = cf_stage_suffix(source->stage);
   return asprintf(&path, "%s/%016" PRIx64 ".%s", folder, hash_text(source->text), stage) < 0
             ? NULL
             : path;
}

/* Write a text, and close the file. */
static bool
write_text(int fd, const char *text, size_t size_B)
{
   FILE *file = fdopen(fd, "w");
   if (!file) {
      close(fd);
      errno = ENOMEM;
      return false;
   }
   const bool written = fwrite(text, 1, size_B, file) == size_B;
   return fclose(file) == 0 && written;
}

/* A new file with this text; its name is the folder's, then `prefix`, process, time and `suffix`.
 * free() the name. NULL: errno says why. */
static char *
write_new(const char *folder, const char *prefix, const char *suffix, const char *text,
          size_t size_B)
{
   char *name = NULL;
   struct timespec now;
   int fd;
   do {
      free(name);
      clock_gettime(CLOCK_REALTIME, &now);
      if (asprintf(&name, "%s/%s%d-%lld-%09ld%s", folder, prefix, (int)getpid(),
                   (long long)now.tv_sec, now.tv_nsec, suffix) < 0)
         return NULL;
      fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
   } while (fd < 0 && errno == EEXIST);
   if (fd >= 0 && write_text(fd, text, size_B))
      return name;
   const int error = errno;
   if (fd >= 0)
      unlink(name);
   free(name);
   errno = error;
   return NULL;
}

/* Write a source, unless it is there: other runs have the same. */
static bool
write_source(const char *path, const char *folder, const char *text)
{
   if (access(path, F_OK) == 0)
      return true;
   char *name = write_new(folder, "source-", ".tmp", text, strlen(text));
   const bool ok = name && rename(name, path) == 0;
   const int error = errno;
   if (name && !ok)
      unlink(name);
   free(name);
   errno = error;
   return ok;
}

static void
print_branches(FILE *file, const struct covered_source *source)
{
   uint32_t found = 0, hit = 0;
   for (uint32_t i = 0; i < source->branches; i++) {
      const struct covered_branch *branch = &source->branch[i];
      const bool reached = branch->ways[0] || branch->ways[1];
      for (uint32_t way = 0; way < 2; way++) {
         fprintf(file, "BRDA:%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", branch->line, branch->number,
                 way);
         if (reached)
            fprintf(file, "%" PRIu64 "\n", branch->ways[way]);
         else
            fprintf(file, "-\n");
         found++;
         hit += branch->ways[way] > 0;
      }
   }
   if (found)
      fprintf(file, "BRF:%" PRIu32 "\nBRH:%" PRIu32 "\n", found, hit);
}

static void
print_source(FILE *file, const struct covered_source *source, const char *path)
{
   uint32_t found = 0, hit = 0;
   fprintf(file, "TN:\nSF:%s\n", path);
   print_branches(file, source);
   for (uint32_t line = 1; line <= source->lines; line++) {
      if (!source->has[line])
         continue;
      fprintf(file, "DA:%" PRIu32 ",%" PRIu64 "\n", line, source->count[line]);
      found++;
      hit += source->count[line] > 0;
   }
   fprintf(file, "LF:%" PRIu32 "\nLH:%" PRIu32 "\nend_of_record\n", found, hit);
}

/* Write the sources, and the text of their counts. */
static bool
print_sources(FILE *file, const struct covered_source *sources, const char *folder)
{
   bool ok = true;
   for (const struct covered_source *source = sources; ok && source; source = source->next) {
      char *path = source_path(source, folder);
      ok = path && write_source(path, folder, source->text);
      if (ok)
         print_source(file, source, path);
      free(path);
   }
   return ok;
}

static bool
write_info(const struct covered_source *sources, const char *folder)
{
   char *text = NULL, *name = NULL;
   size_t size_B;
   FILE *file = open_memstream(&text, &size_B);
   if (!file)
      return false;
   bool ok = print_sources(file, sources, folder);
   ok = fclose(file) == 0 && ok;
   if (ok)
      name = write_new(folder, "clipfree-", ".info", text, size_B);
   ok = name != NULL;
   const int error = errno;
   free(name);
   free(text);
   errno = error;
   return ok;
}

bool
cf_covered_write(const struct cf_covered_program *programs, const char *folder)
{
   struct covered_source *sources = NULL;
   bool ok = true;
   for (const struct cf_covered_program *p = programs; ok && p; p = p->next) {
      if (p->instrs)
         ok = add_program(&sources, p);
   }
   if (!ok)
      errno = ENOMEM;
   ok = ok && (!sources || write_info(sources, folder));
   const int error = errno;
   free_sources(sources);
   errno = error;
   return ok;
}
