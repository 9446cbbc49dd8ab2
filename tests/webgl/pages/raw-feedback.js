// SPDX-License-Identifier: MIT
//
// Particles: their places and speeds go from buffer to buffer by transform feedback, interleaved, with the rasterizer
// off; what it wrote is what JavaScript computes. Then separate buffers, paused and resumed, and how many it counts.
import { page, gl, program, buffer } from './raw.js';

const COUNT = 4096, FLOATS = 4;
const STEP = `#version 300 es
in vec2 place, speed;
out vec2 next_place, next_speed;
void main() {
   vec2 towards = -place / (0.1 + dot(place, place));
   next_speed = speed + towards * 0.0078125;
   next_place = place + next_speed * 0.015625;
}`;
const SHOW = `#version 300 es
in vec2 place, speed;
out vec3 colour;
void main() {
   gl_Position = vec4(place, 0.0, 1.0);
   gl_PointSize = 3.0;
   colour = vec3(0.3 + length(speed), 0.5 + speed.x * 0.5, 0.5 - speed.y * 0.5);
}`;
const COLOUR = `#version 300 es
precision highp float;
in vec3 colour;
out vec4 result;
void main() { result = vec4(colour * 0.5, 1.0); }`;
const NOTHING = '#version 300 es\nprecision highp float;\nout vec4 result;\nvoid main() { result = vec4(0); }';

function attributes(of, from) {
   gl.bindBuffer(gl.ARRAY_BUFFER, from);
   ['place', 'speed'].forEach((name, i) => {
      const at = gl.getAttribLocation(of, name);
      if (at < 0) return;
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, 2, gl.FLOAT, false, 4 * FLOATS, 8 * i);
   });
}

function expected(particles) {
   const next = particles.slice();
   for (let i = 0; i < next.length; i += FLOATS) {
      const [x, y, vx, vy] = particles.subarray(i, i + FLOATS), by = 1 / (0.1 + x * x + y * y) / 128;
      next[i + 2] = vx - x * by;
      next[i + 3] = vy - y * by;
      next[i] = x + next[i + 2] / 64;
      next[i + 1] = y + next[i + 3] / 64;
   }
   return next;
}

function read(from, floats) {
   const data = new Float32Array(floats);
   gl.bindBuffer(gl.ARRAY_BUFFER, from);
   gl.getBufferSubData(gl.ARRAY_BUFFER, 0, data);
   gl.bindBuffer(gl.ARRAY_BUFFER, null);
   return data;
}

// Two halves, with a draw between them that is not captured, into a buffer for each varying.
function check_separate(of, from, particles) {
   const outs = [0, 1].map(() => buffer(gl.TRANSFORM_FEEDBACK_BUFFER, 8 * COUNT));
   const query = gl.createQuery(), feedback = gl.createTransformFeedback();
   gl.useProgram(of);
   attributes(of, from);
   gl.bindBuffer(gl.TRANSFORM_FEEDBACK_BUFFER, null);
   gl.bindBuffer(gl.ARRAY_BUFFER, null);
   gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, feedback);
   outs.forEach((out, i) => gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, i, out));
   gl.enable(gl.RASTERIZER_DISCARD);
   gl.beginQuery(gl.TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
   gl.beginTransformFeedback(gl.POINTS);
   gl.drawArrays(gl.POINTS, 0, COUNT / 2);
   gl.pauseTransformFeedback();
   gl.drawArrays(gl.POINTS, 7, 100);
   gl.resumeTransformFeedback();
   gl.drawArrays(gl.POINTS, COUNT / 2, COUNT / 2);
   gl.endTransformFeedback();
   gl.endQuery(gl.TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
   gl.disable(gl.RASTERIZER_DISCARD);
   outs.forEach((_, i) => gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, i, null));
   gl.bindBuffer(gl.TRANSFORM_FEEDBACK_BUFFER, null);
   gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, null);
   const next = expected(particles);
   for (const i of [0, 1]) {
      const wanted = next.filter((_, at) => at % FLOATS >> 1 === i);
      page.expect(`separate buffer ${i}`, read(outs[i], 2 * COUNT), wanted, 1e-5);
   }
   return query;
}

page.show(async () => {
   const step = program(STEP, NOTHING, ['next_place', 'next_speed']), show = program(SHOW, COLOUR);
   const separate = program(STEP, NOTHING, ['next_place', 'next_speed'], gl.SEPARATE_ATTRIBS);
   const particles = Float32Array.from({ length: FLOATS * COUNT }, () => 1.6 * Math.random() - 0.8);
   const sides = [particles, particles.byteLength].map(data => buffer(gl.ARRAY_BUFFER, data, gl.DYNAMIC_COPY));
   const query = check_separate(separate, sides[0], particles);
   gl.enable(gl.BLEND);
   gl.blendFunc(gl.ONE, gl.ONE);
   return (_, frame) => {
      if (frame === 2) page.expect('primitives', gl.getQueryParameter(query, gl.QUERY_RESULT), COUNT);
      gl.useProgram(step);
      attributes(step, sides[0]);
      gl.bindBuffer(gl.ARRAY_BUFFER, null);
      gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, sides[1]);
      gl.enable(gl.RASTERIZER_DISCARD);
      gl.beginTransformFeedback(gl.POINTS);
      gl.drawArrays(gl.POINTS, 0, COUNT);
      gl.endTransformFeedback();
      gl.disable(gl.RASTERIZER_DISCARD);
      gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, null);
      gl.bindBuffer(gl.TRANSFORM_FEEDBACK_BUFFER, null);
      sides.reverse();
      if (frame === 0) page.expect('a step', read(sides[0], FLOATS * COUNT), expected(particles), 1e-5);
      gl.clear(gl.COLOR_BUFFER_BIT);
      gl.useProgram(show);
      attributes(show, sides[0]);
      gl.drawArrays(gl.POINTS, 0, COUNT);
   };
});
