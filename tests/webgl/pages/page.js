// SPDX-License-Identifier: MIT
//
// The first script of each page. It makes the page the same in each run (time goes by 1/60 s a frame, random
// numbers have a seed), sees what WebGL and shaders complain of, and says in document.title when the
// frames are drawn. A page is
//
//    page.show(async () => { ...set up...; return (time_s, frame) => { ...draw a frame... }; });
//
// Parameters of the address: frames=N, which are drawn (8); timed=S: then as many more as go into S seconds, after as
// many as go into warm=W seconds (0).
// What is found is window.page.result: { renderer, version, faults, timed: { count, wall_s } }.
(() => {
   const parameters = new URLSearchParams(location.search);
   const frames = Number(parameters.get('frames') ?? 8), timed_s = Number(parameters.get('timed') ?? 0),
      warm_s = Number(parameters.get('warm') ?? 0);
   const real_ms = performance.now.bind(performance);
   const contexts = [], result = { renderer: '', version: '', faults: [] };
   let now_ms = 0, state = 1;

   performance.now = () => now_ms;
   Date.now = () => 1.6e12 + now_ms;
   // A linear congruential generator, and the high half of its product with an odd number.
   Math.random = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return (Math.imul(state ^ (state >>> 15), 2654435761) >>> 0) / 2 ** 32;
   };

   function fault(text) {
      if (result.faults.length < 20) result.faults.push(String(text).trim());
   }

   addEventListener('error', event => fault(event.message || `${event.target.src} is not there`), true);
   addEventListener('unhandledrejection', event => fault(event.reason?.stack ?? event.reason));

   const get_context = HTMLCanvasElement.prototype.getContext;
   HTMLCanvasElement.prototype.getContext = function (kind, ...options) {
      const context = get_context.call(this, kind, ...options);
      if (context?.getError && !contexts.includes(context)) {
         contexts.push(context);
         this.addEventListener('webglcontextlost', () => fault('the context is lost'));
      }
      return context;
   };

   for (const { prototype } of [WebGLRenderingContext, WebGL2RenderingContext]) {
      const { compileShader, linkProgram } = prototype;
      prototype.compileShader = function (shader) {
         compileShader.call(this, shader);
         const log = this.getShaderInfoLog(shader)?.replaceAll('\0', '').trim();
         if (log) fault(`shader: ${log}`);
      };
      prototype.linkProgram = function (program) {
         linkProgram.call(this, program);
         const log = this.getProgramInfoLog(program)?.replaceAll('\0', '').trim();
         if (log) fault(`program: ${log}`);
      };
   }

   function check_errors(when) {
      for (const gl of contexts)
         for (let error; (error = gl.getError()) && !gl.isContextLost();)
            fault(`${when}: WebGL has error 0x${error.toString(16)}`);
   }

   const next_frame = () => new Promise(requestAnimationFrame);

   async function draw_frame(draw, frame) {
      now_ms += 1000 / 60;
      await draw(now_ms / 1000, frame);
   }

   // Waits until the GPU has drawn all: gl.finish does not.
   function finish() {
      for (const gl of contexts) {
         const into = gl.READ_FRAMEBUFFER ?? gl.FRAMEBUFFER;
         const bound = gl.getParameter(gl.READ_FRAMEBUFFER_BINDING ?? gl.FRAMEBUFFER_BINDING);
         gl.bindFramebuffer(into, null);
         gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
         gl.bindFramebuffer(into, bound);
      }
   }

   // Frames one after the other, not waiting for the screen's, for some seconds; how many, and the time.
   async function draw_for(draw, time_s, first) {
      finish();
      const start_ms = real_ms();
      let count = 0;
      while (real_ms() - start_ms < 1000 * time_s) {
         await draw_frame(draw, first + count++);
         finish();
      }
      return { count, wall_s: (real_ms() - start_ms) / 1000 };
   }

   // Tells the server, and waits until it knows: there the processor time of the browser is read.
   function mark() {
      const request = new XMLHttpRequest();
      request.open('GET', '/mark', false);
      request.send();
   }

   async function measure(draw) {
      const warm = await draw_for(draw, warm_s, frames);
      mark();
      const timed = await draw_for(draw, timed_s, frames + warm.count);
      mark();
      return timed;
   }

   function describe(gl) {
      const info = gl?.getExtension('WEBGL_debug_renderer_info');
      result.renderer = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : '';
      result.version = gl ? gl.getParameter(gl.VERSION) : '';
   }

   async function show(make) {
      try {
         const draw = await make();
         check_errors('set-up');
         for (let frame = 0; frame < frames; frame++) {
            await next_frame();
            await draw_frame(draw, frame);
            check_errors(`frame ${frame}`);
         }
         if (timed_s) result.timed = await measure(draw);
         check_errors('the end');
      } catch (exception) {
         fault(exception.stack ?? exception);
      }
      if (!contexts.length) fault('there is no WebGL');
      describe(contexts[0]);
      await next_frame();
      await next_frame(); // the last one is on the screen now
      document.title = 'done';
   }

   // A fault where two numbers, or arrays of numbers, are further from each other than `within`.
   function expect(what, found, wanted, within = 0) {
      const [f, w] = [found, wanted].map(values => values[Symbol.iterator] ? [...values] : [values]);
      const at = f.length === w.length ? f.findIndex((value, i) => !(Math.abs(value - w[i]) <= within)) : f.length;
      if (at >= 0) fault(`${what}: [${at}] is ${f[at]}, not ${w[at]}`);
   }

   window.page = { show, expect, fault, result, width: innerWidth, height: innerHeight };
})();
