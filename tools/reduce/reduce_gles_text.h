/* SPDX-License-Identifier: MIT */
/*
 * The parts of a program in C that are always the same.
 */
#ifndef REDUCE_GLES_TEXT_H
#define REDUCE_GLES_TEXT_H

extern const char reduce_gles_head[]; /* a comment, open */
extern const char reduce_gles_includes[];
extern const char reduce_gles_functions[];   /* ends, and the picture as a file */
extern const char reduce_gles_programs[];    /* use_program */
extern const char reduce_gles_attributes[];  /* set_attribute */
extern const char reduce_gles_new_texture[]; /* new_texture */
extern const char reduce_gles_window[];      /* make_target: as windows are */
extern const char reduce_gles_framebuffer[]; /* make_target: a frame buffer object */
extern const char reduce_gles_main[];        /* to the calls of operations */
extern const char reduce_gles_end[];

#endif
