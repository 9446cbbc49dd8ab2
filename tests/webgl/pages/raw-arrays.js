// SPDX-License-Identifier: MIT
//
// Tables that a shader indexes by what it computes, as ambient occlusion does: constants, uniforms, and a local array
// that it writes; the indices come from a texture, from a loop, and from both. What it finds is what JavaScript finds.
import { page, gl, program, places, texture, target, cover, WHOLE, HEAD } from './raw.js';

const SIZE = 63, ENTRIES = 16;
const SCALES = Array.from({ length: ENTRIES }, (_, i) => (i * i + 3) / 256);
const TABLES = `${HEAD}
uniform sampler2D noise; uniform vec3 ways[${ENTRIES}];
float scales[${ENTRIES}] = float[${ENTRIES}](${SCALES.map(scale => scale.toFixed(8)).join(', ')});
out vec4 result;
void main() {
   vec2 random = texelFetch(noise, ivec2(gl_FragCoord.xy), 0).rg;
   ivec2 first = ivec2(random * 16.0);
   vec3 sum = vec3(0);
   float local[4] = float[4](0.0, 0.0, 0.0, 0.0);
   for (int i = 0; i < ${ENTRIES}; ++i) {
      sum += scales[(i + first.x) % 16] * ways[(i + first.y) % 16];
      local[(i * i + first.x) % 4] += scales[i];
   }
   result = vec4(sum, local[first.y % 4]);
}`;
const SHOW = `${HEAD} uniform sampler2D shown; out vec4 result;
void main() { vec4 sums = texture(shown, at); result = vec4(sums.rgb * 0.15 + sums.a * 0.2, 1.0); }`;

function wanted(texels, ways) {
   const all = [];
   for (let p = 0; p < SIZE * SIZE; p++) {
      const [x, y] = [0, 1].map(c => Math.trunc(texels[4 * p + c] / 255 * 16)), sum = [0, 0, 0], local = [0, 0, 0, 0];
      for (let i = 0; i < ENTRIES; i++) {
         for (const c of [0, 1, 2]) sum[c] += SCALES[(i + x) % 16] * ways[(i + y) % 16 * 3 + c];
         local[(i * i + x) % 4] += SCALES[i];
      }
      all.push(...sum, local[y % 4]);
   }
   return all;
}

gl.getExtension('EXT_color_buffer_float');
page.show(async () => {
   const tables = program(WHOLE, TABLES), show = program(WHOLE, SHOW), at = places(tables);
   const sums = texture(gl.TEXTURE_2D, 1, gl.RGBA32F, SIZE, SIZE), into = target(sums);
   const texels = Uint8Array.from({ length: 4 * SIZE * SIZE }, () => 255 * Math.random());
   const noise = texture(gl.TEXTURE_2D, 1, gl.RGBA8, SIZE, SIZE);
   gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, SIZE, SIZE, gl.RGBA, gl.UNSIGNED_BYTE, texels);
   const ways = Float32Array.from({ length: 3 * ENTRIES }, Math.random);
   return (_, frame) => {
      gl.bindFramebuffer(gl.FRAMEBUFFER, into);
      gl.viewport(0, 0, SIZE, SIZE);
      gl.useProgram(tables);
      gl.uniform3fv(at.ways, ways);
      gl.bindTexture(gl.TEXTURE_2D, noise);
      cover();
      if (frame === 0) {
         const found = new Float32Array(4 * SIZE * SIZE);
         gl.readPixels(0, 0, SIZE, SIZE, gl.RGBA, gl.FLOAT, found);
         page.expect('sums', found, wanted(texels, ways), 1e-5);
      }
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      gl.viewport(0, 0, page.width, page.height);
      gl.useProgram(show);
      gl.bindTexture(gl.TEXTURE_2D, sums);
      cover();
   };
});
