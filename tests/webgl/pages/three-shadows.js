// SPDX-License-Identifier: MIT
//
// Materials of physically based shading, from rough to smooth and from plastic to metal, in the light of a room, with
// shadows of a directional light and of a point light.
import * as THREE from 'three';
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js';
import { page, start, camera } from './three-base.js';

const renderer = start();

page.show(async () => {
   const { scene, view } = camera(0, 4, 9);
   renderer.shadowMap.enabled = true;
   renderer.shadowMap.type = THREE.PCFShadowMap;
   renderer.toneMapping = THREE.ACESFilmicToneMapping;
   scene.environment = new THREE.PMREMGenerator(renderer).fromScene(new RoomEnvironment(), 0.04).texture;
   scene.environmentIntensity = 0.5;

   const floor = new THREE.Mesh(new THREE.PlaneGeometry(14, 10), new THREE.MeshStandardMaterial({ color: 0x8899aa }));
   floor.rotation.x = -Math.PI / 2;
   floor.receiveShadow = true;
   scene.add(floor);

   const ball = new THREE.SphereGeometry(0.6, 32, 16);
   for (let i = 0; i < 10; i++) {
      const material = new THREE.MeshPhysicalMaterial({
         color: new THREE.Color().setHSL(i / 10, 0.7, 0.5), roughness: 0.05 + i % 5 * 0.2, metalness: i < 5 ? 0 : 1,
         clearcoat: i % 5 === 2 ? 1 : 0, sheen: i === 3 ? 1 : 0, iridescence: i === 6 ? 1 : 0,
      });
      const mesh = new THREE.Mesh(ball, material);
      mesh.position.set((i % 5 - 2) * 1.7, 0.7, i < 5 ? 1.2 : -1.2);
      mesh.castShadow = mesh.receiveShadow = true;
      scene.add(mesh);
   }

   const sun = new THREE.DirectionalLight(0xffffff, 2), lamp = new THREE.PointLight(0xffaa55, 30);
   sun.position.set(4, 6, 3);
   sun.shadow.mapSize.set(1024, 1024);
   Object.assign(sun.shadow.camera, { left: -7, right: 7, top: 7, bottom: -7 });
   lamp.position.set(-1, 3, 0);
   for (const light of [sun, lamp]) {
      light.castShadow = true;
      light.shadow.bias = -0.002;
      scene.add(light);
   }
   return time_s => {
      lamp.position.x = Math.sin(time_s * 2);
      renderer.render(scene, view);
   };
});
