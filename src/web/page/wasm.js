// @ts-check
/** The WebAssembly module, and requests to it. Requests and answers are JSON and bytes. */
import { openGl } from './gl.js';

/**
 * @typedef {Record<string, any>} Json
 * @typedef {{ head: Json, bytes: Uint8Array }} Answer
 * @typedef {{ memory: WebAssembly.Memory, input(length: number): number, answer(): number, output(): number, room(length: number): number }} Exports
 */

/** Returns the bytes of the module from its packed file, or as they are where a server unpacked them already.
 * @param {ArrayBuffer | Uint8Array<ArrayBuffer>} packed */
export async function unpack(packed) {
  const file = new Blob([packed]);
  const first = new Uint8Array(await file.slice(0, 1).arrayBuffer());
  if (first[0] !== 0x1f) return file.arrayBuffer();
  return new Response(file.stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

/** A request that the module answered with an error. */
export class Refused extends Error {}

/**
 * Starts the module. Without a context it cannot draw.
 * @param {WebAssembly.Module} module
 * @param {WebGL2RenderingContext | null} gl
 */
export async function start(module, gl) {
  /** @type {Exports | undefined} */
  let exports;
  const own = () => /** @type {any} */ (exports);
  const missing = () => { throw new Error('there is no canvas to draw on'); };
  const functions = gl ? openGl(gl, own) : new Proxy({}, { get: () => missing });
  const page = {
    /** Writes text to `to` in UTF-8; its length, or -1 if the bytes are not Shift-JIS. */
    shift_jis: (/** @type {number} */ at, /** @type {number} */ length, /** @type {number} */ to) => {
      try {
        const text = new TextDecoder('shift_jis', { fatal: true }).decode(new Uint8Array(own().memory.buffer, at, length).slice());
        const encoded = new TextEncoder().encode(text);
        new Uint8Array(own().memory.buffer, to, length * 3).set(encoded);
        return encoded.length;
      } catch {
        return -1;
      }
    },
  };
  const imports = { gl: named(module, 'gl', functions), page };
  exports = /** @type {any} */ ((await WebAssembly.instantiate(module, imports)).exports);

  /**
   * @param {string} call
   * @param {Json} [request]
   * @param {Uint8Array} [bytes]
   * @returns {Answer}
   */
  const ask = (call, request = {}, bytes = new Uint8Array()) => {
    const head = new TextEncoder().encode(JSON.stringify({ call, ...request }));
    let length = 0;
    try {
      const at = own().input(4 + head.length + bytes.length);
      const input = new Uint8Array(own().memory.buffer, at);
      new DataView(own().memory.buffer).setUint32(at, head.length, true);
      input.set(head, 4);
      input.set(bytes, 4 + head.length);
      length = own().answer();
    } catch (error) {
      throw new Error(`The program stopped while it worked on '${call}' (${error instanceof Error ? error.message : error}).`, { cause: error });
    }
    const output = new Uint8Array(own().memory.buffer, own().output(), length);
    const headLength = new DataView(output.buffer, output.byteOffset).getUint32(0, true);
    const answer = JSON.parse(new TextDecoder().decode(output.slice(4, 4 + headLength)));
    if (answer.error !== undefined) throw new Refused(answer.error);
    return { head: answer, bytes: output.slice(4 + headLength) };
  };
  return { ask, memory: () => own().memory.buffer.byteLength };
}

/** Lists the functions that a module imports. @param {WebAssembly.Module} module @param {string} from @param {any} functions */
function named(module, from, functions) {
  const wanted = WebAssembly.Module.imports(module).filter(known => known.module === from);
  return Object.fromEntries(wanted.map(known => [known.name, functions[known.name]]));
}
