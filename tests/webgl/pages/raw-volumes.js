// SPDX-License-Identifier: MIT
//
// Textures of three dimensions and of layers: filters, mipmaps of both, offsets, sizes, drawing into layers, shadows
// from layers, cube maps with seamless edges.
import { page, gl, program, places, texture, cell, cover, WHOLE, HEAD } from './raw.js';

const SIZE = 32, LAYERS = 6;
const MARCH = `${HEAD} uniform sampler3D cloud; out vec4 result;
void main() {
   vec4 sum = vec4(0);
   for (int i = 0; i < 48; i++) {
      vec4 here = texture(cloud, vec3(at, (float(i) + 0.5) / 48.0));
      sum += (1.0 - sum.a) * vec4(here.rgb * here.a, here.a) * 0.2;
   }
   result = vec4(sum.rgb, 1.0);
}`;
const LEVELS = `${HEAD} uniform sampler3D cloud; out vec4 result;
void main() { result = vec4(textureLod(cloud, vec3(at, at.x), at.y * 5.0).rgb, 1.0); }`;
const LAYER = `${HEAD} uniform sampler2DArray shown; out vec4 result;
void main() {
   vec2 part = at * 3.0;
   float layer = floor(part.x) + 3.0 * step(1.5, part.y);
   result = texture(shown, vec3(part * 2.0, layer));
   result = mix(result, textureOffset(shown, vec3(part, layer), ivec2(-8, 7)), 0.3);
}`;
const PAINT = `${HEAD} uniform float layer; out vec4 result;
void main() { result = vec4(at, 0.5 + 0.5 * sin(layer + 20.0 * at.x * at.y), 1.0); }`;
const CUBE = `${HEAD} uniform samplerCube sky; out vec4 result;
void main() {
   vec2 angle = (at - 0.5) * vec2(6.2831853, 3.1415927);
   result = texture(sky, vec3(cos(angle.y) * sin(angle.x), sin(angle.y), cos(angle.y) * cos(angle.x)));
}`;
const SHADOW = `${HEAD} uniform highp sampler2DArrayShadow depths; out vec4 result;
void main() {
   float lit = texture(depths, vec4(at, floor(at.x * 2.0), at.y));
   result = vec4(lit, lit * at.x, 1.0 - lit, 1.0);
}`;

function cloud() {
   const made = texture(gl.TEXTURE_3D, 6, gl.RGBA8, SIZE, SIZE, SIZE), texels = new Uint8Array(4 * SIZE ** 3);
   for (let i = 0; i < SIZE ** 3; i++) {
      const place = [i % SIZE, (i / SIZE | 0) % SIZE, i / SIZE ** 2 | 0].map(v => (v + 0.5) / SIZE * 2 - 1);
      const near = Math.max(0, 1 - Math.hypot(...place));
      texels.set([...place.map(v => 128 + 127 * Math.sin(5 * v)), 255 * near].map(Math.round), 4 * i);
   }
   gl.texSubImage3D(gl.TEXTURE_3D, 0, 0, 0, 0, SIZE, SIZE, SIZE, gl.RGBA, gl.UNSIGNED_BYTE, texels);
   gl.generateMipmap(gl.TEXTURE_3D);
   gl.texParameteri(gl.TEXTURE_3D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
   gl.texParameteri(gl.TEXTURE_3D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
   return made;
}

function layers(paint) {
   const made = texture(gl.TEXTURE_2D_ARRAY, 7, gl.RGBA8, 64, 64, LAYERS), into = gl.createFramebuffer();
   gl.bindFramebuffer(gl.FRAMEBUFFER, into);
   gl.useProgram(paint);
   gl.viewport(0, 0, 64, 64);
   for (let i = 0; i < LAYERS; i++) {
      gl.framebufferTextureLayer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, made, 0, i);
      gl.uniform1f(places(paint).layer, i);
      cover();
   }
   gl.generateMipmap(gl.TEXTURE_2D_ARRAY);
   gl.texParameteri(gl.TEXTURE_2D_ARRAY, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
   gl.bindFramebuffer(gl.FRAMEBUFFER, null);
   return made;
}

function sky() {
   const made = texture(gl.TEXTURE_CUBE_MAP, 1, gl.RGBA8, 4, 4);
   for (let face = 0; face < 6; face++)
      gl.texSubImage2D(gl.TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, 0, 0, 4, 4, gl.RGBA, gl.UNSIGNED_BYTE,
         Uint8Array.from({ length: 64 }, (_, i) => i % 4 === 3 ? 255 : (face * 41 + i * 29) % 256));
   gl.texParameteri(gl.TEXTURE_CUBE_MAP, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
   gl.texParameteri(gl.TEXTURE_CUBE_MAP, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
   return made;
}

function depths() {
   const made = texture(gl.TEXTURE_2D_ARRAY, 1, gl.DEPTH_COMPONENT32F, 15, 15, 2);
   gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, 0, 0, 15, 15, 2, gl.DEPTH_COMPONENT, gl.FLOAT,
      Float32Array.from({ length: 450 }, (_, i) => i < 225 ? (i % 15) / 15 : 0.5 + 0.5 * Math.sin(i)));
   gl.texParameteri(gl.TEXTURE_2D_ARRAY, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
   gl.texParameteri(gl.TEXTURE_2D_ARRAY, gl.TEXTURE_COMPARE_FUNC, gl.GREATER);
   return made;
}

page.show(async () => {
   const [march, levels, layer, paint, cube, shadow] =
      [MARCH, LEVELS, LAYER, PAINT, CUBE, SHADOW].map(source => program(WHOLE, source));
   const volume = cloud(), array = layers(paint), around = sky(), shade = depths();
   const cells = [[march, gl.TEXTURE_3D, volume], [levels, gl.TEXTURE_3D, volume], [layer, gl.TEXTURE_2D_ARRAY, array],
      [cube, gl.TEXTURE_CUBE_MAP, around], [shadow, gl.TEXTURE_2D_ARRAY, shade]];
   return () => cells.forEach(([of, where, shown], i) => {
      gl.bindTexture(where, shown);
      gl.useProgram(of);
      cell(i, 3, 2);
      cover();
   });
});
