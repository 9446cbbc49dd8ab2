/* SPDX-License-Identifier: MIT
 *
 * The extension checks by topic, a file each: ext_*.c. A check ends the program with a message if
 * something is wrong.
 */
#ifndef EXTENSION_CHECKS_H
#define EXTENSION_CHECKS_H

#include "gles2_context.h"

/* Functions of extensions, which the library does not export: gl.NAME is glNAME. */
#define EXTENSION_FUNCTIONS(F) \
   F(PFNGLGETPERFMONITORGROUPSAMDPROC, GetPerfMonitorGroupsAMD) \
   F(PFNGLGETPERFMONITORCOUNTERSAMDPROC, GetPerfMonitorCountersAMD) \
   F(PFNGLGETPERFMONITORCOUNTERSTRINGAMDPROC, GetPerfMonitorCounterStringAMD) \
   F(PFNGLGENPERFMONITORSAMDPROC, GenPerfMonitorsAMD) \
   F(PFNGLSELECTPERFMONITORCOUNTERSAMDPROC, SelectPerfMonitorCountersAMD) \
   F(PFNGLBEGINPERFMONITORAMDPROC, BeginPerfMonitorAMD) \
   F(PFNGLENDPERFMONITORAMDPROC, EndPerfMonitorAMD) \
   F(PFNGLDELETEPERFMONITORSAMDPROC, DeletePerfMonitorsAMD) \
   F(PFNGLGETPERFMONITORCOUNTERDATAAMDPROC, GetPerfMonitorCounterDataAMD) \
   F(PFNGLBEGINQUERYEXTPROC, BeginQueryEXT) \
   F(PFNGLBINDVERTEXARRAYOESPROC, BindVertexArrayOES) \
   F(PFNGLBLITFRAMEBUFFERNVPROC, BlitFramebufferNV) \
   F(PFNGLCLIPCONTROLEXTPROC, ClipControlEXT) \
   F(PFNGLDEBUGMESSAGECALLBACKKHRPROC, DebugMessageCallbackKHR) \
   F(PFNGLDEBUGMESSAGECONTROLKHRPROC, DebugMessageControlKHR) \
   F(PFNGLDEBUGMESSAGEINSERTKHRPROC, DebugMessageInsertKHR) \
   F(PFNGLDELETEQUERIESEXTPROC, DeleteQueriesEXT) \
   F(PFNGLDELETEVERTEXARRAYSOESPROC, DeleteVertexArraysOES) \
   F(PFNGLDISCARDFRAMEBUFFEREXTPROC, DiscardFramebufferEXT) \
   F(PFNGLDRAWARRAYSINSTANCEDEXTPROC, DrawArraysInstancedEXT) \
   F(PFNGLDRAWBUFFERSEXTPROC, DrawBuffersEXT) \
   F(PFNGLDRAWELEMENTSINSTANCEDEXTPROC, DrawElementsInstancedEXT) \
   F(PFNGLENDQUERYEXTPROC, EndQueryEXT) \
   F(PFNGLFLUSHMAPPEDBUFFERRANGEEXTPROC, FlushMappedBufferRangeEXT) \
   F(PFNGLFRAMEBUFFERTEXTURE2DMULTISAMPLEEXTPROC, FramebufferTexture2DMultisampleEXT) \
   F(PFNGLGENQUERIESEXTPROC, GenQueriesEXT) \
   F(PFNGLGENVERTEXARRAYSOESPROC, GenVertexArraysOES) \
   F(PFNGLGETGRAPHICSRESETSTATUSEXTPROC, GetGraphicsResetStatusEXT) \
   F(PFNGLGETINTEGER64VEXTPROC, GetInteger64vEXT) \
   F(PFNGLGETPROGRAMBINARYOESPROC, GetProgramBinaryOES) \
   F(PFNGLGETQUERYOBJECTUI64VEXTPROC, GetQueryObjectui64vEXT) \
   F(PFNGLGETQUERYOBJECTUIVEXTPROC, GetQueryObjectuivEXT) \
   F(PFNGLGETQUERYIVEXTPROC, GetQueryivEXT) \
   F(PFNGLISVERTEXARRAYOESPROC, IsVertexArrayOES) \
   F(PFNGLMAPBUFFEROESPROC, MapBufferOES) \
   F(PFNGLMAPBUFFERRANGEEXTPROC, MapBufferRangeEXT) \
   F(PFNGLMULTIDRAWARRAYSEXTPROC, MultiDrawArraysEXT) \
   F(PFNGLMULTIDRAWELEMENTSEXTPROC, MultiDrawElementsEXT) \
   F(PFNGLPOPDEBUGGROUPKHRPROC, PopDebugGroupKHR) \
   F(PFNGLPROGRAMBINARYOESPROC, ProgramBinaryOES) \
   F(PFNGLPUSHDEBUGGROUPKHRPROC, PushDebugGroupKHR) \
   F(PFNGLQUERYCOUNTEREXTPROC, QueryCounterEXT) \
   F(PFNGLREADNPIXELSEXTPROC, ReadnPixelsEXT) \
   F(PFNGLRENDERBUFFERSTORAGEMULTISAMPLEEXTPROC, RenderbufferStorageMultisampleEXT) \
   F(PFNGLTEXSTORAGE2DEXTPROC, TexStorage2DEXT) \
   F(PFNGLUNMAPBUFFEROESPROC, UnmapBufferOES) \
   F(PFNGLVERTEXATTRIBDIVISOREXTPROC, VertexAttribDivisorEXT)
#define EXTENSION_FUNCTION(type, name) type name;
extern struct extension_functions {
   EXTENSION_FUNCTIONS(EXTENSION_FUNCTION)
} gl;

struct check {
   const char *name;
   void (*run)(EGLDisplay display);
};

/* Tables that end with a NULL name. */
extern const struct check program_checks[], query_checks[], buffer_checks[], draw_checks[],
   reuse_checks[], robustness_checks[], debug_checks[], egl_checks[], egl_api_checks[],
   framebuffer_checks[], texture_checks[], thread_checks[];

/* Ends the program, as skipped, unless GL (or the display) has the extension: the list of all that
 * are promised is check "promised". */
void need_gl(const char *extension);
void need_egl(EGLDisplay display, const char *extension);

/* A counter of the driver (GL_AMD_performance_monitor), by its name: what is added to it between
 * begin and end, where it must be begun again. */
struct counter {
   GLuint group, counter, monitor;
};
void counter_begin(struct counter *c, const char *name);
uint64_t counter_end(struct counter *c);

/* Messages of GL_KHR_debug of the current context from now on, joined with newlines. The text is
 * the caller's to read, up to the next call. */
void messages_begin(void);
const char *messages_text(void);

#endif
