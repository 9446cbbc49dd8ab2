// SPDX-License-Identifier: MIT
//
// Physically based materials with cascaded shadows of the sun, and of a spot light whose edges are soft.
import { page, BABYLON, start, shown } from './babylon-base.js';

page.show(async () => {
   const { engine, scene } = start(-1.3, 1.05, 11), { Vector3, Color3, MeshBuilder } = BABYLON;
   const sun = new BABYLON.DirectionalLight('sun', new Vector3(-1, -2, 0.7), scene);
   const spot = new BABYLON.SpotLight('spot', new Vector3(3, 5, -3), new Vector3(-0.5, -1, 0.5), 1, 4, scene);
   sun.intensity = 2;
   spot.intensity = 60;
   const cascades = new BABYLON.CascadedShadowGenerator(512, sun), soft = new BABYLON.ShadowGenerator(512, spot);
   cascades.lambda = 0.8;
   soft.usePercentageCloserFiltering = true;

   const material = (i, metallic, roughness) => {
      const made = new BABYLON.PBRMaterial(`material ${i}`, scene);
      made.albedoColor = Color3.FromHSV(i * 40, 0.7, 0.9);
      Object.assign(made, { metallic, roughness });
      made.clearCoat.isEnabled = i % 3 === 1;
      return made;
   };
   const floor = MeshBuilder.CreateGround('floor', { width: 16, height: 16 }, scene);
   floor.material = material(0, 0, 0.9);
   floor.receiveShadows = true;
   for (let i = 0; i < 9; i++) {
      const mesh = i % 2 ? MeshBuilder.CreateBox(`box ${i}`, { size: 1.1 }, scene)
         : MeshBuilder.CreateSphere(`ball ${i}`, { diameter: 1.3 }, scene);
      mesh.position = new Vector3((i % 3 - 1) * 2.3, 0.7, (Math.floor(i / 3) - 1) * 2.3);
      mesh.rotation.y = i;
      mesh.material = material(i + 1, i % 3 / 3, 0.25 + i / 12);
      mesh.receiveShadows = true;
      cascades.addShadowCaster(mesh);
      soft.addShadowCaster(mesh);
   }
   return shown(engine, scene, time_s => { spot.position.x = 3 * Math.cos(2 * time_s); });
});
