// SPDX-License-Identifier: MIT
//
// A tube that bones bend (their matrices come from a float texture), and a ball that morph targets change.
import * as THREE from 'three';
import { page, start, camera } from './three-base.js';

const renderer = start();

const BONES = 6, BONE_LENGTH = 0.8;

function tube() {
   const height = (BONES - 1) * BONE_LENGTH;
   const shape = new THREE.CylinderGeometry(0.5, 0.3, height, 24, 40).translate(0, height / 2, 0);
   const place = shape.attributes.position, indices = [], weights = [];
   for (let i = 0; i < place.count; i++) {
      const along = place.getY(i) / BONE_LENGTH, bone = Math.min(Math.floor(along), BONES - 2);
      indices.push(bone, bone + 1, 0, 0);
      weights.push(1 - (along - bone), along - bone, 0, 0);
   }
   shape.setAttribute('skinIndex', new THREE.Uint16BufferAttribute(indices, 4));
   shape.setAttribute('skinWeight', new THREE.Float32BufferAttribute(weights, 4));
   const mesh = new THREE.SkinnedMesh(shape, new THREE.MeshPhongMaterial({ color: 0xdd8844 }));
   const bones = Array.from({ length: BONES }, () => new THREE.Bone());
   bones.slice(1).forEach((bone, i) => {
      bone.position.y = BONE_LENGTH;
      bones[i].add(bone);
   });
   mesh.add(bones[0]);
   mesh.bind(new THREE.Skeleton(bones));
   return { mesh, bones };
}

function ball() {
   const shape = new THREE.SphereGeometry(0.9, 40, 24), place = shape.attributes.position;
   const morphed = by => new THREE.Float32BufferAttribute(Array.from(place.array, by), 3);
   shape.morphAttributes.position = [morphed(v => v * (1 + 0.5 * Math.sin(9 * v))), morphed(v => Math.cbrt(v))];
   return new THREE.Mesh(shape, new THREE.MeshPhongMaterial({ color: 0x66aadd, flatShading: true }));
}

page.show(async () => {
   const { scene, view } = camera(0, 1, 8), light = new THREE.DirectionalLight(0xffffff, 3);
   const { mesh, bones } = tube(), morph = ball();
   mesh.position.set(-1.5, -2, 0);
   morph.position.set(1.8, 0, 0);
   light.position.set(2, 2, 5);
   scene.add(light, new THREE.AmbientLight(0x404040, 3), mesh, morph);
   return time_s => {
      for (const bone of bones.slice(1)) bone.rotation.z = 0.35 * Math.sin(8 * time_s);
      morph.morphTargetInfluences[0] = 0.5 + 0.5 * Math.sin(6 * time_s);
      morph.morphTargetInfluences[1] = 0.5 - 0.5 * Math.sin(6 * time_s);
      renderer.render(scene, view);
   };
});
