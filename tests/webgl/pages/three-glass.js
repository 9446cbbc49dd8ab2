// SPDX-License-Identifier: MIT
//
// Glass that refracts what is behind it (a target with mipmaps), fog, a reflecting ball with a cube map drawn each
// frame, planes that cut shapes, and stencils.
import * as THREE from 'three';
import { page, start, camera } from './three-base.js';

const renderer = start();

page.show(async () => {
   const { scene, view } = camera(0, 1.5, 7), light = new THREE.DirectionalLight(0xffffff, 3);
   scene.fog = new THREE.Fog(0x203040, 5, 14);
   light.position.set(2, 4, 3);
   scene.add(light, new THREE.HemisphereLight(0xaaccff, 0x443322, 1));
   const cubes = new THREE.WebGLCubeRenderTarget(128, { type: THREE.HalfFloatType, generateMipmaps: true,
      minFilter: THREE.LinearMipmapLinearFilter });
   const around = new THREE.CubeCamera(0.1, 50, cubes);
   const ball = new THREE.SphereGeometry(0.9, 48, 24);
   const mirror = new THREE.Mesh(ball, new THREE.MeshStandardMaterial({ envMap: cubes.texture, roughness: 0.1,
      metalness: 1 }));
   const glass = new THREE.Mesh(ball, new THREE.MeshPhysicalMaterial({ transmission: 1, thickness: 0.8, ior: 1.4,
      roughness: 0.15, color: 0xccffee }));
   const cut = new THREE.Mesh(new THREE.TorusKnotGeometry(0.6, 0.22, 96, 16), new THREE.MeshStandardMaterial({
      color: 0xff6644, side: THREE.DoubleSide, clippingPlanes: [new THREE.Plane(new THREE.Vector3(0, 1, 0.3), 0.1)] }));
   renderer.localClippingEnabled = true;
   [mirror, glass, cut].forEach((mesh, i) => mesh.position.set(2.2 * (i - 1), 0, 0));
   scene.add(mirror, glass, cut);
   for (let i = 0; i < 24; i++) {
      const box = new THREE.Mesh(new THREE.BoxGeometry(0.5, 0.5, 0.5), new THREE.MeshLambertMaterial({
         color: new THREE.Color().setHSL(i / 24, 0.8, 0.5) }));
      box.position.set(i % 8 - 3.5, Math.floor(i / 8) - 1.2, -2 - i % 3);
      scene.add(box);
   }
   return time_s => {
      cut.rotation.y = 3 * time_s;
      mirror.visible = false;
      around.position.copy(mirror.position);
      around.update(renderer, scene);
      mirror.visible = true;
      renderer.render(scene, view);
   };
});
