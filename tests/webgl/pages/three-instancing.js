// SPDX-License-Identifier: MIT
//
// A thousand boxes of one draw, each with a matrix and a colour, and sixty meshes of three shapes in one batch.
import * as THREE from 'three';
import { page, start, camera, spread } from './three-base.js';

const renderer = start();

function boxes() {
   const count = 1000, mesh = new THREE.InstancedMesh(new THREE.BoxGeometry(0.3, 0.3, 0.3),
      new THREE.MeshStandardMaterial({ roughness: 0.5 }), count);
   const matrix = new THREE.Matrix4(), colour = new THREE.Color();
   for (let i = 0; i < count; i++) {
      matrix.makeRotationFromEuler(new THREE.Euler(i, 2 * i, 3 * i));
      matrix.setPosition(5 * spread(), 3 * spread(), 3 * spread() - 2);
      mesh.setMatrixAt(i, matrix);
      mesh.setColorAt(i, colour.setHSL(i / count, 0.8, 0.5));
   }
   return mesh;
}

function batch() {
   const mesh = new THREE.BatchedMesh(60, 10000, 20000, new THREE.MeshStandardMaterial({ metalness: 0.3 }));
   const shapes = [new THREE.TorusGeometry(0.3, 0.1, 12, 24), new THREE.ConeGeometry(0.3, 0.6, 16),
      new THREE.SphereGeometry(0.3, 12, 8)].map(shape => mesh.addGeometry(shape));
   const matrix = new THREE.Matrix4(), colour = new THREE.Color();
   for (let i = 0; i < 60; i++) {
      const id = mesh.addInstance(shapes[i % 3]);
      mesh.setMatrixAt(id, matrix.makeTranslation((i % 10 - 4.5) * 0.8, (Math.floor(i / 10) - 2.5) * 0.8, 2));
      mesh.setColorAt(id, colour.setHSL(i / 60, 0.6, 0.6));
   }
   return mesh;
}

page.show(async () => {
   const { scene, view } = camera(0, 0, 8), light = new THREE.DirectionalLight(0xffffff, 2);
   const many = boxes();
   light.position.set(1, 2, 3);
   scene.add(light, new THREE.AmbientLight(0xffffff, 0.5), many, batch());
   return time_s => {
      many.rotation.y = time_s;
      renderer.render(scene, view);
   };
});
