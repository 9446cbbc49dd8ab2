// SPDX-License-Identifier: MIT
//
// Sampler objects: one texture seen through each of them at once, whatever the texture's own state says: wraps,
// filters, comparisons, and clamps of the level of detail.
import { page, gl, program, places, texture, cell, cover, WHOLE, HEAD } from './raw.js';

const SEE = `${HEAD} uniform sampler2D a, b; out vec4 result;
void main() {
   vec2 place = (at - 0.5) * 3.0 + 0.31;
   result = vec4(at.x < 0.5 ? texture(a, place).rgb : texture(b, place).rgb, 1.0);
}`;
const COMPARE = `${HEAD} uniform sampler2DShadow a; uniform sampler2D b; out vec4 result;
void main() { result = vec4(texture(a, vec3(at, 0.5)), textureProj(a, vec4(at, 0.3, 1.0)), texture(b, at).r, 1.0); }`;
const SAMPLERS = [
   ['NEAREST', 'NEAREST', 'REPEAT', 'REPEAT', {}],
   ['LINEAR', 'LINEAR', 'CLAMP_TO_EDGE', 'MIRRORED_REPEAT', {}],
   ['LINEAR_MIPMAP_LINEAR', 'LINEAR', 'MIRRORED_REPEAT', 'CLAMP_TO_EDGE', { TEXTURE_MIN_LOD: 2 }],
   ['NEAREST_MIPMAP_LINEAR', 'NEAREST', 'REPEAT', 'CLAMP_TO_EDGE', { TEXTURE_MIN_LOD: 1.4, TEXTURE_MAX_LOD: 1.4 }],
   ['LINEAR_MIPMAP_NEAREST', 'LINEAR', 'REPEAT', 'REPEAT', { TEXTURE_MIN_LOD: 3 }],
   ['NEAREST_MIPMAP_NEAREST', 'LINEAR', 'REPEAT', 'REPEAT', { TEXTURE_MAX_LOD: 0 }],
];

function sampler([min, mag, s, t, more]) {
   const made = gl.createSampler();
   Object.entries({ TEXTURE_MIN_FILTER: gl[min], TEXTURE_MAG_FILTER: gl[mag], TEXTURE_WRAP_S: gl[s],
      TEXTURE_WRAP_T: gl[t] }).forEach(([name, value]) => gl.samplerParameteri(made, gl[name], value));
   Object.entries(more).forEach(([name, value]) => gl.samplerParameterf(made, gl[name], value));
   return made;
}

function painted() {
   const made = texture(gl.TEXTURE_2D, 5, gl.RGBA8, 16, 16);
   gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 16, 16, gl.RGBA, gl.UNSIGNED_BYTE,
      Uint8Array.from({ length: 1024 }, (_, i) => Math.imul(i + 5, 40503) >> 3));
   gl.generateMipmap(gl.TEXTURE_2D);
   return made;
}

function depth() {
   const made = texture(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, 15, 15);
   gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 15, 15, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT,
      Uint32Array.from({ length: 225 }, (_, i) => Math.imul(i + 1, 2654435761) >>> 0));
   return made;
}

function comparing() {
   const made = sampler(['LINEAR', 'LINEAR', 'CLAMP_TO_EDGE', 'CLAMP_TO_EDGE', {}]);
   gl.samplerParameteri(made, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
   gl.samplerParameteri(made, gl.TEXTURE_COMPARE_FUNC, gl.LESS);
   return made;
}

function bind(unit, shown, by) {
   gl.activeTexture(gl.TEXTURE0 + unit);
   gl.bindTexture(gl.TEXTURE_2D, shown);
   gl.bindSampler(unit, by);
}

page.show(async () => {
   const [see, compare] = [SEE, COMPARE].map(source => program(WHOLE, source)), shown = painted(), deep = depth();
   const samplers = SAMPLERS.map(sampler), shadow = comparing(), plain = sampler(SAMPLERS[0]);
   for (const of of [see, compare]) {
      gl.useProgram(of);
      gl.uniform1i(places(of).a, 0);
      gl.uniform1i(places(of).b, 1);
   }
   return () => {
      gl.useProgram(see);
      for (let i = 0; i < 3; i++) {
         bind(0, shown, samplers[2 * i]);
         bind(1, shown, samplers[2 * i + 1]);
         cell(i, 2, 2);
         cover();
      }
      gl.useProgram(compare);
      bind(0, deep, shadow);
      bind(1, deep, plain);
      cell(3, 2, 2);
      cover();
   };
});
