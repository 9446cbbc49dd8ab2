// SPDX-License-Identifier: MIT
//
// A chain of post-processing with targets of half floats: ambient occlusion, bloom, depth of field, colours, FXAA.
import * as THREE from 'three';
import { EffectComposer } from 'three/addons/postprocessing/EffectComposer.js';
import { RenderPass } from 'three/addons/postprocessing/RenderPass.js';
import { SSAOPass } from 'three/addons/postprocessing/SSAOPass.js';
import { UnrealBloomPass } from 'three/addons/postprocessing/UnrealBloomPass.js';
import { BokehPass } from 'three/addons/postprocessing/BokehPass.js';
import { OutputPass } from 'three/addons/postprocessing/OutputPass.js';
import { ShaderPass } from 'three/addons/postprocessing/ShaderPass.js';
import { FXAAShader } from 'three/addons/shaders/FXAAShader.js';
import { page, start, camera } from './three-base.js';

const renderer = start();

page.show(async () => {
   const { scene, view } = camera(0, 2, 7, 20), light = new THREE.DirectionalLight(0xffffff, 2);
   light.position.set(2, 3, 4);
   scene.add(light, new THREE.AmbientLight(0xffffff, 0.6));
   const knots = [-2, 0, 2].map((x, i) => {
      const knot = new THREE.Mesh(new THREE.TorusKnotGeometry(0.6, 0.2, 96, 16), new THREE.MeshStandardMaterial({
         color: [0xff5533, 0x33ff77, 0x5577ff][i], emissive: [0x401000, 0x104010, 0x3050ff][i], emissiveIntensity: 1.5,
      }));
      knot.position.set(x, 0, -i * 1.5);
      scene.add(knot);
      return knot;
   });

   const composer = new EffectComposer(renderer);
   composer.setPixelRatio(1);
   composer.setSize(page.width, page.height);
   const fxaa = new ShaderPass(FXAAShader);
   fxaa.material.uniforms.resolution.value.set(1 / page.width, 1 / page.height);
   for (const pass of [new RenderPass(scene, view), new SSAOPass(scene, view, page.width, page.height),
      new UnrealBloomPass(new THREE.Vector2(page.width, page.height), 0.6, 0.4, 0.6),
      new BokehPass(scene, view, { focus: 7, aperture: 0.002, maxblur: 0.01 }), new OutputPass(), fxaa])
      composer.addPass(pass);
   return time_s => {
      for (const knot of knots) knot.rotation.set(time_s, 2 * time_s, 0);
      composer.render(1 / 60);
   };
});
