/* SPDX-License-Identifier: MIT
 *
 * The rules of OpenGL ES 2.0's interface: what is asked, refused and remembered; api_rules.c has
 * their table.
 */
#ifndef API_RULES_H
#define API_RULES_H

#include "rules.h"

/* api_errors.c, api_errors_3d.c, api_errors_extensions.c: a topic is one case */
enum { API_ERROR_TOPICS = 23 };
void rule_api_errors(struct rules *r);
void wrong_3d_images(struct rules *r);
void wrong_3d_compressed(struct rules *r);
void wrong_3d_framebuffers(struct rules *r);
void wrong_maps(struct rules *r);
void wrong_vertex_arrays(struct rules *r);
void wrong_queries(struct rules *r);
void wrong_storage(struct rules *r);
void wrong_attachments(struct rules *r);
void wrong_debug(struct rules *r);
void wrong_versions(struct rules *r);

/* Numbers that name nothing: no object was ever given this name, no enumerant has this value. */
#define NO_NAME 12345
#define NO_ENUM 0xffff

/* Fails unless GL's error is the wanted one; `call` is what was done. */
void expect_error(const struct rules *r, GLenum wanted, const char *call);
#define GIVES(error, call) ((void)(call), expect_error(r, error, #call))

/* How many levels the largest texture of this target has: the least level that none has. */
GLint level_limit(GLenum target);

/* api_state.c */
void rule_api_state(struct rules *r);

/* api_uniforms.c, api_attributes.c */
void rule_api_uniforms(struct rules *r);
void rule_api_attributes(struct rules *r);

#endif
