// SPDX-License-Identifier: MIT
//
// Points that shrink with distance, with a texture; sprites; wide lines (instanced) and dashed ones.
// Without samples, with which llvmpipe has gl_PointCoord half a pixel off (raw-points looks at that).
import * as THREE from 'three';
import { Line2 } from 'three/addons/lines/Line2.js';
import { LineGeometry } from 'three/addons/lines/LineGeometry.js';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';
import { page, start, camera, spread } from './three-base.js';

const renderer = start(false);

// A round spot, soft at its rim.
function spot() {
   const size = 32, texels = new Uint8Array(4 * size * size);
   for (let i = 0; i < size * size; i++) {
      const x = (i % size + 0.5) / size * 2 - 1, y = (Math.floor(i / size) + 0.5) / size * 2 - 1;
      texels.set([255, 255, 255, 255 * Math.max(0, 1 - Math.hypot(x, y))], 4 * i);
   }
   const made = new THREE.DataTexture(texels, size, size);
   made.magFilter = made.minFilter = THREE.LinearFilter;
   made.needsUpdate = true;
   return made;
}

function cloud(map) {
   const count = 3000, shape = new THREE.BufferGeometry();
   const of = by => new THREE.Float32BufferAttribute(Array.from({ length: 3 * count }, by), 3);
   shape.setAttribute('position', of(() => 4 * spread()));
   shape.setAttribute('color', of(() => Math.random()));
   return new THREE.Points(shape, new THREE.PointsMaterial({
      size: 0.25, map, vertexColors: true, transparent: true, depthWrite: false, blending: THREE.AdditiveBlending,
   }));
}

function knot() {
   const shape = new LineGeometry(), places = [], colours = [];
   for (let i = 0; i <= 200; i++) {
      const a = i / 200 * 2 * Math.PI;
      places.push(2 * Math.sin(2 * a), 2 * Math.cos(3 * a), Math.sin(5 * a));
      colours.push(i / 200, 1 - i / 200, 0.5);
   }
   shape.setPositions(places);
   shape.setColors(colours);
   return new Line2(shape, new LineMaterial({ linewidth: 5, vertexColors: true }));
}

page.show(async () => {
   const { scene, view } = camera(0, 0, 7), map = spot(), points = cloud(map), line = knot();
   line.material.resolution.set(page.width, page.height);
   scene.background = null;
   for (let i = 0; i < 6; i++) {
      const sprite = new THREE.Sprite(new THREE.SpriteMaterial({ map, color: 0xff8800, rotation: i }));
      sprite.position.set(i - 2.5, -2, 1);
      scene.add(sprite);
   }
   const dashed = new THREE.LineSegments(new THREE.EdgesGeometry(new THREE.BoxGeometry(3, 3, 3)),
      new THREE.LineDashedMaterial({ color: 0x88ffff, dashSize: 0.2, gapSize: 0.1 }));
   dashed.computeLineDistances();
   scene.add(points, line, dashed);
   return time_s => {
      points.rotation.y = dashed.rotation.y = time_s;
      renderer.render(scene, view);
   };
});
