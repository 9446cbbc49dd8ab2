// SPDX-License-Identifier: MIT
//
// Points: each covers the square around its place, and gl_PointCoord is where in it a pixel's centre is, as ES 3.0
// says in 3.4. They are read back, from targets without samples and with four.
import { page, gl, program, places, target, texture, cell, cover, WHOLE, HEAD } from './raw.js';

const SIZE = 64;
const POINTS = [[10.5, 12.5, 8], [30.25, 12.75, 7], [50, 12, 5], [12.3, 40.6, 16.4], [44.1, 42.9, 23.7]];
const POINT = `#version 300 es
uniform vec3 point; // where in pixels, and its size
void main() {
   gl_Position = vec4(point.xy / ${SIZE / 2}.0 - 1.0, 0.0, 1.0);
   gl_PointSize = point.z;
}`;
const COORD = `#version 300 es
precision highp float;
out vec4 result;
void main() { result = vec4(gl_PointCoord, 0.0, 1.0); }`;
const SHOW = `${HEAD} uniform sampler2D shown; out vec4 result;
void main() { result = vec4(texture(shown, at).rgb, 1.0); }`;

// What is drawn of a point into the texture, which is cleared before.
function draw(samples, points) {
   const drawn = texture(gl.TEXTURE_2D, 1, gl.RGBA16F, SIZE, SIZE), into = target(drawn);
   const many = gl.createRenderbuffer(), from = gl.createFramebuffer();
   if (samples) {
      gl.bindRenderbuffer(gl.RENDERBUFFER, many);
      gl.renderbufferStorageMultisample(gl.RENDERBUFFER, samples, gl.RGBA16F, SIZE, SIZE);
      gl.bindFramebuffer(gl.FRAMEBUFFER, from);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, many);
   }
   gl.viewport(0, 0, SIZE, SIZE);
   gl.clearColor(0, 0, 0, 0);
   gl.clear(gl.COLOR_BUFFER_BIT);
   for (const point of points) {
      gl.uniform3f(POINT_PLACE, ...point);
      gl.drawArrays(gl.POINTS, 0, 1);
   }
   if (samples) {
      gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, into);
      gl.blitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE, gl.COLOR_BUFFER_BIT, gl.NEAREST);
      gl.bindFramebuffer(gl.READ_FRAMEBUFFER, into);
   }
   return drawn;
}

// The pixels of whose square the point covers more than half a pixel around have the coordinate of their centre.
function check(what, [x, y, size]) {
   const found = new Float32Array(4 * SIZE * SIZE);
   gl.readPixels(0, 0, SIZE, SIZE, gl.RGBA, gl.FLOAT, found);
   for (let v = 0; v < SIZE; v++)
      for (let u = 0; u < SIZE; u++) {
         const s = 0.5 + (u + 0.5 - x) / size, t = 0.5 - (v + 0.5 - y) / size, rim = 0.6 / size;
         const [a, b, , covered] = found.subarray(4 * (v * SIZE + u));
         const inside = Math.min(s, t, 1 - s, 1 - t);
         if (inside > rim) page.expect(`${what}: ${u}, ${v}`, [a, b, covered], [s, t, 1], 1 / 16 / size + 1e-3);
         else if (inside < -rim) page.expect(`${what}: beside, ${u}, ${v}`, covered, 0);
      }
}

gl.getExtension('EXT_color_buffer_float');
const point = program(POINT, COORD), POINT_PLACE = places(point).point, show = program(WHOLE, SHOW);

page.show(async () => {
   gl.useProgram(point);
   for (const samples of [0, 4])
      for (const one of POINTS) {
         draw(samples, [one]);
         check(`${samples} samples, point ${one}`, one);
      }
   return () => {
      gl.useProgram(point);
      const shown = [0, 4].map(samples => draw(samples, POINTS));
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      gl.useProgram(show);
      shown.forEach((drawn, i) => {
         gl.bindTexture(gl.TEXTURE_2D, drawn);
         cell(i, 2, 1);
         cover();
      });
   };
});
