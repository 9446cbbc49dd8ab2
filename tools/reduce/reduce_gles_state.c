/* SPDX-License-Identifier: MIT */
#include "reduce_gles_draw.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ names of GL */

static const char *
compare_name(enum cf_compare compare)
{
   static const char *const names[] = { "GL_NEVER",   "GL_LESS",     "GL_EQUAL",  "GL_LEQUAL",
                                        "GL_GREATER", "GL_NOTEQUAL", "GL_GEQUAL", "GL_ALWAYS" };
   return names[compare];
}

static const char *
stencil_name(enum cf_stencil_op op)
{
   static const char *const names[] = { "GL_KEEP", "GL_ZERO",      "GL_REPLACE",   "GL_INCR",
                                        "GL_DECR", "GL_INCR_WRAP", "GL_DECR_WRAP", "GL_INVERT" };
   return names[op];
}

static const char *
func_name(enum cf_blend_func func)
{
   static const char *const names[] = { "GL_FUNC_ADD", "GL_FUNC_SUBTRACT",
                                        "GL_FUNC_REVERSE_SUBTRACT", "0x8007 /* GL_MIN_EXT */",
                                        "0x8008 /* GL_MAX_EXT */" };
   return names[func];
}

/* NULL: OpenGL ES 2.0 has it not. */
static const char *
factor_name(enum cf_blend_factor factor)
{
   static const char *const names[] = {
      "GL_ZERO",
      "GL_ONE",
      "GL_SRC_COLOR",
      "GL_SRC_ALPHA",
      "GL_DST_COLOR",
      "GL_DST_ALPHA",
      "GL_CONSTANT_COLOR",
      "GL_CONSTANT_ALPHA",
      "GL_ONE_MINUS_SRC_COLOR",
      "GL_ONE_MINUS_SRC_ALPHA",
      "GL_ONE_MINUS_DST_COLOR",
      "GL_ONE_MINUS_DST_ALPHA",
      "GL_ONE_MINUS_CONSTANT_COLOR",
      "GL_ONE_MINUS_CONSTANT_ALPHA",
      "GL_SRC_ALPHA_SATURATE",
   };
   return factor < sizeof(names) / sizeof(*names) ? names[factor] : NULL;
}

/* ------------------------------------------------------------------ state */

static void
enable(struct reduce_gles *g, const char *name, bool on)
{
   fprintf(g->calls, "   %s(%s);\n", on ? "glEnable" : "glDisable", name);
}

/* The rectangle in GL's window, whose rows begin with the lowest. */
static void
put_scissor(struct reduce_gles *g, uint32_t min_x, uint32_t min_y, uint32_t max_x, uint32_t max_y)
{
   max_x = max_x < g->width_px ? max_x : g->width_px;
   max_y = max_y < g->height_px ? max_y : g->height_px;
   const uint32_t width = max_x > min_x ? max_x - min_x : 0,
                  height = max_y > min_y ? max_y - min_y : 0;
   const bool all = width == g->width_px && height == g->height_px;
   enable(g, "GL_SCISSOR_TEST", !all);
   if (!all)
      fprintf(g->calls, "   glScissor(%u, %u, %u, %u);\n", min_x,
              g->upside_down ? g->height_px - min_y - height : min_y, width, height);
}

static void
put_viewport(struct reduce_gles *g, const struct cf_viewport *v)
{
   const double half_height = fabs((double)v->scale_y), width = 2 * (double)v->scale_x,
                x = (double)v->translate_x - (double)v->scale_x,
                low = (double)v->translate_y - half_height,
                y = g->upside_down ? g->height_px - low - 2 * half_height : low;
   if (x != rint(x) || y != rint(y) || width != rint(width) ||
       2 * half_height != rint(2 * half_height) || width < 0)
      reduce_gles_lose(g, "the viewport has no whole pixels");
   fprintf(g->calls, "   glViewport(%.0f, %.0f, %.0f, %.0f);\n", x, y, width, 2 * half_height);
   fprintf(g->calls, "   glDepthRangef(%.9g, %.9g);\n", (double)(v->translate_z - v->scale_z) + 0.0,
           (double)(v->translate_z + v->scale_z));
}

/* What only the desktop's OpenGL has. */
static void
lose_raster(struct reduce_gles *g, const struct cf_raster *r)
{
   if (r->fill_front != CF_POLYGON_MODE_FILL || r->fill_back != CF_POLYGON_MODE_FILL)
      reduce_gles_lose(g, "polygons are drawn as lines or points");
   if (r->point_smooth || r->line_smooth || r->poly_smooth)
      reduce_gles_lose(g, "points, lines or polygons are smooth");
   if (r->line_stipple || r->poly_stipple)
      reduce_gles_lose(g, "lines or polygons are stippled");
   if (r->clip_planes)
      reduce_gles_lose(g, "there are clip planes");
   if (r->discard)
      reduce_gles_lose(g, "rasterisation is off");
   if (r->depth_clamp || !r->depth_clip_near || !r->depth_clip_far)
      reduce_gles_lose(g, "depths are clamped, not clipped");
   if (r->clip_halfz || !r->half_pixel_center)
      reduce_gles_lose(g, "coordinates are not those of OpenGL");
}

static void
put_raster(struct reduce_gles *g, const struct look_state *s)
{
   const struct cf_raster *r = &s->raster;
   lose_raster(g, r);
   enable(g, "GL_CULL_FACE", r->cull_front || r->cull_back);
   if (r->cull_front || r->cull_back)
      fprintf(g->calls, "   glCullFace(%s);\n",
              r->cull_front && r->cull_back ? "GL_FRONT_AND_BACK"
              : r->cull_front               ? "GL_FRONT"
                                            : "GL_BACK");
   fprintf(g->calls, "   glFrontFace(%s);\n",
           r->front_ccw != (s->viewport.scale_y > 0) ? "GL_CCW" : "GL_CW");
   enable(g, "GL_POLYGON_OFFSET_FILL", r->offset_fill);
   if (r->offset_fill)
      fprintf(g->calls, "   glPolygonOffset(%.9g, %.9g);\n", (double)r->offset_scale,
              (double)r->offset_units);
   fprintf(g->calls, "   glLineWidth(%.9g);\n", (double)r->line_width_px);
}

static void
put_depth(struct reduce_gles *g, const struct cf_depth_stencil *d)
{
   enable(g, "GL_DEPTH_TEST", d->depth_test);
   if (d->depth_test)
      fprintf(g->calls, "   glDepthFunc(%s);\n   glDepthMask(%s);\n", compare_name(d->depth_func),
              d->depth_write ? "GL_TRUE" : "GL_FALSE");
   if (d->alpha_test)
      reduce_gles_lose(g, "there is an alpha test");
}

static void
put_stencil(struct reduce_gles *g, const struct cf_depth_stencil *d,
            const struct cf_stencil_ref *ref)
{
   const bool two = d->stencil_back;
   enable(g, "GL_STENCIL_TEST", d->stencil_front);
   if (!d->stencil_front)
      return;
   fprintf(g->calls, "   glStencilFuncSeparate(GL_FRONT, %s, %u, %u);\n",
           compare_name(d->front_func), ref->front, d->front_value_mask);
   fprintf(g->calls, "   glStencilOpSeparate(GL_FRONT, %s, %s, %s);\n", stencil_name(d->front_fail),
           stencil_name(d->front_zfail), stencil_name(d->front_zpass));
   fprintf(g->calls, "   glStencilMaskSeparate(GL_FRONT, %u);\n", d->front_write_mask);
   fprintf(g->calls, "   glStencilFuncSeparate(GL_BACK, %s, %u, %u);\n",
           compare_name(two ? d->back_func : d->front_func), two ? ref->back : ref->front,
           two ? d->back_value_mask : d->front_value_mask);
   fprintf(g->calls, "   glStencilOpSeparate(GL_BACK, %s, %s, %s);\n",
           stencil_name(two ? d->back_fail : d->front_fail),
           stencil_name(two ? d->back_zfail : d->front_zfail),
           stencil_name(two ? d->back_zpass : d->front_zpass));
   fprintf(g->calls, "   glStencilMaskSeparate(GL_BACK, %u);\n",
           two ? d->back_write_mask : d->front_write_mask);
}

static void
put_mask(struct reduce_gles *g, uint32_t mask)
{
   static const char *const values[] = { "GL_FALSE", "GL_TRUE" };
   fprintf(g->calls, "   glColorMask(%s, %s, %s, %s);\n", values[mask & 1], values[mask >> 1 & 1],
           values[mask >> 2 & 1], values[mask >> 3 & 1]);
}

static void
put_blend(struct reduce_gles *g, const struct cf_blend *b, const struct cf_blend_color *color)
{
   const char *factors[] = { factor_name(b->src_color), factor_name(b->dst_color),
                             factor_name(b->src_alpha), factor_name(b->dst_alpha) };
   if (b->logicop_enable)
      reduce_gles_lose(g, "there is a logic operation");
   if (b->alpha_to_one)
      reduce_gles_lose(g, "alpha becomes one");
   put_mask(g, b->write_mask);
   enable(g, "GL_DITHER", b->dither);
   enable(g, "GL_BLEND", b->enable);
   if (!b->enable)
      return;
   for (uint32_t i = 0; i < 4; i++) {
      if (!factors[i]) {
         reduce_gles_lose(g, "blending takes a second colour");
         factors[i] = "GL_ONE";
      }
   }
   fprintf(g->calls, "   glBlendEquationSeparate(%s, %s);\n", func_name(b->color_func),
           func_name(b->alpha_func));
   fprintf(g->calls, "   glBlendFuncSeparate(%s, %s, %s, %s);\n", factors[0], factors[1],
           factors[2], factors[3]);
   fprintf(g->calls, "   glBlendColor(%.9g, %.9g, %.9g, %.9g);\n", (double)color->color[0],
           (double)color->color[1], (double)color->color[2], (double)color->color[3]);
}

void
reduce_gles_state(struct reduce_gles *g, const struct look_state *s)
{
   if (s->feedback.outputs)
      reduce_gles_lose(g, "vertices are fed back to buffers");
   if (s->framebuffer.samples > 1)
      reduce_gles_lose(g, "the image has %u samples a pixel", s->framebuffer.samples);
   if (s->framebuffer.color_count > 1)
      reduce_gles_lose(g, "there are %u colour images", s->framebuffer.color_count);
   put_viewport(g, &s->viewport);
   put_scissor(g, s->scissor.min_x_px, s->scissor.min_y_px, s->scissor.max_x_px,
               s->scissor.max_y_px);
   put_raster(g, s);
   put_depth(g, &s->depth_stencil);
   put_stencil(g, &s->depth_stencil, &s->stencil_ref);
   put_blend(g, &s->blend[0], &s->blend_color);
}

void
reduce_gles_clear(struct reduce_gles *g, const uint32_t *packet)
{
   struct cf_clear c;
   const char *bad_field;
   float color[4];
   if (!cf_clear_unpack(packet, &c, &bad_field))
      return;
   memcpy(color, c.color, sizeof(color));
   put_scissor(g, c.min_x_px, c.min_y_px, c.max_x_px, c.max_y_px);
   put_mask(g, ~c.color_preserved & 0xf);
   fprintf(g->calls, "   glDepthMask(GL_TRUE);\n   glStencilMask(%u);\n", c.stencil_write_mask);
   fprintf(g->calls, "   glClearColor(%.9g, %.9g, %.9g, %.9g);\n", (double)color[0],
           (double)color[1], (double)color[2], (double)color[3]);
   fprintf(g->calls, "   glClearDepthf(%.9g);\n   glClearStencil(%u);\n", (double)c.depth_value,
           c.stencil_value);
   fprintf(g->calls, "   glClear(0%s%s%s);\n", c.colors & 1 ? " | GL_COLOR_BUFFER_BIT" : "",
           c.depth ? " | GL_DEPTH_BUFFER_BIT" : "", c.stencil ? " | GL_STENCIL_BUFFER_BIT" : "");
}
