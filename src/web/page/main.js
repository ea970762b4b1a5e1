// @ts-check
/** The page: opens what the user gives, shows it, keeps its settings in the address. */
import { setUp as setUpConversion } from './convert.js';
import { byId, choices, element } from './dom.js';
import { Engine, Failed } from './engine.js';
import { link, ofAddress, ofDrop, ofList, settings, tops } from './files.js';
import { Report } from './report.js';
import { View } from './view.js';

/** @typedef {import('./wasm.js').Json} Json */
/** @typedef {import('./files.js').Given} Given */

/** Files that together have more bytes are refused: the module's memory ends at 4 GiB. */
const MOST_BYTES = 1 << 30;

const problem = byId('problem');
const [models, clips, methods, engines] = ['models', 'clips', 'methods', 'engines'].map(id => byId(id, HTMLSelectElement));
/** What is shown. @type {{ about: Json, files: string[], given: string[], origin: Record<string, string> }} */
const shown = { about: { clips: [], joints: [] }, files: [], given: [], origin: {} };
/** @type {Json[]} */
let rows = [];
/** Work that waits for its turn: one thing at a time. */
let last = Promise.resolve();

/** @param {unknown} error */
function failed(error) {
  const message = error instanceof Error ? error.message : String(error);
  const broken = error instanceof Failed && error.broken;
  problem.textContent = broken ? `${message}\nThe program stopped; reload the page to go on.` : message;
  problem.hidden = false;
  byId('busy').textContent = '';
}

/** Does one thing after the other, and tells what. @param {string} text @param {() => Promise<void>} work */
function work(text, work) {
  const turn = last.then(async () => {
    byId('busy').textContent = text;
    problem.hidden = true;
    try {
      await work();
      byId('busy').textContent = '';
    } catch (error) {
      failed(error);
    }
  });
  last = turn;
  return turn;
}

const say = (/** @type {string} */ text) => { byId('busy').textContent = text; };

const engine = new Engine(byId('canvas', HTMLCanvasElement));
engine.onlost = () => failed(new Failed('the graphics context was lost', true));
const view = new View(engine, { state: onState, failed });
const report = new Report(engine, failed);
setUpConversion(engine, () => shown.files, work);

/** @param {Json} state */
function onState(state) {
  const set = (/** @type {HTMLSelectElement} */ list, /** @type {string} */ value) => { if (list.value !== value) list.value = value; };
  set(clips, String(state.clip ?? ''));
  set(methods, state.method);
  set(byId('split', HTMLSelectElement), state.split ?? '');
  set(engines, state.engine ?? '');
  for (const id of ['colouring', 'surfaces', 'shading']) set(byId(id, HTMLSelectElement), state[id]);
  byId('about-method').textContent = rows.find(row => row.name === state.method)?.about ?? '';
  byId('about-engine').textContent = state.leaves_clip_out ?? state.why_no_engine ?? '';
  engines.disabled = Boolean(state.why_no_engine);
  const clip = shown.about.clips[state.clip]?.name;
  const address = link({ ...shown.origin, clip, method: state.method === 'cpu' ? undefined : state.method, as: state.engine ?? undefined });
  if (location.hash !== address) history.replaceState(null, '', address);
}

/** Puts files where the module finds them. @param {Given[]} given */
async function put(given) {
  const bytes = given.reduce((sum, { file }) => sum + file.size, 0);
  if (bytes > MOST_BYTES) throw new Error(`these files have ${(bytes / 1e6).toFixed(0)} MB; the page reads up to 1074 MB. The program \`bindpose\` reads more.`);
  await engine.ask('clear');
  for (const [number, { path, file, modified }] of given.entries()) {
    say(`Reading ${path} (${number + 1} of ${given.length})`);
    await engine.ask('put', { path, modified }, new Uint8Array(await file.arrayBuffer()));
  }
}

/** Opens what the user gave. @param {Given[]} given @param {Record<string, string>} origin @param {Record<string, string>} [wanted] */
const open = (given, origin, wanted = {}) => work('Reading files', async () => {
  if (given.length === 0) return;
  await put(given);
  shown.given = tops(given);
  await list(origin, wanted);
});

const openSample = (/** @type {Record<string, string>} */ wanted = {}) => work('Loading the sample', async () => {
  await engine.ask('clear');
  shown.given = (await engine.ask('sample')).head.paths;
  await list({ sample: '' }, wanted);
});

/** Lists the models among the files and shows one. @param {Record<string, string>} origin @param {Record<string, string>} wanted */
async function list(origin, wanted) {
  say('Looking for models');
  const { head } = await engine.ask('files');
  shown.origin = origin;
  choices(models, head.models.map((/** @type {string} */ path) => ({ value: path, text: path })));
  byId('tab-validate').textContent = 'Validate';
  const checked = () => { report.check(shown.given); };
  if (head.models.length === 0) {
    view.show(false);
    checked();
    throw new Error(head.all_clips > 0 ? 'There are clips, but no model that they move: open an .md5mesh with them.'
      : 'There is no model among these files: .md5mesh, .x, .gltf or .glb, or archives with them.');
  }
  const model = head.models.includes(wanted.open) ? wanted.open : head.models[0];
  models.value = model;
  try {
    await show(model, wanted);
  } finally {
    checked();
  }
}

/** Shows a model. @param {string} model @param {Record<string, string>} wanted @param {boolean} [keep] */
async function show(model, wanted, keep = false) {
  say(`Loading ${model}`);
  const isLone = models.options.length === 1;
  // Clips that were given with a single model are its clips, whatever they are called.
  const named = isLone ? shown.given.filter(path => /\.(md5anim|md5camera)$/i.test(path)) : [];
  shown.files = [model, ...named];
  if (models.options.length > 1) shown.origin.open = model;
  else delete shown.origin.open;
  const { head } = await engine.ask('open', { files: shown.files, draw: true, keep, engine: wanted.as || undefined, clip: wanted.clip || undefined, method: wanted.method || undefined });
  shown.about = head;
  choices(clips, head.clips.map((/** @type {Json} */ clip, /** @type {number} */ number) => ({ value: String(number), text: `${clip.name} (${clip.seconds.toFixed(2)} s)` })));
  clips.disabled = head.clips.length === 0;
  choices(byId('joint'), head.joints.map((/** @type {Json} */ joint, /** @type {number} */ number) => ({ value: String(number), text: joint.name })));
  describe(head);
  byId('note').textContent = '';
  view.show(true);
  await view.change('pause', { on: Boolean(wanted.paused) });
}

/** @param {Json} about */
function describe(about) {
  const sum = (/** @type {string} */ key) => about.meshes.reduce((/** @type {number} */ sum, /** @type {Json} */ mesh) => sum + mesh[key], 0);
  const items = (/** @type {string[]} */ lines) => element('ul', {}, ...lines.map(line => element('li', {}, line)));
  const meshes = about.meshes.map((/** @type {Json} */ mesh, /** @type {number} */ number) => element('label', { className: 'tick' },
    element('input', { type: 'checkbox', checked: true, onchange: () => view.change('mesh', { value: number }) }), ` ${mesh.name || `mesh ${number}`} (${mesh.material ?? 'no material'})`));
  const images = about.images.flatMap((/** @type {Json} */ it) => it.images.map((/** @type {Json} */ image) => image.line));
  byId('about-model').replaceChildren(
    element('p', {}, `${about.name}: ${about.joints.length} joints, ${about.meshes.length} meshes, ${sum('vertices')} vertices, ${sum('triangles')} triangles, ${about.clips.length} clips`),
    ...meshes, images.length > 0 ? items(images) : '',
    about.warnings.length > 0 ? items(about.warnings.map((/** @type {Json} */ it) => `${it.code}: ${it.message}`)) : '');
}

function setUpTabs() {
  const tabs = [...document.querySelectorAll('[role="tab"]')].map(tab => /** @type {HTMLElement} */ (tab));
  const choose = (/** @type {HTMLElement} */ chosen) => {
    for (const tab of tabs) {
      tab.setAttribute('aria-selected', String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      byId(tab.getAttribute('aria-controls') ?? '').hidden = tab !== chosen;
    }
  };
  tabs.forEach((tab, place) => {
    tab.onclick = () => choose(tab);
    tab.onkeydown = event => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      const next = tabs[(place + by + tabs.length) % tabs.length];
      choose(next);
      next.focus();
    };
  });
}

function setUpFiles() {
  for (const id of ['files', 'folder']) {
    const input = byId(id, HTMLInputElement);
    input.onchange = () => {
      const given = ofList(input.files);
      input.value = '';
      open(given, {});
    };
  }
  byId('sample').onclick = () => openSample();
  models.onchange = () => work('', () => show(models.value, {}));
  engines.onchange = () => work('', () => show(models.value, { as: engines.value, paused: view.state.paused ? '1' : '' }, true));
  document.addEventListener('dragover', event => {
    event.preventDefault();
    document.body.classList.add('over');
  });
  document.addEventListener('dragleave', event => { if (!event.relatedTarget) document.body.classList.remove('over'); });
  document.addEventListener('drop', event => {
    event.preventDefault();
    document.body.classList.remove('over');
    if (event.dataTransfer) ofDrop(event.dataTransfer).then(given => open(given, {}), failed);
  });
}

/** Opens what the address names, else the sample. */
async function openAddress() {
  const wanted = settings();
  if (wanted.model) {
    await work(`Fetching ${wanted.model}`, async () => {
      // Several files are separated by blanks.
      const given = await Promise.all(wanted.model.split(' ').map(ofAddress));
      await put(given);
      shown.given = tops(given);
      await list({ model: wanted.model }, wanted);
    });
  } else await openSample(wanted);
}

async function begin() {
  setUpTabs();
  setUpFiles();
  say('Loading the program');
  const { head } = await engine.started;
  if (!head.draws) failed(new Error('This browser has no WebGL 2: models are validated and converted, not drawn.'));
  const known = (await engine.ask('methods')).head;
  rows = known.methods;
  const options = rows.map(({ name, about }) => ({ value: name, text: name, title: about }));
  choices(methods, options);
  choices(byId('split'), [{ value: '', text: 'nothing' }, ...options]);
  choices(engines, [{ value: '', text: 'the meaning of the files' }, ...known.engines.map((/** @type {Json} */ it) => ({ value: it.name, text: it.title }))]);
  choices(byId('profile'), [{ value: '', text: 'Doom 3 and Direct3D' }]);
  await openAddress();
  addEventListener('hashchange', openAddress);
  document.body.dataset.ready = '1';
}

begin().catch(failed);
if ('serviceWorker' in navigator && location.protocol !== 'file:') navigator.serviceWorker.register('sw.js').catch(() => {});
