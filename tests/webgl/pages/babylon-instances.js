// SPDX-License-Identifier: MIT
//
// Thin instances with colours, instances of a skinned mesh whose bones are in a texture, and text on a
// dynamic texture.
import { page, BABYLON, start, shown } from './babylon-base.js';

function stones(scene) {
   const mesh = BABYLON.MeshBuilder.CreateIcoSphere('stone', { radius: 0.12, subdivisions: 2 }, scene), count = 800;
   const matrices = new Float32Array(16 * count), colours = new Float32Array(4 * count);
   for (let i = 0; i < count; i++) {
      const angle = i * 2.399963, away = 0.5 + i / 250;
      BABYLON.Matrix.Translation(away * Math.cos(angle), -1.2 + 0.3 * Math.sin(i), away * Math.sin(angle))
         .copyToArray(matrices, 16 * i);
      colours.set([0.5 + 0.5 * Math.sin(i), i / count, 1 - i / count, 1], 4 * i);
   }
   mesh.thinInstanceSetBuffer('matrix', matrices, 16, true);
   mesh.thinInstanceSetBuffer('color', colours, 4, true);
   mesh.material = new BABYLON.StandardMaterial('stone', scene);
   return mesh;
}

// A strip that two bones bend.
function strip(scene) {
   const mesh = BABYLON.MeshBuilder.CreateCylinder('strip', { height: 2, diameter: 0.3, subdivisions: 16 }, scene);
   const skeleton = new BABYLON.Skeleton('skeleton', 'skeleton', scene), { Matrix } = BABYLON;
   const root = new BABYLON.Bone('root', skeleton, null, Matrix.Translation(0, -1, 0));
   const upper = new BABYLON.Bone('upper', skeleton, root, Matrix.Translation(0, 1, 0));
   const places = mesh.getVerticesData('position'), indices = [], weights = [];
   for (let i = 0; i < places.length; i += 3) {
      const share = Math.min(1, Math.max(0, places[i + 1] + 0.5));
      indices.push(0, 1, 0, 0);
      weights.push(1 - share, share, 0, 0);
   }
   mesh.setVerticesData('matricesIndices', indices);
   mesh.setVerticesData('matricesWeights', weights);
   mesh.skeleton = skeleton;
   mesh.material = new BABYLON.StandardMaterial('strip', scene);
   mesh.material.diffuseColor = new BABYLON.Color3(1, 0.6, 0.2);
   for (let i = 0; i < 5; i++) mesh.createInstance(`strip ${i}`).position.set(i - 2, 0.3, 1);
   mesh.isVisible = false;
   return upper;
}

function sign(scene) {
   const mesh = BABYLON.MeshBuilder.CreatePlane('sign', { width: 4, height: 1 }, scene);
   const map = new BABYLON.DynamicTexture('text', { width: 512, height: 128 }, scene, true);
   map.anisotropicFilteringLevel = 1; // which each driver does its own way
   map.drawText('clip-free', null, 90, 'bold 80px sans-serif', 'white', '#223355', true);
   mesh.material = new BABYLON.StandardMaterial('sign', scene);
   mesh.material.emissiveTexture = map;
   mesh.material.disableLighting = true;
   mesh.position.set(0, 2, 1);
}

page.show(async () => {
   const { engine, scene } = start(-Math.PI / 2, 1.2, 9), many = stones(scene), bone = strip(scene);
   new BABYLON.HemisphericLight('sky', new BABYLON.Vector3(0.3, 1, -0.6), scene);
   sign(scene);
   return shown(engine, scene, time_s => {
      many.rotation.y = time_s;
      bone.setRotation(new BABYLON.Vector3(0, 0, Math.sin(8 * time_s)));
   });
});
