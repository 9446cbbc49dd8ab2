/* SPDX-License-Identifier: MIT
 *
 * Wrong calls of extensions' functions, by their specifications, and names of OpenGL ES 3 and of
 * OpenGL, which are none in OpenGL ES 2.0.
 */
#include "api_rules.h"
#include "texture_draw.h"

#include <stdlib.h>
#include <string.h>

#define SIZE_PX 8

/* NAME: a local pointer to glNAME. */
#define FUNCTION(type, name) const type name = (type)eglGetProcAddress("gl" #name)

static GLuint
bound_buffer(GLsizeiptr size_B)
{
   GLuint buffer;
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, size_B, NULL, GL_STREAM_DRAW);
   return buffer;
}

/* OES_mapbuffer, EXT_map_buffer_range */
void
wrong_maps(struct rules *r)
{
   FUNCTION(PFNGLMAPBUFFEROESPROC, MapBufferOES);
   FUNCTION(PFNGLMAPBUFFERRANGEEXTPROC, MapBufferRangeEXT);
   FUNCTION(PFNGLFLUSHMAPPEDBUFFERRANGEEXTPROC, FlushMappedBufferRangeEXT);
   FUNCTION(PFNGLUNMAPBUFFEROESPROC, UnmapBufferOES);
   FUNCTION(PFNGLGETBUFFERPOINTERVOESPROC, GetBufferPointervOES);
   const GLbitfield reading = GL_MAP_READ_BIT_EXT, writing = GL_MAP_WRITE_BIT_EXT,
                    explicit = GL_MAP_FLUSH_EXPLICIT_BIT_EXT;
   const GLenum t = GL_ARRAY_BUFFER;
   void *pointer;
   GLint value;
   GIVES(GL_INVALID_OPERATION, MapBufferOES(t, GL_WRITE_ONLY_OES)); /* none is bound */
   GIVES(GL_INVALID_OPERATION, MapBufferRangeEXT(t, 0, 1, writing));
   GIVES(GL_INVALID_OPERATION, UnmapBufferOES(t));
   GIVES(GL_INVALID_OPERATION, FlushMappedBufferRangeEXT(t, 0, 1));
   GIVES(GL_INVALID_OPERATION, GetBufferPointervOES(t, GL_BUFFER_MAP_POINTER_OES, &pointer));
   const GLuint buffer = bound_buffer(16);
   GIVES(GL_INVALID_ENUM, MapBufferOES(NO_ENUM, GL_WRITE_ONLY_OES));
   GIVES(GL_INVALID_ENUM, MapBufferOES(t, NO_ENUM));
   GIVES(GL_INVALID_ENUM, MapBufferOES(t, 0x88B8 /* GL_READ_ONLY of OpenGL */));
   GIVES(GL_INVALID_ENUM, UnmapBufferOES(NO_ENUM));
   GIVES(GL_INVALID_OPERATION, UnmapBufferOES(t)); /* is not mapped */
   GIVES(GL_INVALID_ENUM, GetBufferPointervOES(NO_ENUM, GL_BUFFER_MAP_POINTER_OES, &pointer));
   GIVES(GL_INVALID_ENUM, GetBufferPointervOES(t, NO_ENUM, &pointer));
   GIVES(GL_INVALID_ENUM, MapBufferRangeEXT(NO_ENUM, 0, 1, writing));
   GIVES(GL_INVALID_VALUE, MapBufferRangeEXT(t, -1, 1, writing));
   GIVES(GL_INVALID_VALUE, MapBufferRangeEXT(t, 0, -1, writing));
   GIVES(GL_INVALID_VALUE, MapBufferRangeEXT(t, 8, 9, writing));
   GIVES(GL_INVALID_VALUE, MapBufferRangeEXT(t, 17, 1, writing));
   GIVES(GL_INVALID_VALUE, MapBufferRangeEXT(t, 0, 1, writing | 0x8000));
   GIVES(GL_INVALID_OPERATION, MapBufferRangeEXT(t, 0, 1, 0));
   GIVES(GL_INVALID_OPERATION, MapBufferRangeEXT(t, 0, 1, GL_MAP_INVALIDATE_RANGE_BIT_EXT));
   GIVES(GL_INVALID_OPERATION,
         MapBufferRangeEXT(t, 0, 1, reading | GL_MAP_INVALIDATE_RANGE_BIT_EXT));
   GIVES(GL_INVALID_OPERATION,
         MapBufferRangeEXT(t, 0, 1, reading | GL_MAP_INVALIDATE_BUFFER_BIT_EXT));
   GIVES(GL_INVALID_OPERATION, MapBufferRangeEXT(t, 0, 1, reading | GL_MAP_UNSYNCHRONIZED_BIT_EXT));
   GIVES(GL_INVALID_OPERATION, MapBufferRangeEXT(t, 0, 1, reading | explicit));
   GIVES(GL_NO_ERROR, MapBufferRangeEXT(t, 4, 8, writing));
   GIVES(GL_INVALID_OPERATION, MapBufferRangeEXT(t, 4, 8, writing));
   GIVES(GL_INVALID_OPERATION, MapBufferOES(t, GL_WRITE_ONLY_OES));
   GIVES(GL_INVALID_OPERATION, FlushMappedBufferRangeEXT(t, 0, 1)); /* was not mapped for it */
   GIVES(GL_INVALID_OPERATION, glBufferSubData(t, 4, 1, "x"));
   GIVES(GL_NO_ERROR, UnmapBufferOES(t));
   GIVES(GL_NO_ERROR, MapBufferRangeEXT(t, 4, 8, writing | explicit));
   GIVES(GL_INVALID_ENUM, FlushMappedBufferRangeEXT(NO_ENUM, 0, 1));
   GIVES(GL_INVALID_VALUE, FlushMappedBufferRangeEXT(t, -1, 1));
   GIVES(GL_INVALID_VALUE, FlushMappedBufferRangeEXT(t, 0, -1));
   GIVES(GL_INVALID_VALUE, FlushMappedBufferRangeEXT(t, 4, 5));
   GIVES(GL_NO_ERROR, FlushMappedBufferRangeEXT(t, 0, 8));
   GIVES(GL_NO_ERROR, UnmapBufferOES(t));
   GIVES(GL_NO_ERROR, MapBufferOES(t, GL_WRITE_ONLY_OES));
   GIVES(GL_NO_ERROR, glGetBufferParameteriv(t, GL_BUFFER_ACCESS_OES, &value));
   if (value != GL_WRITE_ONLY_OES)
      rules_fail(r, "a buffer mapped to be written has the access 0x%04x", value);
   GIVES(GL_NO_ERROR, glBufferData(t, 4, NULL, GL_STREAM_DRAW)); /* ends the mapping */
   GIVES(GL_INVALID_OPERATION, UnmapBufferOES(t));
   glDeleteBuffers(1, &buffer);
}

/* OES_vertex_array_object, EXT_draw_instanced, EXT_instanced_arrays, EXT_multi_draw_arrays */
void
wrong_vertex_arrays(struct rules *r)
{
   FUNCTION(PFNGLGENVERTEXARRAYSOESPROC, GenVertexArraysOES);
   FUNCTION(PFNGLDELETEVERTEXARRAYSOESPROC, DeleteVertexArraysOES);
   FUNCTION(PFNGLBINDVERTEXARRAYOESPROC, BindVertexArrayOES);
   FUNCTION(PFNGLISVERTEXARRAYOESPROC, IsVertexArrayOES);
   FUNCTION(PFNGLDRAWARRAYSINSTANCEDEXTPROC, DrawArraysInstancedEXT);
   FUNCTION(PFNGLDRAWELEMENTSINSTANCEDEXTPROC, DrawElementsInstancedEXT);
   FUNCTION(PFNGLVERTEXATTRIBDIVISOREXTPROC, VertexAttribDivisorEXT);
   FUNCTION(PFNGLMULTIDRAWARRAYSEXTPROC, MultiDrawArraysEXT);
   FUNCTION(PFNGLMULTIDRAWELEMENTSEXTPROC, MultiDrawElementsEXT);
   static const GLubyte indices[3] = { 0 };
   static const GLint firsts[1] = { 0 };
   static const GLsizei counts[1] = { 3 }, less[1] = { -1 };
   const void *const lists[1] = { indices };
   GLuint name;
   GLint most, value;
   struct target target = target_create(SIZE_PX, SIZE_PX);
   glGetIntegerv(GL_MAX_VERTEX_ATTRIBS, &most);
   GIVES(GL_INVALID_VALUE, GenVertexArraysOES(-1, &name));
   GIVES(GL_INVALID_VALUE, DeleteVertexArraysOES(-1, &name));
   GIVES(GL_INVALID_OPERATION, BindVertexArrayOES(NO_NAME));
   GenVertexArraysOES(1, &name);
   if (IsVertexArrayOES(name) || IsVertexArrayOES(0))
      rules_fail(r, "a vertex array is there before it is bound");
   BindVertexArrayOES(name);
   glEnableVertexAttribArray(1);
   GIVES(GL_INVALID_VALUE, VertexAttribDivisorEXT((GLuint)most, 1));
   GIVES(GL_NO_ERROR, VertexAttribDivisorEXT(1, 7));
   GIVES(GL_NO_ERROR, glGetVertexAttribiv(1, GL_VERTEX_ATTRIB_ARRAY_DIVISOR_EXT, &value));
   if (!IsVertexArrayOES(name) || value != 7)
      rules_fail(r, "a bound vertex array has the divisor %d, not 7", value);
   DeleteVertexArraysOES(1, &name);
   glGetVertexAttribiv(1, GL_VERTEX_ATTRIB_ARRAY_ENABLED, &value);
   if (value)
      rules_fail(r, "the default vertex array is not bound after the bound one was deleted");
   GIVES(GL_INVALID_OPERATION, BindVertexArrayOES(name));
   GIVES(GL_INVALID_ENUM, DrawArraysInstancedEXT(NO_ENUM, 0, 3, 1));
   GIVES(GL_INVALID_VALUE, DrawArraysInstancedEXT(GL_TRIANGLES, 0, -1, 1));
   GIVES(GL_INVALID_VALUE, DrawArraysInstancedEXT(GL_TRIANGLES, -1, 3, 1));
   GIVES(GL_INVALID_VALUE, DrawArraysInstancedEXT(GL_TRIANGLES, 0, 3, -1));
   GIVES(GL_INVALID_ENUM, DrawElementsInstancedEXT(NO_ENUM, 3, GL_UNSIGNED_BYTE, indices, 1));
   GIVES(GL_INVALID_ENUM, DrawElementsInstancedEXT(GL_TRIANGLES, 3, GL_BYTE, indices, 1));
   GIVES(GL_INVALID_VALUE,
         DrawElementsInstancedEXT(GL_TRIANGLES, -1, GL_UNSIGNED_BYTE, indices, 1));
   GIVES(GL_INVALID_VALUE,
         DrawElementsInstancedEXT(GL_TRIANGLES, 3, GL_UNSIGNED_BYTE, indices, -1));
   GIVES(GL_INVALID_ENUM, MultiDrawArraysEXT(NO_ENUM, firsts, counts, 1));
   GIVES(GL_INVALID_VALUE, MultiDrawArraysEXT(GL_TRIANGLES, firsts, counts, -1));
   GIVES(GL_INVALID_VALUE, MultiDrawArraysEXT(GL_TRIANGLES, firsts, less, 1));
   GIVES(GL_INVALID_ENUM, MultiDrawElementsEXT(GL_TRIANGLES, counts, NO_ENUM, lists, 1));
   GIVES(GL_INVALID_VALUE, MultiDrawElementsEXT(GL_TRIANGLES, counts, GL_UNSIGNED_BYTE, lists, -1));
   GIVES(GL_INVALID_VALUE, MultiDrawElementsEXT(GL_TRIANGLES, less, GL_UNSIGNED_BYTE, lists, 1));
   target_delete(&target);
}

/* EXT_occlusion_query_boolean, EXT_disjoint_timer_query */
void
wrong_queries(struct rules *r)
{
   FUNCTION(PFNGLGENQUERIESEXTPROC, GenQueriesEXT);
   FUNCTION(PFNGLDELETEQUERIESEXTPROC, DeleteQueriesEXT);
   FUNCTION(PFNGLISQUERYEXTPROC, IsQueryEXT);
   FUNCTION(PFNGLBEGINQUERYEXTPROC, BeginQueryEXT);
   FUNCTION(PFNGLENDQUERYEXTPROC, EndQueryEXT);
   FUNCTION(PFNGLGETQUERYIVEXTPROC, GetQueryivEXT);
   FUNCTION(PFNGLGETQUERYOBJECTUIVEXTPROC, GetQueryObjectuivEXT);
   FUNCTION(PFNGLQUERYCOUNTEREXTPROC, QueryCounterEXT);
   const GLenum any = GL_ANY_SAMPLES_PASSED_EXT, about = GL_ANY_SAMPLES_PASSED_CONSERVATIVE_EXT;
   GLuint names[3], value;
   GLint whole;
   GIVES(GL_INVALID_VALUE, GenQueriesEXT(-1, names));
   GIVES(GL_INVALID_VALUE, DeleteQueriesEXT(-1, names));
   GenQueriesEXT(3, names);
   if (IsQueryEXT(names[0]) || IsQueryEXT(0))
      rules_fail(r, "a query is there before it has begun");
   GIVES(GL_INVALID_ENUM, BeginQueryEXT(NO_ENUM, names[0]));
   GIVES(GL_INVALID_ENUM, BeginQueryEXT(0x8914 /* GL_SAMPLES_PASSED of OpenGL */, names[0]));
   GIVES(GL_INVALID_OPERATION, BeginQueryEXT(any, 0));
   GIVES(GL_INVALID_OPERATION, BeginQueryEXT(any, NO_NAME));
   GIVES(GL_INVALID_OPERATION, EndQueryEXT(any));
   GIVES(GL_INVALID_ENUM, EndQueryEXT(NO_ENUM));
   GIVES(GL_INVALID_OPERATION, GetQueryObjectuivEXT(names[0], GL_QUERY_RESULT_EXT, &value));
   GIVES(GL_NO_ERROR, BeginQueryEXT(any, names[0]));
   GIVES(GL_INVALID_OPERATION, BeginQueryEXT(any, names[1]));
   GIVES(GL_INVALID_OPERATION, BeginQueryEXT(about, names[0]));
   GIVES(GL_INVALID_OPERATION, BeginQueryEXT(about, names[1])); /* one of both at a time */
   GIVES(GL_INVALID_OPERATION, GetQueryObjectuivEXT(names[0], GL_QUERY_RESULT_EXT, &value));
   GIVES(GL_INVALID_OPERATION,
         GetQueryObjectuivEXT(names[0], GL_QUERY_RESULT_AVAILABLE_EXT, &value));
   GIVES(GL_NO_ERROR, GetQueryivEXT(any, GL_CURRENT_QUERY_EXT, &whole));
   if (whole != (GLint)names[0] || !IsQueryEXT(names[0]))
      rules_fail(r, "the current query is %d, not %u", whole, names[0]);
   GIVES(GL_INVALID_OPERATION, EndQueryEXT(about));
   GIVES(GL_NO_ERROR, EndQueryEXT(any));
   GIVES(GL_INVALID_OPERATION, BeginQueryEXT(about, names[0])); /* is of another target */
   GIVES(GL_INVALID_ENUM, GetQueryivEXT(NO_ENUM, GL_CURRENT_QUERY_EXT, &whole));
   GIVES(GL_INVALID_ENUM, GetQueryivEXT(any, NO_ENUM, &whole));
   GIVES(GL_INVALID_ENUM, GetQueryObjectuivEXT(names[0], NO_ENUM, &value));
   GIVES(GL_INVALID_OPERATION, GetQueryObjectuivEXT(NO_NAME, GL_QUERY_RESULT_EXT, &value));
   if (has_extension("GL_EXT_disjoint_timer_query")) {
      GIVES(GL_INVALID_ENUM, QueryCounterEXT(names[2], any));
      GIVES(GL_INVALID_OPERATION, QueryCounterEXT(0, GL_TIMESTAMP_EXT));
      GIVES(GL_INVALID_OPERATION, QueryCounterEXT(NO_NAME, GL_TIMESTAMP_EXT));
      GIVES(GL_INVALID_OPERATION, QueryCounterEXT(names[0], GL_TIMESTAMP_EXT));
      GIVES(GL_INVALID_ENUM, BeginQueryEXT(GL_TIMESTAMP_EXT, names[2]));
      GIVES(GL_NO_ERROR, GetQueryivEXT(GL_TIMESTAMP_EXT, GL_QUERY_COUNTER_BITS_EXT, &whole));
   }
   GIVES(GL_NO_ERROR, DeleteQueriesEXT(3, names));
}

/* EXT_texture_storage, EXT_texture_filter_anisotropic, EXT_unpack_subimage, OES_EGL_image */
void
wrong_storage(struct rules *r)
{
   FUNCTION(PFNGLTEXSTORAGE2DEXTPROC, TexStorage2DEXT);
   FUNCTION(PFNGLEGLIMAGETARGETTEXTURE2DOESPROC, EGLImageTargetTexture2DOES);
   FUNCTION(PFNGLEGLIMAGETARGETRENDERBUFFERSTORAGEOESPROC, EGLImageTargetRenderbufferStorageOES);
   const GLenum t = GL_TEXTURE_2D, rgba = GL_RGBA8_OES;
   const GLint over_px = 1 << level_limit(t);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   GLuint names[2];
   GLint value;
   GIVES(GL_INVALID_OPERATION, TexStorage2DEXT(t, 1, rgba, 4, 4)); /* the default texture */
   glGenTextures(2, names);
   glBindTexture(t, names[0]);
   glBindTexture(GL_TEXTURE_CUBE_MAP, names[1]);
   GIVES(GL_INVALID_ENUM, TexStorage2DEXT(NO_ENUM, 1, rgba, 4, 4));
   GIVES(GL_INVALID_ENUM, TexStorage2DEXT(GL_TEXTURE_CUBE_MAP_POSITIVE_X, 1, rgba, 4, 4));
   GIVES(GL_INVALID_ENUM, TexStorage2DEXT(t, 1, NO_ENUM, 4, 4));
   GIVES(GL_INVALID_ENUM, TexStorage2DEXT(t, 1, GL_RGBA, 4, 4)); /* has no size */
   GIVES(GL_INVALID_VALUE, TexStorage2DEXT(t, 0, rgba, 4, 4));
   GIVES(GL_INVALID_VALUE, TexStorage2DEXT(t, 1, rgba, 0, 4));
   GIVES(GL_INVALID_VALUE, TexStorage2DEXT(t, 1, rgba, 4, 0));
   GIVES(GL_INVALID_VALUE, TexStorage2DEXT(t, 1, rgba, over_px, 1));
   GIVES(GL_INVALID_VALUE, TexStorage2DEXT(GL_TEXTURE_CUBE_MAP, 1, rgba, 4, 5));
   GIVES(GL_INVALID_OPERATION, TexStorage2DEXT(t, 4, rgba, 4, 4));
   GIVES(GL_NO_ERROR, TexStorage2DEXT(t, 3, rgba, 4, 4));
   GIVES(GL_INVALID_OPERATION, TexStorage2DEXT(t, 3, rgba, 4, 4));
   GIVES(GL_INVALID_OPERATION,
         glTexImage2D(t, 0, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL));
   GIVES(GL_INVALID_OPERATION, glCopyTexImage2D(t, 0, GL_RGBA, 0, 0, 4, 4, 0));
   GIVES(GL_INVALID_OPERATION,
         glCompressedTexImage2D(t, 0, GL_ETC1_RGB8_OES, 4, 4, 0, 8, "12345678"));
   GIVES(GL_INVALID_OPERATION,
         glTexSubImage2D(t, 3, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, "1234"));
   GIVES(GL_NO_ERROR, glTexSubImage2D(t, 2, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, "1234"));
   GIVES(GL_NO_ERROR, glGetTexParameteriv(t, GL_TEXTURE_IMMUTABLE_FORMAT_EXT, &value));
   if (value != GL_TRUE)
      rules_fail(r, "a texture with storage says that it may change");
   GIVES(GL_INVALID_ENUM, glTexParameteri(t, GL_TEXTURE_IMMUTABLE_FORMAT_EXT, 0));
   GIVES(GL_INVALID_VALUE, glTexParameterf(t, GL_TEXTURE_MAX_ANISOTROPY_EXT, 0.5f));
   GIVES(GL_NO_ERROR, glTexParameterf(t, GL_TEXTURE_MAX_ANISOTROPY_EXT, 1000));
   GIVES(GL_INVALID_VALUE, glPixelStorei(GL_UNPACK_ROW_LENGTH_EXT, -1));
   GIVES(GL_INVALID_VALUE, glPixelStorei(GL_UNPACK_SKIP_ROWS_EXT, -1));
   GIVES(GL_INVALID_VALUE, glPixelStorei(GL_UNPACK_SKIP_PIXELS_EXT, -1));
   GIVES(GL_INVALID_ENUM, EGLImageTargetTexture2DOES(NO_ENUM, NULL));
   GIVES(GL_INVALID_VALUE, EGLImageTargetTexture2DOES(t, NULL));
   GIVES(GL_INVALID_ENUM, EGLImageTargetRenderbufferStorageOES(NO_ENUM, NULL));
   GIVES(GL_INVALID_VALUE, EGLImageTargetRenderbufferStorageOES(GL_RENDERBUFFER, NULL));
   glDeleteTextures(2, names);
   target_delete(&target);
}

/* EXT_discard_framebuffer, EXT_draw_buffers, EXT_multisampled_render_to_texture,
 * NV_framebuffer_blit */
void
wrong_attachments(struct rules *r)
{
   FUNCTION(PFNGLDISCARDFRAMEBUFFEREXTPROC, DiscardFramebufferEXT);
   FUNCTION(PFNGLDRAWBUFFERSEXTPROC, DrawBuffersEXT);
   FUNCTION(PFNGLRENDERBUFFERSTORAGEMULTISAMPLEEXTPROC, RenderbufferStorageMultisampleEXT);
   FUNCTION(PFNGLFRAMEBUFFERTEXTURE2DMULTISAMPLEEXTPROC, FramebufferTexture2DMultisampleEXT);
   FUNCTION(PFNGLBLITFRAMEBUFFERNVPROC, BlitFramebufferNV);
   const GLenum f = GL_FRAMEBUFFER, at = GL_COLOR_ATTACHMENT0;
   const GLenum wrong[1] = { NO_ENUM }, colour[1] = { GL_COLOR_EXT }, first[1] = { at },
                second[2] = { at, at }, back[1] = { GL_BACK }, two[2] = { GL_BACK, GL_NONE };
   GLint samples, buffers;
   GLuint texture;
   glGetIntegerv(GL_MAX_SAMPLES_EXT, &samples);
   glGetIntegerv(GL_MAX_DRAW_BUFFERS_EXT, &buffers);
   GIVES(GL_INVALID_ENUM,
         DiscardFramebufferEXT(f, 1, first)); /* the default frame buffer has other names */
   GIVES(GL_INVALID_OPERATION, DrawBuffersEXT(1, first));
   GIVES(GL_INVALID_OPERATION, DrawBuffersEXT(2, two));
   GIVES(GL_INVALID_OPERATION, DrawBuffersEXT(0, back));
   struct target target = target_create(SIZE_PX, SIZE_PX);
   GIVES(GL_INVALID_ENUM, DiscardFramebufferEXT(NO_ENUM, 1, first));
   GIVES(GL_INVALID_VALUE, DiscardFramebufferEXT(f, -1, first));
   GIVES(GL_INVALID_ENUM, DiscardFramebufferEXT(f, 1, wrong));
   GIVES(GL_INVALID_ENUM, DiscardFramebufferEXT(f, 1, colour));
   GIVES(GL_NO_ERROR, DiscardFramebufferEXT(f, 1, first));
   GIVES(GL_INVALID_VALUE, DrawBuffersEXT(-1, first));
   GIVES(GL_INVALID_VALUE, DrawBuffersEXT(buffers + 1, first));
   GIVES(GL_INVALID_ENUM, DrawBuffersEXT(1, wrong));
   GIVES(GL_INVALID_OPERATION, DrawBuffersEXT(1, back));
   GIVES(GL_INVALID_OPERATION, DrawBuffersEXT(2, second)); /* a buffer has its own place only */
   GIVES(GL_NO_ERROR, DrawBuffersEXT(1, first));
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   GIVES(GL_INVALID_VALUE, RenderbufferStorageMultisampleEXT(GL_RENDERBUFFER, -1, GL_RGBA4, 4, 4));
   GIVES(GL_INVALID_VALUE,
         RenderbufferStorageMultisampleEXT(GL_RENDERBUFFER, samples + 1, GL_RGBA4, 4, 4));
   GIVES(GL_INVALID_ENUM,
         RenderbufferStorageMultisampleEXT(GL_RENDERBUFFER, samples, NO_ENUM, 4, 4));
   GIVES(GL_INVALID_ENUM, RenderbufferStorageMultisampleEXT(NO_ENUM, samples, GL_RGBA4, 4, 4));
   GIVES(GL_INVALID_VALUE,
         RenderbufferStorageMultisampleEXT(GL_RENDERBUFFER, samples, GL_RGBA4, -1, 4));
   GIVES(GL_INVALID_VALUE,
         FramebufferTexture2DMultisampleEXT(f, at, GL_TEXTURE_2D, texture, 0, samples + 1));
   GIVES(GL_INVALID_ENUM, FramebufferTexture2DMultisampleEXT(f, at, NO_ENUM, texture, 0, samples));
   GIVES(GL_INVALID_VALUE,
         FramebufferTexture2DMultisampleEXT(f, at, GL_TEXTURE_2D, texture, 0, -1));
   GIVES(GL_INVALID_OPERATION,
         FramebufferTexture2DMultisampleEXT(f, at, GL_TEXTURE_2D, NO_NAME, 0, samples));
   GIVES(GL_INVALID_VALUE, BlitFramebufferNV(0, 0, 1, 1, 0, 0, 1, 1, 0x8000, GL_NEAREST));
   GIVES(GL_INVALID_ENUM, BlitFramebufferNV(0, 0, 1, 1, 0, 0, 1, 1, GL_COLOR_BUFFER_BIT, NO_ENUM));
   GIVES(GL_INVALID_OPERATION,
         BlitFramebufferNV(0, 0, 1, 1, 0, 0, 1, 1, GL_DEPTH_BUFFER_BIT, GL_LINEAR));
   target_delete(&target);
   glDeleteTextures(1, &texture);
}

/* KHR_debug, EXT_robustness, OES_get_program_binary, EXT_clip_control */
void
wrong_debug(struct rules *r)
{
   FUNCTION(PFNGLDEBUGMESSAGECONTROLKHRPROC, DebugMessageControlKHR);
   FUNCTION(PFNGLDEBUGMESSAGEINSERTKHRPROC, DebugMessageInsertKHR);
   FUNCTION(PFNGLPUSHDEBUGGROUPKHRPROC, PushDebugGroupKHR);
   FUNCTION(PFNGLPOPDEBUGGROUPKHRPROC, PopDebugGroupKHR);
   FUNCTION(PFNGLOBJECTLABELKHRPROC, ObjectLabelKHR);
   FUNCTION(PFNGLGETOBJECTLABELKHRPROC, GetObjectLabelKHR);
   FUNCTION(PFNGLREADNPIXELSEXTPROC, ReadnPixelsEXT);
   FUNCTION(PFNGLGETPROGRAMBINARYOESPROC, GetProgramBinaryOES);
   FUNCTION(PFNGLPROGRAMBINARYOESPROC, ProgramBinaryOES);
   FUNCTION(PFNGLCLIPCONTROLEXTPROC, ClipControlEXT);
   const GLenum any = GL_DONT_CARE, source = GL_DEBUG_SOURCE_APPLICATION_KHR,
                type = GL_DEBUG_TYPE_MARKER_KHR, severity = GL_DEBUG_SEVERITY_LOW_KHR;
   const GLuint id = 1;
   GLint longest, deepest;
   GLsizei length;
   GLenum format;
   char text[100];
   glGetIntegerv(GL_MAX_DEBUG_MESSAGE_LENGTH_KHR, &longest);
   glGetIntegerv(GL_MAX_DEBUG_GROUP_STACK_DEPTH_KHR, &deepest);
   GIVES(GL_INVALID_ENUM, DebugMessageControlKHR(NO_ENUM, any, any, 0, NULL, GL_TRUE));
   GIVES(GL_INVALID_ENUM, DebugMessageControlKHR(any, NO_ENUM, any, 0, NULL, GL_TRUE));
   GIVES(GL_INVALID_ENUM, DebugMessageControlKHR(any, any, NO_ENUM, 0, NULL, GL_TRUE));
   GIVES(GL_INVALID_VALUE, DebugMessageControlKHR(any, any, any, -1, NULL, GL_TRUE));
   GIVES(GL_INVALID_OPERATION, DebugMessageControlKHR(any, type, any, 1, &id, GL_TRUE));
   GIVES(GL_INVALID_OPERATION, DebugMessageControlKHR(source, type, severity, 1, &id, GL_TRUE));
   GIVES(GL_INVALID_ENUM,
         DebugMessageInsertKHR(GL_DEBUG_SOURCE_API_KHR, type, 1, severity, -1, "x"));
   GIVES(GL_INVALID_ENUM, DebugMessageInsertKHR(source, NO_ENUM, 1, severity, -1, "x"));
   GIVES(GL_INVALID_ENUM, DebugMessageInsertKHR(source, type, 1, NO_ENUM, -1, "x"));
   GIVES(GL_INVALID_VALUE, DebugMessageInsertKHR(source, type, 1, severity, longest, "x"));
   GIVES(GL_INVALID_ENUM, PushDebugGroupKHR(GL_DEBUG_SOURCE_API_KHR, 1, -1, "x"));
   GIVES(GL_INVALID_VALUE, PushDebugGroupKHR(source, 1, longest, "x"));
   GIVES(GL_STACK_UNDERFLOW_KHR, PopDebugGroupKHR());
   for (int i = 1; i < deepest; i++)
      GIVES(GL_NO_ERROR, PushDebugGroupKHR(source, 1, -1, "x"));
   GIVES(GL_STACK_OVERFLOW_KHR, PushDebugGroupKHR(source, 1, -1, "x"));
   for (int i = 1; i < deepest; i++)
      GIVES(GL_NO_ERROR, PopDebugGroupKHR());
   GIVES(GL_STACK_UNDERFLOW_KHR, PopDebugGroupKHR());
   GIVES(GL_INVALID_ENUM, ObjectLabelKHR(NO_ENUM, 1, -1, "x"));
   GIVES(GL_INVALID_VALUE, ObjectLabelKHR(GL_PROGRAM_KHR, NO_NAME, -1, "x"));
   GIVES(GL_INVALID_ENUM, GetObjectLabelKHR(NO_ENUM, 1, 10, &length, text));
   GIVES(GL_INVALID_VALUE, GetObjectLabelKHR(GL_PROGRAM_KHR, NO_NAME, 10, &length, text));
   const GLuint program = glCreateProgram();
   GIVES(GL_NO_ERROR, ObjectLabelKHR(GL_PROGRAM_KHR, program, -1, "a label"));
   GIVES(GL_INVALID_VALUE, ObjectLabelKHR(GL_PROGRAM_KHR, program, 1 << 20, "x"));
   GIVES(GL_NO_ERROR, GetObjectLabelKHR(GL_PROGRAM_KHR, program, sizeof(text), &length, text));
   if (strcmp(text, "a label"))
      rules_fail(r, "a label that is too long changed another one to \"%s\"", text);
   GIVES(GL_INVALID_VALUE, GetObjectLabelKHR(GL_PROGRAM_KHR, program, -1, &length, text));
   GIVES(GL_INVALID_OPERATION,
         GetProgramBinaryOES(program, sizeof(text), &length, &format, text)); /* is not linked */
   GIVES(GL_INVALID_ENUM, ProgramBinaryOES(program, NO_ENUM, text, sizeof(text)));
   glDeleteProgram(program);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   GIVES(GL_INVALID_OPERATION, ReadnPixelsEXT(0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, 63, text));
   GIVES(GL_NO_ERROR, ReadnPixelsEXT(0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, 64, text));
   target_delete(&target);
   GIVES(GL_INVALID_ENUM, ClipControlEXT(NO_ENUM, GL_ZERO_TO_ONE_EXT));
   GIVES(GL_INVALID_ENUM, ClipControlEXT(GL_LOWER_LEFT_EXT, NO_ENUM));
}

/* ------------------------------------------------------------------------------------------------
 * names of other versions */

static void
get_integer(GLenum name)
{
   GLint values[16];
   glGetIntegerv(name, values);
}

static void
is_enabled(GLenum name)
{
   (void)glIsEnabled(name);
}

static void
bind_buffer(GLenum name)
{
   glBindBuffer(name, 0);
}

static void
buffer_usage(GLenum name)
{
   glBufferData(GL_ARRAY_BUFFER, 4, NULL, name);
}

static void
bind_texture(GLenum name)
{
   glBindTexture(name, 0);
}

static void
texture_parameter(GLenum name)
{
   glTexParameteri(GL_TEXTURE_2D, name, 0);
}

static void
get_texture_parameter(GLenum name)
{
   GLint value[4];
   glGetTexParameteriv(GL_TEXTURE_2D, name, value);
}

static void
draw(GLenum name)
{
   glDrawArrays(name, 0, 4);
}

static void
store(GLenum name)
{
   glPixelStorei(name, 0);
}

static void
create_shader(GLenum name)
{
   glCreateShader(name);
}

static void
get_program(GLenum name)
{
   const GLuint program = glCreateProgram();
   GLint value;
   glGetProgramiv(program, name, &value);
   glDeleteProgram(program);
}

static void
array_type(GLenum name)
{
   glVertexAttribPointer(0, 4, name, GL_FALSE, 0, NULL);
}

static void
get_array(GLenum name)
{
   GLint value[4];
   glGetVertexAttribiv(0, name, value);
}

static void
storage(GLenum name)
{
   glRenderbufferStorage(GL_RENDERBUFFER, name, 4, 4);
}

static void
attach(GLenum name)
{
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, name, GL_RENDERBUFFER, 0);
}

static void
get_attachment(GLenum name)
{
   GLint value;
   glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, name, &value);
}

static void
stencil_operation(GLenum name)
{
   glStencilOp(GL_KEEP, GL_KEEP, name);
}

static void
hint(GLenum name)
{
   glHint(name, GL_NICEST);
}

/* What OpenGL ES 3 or OpenGL has, and neither OpenGL ES 2.0 nor an extension that is there. */
static const struct {
   const char *what;
   void (*call)(GLenum name);
   GLenum names[16];
} foreign[] = {
   /* MAJOR_VERSION, NUM_EXTENSIONS, MAX_UNIFORM_BUFFER_BINDINGS, MAX_ARRAY_TEXTURE_LAYERS,
    * MAX_VERTEX_UNIFORM_COMPONENTS, MAX_VARYING_COMPONENTS, POINT_SIZE, MATRIX_MODE,
    * MAX_TEXTURE_UNITS, MAX_LIGHTS, DRAW_BUFFER, DOUBLEBUFFER, STEREO,
    * MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS */
   { "glGetIntegerv",
     get_integer,
     { 0x821B, 0x821D, 0x8A2F, 0x88FF, 0x8B4A, 0x8B4B, 0x0B11, 0x0BA0, 0x84E2, 0x0D31, 0x0C01,
       0x0C32, 0x0C33, 0x8C8B } },
   /* RASTERIZER_DISCARD, PRIMITIVE_RESTART_FIXED_INDEX, LINE_SMOOTH, POINT_SMOOTH, LIGHTING, FOG,
    * ALPHA_TEST, COLOR_LOGIC_OP, MULTISAMPLE, POINT_SPRITE, PROGRAM_POINT_SIZE, POLYGON_SMOOTH,
    * POLYGON_OFFSET_LINE, TEXTURE_CUBE_MAP_SEAMLESS */
   { "glEnable",
     glEnable,
     { 0x8C89, 0x8D69, 0x0B20, 0x0B10, 0x0B50, 0x0B60, 0x0BC0, 0x0BF2, 0x809D, 0x8861, 0x8642,
       0x0B41, 0x2A02, 0x884F } },
   { "glIsEnabled",
     is_enabled,
     { 0x8C89, 0x8D69, 0x0B20, 0x0B10, 0x0B50, 0x0B60, 0x0BC0, 0x0BF2, 0x809D, 0x8861, 0x8642,
       0x0B41, 0x2A02, 0x884F } },
   /* UNIFORM, COPY_READ, TRANSFORM_FEEDBACK, TEXTURE, SHADER_STORAGE; STREAM_READ, DYNAMIC_COPY */
   { "glBindBuffer", bind_buffer, { 0x8A11, 0x8F36, 0x8C8E, 0x8C2A, 0x90D2 } },
   { "glBufferData", buffer_usage, { 0x88E1, 0x88EA } },
   /* 1D, 2D_ARRAY, RECTANGLE; BASE_LEVEL, MIN_LOD, MAX_LOD, SWIZZLE_R, LOD_BIAS, GENERATE_MIPMAP,
      PRIORITY */
   { "glBindTexture", bind_texture, { 0x0DE0, 0x8C1A, 0x84F5 } },
   { "glTexParameteri",
     texture_parameter,
     { 0x813C, 0x813A, 0x813B, 0x8E42, 0x8501, 0x8191, 0x8066 } },
   { "glGetTexParameteriv",
     get_texture_parameter,
     { 0x813C, 0x813A, 0x813B, 0x8E42, 0x8501, 0x8191, 0x8066 } },
   /* QUADS, QUAD_STRIP, POLYGON, LINES_ADJACENCY, PATCHES; UNPACK_SWAP_BYTES, _LSB_FIRST,
      _IMAGE_HEIGHT, _SKIP_IMAGES */
   { "glDrawArrays", draw, { 7, 8, 9, 10, 14 } },
   { "glPixelStorei", store, { 0x0CF0, 0x0CF1, 0x806E, 0x806D } },
   /* GEOMETRY, COMPUTE, TESS_EVALUATION; ACTIVE_UNIFORM_BLOCKS, TRANSFORM_FEEDBACK_VARYINGS,
      GEOMETRY_VERTICES_OUT */
   { "glCreateShader", create_shader, { 0x8DD9, 0x91B9, 0x8E87 } },
   { "glGetProgramiv", get_program, { 0x8A36, 0x8C83, 0x8916 } },
   /* INT, UNSIGNED_INT, DOUBLE, INT_2_10_10_10_REV; VERTEX_ATTRIB_ARRAY_INTEGER */
   { "glVertexAttribPointer", array_type, { 0x1404, 0x1405, 0x140A, 0x8D9F } },
   { "glGetVertexAttribiv", get_array, { 0x88FD } },
   /* RGB10_A2, RGBA32F, RGBA8I, DEPTH_COMPONENT32F; DEPTH_STENCIL_ATTACHMENT; RED_SIZE */
   { "glRenderbufferStorage", storage, { 0x8059, 0x8814, 0x8D8E, 0x8CAC } },
   { "glFramebufferRenderbuffer", attach, { 0x821A } },
   { "glGetFramebufferAttachmentParameteriv", get_attachment, { 0x8212 } },
   /* CLEAR; PERSPECTIVE_CORRECTION_HINT, LINE_SMOOTH_HINT */
   { "glStencilOp", stencil_operation, { 0x1500 } },
   { "glHint", hint, { 0x0C50, 0x0C52 } },
};

void
wrong_versions(struct rules *r)
{
   struct target target = target_create(SIZE_PX, SIZE_PX);
   const GLuint buffer = bound_buffer(4);
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
      for (int k = 0; k < 16 && foreign[i].names[k]; k++) {
         foreign[i].call(foreign[i].names[k]);
         const GLenum error = glGetError();
         if (error != GL_INVALID_ENUM)
            rules_fail(r, "%s of 0x%04x gives 0x%04x", foreign[i].what, foreign[i].names[k], error);
      }
   glDeleteTextures(1, &texture);
   glDeleteBuffers(1, &buffer);
   target_delete(&target);
}
