// SPDX-License-Identifier: MIT
//
// What pages with babylon.js share: the engine on the page's canvas, and a scene whose time is the page's.

export const { page, BABYLON } = window;

// A scene, seen from a distance and angles around the origin.
export function start(alpha = -1.2, beta = 1.1, away = 9, options = {}) {
   const canvas = document.getElementById('canvas');
   const engine = new BABYLON.Engine(canvas, true, { audioEngine: false, adaptToDeviceRatio: false, ...options });
   const scene = new BABYLON.Scene(engine);
   scene.useConstantAnimationDeltaTime = true;
   scene.clearColor = new BABYLON.Color4(0.1, 0.14, 0.2, 1);
   const camera = new BABYLON.ArcRotateCamera('camera', alpha, beta, away, BABYLON.Vector3.Zero(), scene);
   return { engine, scene, camera };
}

// What page.show takes: draws the scene once all it needs is there, after what the page does for a frame.
export async function shown(engine, scene, each = () => {}) {
   await scene.whenReadyAsync();
   return (time_s, frame) => {
      engine.beginFrame();
      each(time_s, frame);
      scene.render();
      engine.endFrame();
   };
}
