// SPDX-License-Identifier: MIT
//
// A pipeline of post-processing: four samples, bloom, depth of field, FXAA, sharpening, colour grading; a
// glow layer. (Its ambient occlusion is in page babylon-occlusion.)
import { page, BABYLON, start, shown } from './babylon-base.js';

page.show(async () => {
   const { engine, scene, camera } = start(-1.2, 1.1, 8), { Vector3, Color3, MeshBuilder } = BABYLON;
   new BABYLON.HemisphericLight('sky', new Vector3(0.3, 1, -0.4), scene).intensity = 0.9;
   const knots = [0, 1, 2].map(i => {
      const mesh = MeshBuilder.CreateTorusKnot(`knot ${i}`, { radius: 0.7, tube: 0.22, radialSegments: 96,
         tubularSegments: 16 }, scene);
      mesh.position = new Vector3(2.2 * (i - 1), 0.3, 1.5 * i);
      mesh.material = new BABYLON.StandardMaterial(`material ${i}`, scene);
      mesh.material.diffuseColor = Color3.FromHSV(120 * i, 0.7, 1);
      mesh.material.emissiveColor = i === 1 ? new Color3(0.2, 0.8, 0.2) : Color3.Black();
      return mesh;
   });
   MeshBuilder.CreateGround('floor', { width: 9, height: 9 }, scene).position.y = -1;
   new BABYLON.GlowLayer('glow', scene, { mainTextureFixedSize: 128, blurKernelSize: 32 });
   const pipeline = new BABYLON.DefaultRenderingPipeline('default', true, scene, [camera]);
   Object.assign(pipeline, { samples: 4, bloomEnabled: true, bloomThreshold: 0.6, fxaaEnabled: true,
      sharpenEnabled: true, depthOfFieldEnabled: true });
   pipeline.depthOfField.focusDistance = 7000;
   pipeline.depthOfField.fStop = 4;
   pipeline.imageProcessing.contrast = 1.3;
   pipeline.imageProcessing.vignetteEnabled = true;
   return shown(engine, scene, time_s => {
      for (const knot of knots) knot.rotation.set(time_s, 2 * time_s, 0);
   });
});
