# SPDX-License-Identifier: MIT
"""The tests of piglit that count, and how piglit is asked for them."""
from pathlib import Path

from harness.suite import driver_env, run
from results import read_list

HERE = Path(__file__).resolve().parent
# Tests of OpenGL ES 2.0 and 3.0 with the OES extensions, of OpenGL up to 3.3, and of GLX; of EGL and the extensions
# that there are most tests of; and of what OpenGL 3.2 and 3.3 take from extensions, with those beside that need nothing
# of OpenGL 4; parsers of shaders and of ARB programs, and what is of no version.
SPECIFICATIONS = ('spec@!opengl es 2.0', 'spec@glsl-es-1.00', 'spec@oes_', 'spec@!opengl 1', 'spec@!opengl 2',
                  'spec@!opengl es 3.0', 'spec@glsl-es-3.00', 'spec@!opengl 3.[0-3]', 'spec@gl-3.1',
                  'spec@glsl-1.10', 'spec@glsl-1.20', 'spec@glsl-1.30', 'spec@glsl-1.40', 'spec@glsl-1.50',
                  'spec@glsl-3.30', '^glx', '^shaders', '^fast_color_clear')
EXTENSIONS = ('spec@arb_(clear_buffer|clip_control|color_buffer_float|copy_buffer|depth_|draw_instanced|es2_compat)',
              'spec@arb_(fragment_program|framebuffer_|instanced_arrays|map_buffer|occlusion|pixel_buffer|point_)',
              'spec@arb_(sampler_objects|separate_shader|shader_texture_lod|sync@|vertex_(array_|buffer_|program))',
              'spec@arb_(half_float_vertex|uniform_buffer_object|vertex_type_2_10_10_10_rev|explicit_attrib_location)',
              'spec@arb_texture_(buffer_object|compression|cube_map|float|rectangle|rg|storage)@',
              'spec@arb_(draw_buffers|fragment_coord|multisample@|shader_objects|texture_env_crossbar)',
              'spec@amd_(conservative_depth|depth_clamp_separate|performance_monitor|seamless_cube|shader_trinary)',
              'spec@apple_sync', 'spec@ati_', 'spec@egl',
              'spec@ext_(transform_feedback|texture_integer|texture_shared_exponent|packed_float)',
              'spec@ext_(direct_state|disjoint|draw_buffers|framebuffer_(blit|object)|packed_depth)',
              'spec@ext_(color_buffer_float|draw_instanced|fog_coord|frag_depth|framebuffer_multisample@)',
              'spec@ext_(debug_label|framebuffer_multisample_blit_scaled|occlusion_query_boolean|polygon_offset_clamp)',
              'spec@ext_(separate_shader_objects|shader_integer_mix|texture_storage_compression|unpack_subimage)',
              'spec@khr_(debug|parallel_shader|texture_compression_astc)',
              'spec@ext_texture_(array|compression_(latc|rgtc|s3tc)|env|format|lod|srgb|snorm|swizzle)', '^hiz',
              'spec@nv_(conditional|copy_image|fog|half_float|primitive|read_depth|texture_)',
              'spec@mesa_pack_invert', 'spec@sgis_generate_mipmap')
LATER = ('spec@arb_(arrays_of_arrays|conservative_depth|debug_output|get_texture_sub_image|program_interface_query)',
         'spec@arb_(shader_subroutine|shading_language_(include|packing)|texture_storage_multisample)',
         'spec@arb_(base_instance|blend_func|buffer_storage|clear_texture|conditional_render)',
         'spec@arb_(copy_image|derivative_control)',
         'spec@arb_(direct_state|draw_elements_base|draw_indirect|es3_compat|explicit_uniform|internalformat_query)',
         'spec@arb_(multi_bind|multi_draw_indirect|provoking|seamless_cube|shader_bit|shading_language_420pack)',
         'spec@arb_(timer_query|transform_feedback[23]|transform_feedback_instanced|vertex_attrib_binding)',
         'spec@arb_(get_program_binary|invalidate_subdata|robustness|texture_barrier)',
         'spec@mesa_shader_integer',
         'spec@arb_texture_(buffer_range|multisample|query_l|rgb10_a2ui)',
         'spec@ext_(base_instance|gpu_shader4|provoking|timer_query|vertex_array_bgra)')
OTHERS = ('^asmparsertest', '^glslparsertest', '^object namespace pollution', '^security@', 'spec@scope_limits_in_loop',
          'spec@gl-3.3')
GROUPS = (*SPECIFICATIONS, *EXTENSIONS, *LATER, *OTHERS)
SKIPS = HERE / 'clipfree-skips.txt'
# Without piglit's quick skips: they take GLSL tests for ones of OpenGL's core profile, which a driver of OpenGL 2.1
# does not have. A test that wants more than the driver has skips by itself.
ENVIRONMENT = {'PIGLIT_PLATFORM': 'mixed_glx_egl', 'PIGLIT_COMPRESSION': 'none', 'PIGLIT_NO_FAST_SKIP': '1'}


def options(groups, skips):
   """Piglit's options for the tests that match one of the regular expressions `groups`, and none of `skips`."""
   return [option for pattern in groups for option in ('-t', pattern)] + [option for pattern in skips
                                                                          for option in ('-x', pattern)]


def listed(groups, skips):
   """The names of those tests."""
   printed = run(['piglit', 'print-cmd', 'quick', *options(groups, skips)], driver_env(**ENVIRONMENT), timeout_s=120)
   if not printed.ok:
      raise SystemExit('piglit could not list its tests: ' + printed.why())
   return [line.split(' ::: ')[0] for line in printed.output.splitlines() if ' ::: ' in line]


def piglit_version():
   """The version of Debian's piglit that is installed."""
   return run(['dpkg-query', '-W', '-f', '${Version}', 'piglit']).output.strip()


def skipped_file():
   """The list of what skips, for that version."""
   return HERE / f'clipfree-skipped-{piglit_version()}.txt'


def read_skipped():
   """Of skipped_file(): (number of tests of the whole set, names of those that may skip); (0, None) without a list: any
   may."""
   path = skipped_file()
   if not path.exists():
      print(f'there is no {path.name}: any test may skip, and none is missed (--update writes the list)')
      return 0, None
   number, *names = read_list(path)
   return int(number.removesuffix(' tests')), set(names)
