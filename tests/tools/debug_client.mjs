/* SPDX-License-Identifier: MIT
 *
 * node debug_client.mjs MODULES ADAPTER CAPTURE VARIABLES SOURCE LINE
 *
 * VS Code's client of debug adapters (@vscode/debugadapter-testsupport, in MODULES), unmodified, debugs the case `map`:
 * a breakpoint on a pixel of its first draw, steps, steps back, an exception breakpoint; a breakpoint in the file
 * SOURCE at LINE, reverse-continue, a data breakpoint; and of the capture VARIABLES, which is compared with CAPTURE, the
 * locals. What the client is told is printed, a line each.
 */
import { createRequire } from 'node:module';

const [modules, adapter, capture, variables, source, line] = process.argv.slice(2);
const { DebugClient } = createRequire(`${modules}/`)('@vscode/debugadapter-testsupport');
const TIMEOUT_MS = 60000;
let client, thread;

function say(...words) {
   console.log(words.join(' | '));
}

/* The frame that the client would show. */
async function frame() {
   const { stackFrames } = (await client.stackTraceRequest({ threadId: thread })).body;
   const at = stackFrames[0];
   return `${at.source?.path.split('/').pop()}:${at.line} | ${at.name}`;
}

/* What a request leads to: the next stop. */
async function stop(what, request) {
   const [event] = await Promise.all([client.waitForEvent('stopped', TIMEOUT_MS), request()]);
   thread = event.body.threadId;
   say(`STOP ${what}`, event.body.reason, event.body.description, await frame());
}

/* A session that waits for its first request. */
async function begin(words) {
   client = new DebugClient(adapter, '--dap', 'clipfree');
   client.defaultTimeout = TIMEOUT_MS;
   client.on('output', (event) => say('OUTPUT', event.body.output.trim()));
   await client.start();
   await Promise.all([client.waitForEvent('initialized', TIMEOUT_MS), client.launch({ capture, ...words })]);
   await stop('entry', () => client.configurationDoneRequest());
}

async function show(group) {
   const { scopes } = (await client.scopesRequest({ frameId: thread })).body;
   const scope = scopes.find((one) => one.name === group);
   const found = scope ? (await client.variablesRequest({ variablesReference: scope.variablesReference })).body.variables
                       : [];
   found.forEach((one) => say(`VALUE ${group}`, one.name, one.value));
}

const step = {
   go: () => client.continueRequest({ threadId: thread }),
   back: () => client.reverseContinueRequest({ threadId: thread }),
   next: () => client.nextRequest({ threadId: thread }),
   stepBack: () => client.stepBackRequest({ threadId: thread }),
   out: () => client.stepOutRequest({ threadId: thread }),
};

/* Back to who wrote the texel that a sampler takes. */
async function writer(sampler) {
   const info = (await client.dataBreakpointInfoRequest({ name: sampler })).body;
   say('DATA', info.dataId);
   await client.setDataBreakpointsRequest({ breakpoints: [{ dataId: info.dataId }] });
   await stop('data', step.back);
   await client.setDataBreakpointsRequest({ breakpoints: [] });
}

/* All of a draw: the shading of a pixel is stopped at, and a NaN that is born in it. */
async function pixel() {
   await begin({ draw: 0 });
   const set = (await client.setFunctionBreakpointsRequest({ breakpoints: [{ name: 'pixel 0,43' }] })).body.breakpoints;
   say('PIXEL', set[0].verified);
   await stop('pixel', step.go);
   await stop('next', step.next);
   await show('Varyings');
   await stop('stepBack', step.stepBack);
   await client.setExceptionBreakpointsRequest({ filters: ['nan'] });
   await stop('exception', step.go);
   say('EXCEPTION', (await client.exceptionInfoRequest({ threadId: thread })).body.description);
   await client.stop();
}

/* A pixel: back to who wrote the texel that it samples, and there to a line. */
async function data() {
   await begin({ pixel: '40,20' });
   await writer('waves');
   const set = (await client.setBreakpointsRequest({ source: { path: source }, breakpoints: [{ line: Number(line) }] }))
                  .body.breakpoints;
   say('LINE', set[0].verified, set[0].line);
   await stop('end', step.out);
   await show('Outputs');
   await stop('reverseContinue', step.back);
   await client.stop();
}

/* The second program of the same pixel, which keeps all variables. */
async function locals() {
   await begin({ capture: variables, real: capture, pixel: '40,20' });
   await writer('waves');
   await stop('next', step.next);
   await stop('next', step.next);
   await show('Locals');
   await stop('end', step.out);
   await show('Locals');
   await client.stop();
}

await pixel();
await data();
await locals();
say('DONE');
