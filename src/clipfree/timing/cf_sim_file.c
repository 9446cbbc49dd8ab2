/* SPDX-License-Identifier: MIT */
/*
 * A file: MAGIC, then for each chunk a struct chunk_head and a zstd frame of its arrays, tile by
 * tile those that have records. Then a head whose counts are all END, a zstd frame of the index,
 * and struct tail. Numbers are of the host's byte order, which the magic shows.
 */
#include "clipfree/timing/cf_sim_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#include "clipfree/timing/cf_sim_check.h"

#define MAGIC_TEXT "clipfree recording"
#define VERSION 3
#define END UINT32_MAX
#define LEVEL 1
#define MAX_CHUNK_B (1ull << 36)

struct magic {
   char text[20];
   uint16_t version, order; /* order: 0x0102 */
};

/* Numbers of items of a chunk's arrays. */
struct chunk_head {
   uint32_t ops, textures, vertices, vertex_texels, vertex_steps, primitives, programs, codes,
      tiles;
   uint32_t zero;
   uint64_t plain_B, packed_B;
};

/* The end of the file. */
struct tail {
   uint64_t at_B, packed_B; /* of the index */
   uint32_t chunks;
   char text[12];
};

#define TAIL_TEXT "clipfree end"

struct cf_sim_writer {
   FILE *file;
   struct cf_sim_place_in_file *index;
   size_t chunks, index_room;
   uint64_t at_B; /* where the next chunk goes */
   ZSTD_CCtx *zstd;
   uint8_t *plain, *packed;
   size_t plain_room, packed_room;
   bool failed;
};

struct cf_sim_reader {
   FILE *file;
   char *path;
   ZSTD_DCtx *zstd;
   uint8_t *plain, *packed; /* tiles, vertices and primitives of a chunk lie in `plain` */
   size_t plain_room, packed_room;
   uint32_t chunks;
   bool ended;
   struct cf_sim_place_in_file *index; /* NULL: it was not read yet */
   uint32_t indexed;
};

/* What stands before a tile's records. */
struct tile_head {
   uint32_t number, dwords;
};

static const struct magic magic = { MAGIC_TEXT, VERSION, 0x0102 };
static const struct chunk_head end = { END, END, END, END, END, END, END, END, END, 0, 0, 0 };

static bool
make_room(uint8_t **data, size_t *room, size_t size_B)
{
   if (size_B <= *room)
      return true;
   free(*data);
   *data = malloc(size_B);
   *room = *data ? size_B : 0;
   return *data != NULL;
}

/* ------------------------------------------------------------------ writing */

struct cf_sim_writer *
cf_sim_writer_open(FILE *file)
{
   struct cf_sim_writer *writer = calloc(1, sizeof(*writer));
   if (!writer)
      return NULL;
   writer->file = file;
   writer->at_B = sizeof(magic);
   writer->zstd = ZSTD_createCCtx();
   if (!writer->zstd || fwrite(&magic, sizeof(magic), 1, file) != 1) {
      ZSTD_freeCCtx(writer->zstd);
      free(writer);
      return NULL;
   }
   ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel, LEVEL);
   ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_checksumFlag, 1);
   return writer;
}

static struct chunk_head
head_of(const struct cf_sim_chunk *c)
{
   struct chunk_head head = { (uint32_t)c->ops,
                              (uint32_t)c->textures,
                              (uint32_t)c->vertices,
                              (uint32_t)c->vertex_texels,
                              (uint32_t)c->vertex_steps,
                              (uint32_t)c->primitives,
                              (uint32_t)c->programs,
                              (uint32_t)c->codes,
                              0,
                              0,
                              0,
                              0 };
   head.plain_B =
      c->ops * sizeof(c->op[0]) + c->textures * sizeof(c->texture[0]) +
      c->vertices * sizeof(c->vertex[0]) + c->vertex_texels * sizeof(c->vertex_texel[0]) +
      c->vertex_steps * sizeof(c->vertex_step[0]) + c->primitives * sizeof(c->primitive[0]) +
      c->programs * sizeof(c->program[0]) + c->codes * sizeof(c->code[0]);
   for (uint32_t i = 0; i < c->tiles; i++) {
      if (c->tile[i].count > 0) {
         head.tiles++;
         head.plain_B += sizeof(struct tile_head) + 4 * c->tile[i].count;
      }
   }
   return head;
}

static uint8_t *
put(uint8_t *to, const void *from, size_t size_B)
{
   if (size_B > 0)
      memcpy(to, from, size_B);
   return to + size_B;
}

static void
put_chunk(uint8_t *to, const struct cf_sim_chunk *c)
{
   to = put(to, c->op, c->ops * sizeof(c->op[0]));
   to = put(to, c->texture, c->textures * sizeof(c->texture[0]));
   to = put(to, c->vertex, c->vertices * sizeof(c->vertex[0]));
   to = put(to, c->vertex_texel, c->vertex_texels * sizeof(c->vertex_texel[0]));
   to = put(to, c->vertex_step, c->vertex_steps * sizeof(c->vertex_step[0]));
   to = put(to, c->primitive, c->primitives * sizeof(c->primitive[0]));
   to = put(to, c->program, c->programs * sizeof(c->program[0]));
   to = put(to, c->code, c->codes * sizeof(c->code[0]));
   for (uint32_t i = 0; i < c->tiles; i++) {
      const struct tile_head head = { i, (uint32_t)c->tile[i].count };
      if (head.dwords == 0)
         continue;
      to = put(to, &head, sizeof(head));
      to = put(to, c->tile[i].dw, 4 * (size_t)head.dwords);
   }
}

static bool
add_to_index(struct cf_sim_writer *writer, const struct cf_sim_chunk *chunk)
{
   struct cf_sim_place_in_file *grown =
      cf_sim_grow(writer->index, writer->chunks, 1, &writer->index_room, sizeof(grown[0]));
   if (!grown) {
      writer->failed = true;
      return false;
   }
   writer->index = grown;
   writer->index[writer->chunks++] =
      (struct cf_sim_place_in_file){ writer->at_B, cf_sim_features_of(chunk) };
   return true;
}

bool
cf_sim_writer_put(struct cf_sim_writer *writer, const struct cf_sim_chunk *chunk)
{
   struct chunk_head head = head_of(chunk);
   if (writer->failed || !make_room(&writer->plain, &writer->plain_room, head.plain_B + 1) ||
       !make_room(&writer->packed, &writer->packed_room, ZSTD_compressBound(head.plain_B))) {
      writer->failed = true;
      return false;
   }
   put_chunk(writer->plain, chunk);
   if (!add_to_index(writer, chunk))
      return false;
   head.packed_B = ZSTD_compress2(writer->zstd, writer->packed, writer->packed_room, writer->plain,
                                  head.plain_B);
   writer->failed = ZSTD_isError(head.packed_B) ||
                    fwrite(&head, sizeof(head), 1, writer->file) != 1 ||
                    fwrite(writer->packed, head.packed_B, 1, writer->file) != 1;
   writer->at_B += sizeof(head) + head.packed_B;
   return !writer->failed;
}

static bool
write_index(struct cf_sim_writer *writer)
{
   const size_t plain_B = writer->chunks * sizeof(writer->index[0]);
   struct tail tail = { .at_B = writer->at_B + sizeof(end), .chunks = (uint32_t)writer->chunks };
   memcpy(tail.text, TAIL_TEXT, sizeof(tail.text));
   if (!make_room(&writer->packed, &writer->packed_room, ZSTD_compressBound(plain_B)))
      return false;
   tail.packed_B =
      ZSTD_compress2(writer->zstd, writer->packed, writer->packed_room, writer->index, plain_B);
   return !ZSTD_isError(tail.packed_B) && fwrite(&end, sizeof(end), 1, writer->file) == 1 &&
          fwrite(writer->packed, tail.packed_B, 1, writer->file) == 1 &&
          fwrite(&tail, sizeof(tail), 1, writer->file) == 1;
}

bool
cf_sim_writer_close(struct cf_sim_writer *writer)
{
   const bool ok = !writer->failed && write_index(writer);
   ZSTD_freeCCtx(writer->zstd);
   free(writer->index);
   free(writer->plain);
   free(writer->packed);
   free(writer);
   return ok;
}

/* ------------------------------------------------------------------ reading */

bool
cf_sim_is_recording(const char *path)
{
   char text[sizeof(magic.text)];
   FILE *file = fopen(path, "rb");
   const bool is = file && fread(text, sizeof(text), 1, file) == 1 &&
                   memcmp(text, magic.text, sizeof(text)) == 0;
   if (file)
      fclose(file);
   return is;
}

/* NULL, or why the file cannot be read. */
static const char *
bad_magic(FILE *file)
{
   struct magic found;
   if (fread(&found, sizeof(found), 1, file) != 1 ||
       memcmp(found.text, magic.text, sizeof(magic.text)) != 0)
      return "this is no recording of clipfree sim";
   if (found.order != magic.order)
      return "it was recorded on a host of another byte order";
   return found.version == VERSION ? NULL
                                   : "it is of another version of clipfree sim: record again";
}

struct cf_sim_reader *
cf_sim_reader_open(const char *path, char error[CF_SIM_ERROR_B])
{
   struct cf_sim_reader *reader = calloc(1, sizeof(*reader));
   FILE *file = reader ? fopen(path, "rb") : NULL;
   const char *bad = file ? bad_magic(file) : strerror(errno);
   if (!bad) {
      reader->file = file;
      reader->path = strdup(path);
      reader->zstd = ZSTD_createDCtx();
      if (reader->path && reader->zstd)
         return reader;
      bad = "out of memory";
      free(reader->path);
      ZSTD_freeDCtx(reader->zstd);
   }
   snprintf(error, CF_SIM_ERROR_B, "%s: %s", path, bad);
   if (file)
      fclose(file);
   free(reader);
   return NULL;
}

void
cf_sim_reader_close(struct cf_sim_reader *reader)
{
   fclose(reader->file);
   ZSTD_freeDCtx(reader->zstd);
   free(reader->path);
   free(reader->index);
   free(reader->plain);
   free(reader->packed);
   free(reader);
}

/* Take an array's items from the plain bytes. False: out of memory, or there are fewer. */
static bool
take(uint8_t **from, size_t *left_B, void **array, size_t *room, size_t count, size_t item_B)
{
   const size_t size_B = count * item_B;
   if (size_B > *left_B)
      return false;
   void *grown = cf_sim_grow(*array, 0, count, room, item_B);
   if (!grown && count > 0)
      return false;
   *array = grown;
   if (size_B > 0)
      memcpy(grown, *from, size_B);
   *from += size_B;
   *left_B -= size_B;
   return true;
}

/* The same without a copy: items of dwords, of which there may be many, stay where they are. They
 * are aligned there, as sizes of all items are multiples of 4. */
static bool
keep(uint8_t **from, size_t *left_B, void **array, size_t *room, size_t count, size_t item_B)
{
   const size_t size_B = count * item_B;
   if (size_B > *left_B)
      return false;
   if (*room > 0)
      free(*array);
   *array = *from;
   *room = 0;
   *from += size_B;
   *left_B -= size_B;
   return true;
}

static bool
take_tiles(uint8_t **from, size_t *left_B, struct cf_sim_chunk *c, uint32_t tiles)
{
   for (uint32_t i = 0; i < tiles; i++) {
      struct tile_head head;
      if (*left_B < sizeof(head))
         return false;
      memcpy(&head, *from, sizeof(head));
      *from += sizeof(head);
      *left_B -= sizeof(head);
      if (head.number >= CF_SIM_TILES || c->tile[head.number].count > 0 || head.dwords == 0)
         return false;
      struct cf_sim_tile *tile = cf_sim_chunk_tile(c, head.number);
      void *dw = tile->dw;
      if (!keep(from, left_B, &dw, &tile->capacity, head.dwords, 4))
         return false;
      tile->dw = dw;
      tile->count = head.dwords;
   }
   return true;
}

#define TAKE(how, array, used, room, wanted)                                                       \
   ({                                                                                              \
      void *array_ = (array);                                                                      \
      const bool ok_ = how(&from, &left_B, &array_, &(room), wanted, sizeof((array)[0]));          \
      (array) = array_;                                                                            \
      (used) = ok_ ? (wanted) : 0;                                                                 \
      ok_;                                                                                         \
   })

static bool
take_chunk(struct cf_sim_reader *reader, const struct chunk_head *head, struct cf_sim_chunk *c)
{
   uint8_t *from = reader->plain;
   size_t left_B = head->plain_B;
   cf_sim_chunk_clear(c);
   return TAKE(take, c->op, c->ops, c->op_room, head->ops) &&
          TAKE(take, c->texture, c->textures, c->texture_room, head->textures) &&
          TAKE(keep, c->vertex, c->vertices, c->vertex_room, head->vertices) &&
          TAKE(keep, c->vertex_texel, c->vertex_texels, c->vertex_texel_room,
               head->vertex_texels) &&
          TAKE(keep, c->vertex_step, c->vertex_steps, c->vertex_step_room, head->vertex_steps) &&
          TAKE(keep, c->primitive, c->primitives, c->primitive_room, head->primitives) &&
          TAKE(take, c->program, c->programs, c->program_room, head->programs) &&
          TAKE(take, c->code, c->codes, c->code_room, head->codes) &&
          take_tiles(&from, &left_B, c, head->tiles) && left_B == 0;
}

/* The tail, and the index before it. NULL, or what is wrong. */
static const char *
read_index(struct cf_sim_reader *reader)
{
   struct tail tail;
   if (fseek(reader->file, -(long)sizeof(tail), SEEK_END) != 0)
      return "it ends too early";
   const uint64_t end_B = (uint64_t)ftell(reader->file);
   if (fread(&tail, sizeof(tail), 1, reader->file) != 1 ||
       memcmp(tail.text, TAIL_TEXT, sizeof(tail.text)) != 0)
      return "it ends too early, or something follows its end";
   const size_t plain_B = tail.chunks * sizeof(reader->index[0]);
   if (tail.at_B < sizeof(magic) + sizeof(end) || tail.at_B > end_B ||
       tail.packed_B != end_B - tail.at_B || tail.packed_B > ZSTD_compressBound(plain_B))
      return "its index has an impossible size";
   if (!make_room(&reader->packed, &reader->packed_room, tail.packed_B + 1))
      return "out of memory";
   if (fseek(reader->file, (long)tail.at_B, SEEK_SET) != 0 ||
       fread(reader->packed, tail.packed_B, 1, reader->file) != 1)
      return "it ends too early";
   if (ZSTD_getFrameContentSize(reader->packed, tail.packed_B) != plain_B)
      return "its index has an impossible size";
   free(reader->index);
   reader->index = malloc(plain_B + 1);
   reader->indexed = reader->index ? tail.chunks : 0;
   if (!reader->index)
      return "out of memory";
   if (ZSTD_decompress(reader->index, plain_B, reader->packed, tail.packed_B) != plain_B)
      return "the checksum of its index does not agree with its contents";
   for (uint32_t i = 0; i < reader->indexed; i++) {
      if (reader->index[i].at_B < sizeof(magic) || reader->index[i].at_B > tail.at_B)
         return "its index names a place that it does not have";
   }
   return NULL;
}

/* All chunks were read. NULL, or what is wrong. */
static const char *
read_end(struct cf_sim_reader *reader)
{
   const uint64_t at_B = (uint64_t)ftell(reader->file);
   struct tail tail;
   const char *bad = read_index(reader);
   if (bad)
      return bad;
   if (fseek(reader->file, -(long)sizeof(tail), SEEK_END) != 0 ||
       fread(&tail, sizeof(tail), 1, reader->file) != 1 || tail.at_B != at_B ||
       reader->indexed != reader->chunks)
      return "its index is not that of its chunks";
   return NULL;
}

/* Bytes of the file from here on. */
static uint64_t
rest_B(FILE *file)
{
   struct stat status;
   const long at_B = ftell(file);
   return at_B >= 0 && fstat(fileno(file), &status) == 0 && status.st_size > at_B
             ? (uint64_t)(status.st_size - at_B)
             : 0;
}

/* Room is made for sizes that the file and its compressed frame confirm: a damaged one must not
 * take the host's memory. NULL, or what is wrong. */
static const char *
read_chunk(struct cf_sim_reader *reader, struct cf_sim_chunk *chunk)
{
   struct chunk_head head;
   if (fread(&head, sizeof(head), 1, reader->file) != 1)
      return "it ends too early";
   if (memcmp(&head, &end, sizeof(end)) == 0) {
      reader->ended = true;
      return read_end(reader);
   }
   if (head.zero != 0 || head.plain_B > MAX_CHUNK_B ||
       head.packed_B > ZSTD_compressBound(head.plain_B))
      return "its sizes are not possible";
   if (head.packed_B > rest_B(reader->file))
      return "it ends too early";
   if (!make_room(&reader->packed, &reader->packed_room, head.packed_B + 1))
      return "out of memory";
   if (fread(reader->packed, head.packed_B, 1, reader->file) != 1)
      return "it ends too early";
   if (ZSTD_getFrameContentSize(reader->packed, head.packed_B) != head.plain_B)
      return "its sizes are not possible";
   if (!make_room(&reader->plain, &reader->plain_room, head.plain_B + 1))
      return "out of memory";
   if (ZSTD_decompressDCtx(reader->zstd, reader->plain, head.plain_B, reader->packed,
                           head.packed_B) != head.plain_B)
      return "its checksum does not agree with its contents";
   if (!take_chunk(reader, &head, chunk))
      return "its numbers of events do not agree with its size";
   const char *bad = cf_sim_check(chunk);
   if (bad || !reader->index)
      return bad;
   if (reader->chunks >= reader->indexed)
      return "its index does not have it";
   const struct cf_sim_features f = cf_sim_features_of(chunk);
   return memcmp(&f, &reader->index[reader->chunks].features, sizeof(f)) == 0
             ? NULL
             : "its index says that it has something else";
}

int
cf_sim_reader_next(struct cf_sim_reader *reader, struct cf_sim_chunk *chunk,
                   char error[CF_SIM_ERROR_B])
{
   const char *bad = reader->ended ? NULL : read_chunk(reader, chunk);
   if (bad) {
      snprintf(error, CF_SIM_ERROR_B, "%s: submission %u of the recording: %s", reader->path,
               reader->chunks, bad);
      return -1;
   }
   reader->chunks++;
   return reader->ended ? 0 : 1;
}

bool
cf_sim_reader_index(struct cf_sim_reader *reader, const struct cf_sim_place_in_file **index,
                    uint32_t *count, char error[CF_SIM_ERROR_B])
{
   const char *bad = read_index(reader);
   if (bad)
      snprintf(error, CF_SIM_ERROR_B, "%s: %s", reader->path, bad);
   *index = reader->index;
   *count = bad ? 0 : reader->indexed;
   return !bad;
}

void
cf_sim_reader_seek(struct cf_sim_reader *reader, uint32_t number)
{
   reader->chunks = number;
   reader->ended = false;
   fseek(reader->file, (long)reader->index[number].at_B, SEEK_SET);
}
