// @ts-check
/** The page: opens the user's files, shows them, and keeps the settings in the URL. */
import { setUp as setUpConversion } from './convert.js';
import { byId, choices, counted, download, element } from './dom.js';
import { Engine, Failed } from './engine.js';
import { confine, isAllowed, link, ofAddresses, ofDrop, ofList, settings, tops, unreadable } from './files.js';
import { Report } from './report.js';
import { OVERLAYS, View } from './view.js';

/** @typedef {import('./wasm.js').Json} Json */
/** @typedef {import('./files.js').Given} Given */

/** Largest total size of the files in bytes: the module's memory is limited to 4 GiB. */
const MOST_BYTES = 1 << 30;

const problem = byId('problem');
const TITLE = document.title;
const COPIED = 'The link is copied.';
const NEEDS = 'WebAssembly, module workers and DecompressionStream';
const UNDRAWN = 'This browser has no WebGL 2: models are validated and converted, not drawn.';
const [models, clips, methods, engines] = ['models', 'clips', 'methods', 'engines'].map(id => byId(id, HTMLSelectElement));
/** The shown model: its description, its files or its name in the game, the names that the user gave, and their origin.
 * @type {{ about: Json, source: Json, given: string[], origin: Record<string, string | undefined> }} */
const shown = { about: { clips: [], joints: [] }, source: {}, given: [], origin: {} };
/** What names the shown model and how it plays, without the view of it. @type {Record<string, string | undefined>} */
let shared = {};
const copyLink = byId('copy-link', HTMLButtonElement);
const filter = byId('filter', HTMLInputElement);
const subjects = byId('subjects', HTMLSelectElement);
const skins = byId('skins', HTMLSelectElement);
const attached = byId('attached', HTMLSelectElement);
/** @type {Json[]} */
let rows = [];
/** Number of models up to which the list has no filter. */
const MOST_UNFILTERED = 12;
/** Paths of all models. @type {string[]} */
let listed = [];
/** Queue of work: one task runs at a time. */
let last = Promise.resolve();
/** Number of tasks that have not ended. */
let waiting = 0;
/** The part of the URL after `#` that the shown state may replace: the user has not entered another, or it could not be opened. */
let opened = '';

/** Shows an error. After one that broke the module another is started, without files. @param {unknown} error */
function failed(error) {
  const message = error instanceof Error ? error.message : String(error);
  if (!message) return;
  const broken = error instanceof Failed && error.broken;
  const restarts = broken && document.body.dataset.ready === '1';
  const hint = restarts ? '\nIt is started again: open your files again.' : broken ? `\nReload the page to go on. If that does not help: this page needs a browser with ${NEEDS}.` : message.includes('--max-memory') ? '\n--max-memory is an option of the program; the page has none.' : '';
  problem.textContent = message + hint;
  problem.hidden = false;
  byId('busy').textContent = '';
  if (broken) forget();
  if (!restarts) return;
  choices(models, []);
  engine.restart(byId('canvas')).then(begun).catch(failed);
}

/** Explains why nothing is drawn, if the program has no WebGL, or has it no longer. */
function begun() {
  if (engine.draws) return;
  view.show(false);
  byId('drop').replaceChildren(element('span', {}, UNDRAWN), 'Drop models, clips, folders or archives');
}

/** Shows no model. Its description goes, too. */
function forget() {
  view.show(false);
  [shown.source, shown.about, view.state, document.title] = [{}, { clips: [], joints: [] }, {}, TITLE];
  for (const id of ['clips', 'joint', 'selected']) choices(byId(id), []);
  for (const id of ['about-model', 'about-colours', 'note', 'losses', 'table']) byId(id).replaceChildren();
  Object.assign(shown.origin, { entity: undefined, declared: undefined, skin: undefined, attach: undefined });
  for (const list of [subjects, skins]) if (list.parentElement) list.parentElement.hidden = true;
  enable();
}

/** Disables the controls of a model while none is shown, and those of the drawing without WebGL. Their title is the reason. */
function enable() {
  for (const control of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll('#page-play :is(button, select, input), #formats button, #compare'))) {
    control.dataset.title ??= control.title;
    const isDrawing = control.closest('#page-play') && ![engines, subjects, skins, copyLink].includes(/** @type {any} */ (control));
    const reason = !shown.about.files ? 'No model is shown.' : isDrawing && !engine.draws ? UNDRAWN : '';
    [control.disabled, control.title] = [reason !== '', reason || control.dataset.title];
  }
}

/** Runs tasks one after the other and shows their description. @param {string} text @param {() => Promise<void>} work */
function work(text, work) {
  waiting++;
  last = last.then(async () => {
    const address = location.hash;
    byId('busy').textContent = text;
    problem.hidden = true;
    try {
      await work();
      opened = address;
    } catch (error) {
      failed(error);
    }
    waiting--;
    onState(view.state);
    byId('busy').textContent = '';
  });
  return last;
}

const say = (/** @type {string} */ text) => { byId('busy').textContent = text; };

const engine = new Engine(byId('canvas', HTMLCanvasElement));
engine.onlost = () => {
  const [{ sample, files }, { model }] = [kept, shown.origin];
  const wanted = /** @type {Record<string, string>} */ ({ ...shared, ...viewed() });
  if (!view.state.paused) delete wanted.time;
  failed(new Failed('the graphics context was lost', true));
  if (sample) openSample(wanted);
  if (files.length > 0) open(files, wanted, { model });
};
const view = new View(engine, { state: onState, failed });
const report = new Report(failed);
/** The files of the models: the sample's, the user's. @type {import('./report.js').Kept} */
let kept = { sample: false, files: [] };
setUpConversion(engine, () => shown.source, work);

/** @param {Json} state */
function onState(state) {
  const set = (/** @type {HTMLSelectElement} */ list, /** @type {string} */ value) => { if (list.value !== value) list.value = value; };
  set(clips, String(state.clip ?? ''));
  set(methods, state.method);
  set(byId('split', HTMLSelectElement), state.split ?? '');
  for (const id of ['colouring', 'surfaces', 'shading']) set(byId(id, HTMLSelectElement), state[id]);
  set(byId('selected', HTMLSelectElement), String(state.joint ?? ''));
  const joint = shown.about.joints[state.joint]?.name;
  attached.disabled = joint === undefined;
  set(attached, listed.find(path => shown.source.attach?.some((/** @type {string} */ it) => it.startsWith(`${joint}=${path}`))) ?? '');
  byId('about-method').textContent = rows.find(row => row.name === state.method)?.about ?? '';
  byId('about-engine').textContent = state.leaves_clip_out ?? state.why_no_engine ?? '';
  if (waiting > 0) return;
  set(engines, state.engine ?? '');
  engines.disabled = !shown.about.files || Boolean(state.why_no_engine);
  const clip = shown.about.clips[state.clip]?.name;
  const beside = state.split ?? undefined;
  const page = document.querySelector('[role="tab"][aria-selected="true"]')?.id.replace('tab-', '');
  const method = state.method === 'cpu' ? undefined : state.method;
  // Files of the user's own are gone after a reload, and so are what they name.
  const isPublic = shown.origin.sample !== undefined || shown.origin.model !== undefined;
  shared = { ...shown.origin, clip, beside, method, as: state.engine ?? undefined };
  copyLink.disabled = !isPublic || !shown.about.files;
  const address = link({ ...(isPublic ? shared : {}), page: page === 'play' ? undefined : page });
  if (location.hash !== opened || address === opened) return;
  history.replaceState(null, '', address);
  opened = location.hash;
}

/** Returns the settings of the view: what a link has, and the address does not. @returns {Record<string, string | undefined>} */
function viewed() {
  const { yaw, pitch, time, overlays, colouring, surfaces, shading, speed, turns } = view.state;
  if (!turns) return {};
  const turned = turns.map((/** @type {[number, number[]]} */ [joint, turn]) => [joint, ...turn.map(part => part.toFixed(4))].join(' ')).join(';');
  const isChanged = (/** @type {string} */ name) => overlays.includes(name) !== (name === 'grid');
  const look = [yaw, pitch].map(angle => angle.toFixed(3)).join(',');
  const unless = (/** @type {string} */ usual, /** @type {string} */ value) => (value === usual ? undefined : value);
  return { look, time: time.toFixed(3), colouring: unless('materials', colouring), surfaces: unless('surfaces', surfaces),
    shading: unless('lit', shading), show: unless('', OVERLAYS.filter(isChanged).join(' ')), speed: unless('1', String(speed)), joint: shown.about.joints[view.state.joint]?.name, turns: unless('', turned) };
}

/** Passes files to the module, instead of those that it has or in addition to them. @param {Given[]} given */
async function put(given, isAdded = false) {
  const bytes = given.reduce((sum, { file }) => sum + file.size, 0);
  if (bytes > MOST_BYTES) throw new Error(`these files have ${(bytes / 1e6).toFixed(0)} MB; the page reads up to 1074 MB. The program \`bindpose\` reads more.`);
  kept = isAdded ? { ...kept, files: [...kept.files, ...given] } : { sample: false, files: given };
  if (!isAdded) await engine.ask('clear');
  for (const [number, { path, file, modified }] of given.entries()) {
    say(`Reading ${path} (${number + 1} of ${given.length})`);
    await engine.ask('put', { path, modified }, new Uint8Array(await file.arrayBuffer().catch(unreadable(path))));
  }
}

/** Returns the settings that another model or skin keeps. */
const now = () => ({ as: engines.value, paused: view.state.paused ? '1' : '' });

/** Adds clips or a camera to the model that is shown. @param {Given[]} given */
async function add(given) {
  await put(given, true);
  const added = given.map(({ path }) => path);
  shown.given.push(...tops(given));
  await show({ files: [...new Set([...shown.about.files, ...added])] }, now(), { skin: shown.source.skin, keep: true });
  if (/\.md5anim$/i.test(added[added.length - 1])) await view.change('clip', { value: shown.about.clips.length - 1 });
  report.check(shown.given, kept);
}

/** Opens the user's files. @param {Given[] | Promise<Given[]>} files @param {Record<string, string>} [wanted] @param {Record<string, string | undefined>} [origin] */
const open = (files, wanted = {}, origin = {}) => work('Reading files', async () => {
  const given = await files;
  if (given.length === 0) throw new Error('There is no file to open: the folder is empty, or what was dropped is not a file.');
  // A clip alone is one more clip of the model, as in the program's window.
  const isPart = (/** @type {Given} */ { path }) => /\.(md5anim|md5camera)$/i.test(path);
  if (shown.source?.files && given.every(isPart)) return add(given);
  await put(given);
  shown.given = tops(given);
  await list(origin, wanted);
});

const openSample = (/** @type {Record<string, string>} */ wanted = {}) => work('Loading the sample', async () => {
  await engine.ask('clear');
  kept = { sample: true, files: [] };
  shown.given = (await engine.ask('sample')).head.paths;
  await list({ sample: '' }, wanted);
});

/** Lists the models among the files and shows one. @param {Record<string, string | undefined>} origin @param {Record<string, string>} wanted */
async function list(origin, wanted) {
  say('Looking for models');
  const { head } = await engine.ask('files');
  shown.origin = origin;
  listed = head.models;
  filter.value = '';
  filter.hidden = listed.length <= MOST_UNFILTERED;
  const all = listed.map(path => ({ value: path, text: path }));
  choices(models, all);
  choices(attached, [{ value: '', text: 'nothing' }, ...all]);
  if (attached.parentElement) attached.parentElement.hidden = listed.length < 2;
  const checked = () => { report.check(shown.given, kept); };
  if (head.models.length === 0) {
    forget();
    checked();
    throw new Error(head.all_clips > 0 ? 'There are clips, but no model that they move: open an .md5mesh with them.'
      : 'There is no model among these files: .md5mesh, .x, .gltf or .glb, or archives with them.');
  }
  const model = head.models.includes(wanted.open) ? wanted.open : head.models[0];
  const left = wanted.open && model !== wanted.open ? [`open=${wanted.open}`] : [];
  models.value = model;
  const { entity, declared, skin } = wanted;
  try {
    await show({ files: filesOf(model) }, wanted, { skin: entity || declared ? undefined : skin, left });
    // The game is known once one of its files is open.
    if (entity || declared) {
      await show(entity ? { entity } : { declared }, wanted, { skin, left })
        .catch(error => {
          refusal(error);
          return show({ files: filesOf(model) }, wanted, { skin, left: [...left, entity ? `entity=${entity}` : `declared=${declared}`] });
        });
    }
  } finally {
    checked();
  }
}

/** Lists the models whose paths contain the text of the filter. If the shown one is not among them, none is chosen. */
function listModels() {
  const wanted = filter.value.toLowerCase();
  const found = listed.filter(path => path.toLowerCase().includes(wanted)).map(path => ({ value: path, text: path }));
  const current = found.some(({ value }) => value === shown.origin.open);
  const none = { value: '', text: found.length > 0 ? counted(found.length, 'model') : 'no model matches', disabled: true };
  choices(models, current ? found : [none, ...found], current ? shown.origin.open : '');
}

/** Returns the files of a model among the user's files. @param {string} model */
function filesOf(model) {
  if (listed.length > 1) shown.origin.open = model;
  else delete shown.origin.open;
  // Clips that were given together with a single model belong to it, whatever their names.
  return [model, ...(listed.length === 1 ? shown.given.filter(path => /\.(md5anim|md5camera)$/i.test(path)) : [])];
}

/** Rethrows an error that is not an answer: the worker has stopped. @param {unknown} error @returns {Error} */
const refusal = error => {
  if (!(error instanceof Error) || !error.message || (error instanceof Failed && error.broken)) throw error;
  return error;
};

/**
 * Shows a model.
 * @param {Json} source Its `files`, or its `entity` or `declared` name in the game.
 * @param {Record<string, string>} wanted
 * @param {{ skin?: string, keep?: boolean, left?: string[] }} [how] With `keep` the camera and the clip stay. `left` is what was left out before.
 */
async function show(source, wanted, { skin, keep = false, left = [] } = {}) {
  say(`Loading ${source.entity ?? source.declared ?? source.files[0]}`);
  const { entity, declared } = source;
  const attach = wanted.attach?.split(';').filter(Boolean) ?? (keep ? shown.source.attach : undefined) ?? [];
  const parts = /** @type {[string, string][]} */ ([['skin', skin], ['engine', wanted.as], ['clip', wanted.clip], ['method', wanted.method],
    ...attach.map((/** @type {string} */ it) => ['attach', it])].filter(([, value]) => value));
  const joined = (/** @type {Json} */ settings, /** @type {[string, string]} */ [key, value]) => ({ ...settings, [key]: key === 'attach' ? [...(settings.attach ?? []), value] : value });
  const ask = (/** @type {Json} */ settings) => engine.ask('open', { ...source, ...settings, draw: engine.draws, keep });
  let settings = parts.reduce(joined, /** @type {Json} */ ({}));
  let head = /** @type {Json} */ ({});
  try {
    ({ head } = await ask(settings).catch(async error => {
      if (parts.length === 0) throw error;
      refusal(error);
      // A link may name what is no longer there: each part that fits is kept.
      settings = {};
      for (const part of parts) {
        const more = joined(settings, part);
        await ask(more).then(() => { settings = more; }, error => { left = [...left, refusal(error).message.split(';')[0]]; });
      }
      return ask(settings);
    }));
  } catch (error) {
    if (!keep) forget();
    throw error;
  }
  shown.source = { ...source, skin: settings.skin, attach: settings.attach };
  Object.assign(shown.origin, { entity, declared, skin: settings.skin, attach: settings.attach?.join(';') });
  shown.about = head;
  for (const id of ['losses', 'table']) byId(id).replaceChildren();
  document.title = `${head.name}: bindpose`;
  choices(engines, [{ value: '', text: 'the meaning of the files' }, ...head.engines.map((/** @type {Json} */ it) => ({ value: it.name, text: it.title }))]);
  choices(clips, head.clips.map((/** @type {Json} */ clip, /** @type {number} */ number) => ({ value: String(number), text: `${clip.name} (${clip.seconds.toFixed(2)} s)` })));
  const joints = head.joints.map((/** @type {Json} */ joint, /** @type {number} */ number) => ({ value: String(number), text: joint.name }));
  // A root turns all of the model, which looks the same by every method.
  /** @type {number[]} */
  const depths = [];
  for (const { parent } of head.joints) depths.push(parent === null ? 0 : depths[parent] + 1);
  const joint = byId('joint', HTMLSelectElement);
  const bends = depths.includes(2) ? depths.indexOf(2) : joints.length >> 1;
  choices(joint, joints, keep ? joint.value : String(bends));
  choices(byId('selected'), [{ value: '', text: 'none' }, ...joints]);
  const keyOf = (/** @type {Json} */ it) => `${it.key} ${it.name}`;
  choices(subjects, [{ value: '', text: 'the file' }, ...head.models.map((/** @type {Json} */ it) => ({ value: keyOf(it), text: it.label }))],
    entity ? `entity ${entity}` : declared ? `declared ${declared}` : '');
  choices(skins, [{ value: '', text: 'its own' }, ...head.skins.map((/** @type {string} */ name) => ({ value: name, text: name }))], settings.skin ?? '');
  for (const [list, all] of /** @type {[HTMLSelectElement, any[]][]} */ ([[subjects, head.models], [skins, head.skins]])) {
    if (list.parentElement) list.parentElement.hidden = all.length === 0;
  }
  describe(head);
  enable();
  if (head.clips.length === 0) clips.disabled = true;
  byId('note').textContent = '';
  if (engine.draws) left = [...left, ...await look(wanted, keep)];
  // No state comes from the program: it has no player.
  else view.state = { ...(keep ? view.state : { clip: head.clip, method: settings.method, split: wanted.beside }), engine: settings.engine };
  if (left.length > 0) byId('note').textContent = `Left out: ${left.join('; ')}`;
}

/** Shows the view that a link names. Returns the parts that do not fit the model. @param {Record<string, string>} wanted @param {boolean} keep */
async function look(wanted, keep) {
  view.show(true);
  const numbers = (/** @type {string} */ text) => {
    const all = text.split(/[ ,]/).map(Number);
    if (!all.every(Number.isFinite)) throw new Error(text);
    return all;
  };
  const isStill = wanted.paused || Number.isFinite(Number(wanted.time || NaN)) || (!keep && matchMedia('(prefers-reduced-motion: reduce)').matches);
  await view.change('pause', { on: Boolean(isStill) });
  const named = (/** @type {string} */ id) => (/** @type {string} */ name) => view.apply(id, { name });
  /** @type {[string, string | undefined, (text: string) => Promise<void>][]} */
  const parts = [
    ['time', undefined, text => view.apply('seek', { value: numbers(text)[0] })],
    ['beside', undefined, name => view.split(name)],
    ['look', undefined, text => view.apply('look', { values: numbers(text) })],
    ['colouring', undefined, named('colouring')], ['surfaces', undefined, named('surfaces')], ['shading', undefined, named('shading')],
    ['turns', ';', text => { const [value, ...values] = numbers(text); return view.apply('turn', { value, values }); }],
    ['show', ' ', named('overlay')], ['speed', undefined, text => view.apply('speed', { value: numbers(text)[0] })],
    ['joint', undefined, async name => {
      const value = shown.about.joints.findIndex((/** @type {Json} */ it) => it.name === name);
      if (value < 0) throw new Error(name);
      await view.apply('joint', { value });
    }],
  ];
  const left = [];
  for (const [key, separator, change] of parts) {
    for (const text of (separator ? wanted[key]?.split(separator) : [wanted[key]])?.filter(Boolean) ?? []) {
      try {
        await change(text);
      } catch (error) {
        refusal(error);
        left.push(`${key}=${text}`);
      }
    }
  }
  return left;
}

/** @param {Json} about */
function describe(about) {
  const sum = (/** @type {string} */ key) => about.meshes.reduce((/** @type {number} */ sum, /** @type {Json} */ mesh) => sum + mesh[key], 0);
  const items = (/** @type {string[]} */ lines) => element('ul', {}, ...lines.map(line => element('li', {}, line)));
  const meshes = about.meshes.map((/** @type {Json} */ mesh, /** @type {number} */ number) => element('label', { className: 'tick' },
    element('input', { type: 'checkbox', checked: true, onchange: () => view.change('mesh', { value: number }) }), ` ${mesh.name || `mesh ${number}`} (${mesh.material || 'no material'})`));
  const images = (about.images ?? []).flatMap((/** @type {Json} */ it) => it.images.map((/** @type {Json} */ image) => image.line));
  byId('about-model').replaceChildren(
    element('p', {}, `${about.name}: ${counted(about.joints.length, 'joint')}, ${counted(about.meshes.length, 'mesh')}, ${counted(sum('vertices'), 'vertex')}, ${counted(sum('triangles'), 'triangle')}, ${counted(about.clips.length, 'clip')}`),
    ...meshes, images.length > 0 ? items(images) : '',
    about.warnings.length + about.left_out.length > 0 ? items([
      ...about.left_out.map((/** @type {Json} */ it) => it.text),
      ...about.warnings.map((/** @type {Json} */ it) => `${it.code}: ${it.message}`)]) : '');
}

function setUpTabs() {
  const tabs = [...document.querySelectorAll('[role="tab"]')].map(tab => /** @type {HTMLElement} */ (tab));
  const choose = (/** @type {HTMLElement} */ chosen) => {
    for (const tab of tabs) {
      tab.setAttribute('aria-selected', String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      byId(tab.getAttribute('aria-controls') ?? '').hidden = tab !== chosen;
    }
    onState(view.state);
  };
  tabs.forEach((tab, place) => {
    tab.onclick = () => choose(tab);
    if (tab.id === `tab-${settings().page}`) choose(tab);
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
      open(given);
    };
  }
  byId('open-sample').onclick = () => openSample();
  models.onchange = () => { if (models.value) work('', () => show({ files: filesOf(models.value) }, {})); };
  engines.onchange = () => work('', () => show(shown.source, now(), { skin: shown.source.skin, keep: true }));
  skins.onchange = () => work('', () => show(shown.source, now(), { skin: skins.value || undefined, keep: true }));
  attached.onchange = () => work('', () => {
    const joint = shown.about.joints[view.state.joint].name;
    const others = (shown.source.attach ?? []).filter((/** @type {string} */ it) => !it.startsWith(`${joint}=`));
    const attach = [...others, ...(attached.value ? [`${joint}=${attached.value}`] : [])].join(';');
    return show(shown.source, { ...now(), attach }, { skin: shown.source.skin, keep: true });
  });
  subjects.onchange = () => work('', () => {
    const [key, ...name] = subjects.value.split(' ');
    return show(key ? { [key]: name.join(' ') } : { files: filesOf(shown.origin.open ?? listed[0]) }, {});
  });
  filter.oninput = listModels;
  filter.onkeydown = event => {
    if (event.key !== 'Enter' || models.value) return;
    models.value = models.options[1]?.value ?? '';
    models.onchange?.(new Event('change'));
  };
  copyLink.onclick = async () => {
    const address = new URL(link({ ...shared, ...viewed() }), location.href).href;
    try {
      await navigator.clipboard.writeText(address);
      byId('note').textContent = COPIED;
      setTimeout(() => { if (byId('note').textContent === COPIED) byId('note').textContent = ''; }, 5000);
    } catch {
      // Browsers have no clipboard for pages by http from another machine.
      prompt('Copy this link:', address);
    }
  };
  byId('screenshot').onclick = () => view.screenshot().then(png => download(`${shown.about.name}.png`, png, 'image/png'), failed);
  byId('gif').onclick = () => work('Recording', async () => download(`${shown.about.name}.gif`, await view.gif(), 'image/gif'));
  document.addEventListener('dragover', event => {
    event.preventDefault();
    document.body.classList.add('over');
  });
  document.addEventListener('dragleave', event => { if (!event.relatedTarget) document.body.classList.remove('over'); });
  document.addEventListener('drop', event => {
    event.preventDefault();
    document.body.classList.remove('over');
    if (!event.dataTransfer) return;
    const given = ofDrop(event.dataTransfer);
    // An error is reported when the files have their turn.
    given.catch(() => {});
    open(given);
  });
}

/** Opens the model that is named in the URL, or the sample. */
async function openAddress() {
  const wanted = settings();
  if (wanted.model) {
    // The policy of a loaded page cannot be changed.
    if (!isAllowed(wanted.model)) return location.reload();
    await work(`Fetching ${wanted.model}`, async () => {
      const given = await ofAddresses(wanted.model);
      await put(given);
      shown.given = tops(given);
      await list({ model: wanted.model }, wanted);
    });
  } else await openSample(wanted);
}

async function begin() {
  confine(settings().model);
  setUpTabs();
  setUpFiles();
  say('Loading the program');
  await engine.started;
  begun();
  const known = (await engine.ask('methods')).head;
  rows = known.methods;
  const options = rows.map(({ name, about }) => ({ value: name, text: name, title: about }));
  choices(methods, options);
  choices(byId('split'), [{ value: '', text: 'nothing' }, ...options]);
  report.list(known.profiles);
  addEventListener('hashchange', openAddress);
  await openAddress();
  document.body.dataset.ready = '1';
}

document.body.dataset.started = '1';
begin().catch(failed);
if ('serviceWorker' in navigator) navigator.serviceWorker.register('sw.js').catch(() => {});
