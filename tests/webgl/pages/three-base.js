// SPDX-License-Identifier: MIT
//
// What pages with three.js share: a renderer on the page's canvas, and a scene with a camera.
import * as THREE from 'three';

export const { page } = window;

// The renderer, with four samples a pixel or one.
export function start(antialias = true) {
   const made = new THREE.WebGLRenderer({ canvas: document.getElementById('canvas'), antialias });
   made.setSize(page.width, page.height, false);
   return made;
}

// A scene, and a camera at this place that looks at the origin.
export function camera(x, y, z, far = 100) {
   const scene = new THREE.Scene(), view = new THREE.PerspectiveCamera(45, page.width / page.height, 0.1, far);
   view.position.set(x, y, z);
   view.lookAt(0, 0, 0);
   scene.background = new THREE.Color(0x203040);
   return { scene, view };
}

// The same numbers in each run, from -1 to 1.
export const spread = () => 2 * Math.random() - 1;
