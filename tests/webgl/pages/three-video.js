// SPDX-License-Identifier: MIT
//
// Textures that change with each frame, as a video's do: from a canvas in two dimensions, with mipmaps; from
// memory; and copied from what was drawn.
import * as THREE from 'three';
import { page, start, camera } from './three-base.js';

const renderer = start();

const SIZE = 256;

// Rectangles alone, which every 2D canvas draws the same: they end at whole pixels.
function paint(pen, frame) {
   for (let i = 0; i < 64; i++) {
      pen.fillStyle = `rgb(${i * 4}, ${(frame * 16 + i * 32) % 256}, ${255 - i * 4})`;
      pen.fillRect(i % 8 * 32, Math.floor(i / 8) * 32, 32, 32);
   }
   pen.fillStyle = 'white';
   pen.fillRect(frame * 20 % SIZE, 100, 40, 56);
}

page.show(async () => {
   const { scene, view } = camera(0, 0, 4), film = new OffscreenCanvas(SIZE, SIZE);
   const pen = film.getContext('2d', { willReadFrequently: true });
   const moving = new THREE.CanvasTexture(film);
   moving.colorSpace = THREE.SRGBColorSpace;
   const texels = new Uint8Array(4 * 64 * 64), noise = new THREE.DataTexture(texels, 64, 64);
   const copied = new THREE.FramebufferTexture(128, 128);
   const show = (map, shape, x, y) => {
      const mesh = new THREE.Mesh(shape, new THREE.MeshBasicMaterial({ map }));
      mesh.position.set(x, y, 0);
      scene.add(mesh);
      return mesh;
   };
   const box = show(moving, new THREE.BoxGeometry(1.2, 1.2, 1.2), -1, 0.2);
   show(noise, new THREE.PlaneGeometry(1, 1), 1, 0.8);
   show(copied, new THREE.PlaneGeometry(1, 1), 1, -0.6);
   const floor = show(moving, new THREE.PlaneGeometry(8, 8), 0, -1.2);
   floor.rotation.x = -Math.PI / 2;
   return (time_s, frame) => {
      paint(pen, frame);
      texels.forEach((_, i) => { texels[i] = i % 4 === 3 ? 255 : (i * (frame + 3) >> 4) & 255; });
      moving.needsUpdate = noise.needsUpdate = true;
      box.rotation.set(time_s * 3, time_s * 4, 0);
      renderer.render(scene, view);
      renderer.copyFramebufferToTexture(copied, new THREE.Vector2(60, 120));
      renderer.render(scene, view);
   };
});
