/* SPDX-License-Identifier: MIT
 *
 * Checks of OpenGL 2.1 beyond OpenGL ES 2.0: each draws into a window of SIZE_PX squared, whose
 * pixels are then what the specification (GL 2.1, sections in the comments) says, and ends the
 * program with die() if not.
 */
#ifndef DESKTOP_CHECKS_H
#define DESKTOP_CHECKS_H

#include "gl_window.h"

#define SIZE_PX 64

/* Numbers that look random: the same for the same seed everywhere. In [0, limit). */
unsigned random_below(uint64_t *seed, unsigned limit);

/* A program of two shaders, made current; NULL: the fixed function does this part. */
GLuint use_shaders(const char *vertex, const char *fragment);

/* Ends the program unless every pixel is within `lsb` of the colour that `expected` gives for
 * it. */
void check_window(const char *what, void (*expected)(int x, int y, double rgb[3]), double lsb);

/* Where a drawing stands: between list_begin and list_end. */
enum list_use { LIST_NONE, LIST_CALLED, LIST_WHILE_COMPILED };
extern const char *const list_uses[3];
void list_begin(enum list_use use);
void list_end(enum list_use use);

/* From here on the stencil value of each pixel is the number of its fragments, modulo 256; colours
 * stay as they are. */
void count_fragments(void);

/* The numbers, SIZE_PX squared, bottom row first; then they are 0. The caller frees them. */
uint8_t *fragment_counts(void);

/* Ends the program unless these are the numbers; they are 0 then. `what`, and what follows, name
 * the drawing as for printf. */
void compare_counts(const uint8_t *expected, const char *what, ...);

/* desktop_arrays.c */
void check_array_layers(void);
void check_array_comparison(void);

/* desktop_begin.c */
void check_begin_attributes(void);
void check_begin_incomplete(void);
void check_begin_feedback(void);
void check_begin_buffers(void);

/* desktop_clip.c */
void check_clip_planes(void);
void check_clip_vertex(void);
void check_clip_ties(void);
void check_clip_samples(void);

/* desktop_fragments.c */
void check_depth_clamp(void);
void check_fog(void);
void check_colour_sum(void);
void check_two_sides(void);
void check_shininess_zero(void);
void check_polygon_modes(void);
void check_point_parameters(void);
void check_program_point_size(void);
void check_accumulation(void);
void check_occlusion_count(void);
void check_conditional_rendering(void);

/* desktop_images.c */
void check_pixel_zoom(void);
void check_rectangle_texture(void);
void check_one_dimension(void);
void check_three_dimensions(void);
void check_texture_environment(void);
void check_srgb(void);
void check_float_texture(void);
void check_blit(void);
void check_seamless(void);
void check_compressed_reads(void);

/* desktop_lists.c */
void check_begin_long(void);
void check_begin_huge(void);
void check_begin_out_of_memory(void);
void check_list_arrays(void);
void check_list_current(void);
void check_list_state(void);
void check_list_cycles(void);
void check_evaluated_current(void);

/* desktop_pixels.c */
void check_depth_stencil_pixels(void);
void check_pixels_zoomed_far(void);
void check_pixels_again(void);
void check_accumulation_operations(void);

/* desktop_primitives.c */
void check_primitive_numbers(void);

/* desktop_selection.c */
void check_selection(void);
void check_feedback(void);
void check_raster_position(void);

/* desktop_windows.c */
void check_front_buffer(void);
void check_single_buffer(void);
void check_two_windows(void);
void check_front_elsewhere(void);
void check_read_drawable(void);
void check_copy_context(void);
void check_drawable_errors(void);

#endif
