/* SPDX-License-Identifier: MIT */
#include "clipfree/profile/cf_stats.h"

#define DRAW CF_STAT_OF_DRAW
#define CLEAR CF_STAT_OF_CLEAR
#define TRANSFER CF_STAT_OF_TRANSFER
#define FRAME CF_STAT_OF_FRAME
#define SUM CF_STAT_SUM
#define FIXED CF_STAT_FIXED
#define NUMBER(stat) [CF_STAT_TEXTS + CF_STAT_##stat]
#define UNIT(unit) [CF_STAT_TEXTS + CF_STAT_UNIT_NS + CF_UNIT_##unit - 1]

const struct cf_stats_column cf_stats_columns[CF_STAT_TEXTS + CF_STATS] = {
   [CF_STAT_KIND] = { "kind", "", DRAW | CLEAR | TRANSFER | FRAME | FIXED,
                      "`draw`, `clear`, `frame`, or a transfer's packet: `copy`, `gather`, "
                      "`reduce`, `copy_buffer`, `fill_buffer`, `resolve`, `invalidate`" },
   [CF_STAT_CALL] = { "call", "", DRAW | FIXED | CF_STAT_NOTED,
                      "the call of GL, as `glDrawArrays(GL_TRIANGLES, 0, 3)`, where it is known" },
   [CF_STAT_GROUP] = { "group", "", DRAW | FIXED | CF_STAT_NOTED,
                       "debug groups around it, the outermost first, as `world / trees`" },
   [CF_STAT_PRIM_KIND] = { "primitive", "", DRAW | FIXED, "the kind of its primitives" },
   [CF_STAT_VERTEX_PROGRAM] = { "vertex_program", "", DRAW | FIXED,
                                "the name of its vertex program in dumps and profilers" },
   [CF_STAT_FRAGMENT_PROGRAM] = { "fragment_program", "", DRAW | FIXED,
                                  "the same of its fragment program" },
   NUMBER(FRAME) = { "frame", "", DRAW | CLEAR | TRANSFER | FRAME | FIXED,
                     "frames that ended before, as `CLIPFREE_CAPTURE=frame=N` counts them" },
   NUMBER(SUBMISSION) = { "submission", "", DRAW | CLEAR | TRANSFER | FIXED,
                          "the submission's number, from 0" },
   NUMBER(DRAW) = { "draw", "", DRAW | FIXED,
                    "number of the draw packet, from 0: for captures the draw's of `--list`" },
   NUMBER(PACKET) = { "packet", "", DRAW | CLEAR | TRANSFER | FIXED | CF_STAT_HEX,
                      "address of its packet" },
   NUMBER(SUBMISSIONS) = { "submissions", "", FRAME | FIXED, "command buffers" },
   NUMBER(PASSES) = { "passes", "", FRAME, "sequences of draws and clears to one frame buffer" },
   NUMBER(DRAWS) = { "draws", "", FRAME | FIXED, "rows of draws" },
   NUMBER(CLEARS) = { "clears", "", FRAME | FIXED, "rows of clears" },
   NUMBER(TRANSFERS) = { "transfers", "", FRAME | FIXED, "rows of transfers" },
   NUMBER(ELEMENTS) = { "elements", "", DRAW | FRAME | SUM | FIXED,
                        "vertices or indices of an instance" },
   NUMBER(INSTANCES) = { "instances", "", DRAW | FRAME | SUM | FIXED, "instances" },
   NUMBER(PRIMITIVES) = { "primitives", "", DRAW | FRAME | SUM | FIXED,
                          "points, lines and triangles assembled, of all instances; quads and "
                          "polygons count as their triangles" },
   NUMBER(SET_UP) = { "set_up", "", DRAW | FRAME | SUM | FIXED,
                      "of those, what was set up: neither culled nor outside; a triangle that is "
                      "drawn as lines or points counts up to 3 times" },
   NUMBER(FED) = { "fed", "", DRAW | FRAME | SUM | FIXED,
                   "primitives that transform feedback wrote to buffers" },
   NUMBER(VERTICES) = { "vertices", "", DRAW | FRAME | SUM | FIXED,
                        "vertices shaded; those that the vertex cache finds are left out" },
   NUMBER(VERTEX_TASKS) = { "vertex_tasks", "", DRAW | FRAME | FIXED,
                            "tasks of up to 32 vertices" },
   NUMBER(POSITION_TASKS) = { "position_tasks", "", DRAW | FRAME | FIXED,
                              "of those, tasks whose positions alone were computed" },
   NUMBER(VERTEX_INSTRUCTIONS) = { "vertex_instructions", "", DRAW | FIXED,
                                   "instructions of the vertex program" },
   NUMBER(HIDDEN) = { "hidden", "", DRAW | FRAME | FIXED,
                      "primitives, counted once per tile, that hierarchical Z hid, wholly or in "
                      "part" },
   NUMBER(FRAGMENT_TASKS) = { "fragment_tasks", "", DRAW | FRAME | FIXED,
                              "tasks of up to 8 quads of 2x2 pixels" },
   NUMBER(QUADS) = { "quads", "", DRAW | FRAME | FIXED, "quads in them" },
   NUMBER(SHADED) = { "shaded", "", DRAW | FRAME | SUM | FIXED,
                      "pixels shaded; those of a quad that are not covered, or that an early test "
                      "hid, are left out" },
   NUMBER(FRAGMENTS) = { "fragments", "", DRAW | FRAME | FIXED,
                         "fragments that passed all tests, with several samples a pixel at each of "
                         "them; where nothing is shaded, too" },
   NUMBER(FRAGMENT_INSTRUCTIONS) = { "fragment_instructions", "", DRAW | FIXED,
                                     "instructions of the fragment program" },
   NUMBER(INTERPRETED) = { "interpreted", "", DRAW | FRAME,
                           "tasks of both stages that the interpreter ran" },
   NUMBER(CLEARED) = { "cleared", "", CLEAR | FRAME | SUM | FIXED,
                       "pixels cleared, those of each colour image, and of depth and stencil" },
   NUMBER(CLEARED_TILES) = { "cleared_tiles", "", CLEAR | FRAME | SUM | FIXED,
                             "tiles of 64x64 pixels of these images that the clear touches" },
   NUMBER(TRANSFERRED) = { "transferred", "", TRANSFER | FRAME | SUM | FIXED,
                           "pixels of images that copies, gathers and reductions wrote" },
   NUMBER(TRANSFERRED_B) = { "transferred_B", "B", TRANSFER | FRAME | SUM | FIXED,
                             "bytes of these pixels, of all samples, and of buffers" },
   NUMBER(RESOLVED_TILES) = { "resolved_tiles", "", TRANSFER | FRAME | SUM | FIXED,
                              "tiles whose pending clears were written to memory, since they were "
                              "read" },
   NUMBER(UPLOADED_B) = { "uploaded_B", "B", FRAME,
                          "bytes that the driver uploaded, as its counter `clipfree-uploaded`" },
   NUMBER(WAITS) = { "waits", "", FRAME, "maps that waited for the GPU" },
   NUMBER(COMPILATIONS) = { "compilations", "", FRAME,
                            "shader variants that were not in the cache on disk" },
   NUMBER(WALL_NS) = { "wall_ns", "ns", FRAME,
                       "since the end of the frame before, or the creation of the GPU" },
   NUMBER(CPU_NS) = { "cpu_ns", "ns", FRAME, "processor time of the whole process meanwhile" },
   UNIT(STATE) = { "state_ns", "ns", DRAW | CLEAR | FRAME,
                   "of a draw or a clear: its packet, and the packets before it back to the last "
                   "of them" },
   UNIT(VERTICES) = { "vertices_ns", "ns", DRAW | FRAME, "of the unit, as all below" },
   UNIT(PRIMITIVES) = { "primitives_ns", "ns", DRAW | FRAME, "of a frame also the order of tiles" },
   UNIT(RASTER) = { "raster_ns", "ns", DRAW | FRAME, "" },
   UNIT(SHADING) = { "shading_ns", "ns", DRAW | FRAME, "" },
   UNIT(TEXTURES) = { "textures_ns", "ns", DRAW | FRAME, "" },
   UNIT(PIXELS) = { "pixels_ns", "ns", DRAW | FRAME, "" },
   UNIT(FUSED) = { "quads_to_pixels_ns", "ns", DRAW | FRAME, "" },
   UNIT(CLEARS) = { "clears_ns", "ns", DRAW | CLEAR | FRAME,
                    "of a draw: pending clears of its targets that it wrote" },
   UNIT(COPIES) = { "copies_ns", "ns", TRANSFER | FRAME, "" },
};

void
cf_stats_count_ticks(struct cf_stats_row *row, struct cf_unit_clock *clock)
{
   uint64_t ticks[CF_UNITS];
   cf_unit_clock_split(clock, ticks);
   for (enum cf_unit unit = CF_UNIT_NONE + 1; unit < CF_UNITS; unit++)
      cf_stats_count(row, CF_STAT_UNIT_NS + unit - 1, ticks[unit]);
}
