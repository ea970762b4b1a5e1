// @ts-check
/** Asynchronous calls to the worker. */

/** @typedef {import('./wasm.js').Json} Json */
/** @typedef {import('./wasm.js').Answer} Answer */

/** Error of a request. It is `broken` if the worker had to be restarted. */
export class Failed extends Error {
  /** @param {string} message @param {boolean} broken */
  constructor(message, broken) {
    super(message);
    this.broken = broken;
  }
}

export class Engine {
  /** @type {Worker} */ #worker = /** @type {any} */ (null);
  /** True if the worker draws. Known once it has started. */
  draws = false;
  /** Settled once the worker has started. @type {Promise<unknown>} */
  started = Promise.resolve();
  /** @type {Map<number, { resolve: (answer: Answer) => void, reject: (error: Failed) => void }>} */
  #waiting = new Map();
  #next = 0;
  /** Called when the graphics context is lost. */
  onlost = () => {};

  /** @param {HTMLCanvasElement} [canvas] Without one the worker does not draw. */
  constructor(canvas) {
    this.#start(canvas);
  }

  /** Starts another worker instead of one that is broken: without files, and on a new canvas, because the old one is the old worker's. @param {HTMLCanvasElement} canvas */
  restart(canvas) {
    this.end();
    const fresh = /** @type {HTMLCanvasElement} */ (canvas.cloneNode());
    canvas.replaceWith(fresh);
    this.#start(fresh);
    return this.started;
  }

  /** @param {HTMLCanvasElement} [canvas] */
  #start(canvas) {
    this.#worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
    this.#worker.onmessage = ({ data }) => {
      if (data.lost) return this.onlost();
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (data.error === undefined) waiting?.resolve(data);
      else waiting?.reject(new Failed(data.error, data.broken));
    };
    this.#worker.onerror = event => {
      event.preventDefault();
      const error = new Failed(event.message || 'the worker cannot be started', true);
      this.#waiting.forEach(({ reject }) => reject(error));
      this.#waiting.clear();
    };
    // Older browsers, such as Safari before 17, do not draw in a worker.
    const offscreen = canvas?.transferControlToOffscreen?.();
    const begin = { canvas: offscreen, module: new URL('bindpose_web.wasm.gz', import.meta.url).href };
    this.started = this.#send('begin', begin, undefined, offscreen ? [offscreen] : []).then(({ head }) => { this.draws = head.draws; });
  }

  /** Stops the worker. Pending requests fail without a message. */
  end() {
    this.#worker.terminate();
    this.#waiting.forEach(({ reject }) => reject(new Failed('', false)));
    this.#waiting.clear();
  }

  /**
   * @param {string} call
   * @param {Json} [request]
   * @param {Uint8Array} [bytes]
   * @returns {Promise<Answer>}
   */
  async ask(call, request = {}, bytes) {
    await this.started;
    return this.#send(call, request, bytes, bytes ? [bytes.buffer] : []);
  }

  /** @param {string} call @param {Json} request @param {Uint8Array | undefined} bytes @param {any[]} transfer @returns {Promise<Answer>} */
  #send(call, request, bytes, transfer) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, call, request, bytes }, transfer);
    });
  }
}
