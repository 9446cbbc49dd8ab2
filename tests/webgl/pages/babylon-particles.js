// SPDX-License-Identifier: MIT
//
// Particles that the GPU moves, by transform feedback, and those that the processor does.
import { page, BABYLON, start, shown } from './babylon-base.js';

function spot(scene) {
   const size = 32, texels = new Uint8Array(4 * size * size);
   for (let i = 0; i < size * size; i++) {
      const away = Math.hypot(i % size - 15.5, Math.floor(i / size) - 15.5) / 16;
      texels.fill(255 * Math.max(0, 1 - away), 4 * i, 4 * i + 4);
   }
   return BABYLON.RawTexture.CreateRGBATexture(texels, size, size, scene);
}

function fountain(system, map, x) {
   const { Vector3, Color4 } = BABYLON;
   system.particleTexture = map;
   system.emitter = new Vector3(x, -1.5, 0);
   system.createConeEmitter(0.6, 0.7);
   Object.assign(system, { minLifeTime: 0.5, maxLifeTime: 1.2, minSize: 0.1, maxSize: 0.4, emitRate: 3000,
      minEmitPower: 2, maxEmitPower: 6, gravity: new Vector3(0, -5, 0), updateSpeed: 1 / 60,
      blendMode: BABYLON.ParticleSystem.BLENDMODE_ADD });
   system.addColorGradient(0, new Color4(1, 0.9, 0.4, 0.5));
   system.addColorGradient(1, new Color4(0.6, 0.1, 0.5, 0));
   system.start();
}

page.show(async () => {
   const { engine, scene } = start(-Math.PI / 2, 1.4, 8), map = spot(scene);
   page.expect('particles by the GPU', Number(BABYLON.GPUParticleSystem.IsSupported), 1);
   fountain(new BABYLON.GPUParticleSystem('gpu', { capacity: 2000, randomTextureSize: 1024 }, scene), map, -1.5);
   fountain(new BABYLON.ParticleSystem('processor', 2000, scene), map, 1.5);
   BABYLON.MeshBuilder.CreateGround('floor', { width: 6, height: 3 }, scene).position.y = -1.6;
   new BABYLON.HemisphericLight('sky', new BABYLON.Vector3(0, 1, 0), scene);
   return shown(engine, scene);
});
