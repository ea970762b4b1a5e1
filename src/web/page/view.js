// @ts-check
/** The canvas: frames, orbit, timeline, keys. */
import { byId, choices, element, number } from './dom.js';

/** @typedef {import('./wasm.js').Json} Json */

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 1.5, 2, 4];
/** Longest side of a GIF in pixels. */
const MOST_GIF_SIDE = 640;
export const OVERLAYS = ['skeleton', 'names', 'axes', 'normals', 'bounds', 'grid'];
const viewport = byId('viewport');
/** Joins two movements of a kind into one. @type {Record<string, (a: number[], b: number[]) => number[]>} */
const JOIN = { rotate: sum, drag: sum, zoom: ([a], [b]) => [a * b], seek: (_, last) => last, 'turn-by-ring': (first, last) => [...first.slice(0, 3), ...last.slice(3)] };
const time = byId('time', HTMLInputElement);

export class View {
  /** The last state of the module. @type {Json} */
  state = {};
  #shows = false;
  #asked = 0;
  #drawing = false;
  /** Number of requests for a change that are not answered yet. */
  #pending = 0;
  /** True if something changed since the last frame. */
  #dirty = true;
  /** True while the user drags the time slider. */
  #scrubbing = false;
  /** @type {Map<number, { x: number, y: number }>} */
  #pointers = new Map();

  /**
   * @param {import('./engine.js').Engine} engine
   * @param {{ state: (state: Json) => void, failed: (error: unknown) => void }} report
   */
  constructor(engine, report) {
    this.engine = engine;
    this.report = report;
    this.#controls();
    this.#pointer();
    this.#keys();
    const draw = (/** @type {number} */ now) => {
      this.#frame(now);
      requestAnimationFrame(draw);
    };
    requestAnimationFrame(draw);
  }

  /** Starts or stops showing frames. @param {boolean} on */
  show(on) {
    [this.#shows, this.#dirty] = [on, true];
    viewport.classList.toggle('empty', !on);
    if (on) return;
    byId('stage').classList.add('still');
    this.#hidePicture();
  }

  /** Applies a change. @param {string} change @param {Json} [values] */
  async change(change, values = {}) {
    if (this.#shows) await this.apply(change, values).catch(this.report.failed);
  }

  /** Applies a change, or throws an error. @param {string} change @param {Json} values */
  apply(change, values) {
    return this.#request('change', { change, ...values });
  }

  /** Sends a request that is answered with the state after it. @param {string} call @param {Json} values */
  async #request(call, values) {
    this.#pending++;
    const answer = await this.engine.ask(call, values).finally(() => this.#pending--);
    this.#dirty = true;
    this.#take(answer.head);
  }

  /** Compares with a second method and shows the distance as colours, or ends the comparison. @param {string} name */
  async split(name) {
    await this.apply('split', name ? { name } : {});
    await this.apply('colouring', { name: name ? 'difference' : 'materials' });
  }

  /** @param {number} now Milliseconds. */
  async #frame(now) {
    if (!this.#shows || this.#drawing || document.hidden) {
      this.#asked = now;
      return;
    }
    const scale = Math.min(devicePixelRatio || 1, 2);
    const [width, height] = [viewport.clientWidth, viewport.clientHeight].map(side => Math.max(1, Math.round(side * scale)));
    const isResized = width !== this.#size[0] || height !== this.#size[1];
    const seconds = Math.min((now - this.#asked) / 1000, 0.25);
    this.#asked = now;
    if (!this.state.moving && !this.#dirty && !isResized) return;
    this.#size = [width, height];
    [this.#drawing, this.#dirty] = [true, false];
    try {
      const { head } = await this.engine.ask('frame', { seconds, width, height });
      this.#take(head);
      this.#hidePicture();
      this.#name(head.names, scale);
      const { difference } = head;
      byId('about-colours').textContent = difference ? `Red is ${number(difference.most)} units${difference.joint ? `, at ${difference.joint}` : ''}; blue is little, grey is none.` : '';
    } catch (error) {
      this.#shows = false;
      this.report.failed(error);
    }
    this.#drawing = false;
  }

  /** Hides the picture of the sample, which is shown until the program draws. */
  #hidePicture() {
    document.documentElement.classList.remove('picture');
  }

  #size = [0, 0];

  /** Returns the shown frame as PNG. */
  async screenshot() {
    const [width, height] = this.#size;
    return (await this.engine.ask('screenshot', { seconds: 0, width, height })).bytes;
  }

  /** Returns what plays as GIF, at most MOST_GIF_SIDE pixels wide and high. */
  async gif() {
    const scale = Math.min(1, MOST_GIF_SIDE / Math.max(...this.#size));
    const [width, height] = this.#size.map(side => Math.round(side * scale));
    return (await this.engine.ask('gif', { width, height })).bytes;
  }

  /** @param {Json} state */
  #take(state) {
    // The model has gone since then.
    if (!this.#shows) return;
    this.state = state;
    const play = byId('play');
    const label = state.paused ? 'Play' : 'Pause';
    if (play.textContent !== label) play.textContent = label;
    time.max = String(state.duration || 1);
    time.step = String(state.duration ? state.duration / 10000 : 1);
    time.setAttribute('aria-valuetext', `frame ${state.frame} of ${state.last_frame}`);
    byId('range').textContent = state.range ? `plays ${state.range.map((/** @type {number} */ end) => end.toFixed(2)).join(' to ')} s` : '';
    byId('stage').classList.toggle('still', !state.duration);
    byId('clock').textContent = `frame ${state.frame} of ${state.last_frame}, ${Number(state.time).toFixed(2)} s`;
    if (state.notes.length > 0) byId('note').textContent = state.notes.join('; ');
    else if (this.#method && this.#method !== state.method) byId('note').textContent = '';
    this.#method = state.method;
    byId('reset-joints', HTMLButtonElement).disabled = state.turns.length === 0;
    byId('gif', HTMLButtonElement).disabled = !state.duration;
    // The user has chosen something else since then, which the controls show already.
    if (this.#pending > 0 || this.#moves.has('seek')) return;
    if (!this.#scrubbing) time.value = String(state.time);
    byId('speed', HTMLSelectElement).value = String(state.speed);
    byId('repeat', HTMLSelectElement).value = state.repeat;
    for (const name of OVERLAYS) byId(`show-${name}`, HTMLInputElement).checked = state.overlays.includes(name);
    this.report.state(state);
  }

  /** @param {[string, number, number][]} names @param {number} scale */
  #name(names, scale) {
    const place = byId('names');
    while (place.children.length > names.length) place.lastChild?.remove();
    names.forEach(([name, x, y], number) => {
      const label = /** @type {HTMLElement} */ (place.children[number] ?? place.appendChild(element('span')));
      if (label.textContent !== name) label.textContent = name;
      label.style.transform = `translate(${x / scale + 6}px, ${y / scale - 8}px)`;
    });
  }

  #controls() {
    choices(byId('speed'), SPEEDS.map(speed => ({ value: String(speed), text: `${speed}×` })), '1');
    choices(byId('repeat'), ['loop', 'once', 'ping-pong'].map(value => ({ value, text: value })));
    choices(byId('colouring'), ['materials', 'difference', 'weights of the joint', 'support of the joint', 'batches', 'dropped weights', 'matrices of triangles'].map(value => ({ value, text: value })));
    choices(byId('surfaces'), ['surfaces', 'edges', 'surfaces and edges'].map(value => ({ value, text: value })));
    choices(byId('shading'), ['lit', 'diffuse', 'normals', 'specular', 'unlit'].map(value => ({ value, text: value })));
    byId('play').onclick = () => this.change('toggle-pause');
    byId('back').onclick = () => this.change('step', { value: -1 });
    byId('forth').onclick = () => this.change('step', { value: 1 });
    time.onpointerdown = () => { this.#scrubbing = true; };
    time.onpointerup = time.onpointercancel = () => { this.#scrubbing = false; };
    time.oninput = () => {
      this.change('pause', { on: true });
      this.#move('seek', [Number(time.value)]);
    };
    const chosen = (/** @type {string} */ id, /** @type {(value: string) => Promise<void>} */ change) => {
      const list = byId(id, HTMLSelectElement);
      list.onchange = () => change(list.value);
    };
    chosen('speed', value => this.change('speed', { value: Number(value) }));
    for (const id of ['repeat', 'colouring', 'surfaces', 'shading']) chosen(id, name => this.change(id, { name }));
    chosen('selected', value => this.change('joint', value === '' ? {} : { value: Number(value) }));
    chosen('clips', value => this.change('clip', { value: Number(value) }));
    chosen('methods', name => this.change('method', { name }));
    chosen('split', name => this.split(name).catch(this.report.failed));
    const range = () => this.state.range ?? [0, this.state.duration];
    byId('from').onclick = () => this.change('range', { values: [this.state.time, Math.max(range()[1], this.state.time)] });
    byId('to').onclick = () => this.change('range', { values: [Math.min(range()[0], this.state.time), this.state.time] });
    byId('whole').onclick = () => this.change('range');
    for (const name of OVERLAYS) byId(`show-${name}`).onchange = () => this.change('overlay', { name });
    byId('reset-camera').onclick = () => this.change('reset-camera');
    byId('reset-joints').onclick = () => this.change('reset-joints');
  }

  /** Movements of the pointer and the time slider that are not sent to the module yet, by kind. @type {Map<string, number[]>} */
  #moves = new Map();
  /** Method of the last state: notes are about one. */
  #method = '';
  #moving = false;

  /** Adds a movement. A fast pointer sends more of them than the module can draw. @param {string} kind @param {number[]} values */
  async #move(kind, values) {
    const waiting = this.#moves.get(kind);
    this.#moves.set(kind, waiting ? JOIN[kind](waiting, values) : values);
    if (this.#moving) return;
    this.#moving = true;
    for (let first = [...this.#moves][0]; first; first = [...this.#moves][0]) {
      const [change, values] = first;
      this.#moves.delete(change);
      await this.change(change, values.length === 1 ? { value: values[0] } : { values });
    }
    this.#moving = false;
  }

  /** Selects the joint or vertex at a click. @param {PointerEvent} event */
  async #pick(event) {
    if (!this.#shows) return;
    const { left, top, width, height } = viewport.getBoundingClientRect();
    // Both halves of a split view show the same.
    const half = this.state.split ? width / 2 : width;
    await this.#request('pick', { x: (event.clientX - left) % half, y: event.clientY - top, width: half, height }).catch(this.report.failed);
  }

  /** Returns the pixel of the canvas at a pointer, in the half that shows the model itself, and the size of that half. @param {{ clientX: number, clientY: number }} pointer */
  #pixel({ clientX, clientY }) {
    const { left, top } = viewport.getBoundingClientRect();
    const scale = this.#size[0] / (viewport.clientWidth || 1);
    return [(clientX - left) * scale, (clientY - top) * scale, this.#size[0] / (this.state.split ? 2 : 1), this.#size[1]];
  }

  /** The ring of the selected joint that the pointer turns: its axis and the last pixel; undefined while the module looks for it. @type {number[] | null | undefined} */
  #ring = null;

  /** Grabs the ring under the pointer, if there is one. @param {PointerEvent} event */
  async #grab(event) {
    const [x, y, width, height] = this.#pixel(event);
    if (!this.#shows || (this.state.joint ?? null) === null || x > width) return;
    this.#ring = undefined;
    const answer = await this.engine.ask('grab', { x, y, width, height }).catch(this.report.failed);
    const axis = answer?.head.ring ?? null;
    this.#ring = axis === null ? null : [axis, x, y];
    if (axis !== null && this.#pointers.size === 0) this.#release();
  }

  /** Ends a turn: the next one is another step. */
  async #release() {
    if (this.#ring) await this.change('end-turn');
    this.#ring = null;
  }

  #pointer() {
    const size = () => viewport.clientHeight || 1;
    /** Distance that the pointer moved since it was pressed, in pixels. */
    let travelled = 0;
    viewport.onpointerdown = event => {
      viewport.setPointerCapture(event.pointerId);
      this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      travelled = this.#pointers.size > 1 ? Infinity : 0;
      if (this.#pointers.size === 1 && event.button === 0 && !event.shiftKey) this.#grab(event);
    };
    viewport.onpointermove = event => {
      const before = this.#pointers.get(event.pointerId);
      if (!before) return;
      const others = [...this.#pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      const [right, down] = [(event.clientX - before.x) / size(), (event.clientY - before.y) / size()];
      travelled += Math.hypot(event.clientX - before.x, event.clientY - before.y);
      if (this.#ring === undefined) return;
      if (this.#ring) {
        const [axis, x, y] = this.#ring;
        const [toX, toY, width, height] = this.#pixel(event);
        this.#ring = [axis, toX, toY];
        this.#move('turn-by-ring', [axis, x, y, toX, toY, width, height]);
        return;
      }
      // Each of several fingers contributes its share.
      const share = 1 / this.#pointers.size;
      const drag = () => this.#move('drag', [right * share, down * share, viewport.clientWidth / size()]);
      if (others.length > 0) {
        const apart = (/** @type {{ x: number, y: number }} */ at) => Math.hypot(at.x - others[0].x, at.y - others[0].y);
        const [was, is] = [apart(before), apart({ x: event.clientX, y: event.clientY })];
        if (was > 0 && is > 0) this.#move('zoom', [is / was]);
        drag();
      } else if (event.shiftKey || event.buttons !== 1) drag();
      else this.#move('rotate', [right, down]);
    };
    viewport.onpointerup = viewport.onpointercancel = event => {
      const isClick = event.type === 'pointerup' && event.button === 0 && travelled < 4;
      const isHeld = this.#pointers.delete(event.pointerId);
      if (this.#ring) this.#release();
      else if (isHeld && isClick) this.#pick(event);
    };
    viewport.oncontextmenu = event => event.preventDefault();
    viewport.addEventListener('wheel', event => {
      event.preventDefault();
      this.#move('zoom', [Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.03 : 0.001))]);
    }, { passive: false });
  }

  #keys() {
    /** @type {Record<string, [string, Json]>} */
    const anywhere = {
      ' ': ['toggle-pause', {}], ',': ['step', { value: -1 }], '.': ['step', { value: 1 }], Home: ['first', {}], End: ['last', {}],
      k: ['overlay', { name: 'skeleton' }], g: ['overlay', { name: 'grid' }], n: ['overlay', { name: 'names' }],
    };
    /** @type {Record<string, [string, Json]>} */
    const onView = {
      ArrowLeft: ['rotate', { values: [-0.05, 0] }], ArrowRight: ['rotate', { values: [0.05, 0] }],
      ArrowUp: ['rotate', { values: [0, -0.05] }], ArrowDown: ['rotate', { values: [0, 0.05] }],
      '+': ['zoom', { value: 1.1 }], '-': ['zoom', { value: 1 / 1.1 }],
    };
    document.addEventListener('keydown', event => {
      const target = /** @type {HTMLElement} */ (event.target);
      // The element with the focus keeps the keys that it uses: a field all, a button the space bar, a slider and a report Home and End.
      const isField = target.matches('select, input:not([type="checkbox"], [type="range"], [type="file"])');
      const isOwn = (event.key === ' ' && target.matches('button, summary, input:not([type="range"])')) || (['Home', 'End'].includes(event.key) && target.matches('[type="range"]'))
        || (' HomeEnd'.includes(event.key) && target.closest('[role="tabpanel"]:not(#page-play)'));
      if (event.ctrlKey || event.metaKey || event.altKey || isField || isOwn) return;
      const action = anywhere[event.key] ?? (target === viewport ? onView[event.key] : undefined);
      if (!action) return;
      event.preventDefault();
      this.change(...action);
    });
  }
}

/** Adds two movements. What follows their directions is that of the second. @param {number[]} a @param {number[]} b */
function sum([right, down], [moreRight, moreDown, ...rest]) {
  return [right + moreRight, down + moreDown, ...rest];
}
