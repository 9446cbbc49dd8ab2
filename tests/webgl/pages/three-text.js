// SPDX-License-Identifier: MIT
//
// Text from a canvas in two dimensions: as a texture with mipmaps, small and slanted; and as a field of distances to
// its outlines, which a shader makes sharp, with a rim and a shadow, at any size.
import * as THREE from 'three';
import { page, start, camera } from './three-base.js';

const renderer = start();

const WIDTH = 256, HEIGHT = 64, REACH = 8;

function drawn(text, font) {
   const pen = new OffscreenCanvas(WIDTH, HEIGHT).getContext('2d', { willReadFrequently: true });
   pen.font = font;
   pen.fillStyle = 'white';
   pen.textBaseline = 'middle';
   pen.textAlign = 'center';
   pen.fillText(text, WIDTH / 2, HEIGHT / 2);
   return pen.getImageData(0, 0, WIDTH, HEIGHT).data;
}

// How far each texel is from the outline, inside above 128: the nearest of the other kind within REACH.
function distances(pixels) {
   const inside = (x, y) => x >= 0 && y >= 0 && x < WIDTH && y < HEIGHT && pixels[4 * (y * WIDTH + x) + 3] > 127;
   return Uint8Array.from({ length: WIDTH * HEIGHT }, (_, i) => {
      const x = i % WIDTH, y = Math.floor(i / WIDTH), kind = inside(x, y);
      let least = REACH;
      for (let v = -REACH; v <= REACH; v++)
         for (let u = -REACH; u <= REACH; u++)
            if (Math.hypot(u, v) < least && inside(x + u, y + v) !== kind) least = Math.hypot(u, v);
      return 128 + (kind ? 127 : -127) * least / REACH;
   });
}

function filtered(data, format, mipmaps) {
   const made = new THREE.DataTexture(data, WIDTH, HEIGHT, format);
   made.flipY = true;
   made.magFilter = THREE.LinearFilter;
   made.minFilter = mipmaps ? THREE.LinearMipmapLinearFilter : THREE.LinearFilter;
   made.generateMipmaps = mipmaps;
   made.needsUpdate = true;
   return made;
}

const sharp = field => new THREE.ShaderMaterial({
   transparent: true,
   uniforms: { field: { value: field } },
   vertexShader: 'varying vec2 at; void main() { at = uv; gl_Position = projectionMatrix * modelViewMatrix * ' +
      'vec4(position, 1.0); }',
   fragmentShader: `varying vec2 at;
      uniform sampler2D field;
      void main() {
         float away = texture2D(field, at).r, soft = fwidth(away);
         float fill = smoothstep(0.5 - soft, 0.5 + soft, away), rim = smoothstep(0.3 - soft, 0.3 + soft, away);
         float shade = smoothstep(0.1, 0.5, texture2D(field, at + vec2(-0.01, 0.04)).r) * 0.6;
         gl_FragColor = vec4(mix(vec3(0.8, 0.2, 0.1), vec3(1.0, 0.9, 0.6), fill) * rim, max(rim, shade));
      }`,
});

page.show(async () => {
   const { scene, view } = camera(0, 0, 8), plane = new THREE.PlaneGeometry(4, 1);
   const field = sharp(filtered(distances(drawn('clip-free', 'bold 48px sans-serif')), THREE.RedFormat, false));
   const map = filtered(new Uint8Array(drawn('WebGL 2: 0123456789 @&%#?!', '18px serif')), THREE.RGBAFormat, true);
   const texts = [[field, 1.6, 1.6], [field, 0.7, 0.4], [field, 0.3, -0.2]].map(([material, size, y]) => {
      const mesh = new THREE.Mesh(plane, material);
      mesh.scale.setScalar(size);
      mesh.position.y = y;
      scene.add(mesh);
      return mesh;
   });
   for (let i = 0; i < 5; i++) {
      const line = new THREE.Mesh(plane, new THREE.MeshBasicMaterial({ map, transparent: true }));
      line.scale.setScalar(1.2 - 0.2 * i);
      line.position.y = -0.7 - 0.45 * i;
      line.rotation.y = 0.2 * i;
      scene.add(line);
   }
   return time_s => {
      texts[0].rotation.y = Math.sin(4 * time_s) * 0.6;
      renderer.render(scene, view);
   };
});
