/* SPDX-License-Identifier: MIT */
#include "sim_json.h"

#include <stdio.h>
#include <string.h>

static void
set(json_t *object, const char *name, json_t *value)
{
   json_object_set_new(object, name, value);
}

static void
set_count(json_t *object, const char *name, uint64_t count)
{
   set(object, name, json_integer((json_int_t)count));
}

/* A part of a whole, null where there is no whole. Rounded, so that it is short. */
static json_t *
rate(uint64_t part, uint64_t whole)
{
   return whole ? json_real((double)(uint64_t)((double)part / (double)whole * 1e6 + 0.5) / 1e6)
                : json_null();
}

/* ------------------------------------------------------------------ parameters */

static json_t *
parameters_json(const struct cf_sim_machine *machine)
{
   json_t *json = json_object();
   for (uint32_t i = 0; i < CF_SIM_PARAMETERS; i++) {
      const struct cf_sim_parameter *p = &cf_sim_parameters[i];
      const uint32_t value = cf_sim_machine_value(machine, p);
      set(json, p->name,
          p->choices ? json_string(p->choices[value])
          : p->flag  ? json_boolean(value)
                     : json_integer(value));
   }
   return json;
}

/* ------------------------------------------------------------------ counters */

static void
set_named(json_t *json, const char *group, const char *name, uint64_t count)
{
   char key[64];
   snprintf(key, sizeof(key), "%s_%s", group, name);
   set_count(json, key, count);
}

/* Of a cache: z_requests, z_hits, ..., z_hit_rate. */
static void
set_cache(json_t *json, const char *group, const struct cf_sim_cache_counts *c)
{
   char key[64];
   set_named(json, group, "requests", c->requests);
   set_named(json, group, "hits", c->hits);
   set_named(json, group, "misses", c->misses);
   set_named(json, group, "compulsory_misses", c->compulsory);
   set_named(json, group, "fills", c->fills);
   set_named(json, group, "write_backs", c->write_backs);
   snprintf(key, sizeof(key), "%s_hit_rate", group);
   set(json, key, rate(c->hits, c->requests));
}

static void
set_prefetches(json_t *json, const struct cf_sim_cache_counts *z)
{
   set_count(json, "z_prefetches", z->prefetches);
   set_count(json, "z_prefetch_fills", z->prefetched);
   set_count(json, "z_prefetch_useless", z->useless);
}

static json_t *
work_json(const struct cf_sim_work *w)
{
   json_t *json = json_object();
   set_count(json, "frames", w->frames);
   set_count(json, "draws", w->draws);
   set_count(json, "clears", w->clears);
   set_count(json, "vertices", w->vertices);
   set_count(json, "geometry_primitives", w->geometry);
   set_count(json, "primitives", w->primitives);
   set_count(json, "primitives_set_up", w->set_up);
   set_count(json, "tasks", w->tasks);
   set_count(json, "quads", w->quads);
   set_count(json, "quads_hidden", w->hidden_quads);
   set_count(json, "fragments", w->fragments);
   set_count(json, "fragments_tested", w->tested);
   set_count(json, "fragments_written", w->written);
   set_count(json, "samples", w->samples);
   set_count(json, "texels", w->texels);
   return json;
}

/* ------------------------------------------------------------------ stack distances */

/* [lines, hits] of fully associative LRU caches of 1, 2, 4, ... lines, until nothing more hits. */
static json_t *
curve_json(const struct cf_sim_stack *stack)
{
   json_t *json = json_array();
   for (uint32_t lines = 1; lines <= 1u << 24; lines *= 2) {
      const uint64_t hits = cf_sim_stack_hits(stack, lines);
      json_array_append_new(json, json_pack("[I, I]", (json_int_t)lines, (json_int_t)hits));
      if (hits == stack->requests - stack->first)
         break;
   }
   return json;
}

static void
set_curves(json_t *json, const struct cf_sim_hits *hits)
{
   set(json, "texture_lru_curve", curve_json(&hits->texture_stack));
   set(json, "z_lru_curve", curve_json(&hits->z_stack));
   set(json, "color_lru_curve", curve_json(&hits->color_stack));
}

/* ------------------------------------------------------------------ machines */

static json_t *
counters_json(const struct cf_sim_hits *h)
{
   const struct cf_sim_cache_counts z = cf_sim_hits_sum(h, h->z),
                                    color = cf_sim_hits_sum(h, h->color),
                                    *texture = &h->texture.counts;
   json_t *json = work_json(&h->work);
   set_cache(json, "texture", texture);
   set_cache(json, "z", &z);
   set_prefetches(json, &z);
   set_cache(json, "color", &color);
   set_count(json, "z_reads", h->z_reads);
   set_count(json, "z_writes", h->z_writes);
   set_count(json, "color_reads", h->color_reads);
   set_count(json, "color_writes", h->color_writes);
   set_count(json, "bus_reads", z.fills + color.fills + texture->fills);
   set_count(json, "bus_writes", z.write_backs + color.write_backs);
   return json;
}

/* Requests of each pipeline, of depth and colour. */
static json_t *
pipelines_json(const struct cf_sim_hits *h)
{
   json_t *json = json_array();
   for (uint32_t p = 0; p < h->machine->screen.pipelines; p++)
      json_array_append_new(
         json, json_integer((json_int_t)(h->z[p].counts.requests + h->color[p].counts.requests)));
   return json;
}

/* ------------------------------------------------------------------ mode cycles */

static json_t *
causes_json(const struct cf_sim_misses_counts *n)
{
   json_t *json = json_object();
   for (enum cf_sim_cause cause = 0; cause < CF_SIM_CAUSES; cause++)
      set_count(json, cf_sim_cause_name(cause), n->cause[cause]);
   return json;
}

static void
set_misses(json_t *json, const char *group, const struct cf_sim_misses_counts *n)
{
   char key[64];
   set_named(json, group, "requests", n->requests);
   set_named(json, group, "hits", n->hits);
   set_named(json, group, "misses", n->misses);
   set_named(json, group, "chained", n->chained);
   set_named(json, group, "prefetches", n->prefetches);
   set_named(json, group, "prefetch_fills", n->prefetch_fills);
   set_named(json, group, "prefetch_late", n->late);
   set_named(json, group, "prefetch_useless", n->useless);
   set_named(json, group, "queue_cycles", n->queued);
   set_named(json, group, "latency_cycles", n->latency);
   snprintf(key, sizeof(key), "%s_hit_rate", group);
   set(json, key, rate(n->hits, n->requests));
   snprintf(key, sizeof(key), "%s_latency", group);
   set(json, key, rate(n->latency, n->requests));
   snprintf(key, sizeof(key), "%s_causes", group);
   set(json, key, causes_json(n));
}

static json_t *
timed_json(const struct cf_sim_cycles *c)
{
   const struct cf_sim_misses_counts z = cf_sim_cycles_sum(c, 0), color = cf_sim_cycles_sum(c, 1);
   json_t *json = json_object();
   set_count(json, "cycles", c->time);
   set(json, "requests_per_cycle", rate(z.requests + color.requests, c->time));
   set_count(json, "pipelines", c->machine->screen.pipelines);
   set_misses(json, "z", &z);
   set_misses(json, "color", &color);
   set_count(json, "bus_reads", c->dram.reads);
   set_count(json, "bus_writes", c->dram.writes);
   set_count(json, "bus_B", (c->dram.reads + c->dram.writes) * c->dram.line_B);
   set_count(json, "bus_cycles", c->dram.busy);
   set_count(json, "activations", c->dram.activations);
   set_count(json, "full_cycles", c->full);
   return json;
}

/* ------------------------------------------------------------------ the whole GPU */

static json_t *
unit_json(const struct cf_sim_unit *unit)
{
   json_t *json = json_object();
   for (enum cf_sim_why why = 0; why < CF_SIM_WHYS; why++) {
      if (unit->cycles[why])
         set_count(json, cf_sim_why_name(why), unit->cycles[why]);
   }
   return json;
}

/* What each cycle of each unit is for. */
static json_t *
units_json(const struct cf_sim_gpu *gpu)
{
   json_t *json = json_object();
   for (uint32_t part = 0; part < CF_SIM_PARTS; part++) {
      const uint32_t core = part - CF_SIM_PART_CORE;
      const bool is_core = part >= CF_SIM_PART_CORE && part < CF_SIM_PART_MEMORY;
      char name[CF_SIM_PART_NAME_B];
      if (is_core && core >= gpu->machine->core.count)
         continue;
      cf_sim_part_name((enum cf_sim_part)part, name);
      set(json, name, unit_json(&gpu->unit[part]));
      if (!is_core)
         continue;
      snprintf(name, sizeof(name), "alu%u", core);
      set(json, name, unit_json(&gpu->core[core].alu));
   }
   return json;
}

static void
set_line_cache(json_t *json, const char *group, uint64_t requests, uint64_t misses)
{
   char key[64];
   set_named(json, group, "requests", requests);
   set_named(json, group, "misses", misses);
   snprintf(key, sizeof(key), "%s_hit_rate", group);
   set(json, key, rate(requests - misses, requests));
}

static void
set_rates(json_t *json, const struct cf_sim_gpu *gpu)
{
   const struct cf_sim_gpu_counts *n = &gpu->counts;
   set(json, "texels_per_cycle", rate(n->filtered, gpu->time));
   set(json, "texels_read_per_cycle", rate(n->texels, gpu->time));
   set(json, "vertices_per_cycle", rate(n->vertices, gpu->time));
   set(json, "distinct_vertices_per_cycle", rate(n->distinct_vertices, gpu->time));
   set(json, "vertices_per_vertex_cycle", rate(n->vertices, n->vertex_cycles));
   set(json, "primitives_per_cycle", rate(n->primitives, gpu->time));
   set(json, "alu_instructions_per_cycle", rate(n->alu_instructions, gpu->time));
   set(json, "tasks_in_cores", rate(n->in_cores.inside, gpu->time));
   set(json, "lanes_covered", rate(n->covered, 32 * n->tasks[CF_SIM_STAGE_FRAGMENT]));
}

static void
set_prefetch(json_t *json, const struct cf_sim_prefetcher *p)
{
   set_count(json, "prefetch_blocks", p->asked);
   set_count(json, "prefetch_overtaken", p->overtaken);
   set(json, "prefetch_run_ahead", rate(p->sum_ahead, p->asked));
   set(json, "prefetch_distance", rate(p->distance, p->asked));
}

static json_t *
gpu_json(const struct cf_sim_gpu *gpu)
{
   const struct cf_sim_gpu_counts *n = &gpu->counts;
   json_t *json = json_object();
   set_rates(json, gpu);
   set_count(json, "vertices", n->vertices);
   set_count(json, "distinct_vertices", n->distinct_vertices);
   set_count(json, "vertex_cycles", n->vertex_cycles);
   set_count(json, "primitives", n->primitives);
   set_count(json, "geometry_primitives", n->geometry);
   set_count(json, "vertex_tasks", n->tasks[CF_SIM_STAGE_VERTEX]);
   set_count(json, "geometry_tasks", n->geometry_tasks);
   set_count(json, "fragment_tasks", n->tasks[CF_SIM_STAGE_FRAGMENT]);
   set_count(json, "quads", n->quads);
   set_count(json, "covered_pixels", n->covered);
   set_count(json, "texels", n->filtered);
   set_count(json, "texels_read", n->texels);
   set_count(json, "samples", n->samples);
   set_count(json, "instructions", n->instructions);
   set_count(json, "alu_instructions", n->alu_instructions);
   set_count(json, "alu_lanes", n->alu_lanes);
   set_count(json, "regions", gpu->raster.popped);
   set_count(json, "transfer_lines", gpu->front.transfer_lines);
   set_count(json, "lost_tasks", n->lost);
   set(json, "stuck", json_boolean(gpu->stuck));
   set_line_cache(json, "data", gpu->memory.requests, gpu->memory.misses);
   set_line_cache(json, "instruction", gpu->instructions.requests, gpu->instructions.misses);
   set_line_cache(json, "constant", gpu->constants.requests, gpu->constants.misses);
   set_line_cache(json, "l2", gpu->l2.asked, gpu->l2.misses.counts.misses);
   set_prefetch(json, &gpu->prefetch);
   set(json, "units", units_json(gpu));
   return json;
}

/* ------------------------------------------------------------------ one stage alone */

static json_t *
vertices_json(const struct cf_sim_vertices *v)
{
   const struct cf_sim_vertices_counts *n = &v->counts;
   json_t *json = json_object(), *units = json_object();
   set(json, "cycles_per_vertex", rate(v->time, n->vertices));
   set(json, "vertices_per_cycle", rate(n->vertices, v->time));
   set(json, "latency", rate(n->shaded, n->vertices));
   set_count(json, "vertices", n->vertices);
   set_count(json, "latency_cycles", n->shaded);
   set_count(json, "instructions", n->instructions);
   set_count(json, "operations", n->operations);
   set_count(json, "jumps", n->jumps);
   set_count(json, "fetch_misses", n->fetch_misses);
   set_count(json, "lost_vertices", n->lost);
   for (uint32_t i = 0; i < CF_SIM_VERTICES_PARTS; i++)
      set(units, cf_sim_vertices_part_name((enum cf_sim_vertices_part)i), unit_json(&v->unit[i]));
   set(json, "units", units);
   return json;
}

static json_t *
fragments_json(const struct cf_sim_fragments *f)
{
   const struct cf_sim_fragments_counts *n = &f->counts;
   json_t *json = json_object(), *units = json_object();
   set(json, "fragments_per_cycle", rate(n->fragments, f->time));
   set(json, "data_per_word", rate(n->data, n->words));
   set_count(json, "commands", n->commands);
   set_count(json, "fragments", n->fragments);
   set_count(json, "clear_data", n->clears);
   set_count(json, "fragments_dropped", n->dropped);
   set_count(json, "fragments_stencil_only", n->stencil_only);
   set_count(json, "data_written", n->data);
   set_count(json, "words_written", n->words);
   set_count(json, "full_words_written", n->full_words);
   set_count(json, "words_read", n->reads);
   set_count(json, "words_forwarded", n->forwarded);
   set_count(json, "bus_cycles", f->dram.busy);
   set(json, "stuck", json_boolean(f->stuck));
   for (uint32_t i = 0; i < CF_SIM_MODULES; i++)
      set(units, cf_sim_module_name((enum cf_sim_module)i), unit_json(&f->unit[i]));
   set(json, "units", units);
   return json;
}

/* Mode cycles, by gpu.model. */
json_t *
sim_json_timed(const struct sim_machine *m)
{
   json_t *json;
   if (m->vertices)
      return json_pack("{s: I, s: o}", "cycles", (json_int_t)m->vertices->time, "vertex_shader",
                       vertices_json(m->vertices));
   if (m->fragments)
      return json_pack("{s: I, s: o}", "cycles", (json_int_t)m->fragments->time, "fragment_unit",
                       fragments_json(m->fragments));
   json = timed_json(m->gpu ? &m->gpu->pixels : &m->cycles);
   if (m->gpu) {
      set_count(json, "cycles", m->gpu->time);
      set(json, "gpu", gpu_json(m->gpu));
   }
   return json;
}

json_t *
sim_json_counters(const struct sim_machine *m, bool stacks, bool timed)
{
   json_t *json = json_object(), *counters = counters_json(&m->hits);
   set(counters, "pipeline_requests", pipelines_json(&m->hits));
   if (stacks)
      set_curves(counters, &m->hits);
   set(json, "counters", counters);
   if (timed)
      set(json, "timed", sim_json_timed(m));
   return json;
}

static json_t *
machine_json(const struct sim_run *run, const struct sim_machine *m)
{
   json_t *json = json_object(), *counters = sim_json_counters(m, run->stacks, run->timed);
   set(json, "machine", json_string(m->name));
   set(json, "parameters", parameters_json(&m->machine));
   json_object_update(json, counters);
   json_decref(counters);
   if (run->watch.report)
      set(json, "watch", sim_watch_json(m->watch));
   return json;
}

json_t *
sim_json(const struct sim_run *run, const char *mode)
{
   json_t *json = json_object(), *machines = json_array();
   char hash[32];
   for (size_t i = 0; i < run->machines; i++)
      json_array_append_new(machines, machine_json(run, &run->machine[i]));
   snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)run->memory_hash);
   set(json, "version", json_integer(1));
   set(json, "capture", json_string(run->path));
   set(json, "mode", json_string(mode));
   set(json, "memory", run->replayed ? json_string(hash) : json_null());
   set(json, "machines", machines);
   if (run->frames.features)
      set(json, "features", run->frames.found ? json_incref(run->frames.found) : json_array());
   if (run->frames.chosen)
      set(json, "frames", run->frames.ran ? json_incref(run->frames.ran) : json_array());
   return json;
}
