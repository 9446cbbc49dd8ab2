/* SPDX-License-Identifier: MIT
 *
 * What the rules of wrong calls of OpenGL ES 3.0 share.
 */
#ifndef ES3_ERRORS_H
#define ES3_ERRORS_H

#include "es3_rules.h"

/* Numbers that name nothing: no object was ever given this name, no enumerant has this value. */
enum { NO_NAME = 12345, NO_ENUM = 0xffff };

/* Fails unless GL's error is the wanted one; `call` is what was done. */
void expect_error(const struct rules *r, GLenum wanted, const char *call);
#define GIVES(error, call) ((void)(call), expect_error(r, error, #call))

/* Fails unless both are equal: for what wrong calls must not have changed. */
void expect_value(const struct rules *r, GLint have, GLint wanted, const char *what);

GLint es3_limit(GLenum name);

/* A buffer of this size, bound. */
GLuint new_buffer(GLenum target, GLsizeiptr size_B);

/* es3_errors_images.c */
void wrong_storage(struct rules *r);
void wrong_images(struct rules *r);
void wrong_parts(struct rules *r);
void wrong_compressed(struct rules *r);
void wrong_copies(struct rules *r);
void wrong_texture_state(struct rules *r);
void wrong_samplers(struct rules *r);
void wrong_pixel_store(struct rules *r);
void wrong_unpack_buffers(struct rules *r);
void wrong_pack_buffers(struct rules *r);
void wrong_draw_buffers(struct rules *r);
void wrong_clears(struct rules *r);
void wrong_invalidations(struct rules *r);
void wrong_layers(struct rules *r);
void wrong_renderbuffers(struct rules *r);
void wrong_blit_kinds(struct rules *r);
void wrong_blit_samples(struct rules *r);
void wrong_blits(struct rules *r);

#endif
