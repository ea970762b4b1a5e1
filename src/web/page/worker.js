// @ts-check
/** Runs the module in a worker, so that the page stays responsive. */
import { Refused, start, unpack } from './wasm.js';

/** @type {Awaited<ReturnType<typeof start>> | undefined} */
let module;
/** @type {OffscreenCanvas | undefined} */
let canvas;

/** @param {{ canvas?: OffscreenCanvas, module: string }} from */
async function begin({ canvas: own, module: address }) {
  canvas = own;
  const gl = canvas?.getContext('webgl2', { alpha: true, antialias: false, depth: false, stencil: false }) ?? null;
  canvas?.addEventListener('webglcontextlost', () => postMessage({ lost: true }));
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} cannot be read: ${response.status} ${response.statusText}`);
  const compiled = await WebAssembly.compile(await unpack(await response.arrayBuffer()));
  module = await start(compiled, gl);
  return { head: { draws: gl !== null }, bytes: new Uint8Array() };
}

onmessage = async ({ data: { id, call, request, bytes } }) => {
  try {
    if (['frame', 'screenshot'].includes(call) && canvas && (canvas.width !== request.width || canvas.height !== request.height)) {
      [canvas.width, canvas.height] = [request.width, request.height];
    }
    const answer = call === 'begin' ? await begin(request) : module?.ask(call === 'screenshot' ? 'frame' : call, request, bytes);
    if (answer && call === 'screenshot' && canvas) answer.bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
    if (!answer) throw new Error('the module is not started');
    postMessage({ id, head: { ...answer.head, memory: module?.memory() }, bytes: answer.bytes }, { transfer: [answer.bytes.buffer] });
  } catch (error) {
    const broken = !(error instanceof Refused);
    postMessage({ id, error: error instanceof Error ? error.message : String(error), broken });
  }
};
