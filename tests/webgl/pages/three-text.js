// SPDX-License-Identifier: MIT
//
// Text as shapes: filled, and with depth.
import * as THREE from 'three';
import { Font } from 'three/addons/loaders/FontLoader.js';
import { TextGeometry } from 'three/addons/geometries/TextGeometry.js';
import { page, renderer, camera } from './three-base.js';

page.show(async () => {
   const { scene, view } = camera(0, 0, 9), light = new THREE.DirectionalLight(0xffffff, 3);
   const font = new Font(await (await fetch('/lib/three/examples/fonts/helvetiker_regular.typeface.json')).json());
   light.position.set(1, 2, 4);
   scene.add(light, new THREE.AmbientLight(0x606060));
   const solid = new TextGeometry('clip-free', { font, size: 1.2, depth: 0.4, bevelEnabled: true, bevelSize: 0.04,
      bevelThickness: 0.05, curveSegments: 6 }).center();
   const title = new THREE.Mesh(solid, new THREE.MeshStandardMaterial({ color: 0xffaa33, roughness: 0.4 }));
   title.position.y = 1;
   const flat = new THREE.ShapeGeometry(font.generateShapes('WebGL 2: 0123456789 @&%#?!', 0.35)).center();
   const line = new THREE.Mesh(flat, new THREE.MeshBasicMaterial({ color: 0xddeeff }));
   line.position.y = -1;
   const small = new THREE.Mesh(flat, new THREE.MeshBasicMaterial({ color: 0x77dd99 }));
   small.scale.setScalar(0.5);
   small.position.y = -2;
   scene.add(title, line, small);
   return time_s => {
      title.rotation.y = Math.sin(4 * time_s) * 0.6;
      renderer.render(scene, view);
   };
});
