// SPDX-License-Identifier: MIT
//
// WebGL 1, which ANGLE makes of the same driver: a globe with a texture, a depth buffer, blending, and derivatives and
// instances as extensions.
const { page } = window;
const gl = document.getElementById('canvas').getContext('webgl', { antialias: false });
const ROWS = 24, COLUMNS = 48, BALLS = 12;
const VERTEX = `
attribute vec2 angle; attribute vec3 offset;
uniform float turn; uniform float aspect;
varying vec2 at; varying vec3 normal;
void main() {
   normal = vec3(cos(angle.y) * sin(angle.x + turn), sin(angle.y), cos(angle.y) * cos(angle.x + turn));
   at = angle;
   vec3 place = normal * offset.z + vec3(offset.xy, 0.0);
   gl_Position = vec4(place.x / aspect, place.y, -place.z * 0.5, 1.0);
}`;
const FRAGMENT = `#extension GL_OES_standard_derivatives : enable
precision highp float;
uniform sampler2D map;
varying vec2 at; varying vec3 normal;
void main() {
   vec2 grid = abs(fract(at * 3.8197186 - 0.5) - 0.5) / fwidth(at * 3.8197186);
   float light = 0.2 + 0.8 * max(0.0, dot(normalize(normal), normalize(vec3(1.0, 1.0, 1.5))));
   vec3 colour = texture2D(map, at * vec2(0.63661977, 0.63661977)).rgb;
   gl_FragColor = vec4(mix(vec3(1.0), colour, min(1.0, min(grid.x, grid.y) + 0.4)) * light, 0.8);
}`;

function program() {
   const made = gl.createProgram();
   [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]].forEach(([type, source]) => {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(made, shader);
   });
   gl.linkProgram(made);
   return made;
}

function attribute(of, name, size, data) {
   const at = gl.getAttribLocation(of, name);
   gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
   gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(data), gl.STATIC_DRAW);
   gl.enableVertexAttribArray(at);
   gl.vertexAttribPointer(at, size, gl.FLOAT, false, 0, 0);
   return at;
}

function globe(of) {
   const angles = [], indices = [];
   for (let y = 0; y <= ROWS; y++)
      for (let x = 0; x <= COLUMNS; x++) {
         angles.push(x / COLUMNS * 2 * Math.PI, (y / ROWS - 0.5) * Math.PI);
         const i = y * (COLUMNS + 1) + x;
         if (x < COLUMNS && y < ROWS) indices.push(i, i + 1, i + COLUMNS + 2, i, i + COLUMNS + 2, i + COLUMNS + 1);
      }
   attribute(of, 'angle', 2, angles);
   gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
   gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint16Array(indices), gl.STATIC_DRAW);
   return indices.length;
}

function map() {
   gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
   const texels = Uint8Array.from({ length: 4 * 64 * 64 }, (_, i) => 128 + 100 * Math.sin(i / 4 % 64 / 5 + i % 4) *
      Math.cos((i >> 8) / 7));
   gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 64, 64, 0, gl.RGBA, gl.UNSIGNED_BYTE, texels);
   gl.generateMipmap(gl.TEXTURE_2D);
   gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
}

page.show(async () => {
   gl.getExtension('OES_standard_derivatives');
   const instances = gl.getExtension('ANGLE_instanced_arrays'), of = program(), count = globe(of);
   const offsets = Array.from({ length: 3 * BALLS }, (_, i) => [
      (i / 3 | 0) % 4 * 0.6 - 0.9, Math.floor(i / 12) * 0.6 - 0.6, 0.22 + 0.1 * ((i / 3 | 0) % 3)][i % 3]);
   instances.vertexAttribDivisorANGLE(attribute(of, 'offset', 3, offsets), 1);
   map();
   gl.useProgram(of);
   gl.uniform1f(gl.getUniformLocation(of, 'aspect'), page.width / page.height);
   gl.clearColor(0.1, 0.15, 0.2, 1);
   gl.enable(gl.DEPTH_TEST);
   gl.enable(gl.BLEND);
   gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE);
   return time_s => {
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.uniform1f(gl.getUniformLocation(of, 'turn'), time_s);
      instances.drawElementsInstancedANGLE(gl.TRIANGLES, count, gl.UNSIGNED_SHORT, 0, BALLS);
   };
});
