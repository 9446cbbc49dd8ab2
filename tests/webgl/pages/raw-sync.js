// SPDX-License-Identifier: MIT
//
// Fences and queries: an asynchronous read by way of a pixel buffer that a fence guards, occlusion by any sample,
// copies between buffers; and a scene that is drawn with what they said.
import { page, gl, program, places, cover, buffer, WHOLE, HEAD } from './raw.js';

const DISC = `${HEAD} uniform vec3 disc; uniform vec3 hue; out vec4 result;
void main() {
   float away = length(at - disc.xy);
   if (away > disc.z) discard;
   result = vec4(hue * (1.0 - away / disc.z), 1.0);
}`;
const QUAD = `#version 300 es
uniform vec4 box; // left, bottom, right, top
uniform float depth;
void main() { gl_Position = vec4(mix(box.xy, box.zw, vec2(gl_VertexID & 1, gl_VertexID >> 1)), depth, 1.0); }`;
const FILL = `#version 300 es
precision highp float;
uniform vec4 colour; out vec4 result;
void main() { result = colour; }`;
// Boxes behind the one in the middle, and whether any of each is seen.
const BOXES = [[[-0.2, -0.2, 0.2, 0.2], false], [[-0.9, -0.9, -0.6, -0.6], true], [[0.3, 0.3, 0.8, 0.8], true],
   [[-0.5, -0.1, -0.4, 0.1], false], [[2, 2, 3, 3], false]];

// The next turn of the event loop, in which fences and queries may have news; a timer would be held back for 4 ms.
const { port1: turned, port2: turn } = new MessageChannel();
const wait = () => new Promise(done => { turned.onmessage = done; turn.postMessage(null); });

async function signalled(fence) {
   for (;;) {
      const status = gl.clientWaitSync(fence, gl.SYNC_FLUSH_COMMANDS_BIT, 0);
      if (status === gl.WAIT_FAILED) return page.fault('clientWaitSync failed');
      if (status !== gl.TIMEOUT_EXPIRED) return gl.deleteSync(fence);
      await wait();
   }
}

function draw_box(of, box, depth, colour) {
   gl.uniform4f(of.box, ...box);
   gl.uniform1f(of.depth, depth);
   gl.uniform4f(of.colour, ...colour);
   gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
}

// Starts the queries of boxes behind one that covers the middle.
function ask(of, kinds) {
   gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
   gl.enable(gl.DEPTH_TEST);
   draw_box(of, [-0.55, -0.55, 0.55, 0.55], 0, [0.2, 0.3, 0.5, 1]);
   gl.colorMask(false, false, false, false);
   gl.depthMask(false);
   const queries = BOXES.map(([box], i) => {
      const query = gl.createQuery(), kind = kinds[i % kinds.length];
      gl.beginQuery(kind, query);
      draw_box(of, box, 0.5, [1, 1, 1, 1]);
      gl.endQuery(kind);
      return query;
   });
   gl.colorMask(true, true, true, true);
   gl.depthMask(true);
   return queries;
}

async function answers(queries) {
   while (!queries.every(query => gl.getQueryParameter(query, gl.QUERY_RESULT_AVAILABLE))) await wait();
   return queries.map(query => Boolean(gl.getQueryParameter(query, gl.QUERY_RESULT)));
}

// Reads pixels into a buffer, copies that to another one, and gets it from there once the fence says so.
async function read_later(width, height) {
   const bytes = 4 * width * height, first = buffer(gl.PIXEL_PACK_BUFFER, bytes, gl.STREAM_READ);
   gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, 0);
   const second = buffer(gl.COPY_WRITE_BUFFER, bytes, gl.STREAM_READ);
   gl.copyBufferSubData(gl.PIXEL_PACK_BUFFER, gl.COPY_WRITE_BUFFER, 0, 0, bytes);
   gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
   await signalled(gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0));
   const found = new Uint8Array(bytes);
   gl.getBufferSubData(gl.COPY_WRITE_BUFFER, 0, found);
   gl.bindBuffer(gl.COPY_WRITE_BUFFER, null);
   gl.deleteBuffer(first);
   gl.deleteBuffer(second);
   return found;
}

page.show(async () => {
   const disc = program(WHOLE, DISC), fill = program(QUAD, FILL), of_disc = places(disc), of_fill = places(fill);
   return async (time_s, frame) => {
      gl.viewport(0, 0, page.width, page.height);
      gl.useProgram(fill);
      const queries = ask(of_fill, [gl.ANY_SAMPLES_PASSED, gl.ANY_SAMPLES_PASSED_CONSERVATIVE]);
      const middle = await read_later(4, 4), seen = await answers(queries);
      page.expect('the corner', middle.subarray(0, 4), [0, 0, 0, 0]);
      if (frame === 0) page.expect('seen', seen.map(Number), BOXES.map(([, any]) => Number(any)));
      BOXES.forEach(([box], i) => draw_box(of_fill, box, -0.5, seen[i] ? [0.2, 0.8, 0.3, 1] : [0.8, 0.2, 0.2, 1]));
      gl.disable(gl.DEPTH_TEST);
      gl.useProgram(disc);
      for (let i = 0; i < 3; i++) {
         gl.uniform3f(of_disc.disc, 0.3 + 0.2 * i, 0.5 + 0.4 * Math.sin(time_s * 5 + i), 0.15);
         gl.uniform3f(of_disc.hue, 1, i / 2, 1 - i / 2);
         cover();
      }
   };
});
