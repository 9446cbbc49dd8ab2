// SPDX-License-Identifier: MIT
//
// Waves in targets of 32-bit floats, filtered (OES_texture_float_linear), summed by blending of floats, and shown as
// light; their sum stays what it was.
import { page, gl, program, texture, target, cover, buffer, WHOLE, HEAD } from './raw.js';

const SIZE = 128, DROPS = 24;
const DROP = `#version 300 es
in vec3 drop;
flat out float height;
void main() { gl_Position = vec4(drop.xy, 0.0, 1.0); gl_PointSize = 16.0; height = drop.z; }`;
const ADD = `#version 300 es
precision highp float;
flat in float height; out vec4 result;
void main() {
   vec2 from = gl_PointCoord * 2.0 - 1.0;
   result = vec4(height * exp(-6.0 * dot(from, from)), 0.0, 0.0, 0.0);
}`;
const WAVE = `${HEAD} uniform sampler2D before; out vec4 result;
vec4 of(ivec2 at) { return texelFetch(before, (at + ${SIZE}) % ${SIZE}, 0); }
void main() {
   ivec2 here = ivec2(gl_FragCoord.xy);
   vec4 now = of(here);
   ivec2 one = ivec2(1, 0);
   float beside = of(here + one).r + of(here - one).r + of(here + one.yx).r + of(here - one.yx).r;
   float speed = now.g + 0.4 * (beside - 4.0 * now.r);
   result = vec4(now.r + speed, speed, 0.0, 1.0);
}`;
const LIGHT = `${HEAD} uniform sampler2D water; out vec4 result;
void main() {
   vec2 step = vec2(1.0 / ${SIZE}.0, 0.0);
   float x = texture(water, at + step).r - texture(water, at - step).r;
   float y = texture(water, at + step.yx).r - texture(water, at - step.yx).r;
   vec3 normal = normalize(vec3(-x, -y, 0.25));
   float light = max(0.0, dot(normal, normalize(vec3(1, 2, 2))));
   float shine = pow(max(0.0, normal.y * 0.6 + normal.z * 0.7), 40.0);
   result = vec4(vec3(0.05, 0.25, 0.4) + light * vec3(0.1, 0.4, 0.5) + shine * 0.4, 1.0);
}`;

function sum(into) {
   const found = new Float32Array(4 * SIZE * SIZE);
   gl.bindFramebuffer(gl.FRAMEBUFFER, into);
   gl.readPixels(0, 0, SIZE, SIZE, gl.RGBA, gl.FLOAT, found);
   return found.reduce((total, value, i) => i % 4 ? total : total + value, 0);
}

for (const name of ['EXT_color_buffer_float', 'EXT_float_blend', 'OES_texture_float_linear'])
   if (!gl.getExtension(name)) page.fault(`there is no ${name}`);
page.show(async () => {
   const [drop, wave, light] = [[DROP, ADD], [WHOLE, WAVE], [WHOLE, LIGHT]].map(sources => program(...sources));
   const sides = [0, 1].map(() => texture(gl.TEXTURE_2D, 1, gl.RGBA32F, SIZE, SIZE)), into = sides.map(s => target(s));
   const drops = Float32Array.from({ length: 3 * DROPS }, (_, i) => i % 3 === 2 ? 1 : 1.6 * Math.random() - 0.8);
   for (const side of sides) {
      gl.bindTexture(gl.TEXTURE_2D, side);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
   }
   buffer(gl.ARRAY_BUFFER, drops);
   gl.enableVertexAttribArray(gl.getAttribLocation(drop, 'drop'));
   gl.vertexAttribPointer(gl.getAttribLocation(drop, 'drop'), 3, gl.FLOAT, false, 0, 0);
   gl.bindFramebuffer(gl.FRAMEBUFFER, into[0]);
   gl.viewport(0, 0, SIZE, SIZE);
   gl.useProgram(drop);
   gl.enable(gl.BLEND);
   gl.blendFunc(gl.ONE, gl.ONE);
   gl.drawArrays(gl.POINTS, 0, DROPS);
   gl.disable(gl.BLEND);
   const whole = sum(into[0]);
   page.expect('all drops', whole, DROPS * Math.PI / 6 * 64, DROPS * 2);
   return (_, frame) => {
      gl.viewport(0, 0, SIZE, SIZE);
      gl.useProgram(wave);
      for (let i = 0; i < 4; i++) {
         gl.bindFramebuffer(gl.FRAMEBUFFER, into[1]);
         gl.bindTexture(gl.TEXTURE_2D, sides[0]);
         cover();
         sides.reverse();
         into.reverse();
      }
      if (frame < 8) page.expect(`sum of frame ${frame}`, sum(into[0]), whole, 0.05);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      gl.viewport(0, 0, page.width, page.height);
      gl.useProgram(light);
      gl.bindTexture(gl.TEXTURE_2D, sides[0]);
      cover();
   };
});
