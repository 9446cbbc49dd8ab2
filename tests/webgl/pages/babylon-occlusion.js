// SPDX-License-Identifier: MIT
//
// Ambient occlusion in the space of the screen: depths and normals from a geometry buffer of several targets, tables of
// constants that a shader indexes.
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
      return mesh;
   });
   MeshBuilder.CreateGround('floor', { width: 9, height: 9 }, scene).position.y = -1;
   // Floats of 32 bits: where a depth of 16 bits is rounded to decides what hides what, and drivers may round as
   // they like.
   const { GeometryBufferRenderer: Kinds, Constants } = BABYLON, type = { textureType: Constants.TEXTURETYPE_FLOAT };
   scene.enableGeometryBufferRenderer(1, Constants.TEXTUREFORMAT_DEPTH24_STENCIL8, {
      [Kinds.DEPTH_TEXTURE_TYPE]: { ...type, textureFormat: Constants.TEXTUREFORMAT_R },
      [Kinds.NORMAL_TEXTURE_TYPE]: { ...type, textureFormat: Constants.TEXTUREFORMAT_RGBA },
   });
   const occlusion = new BABYLON.SSAO2RenderingPipeline('occlusion', scene, 1, [camera], true, type.textureType);
   occlusion.radius = 1;
   occlusion.bypassBlur = true;
   occlusion.samples = 16; // with fewer its shader indexes beyond its array
   return shown(engine, scene, time_s => {
      for (const knot of knots) knot.rotation.set(time_s, 2 * time_s, 0);
   });
});
