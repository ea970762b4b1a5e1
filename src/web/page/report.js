// @ts-check
/** The page "Validate": the answer first, then each file with its findings and the verdicts of engines. */
import { byId, choices, counted, download, element } from './dom.js';
import { Engine, Failed } from './engine.js';
import { unreadable } from './files.js';

/** @typedef {import('./wasm.js').Json} Json */
/** @typedef {{ sample: boolean, files: import('./files.js').Given[] }} Kept The bundled sample, and the user's files. */

/** Largest number of findings that the page shows for one file. */
const MOST_FINDINGS = 60;
/** Number of files that are unfolded at first: those with errors or warnings. */
const MOST_OPENED = 3;
/** Severities, the worst first. */
const ORDER = ['error', 'warning', 'info', 'hint'];
/** Findings about a clip or an image that is missing: it may be in the folder of the file. */
const MISSING = ['MD5P006', 'TEX001', 'TEX003'];
const GLTF = /\.(gltf|glb)$/i;
const NOT_VALIDATED = 'glTF files are played and converted, not validated.';
/** @type {Record<string, string>} */
const EFFECTS = { fine: 'loads', note: 'loads', wrong: 'loads wrongly', unused: 'shows another model', drops: 'drops it', refuses: 'refuses', exits: 'stops the game' };

/** Says how many engines load files. @param {Json[]} files */
function answer(files) {
  /** @type {Map<string, number>} */
  const worst = new Map();
  const effects = Object.keys(EFFECTS);
  for (const { profile, verdict } of files.flatMap(file => file.verdicts)) worst.set(profile, Math.max(worst.get(profile) ?? 0, effects.indexOf(verdict)));
  const [all, wrong] = files.length === 1 ? ['it', 'it'] : ['all', 'some'];
  const count = (/** @type {(effect: string) => boolean} */ is) => [...worst.values()].filter(effect => is(EFFECTS[effects[effect]])).length;
  const [loads, odd] = [count(words => words === 'loads'), count(words => words === 'loads wrongly')];
  const bad = worst.size - loads - odd;
  if (worst.size === 0) return '';
  return [`${loads} of ${counted(worst.size, 'engine')} load ${all}`, odd && `${odd} load${odd === 1 ? 's' : ''} ${wrong} wrongly`, bad && `${bad} refuse${bad === 1 ? 's' : ''} ${wrong}`].filter(Boolean).join(', ');
}

export class Report {
  /** Names of the user's files, as on the command line. @type {string[]} */
  #paths = [];
  #serial = 0;
  /** @type {Kept} */
  #files = { sample: false, files: [] };
  /** Files that the checker has. @type {Kept | undefined} */
  #put;
  /** Settled once the checker has the files. */
  #ready = Promise.resolve();
  /** A worker of its own, so that the view moves while files are checked. @type {Engine | undefined} */
  #checker;
  /** Names of the engines. @type {string[]} */
  #names = [];

  /** @param {(error: unknown) => void} failed */
  constructor(failed) {
    this.failed = failed;
    byId('profile').onchange = () => this.check(this.#paths, this.#files);
    byId('fix').onclick = () => this.#guard(() => this.#fix());
    byId('json').onclick = () => this.#guard(() => this.#save('json', 'validate.json', 'application/json'));
    byId('sarif').onclick = () => this.#guard(() => this.#save('sarif', 'validate.sarif', 'application/json'));
  }

  /** Lists the engines to choose from. @param {{ name: string, title: string }[]} profiles */
  list(profiles) {
    this.#names = profiles.map(({ name }) => name);
    choices(byId('profile'), [{ value: '', text: 'Doom 3 and Direct3D' }, { value: 'all', text: 'all engines' },
      ...profiles.map(({ name, title }) => ({ value: name, text: title }))]);
  }

  /** @param {() => Promise<void>} work */
  async #guard(work) {
    try {
      await work();
    } catch (error) {
      this.failed(error);
    }
  }

  /** Asks the checker about the files. @param {string} call @param {Json} request */
  async #ask(call, request) {
    this.#checker ??= new Engine();
    if (this.#put !== this.#files) {
      const files = this.#put = this.#files;
      this.#ready = this.#ready.catch(() => {}).then(() => this.#fill(files));
    }
    try {
      await this.#ready;
      return await this.#checker.ask(call, request);
    } catch (error) {
      if (!(error instanceof Failed) || !error.broken) throw error;
      this.#checker?.end();
      [this.#checker, this.#put] = [undefined, undefined];
      throw new Error(`${error.message}\nOnly the check has ended: the model is shown as before.`, { cause: error });
    }
  }

  /** Passes files to the checker, unless others have come. @param {Kept} kept */
  async #fill(kept) {
    await this.#checker?.ask('clear');
    if (kept.sample) await this.#checker?.ask('sample');
    for (const { path, file, modified } of kept.files) {
      if (this.#put !== kept) return;
      await this.#checker?.ask('put', { path, modified }, new Uint8Array(await file.arrayBuffer().catch(unreadable(path))));
    }
  }

  #request() {
    const profile = byId('profile', HTMLSelectElement).value;
    return { paths: this.#paths, profiles: profile === 'all' ? this.#names : profile ? [profile] : [] };
  }

  /** Checks files and shows the report. @param {string[]} paths Names as on the command line. @param {Kept} files */
  async check(paths, files) {
    const hasGltf = files.files.some(({ path }) => GLTF.test(path));
    // Buffers and images of a .gltf are no models either.
    [this.#paths, this.#files] = [hasGltf ? paths.filter(path => !/\.(gltf|glb|bin|png|jpe?g)$/i.test(path)) : paths, files];
    const serial = ++this.#serial;
    byId('repairs').replaceChildren();
    for (const id of ['fix', 'sarif', 'json']) byId(id, HTMLButtonElement).disabled = this.#paths.length === 0;
    if (this.#paths.length === 0) return byId('report').replaceChildren(element('p', {}, NOT_VALIDATED));
    byId('report').replaceChildren(element('p', { className: 'checking' }, 'Checking…'));
    const answer = await this.#ask('validate', { ...this.#request(), style: 'json' }).catch(error => {
      // The report of other files follows.
      if (serial === this.#serial) this.failed(error);
    });
    if (serial !== this.#serial) return;
    byId('report').replaceChildren();
    if (answer) this.#show(JSON.parse(new TextDecoder().decode(answer.bytes)), hasGltf);
  }

  /** @param {Json} report @param {boolean} hasGltf */
  #show(report, hasGltf) {
    const { files, errors, warnings } = report.summary;
    let opened = 0;
    const sections = report.files.map((/** @type {Json} */ file) => {
      const isOpen = (files === 1 || file.findings.some((/** @type {Json} */ it) => ORDER.indexOf(it.severity) < 2)) && opened++ < MOST_OPENED;
      return this.#section(file, isOpen);
    });
    byId('report').replaceChildren(
      hasGltf ? element('p', {}, NOT_VALIDATED) : '',
      hasGltf && files === 0 ? '' : element('p', {}, element('strong', {}, `${counted(files, 'file')}: ${counted(errors, 'error')}, ${counted(warnings, 'warning')}`)),
      element('p', {}, answer(report.files)),
      ...sections);
  }

  /** A folded part of the report: the findings of a file, then what each engine says. It is filled when it is opened first. @param {Json} file @param {boolean} isOpen */
  #section(file, isOpen) {
    const count = (/** @type {string} */ severity) => file.findings.filter((/** @type {Json} */ it) => it.severity === severity).length;
    const found = ['error', 'warning'].filter(count).map(severity => counted(count(severity), severity)).join(', ');
    const head = element('summary', {}, [file.path, found, answer([file])].filter(Boolean).join(': '));
    const section = element('details', { className: 'file' }, head);
    section.ontoggle = () => {
      if (section.children.length > 1) return;
      const parts = [this.#missing(file), ...this.#findings(file), this.#engines(file, count('error') > 0)];
      section.append(...parts.filter(part => part !== null));
    };
    if (isOpen) {
      section.open = true;
      section.ontoggle();
    }
    return section;
  }

  /** The verdicts of all engines. Without an error of the file none is marked as bad: the user has chosen other engines. @param {Json} file @param {boolean} hasErrors @returns {HTMLElement | null} */
  #engines(file, hasErrors) {
    if (file.verdicts.length === 0) return null;
    const rows = file.verdicts.map((/** @type {Json} */ verdict) => {
      const words = [verdict.message, verdict.line ? `line ${verdict.line}` : '', verdict.code].filter(Boolean).join(' · ');
      return element('tr', {}, element('th', { scope: 'row' }, verdict.profile),
        element('td', {}, element('span', { className: hasErrors ? verdict.verdict : '' }, EFFECTS[verdict.verdict] ?? verdict.verdict), words && element('p', {}, words)));
    });
    const head = element('thead', {}, element('tr', {}, ...['Engine', 'Verdict, in its words'].map(text => element('th', { scope: 'col' }, text))));
    const table = element('table', { className: 'verdicts' }, head, element('tbody', {}, ...rows));
    return element('details', {}, element('summary', {}, `Verdicts of ${counted(rows.length, 'engine')}`), table);
  }

  /** Returns a note if something may be missing because only the file was opened, not its folder or archive. @param {Json} file */
  #missing(file) {
    const codes = [...file.verdicts, ...file.findings].map(({ code }) => code).filter(code => MISSING.includes(code));
    if (this.#files.sample || codes.length === 0 || /[/:]/.test(file.path)) return null;
    return element('p', { className: 'small' }, `${[...new Set(codes)].join(', ')}: only the opened files were searched. Open the folder to search what is next to this file.`);
  }

  /** @param {Json} file @returns {HTMLElement[]} */
  #findings(file) {
    const all = [...file.findings].sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
    const shown = all.slice(0, MOST_FINDINGS).map(finding => this.#finding(file, finding));
    const more = all.length - shown.length;
    return [...shown, ...(more > 0 ? [element('p', {}, `${more} more are in the JSON.`)] : [])];
  }

  /** @param {Json} file @param {Json} finding */
  #finding(file, finding) {
    const source = element('pre', { tabIndex: 0, 'aria-label': `Line ${finding.line}` });
    source.hidden = true;
    const explanation = element('p', { className: 'explanation small' });
    const about = element('details', {}, element('summary', {}, 'Explanation'), explanation);
    const times = finding.count > 1 ? ` (${finding.count} places)` : '';
    const card = element('article', { className: 'finding' },
      element('p', {}, element('span', { className: finding.severity }, `${finding.severity}[${finding.code}]`), ` ${finding.message}${times}`),
      element('p', { className: 'small' }, finding.line ? `line ${finding.line}, column ${finding.column}` : ''),
      source,
      ...finding.notes.map((/** @type {string} */ note) => element('p', { className: 'small' }, note)),
      ...finding.engines.filter((/** @type {Json} */ it) => it.says).map((/** @type {Json} */ it) => element('p', { className: 'small' }, `${it.profile}: ${it.says}`)),
      finding.help ? element('p', {}, `Help: ${finding.help}`) : '', about);
    this.#guard(async () => {
      const { head } = await this.#ask('line', { path: file.path, line: file.unpacked ? 0 : finding.line, code: finding.code });
      explanation.textContent = head.explanation ?? '';
      if (head.text === null) return;
      const margin = String(finding.line);
      const before = head.text.slice(0, finding.column - 1).replace(/[^\t]/g, ' ');
      const length = Math.max(1, Math.min(finding.end - finding.start, head.text.length - finding.column + 1));
      source.textContent = `${margin} | ${head.text}\n${' '.repeat(margin.length)} | ${before}${'^'.repeat(length)}`;
      source.hidden = false;
    });
    return card;
  }

  async #fix() {
    const { head, bytes } = await this.#ask('fix', this.#request());
    const told = head.files.flatMap((/** @type {Json} */ file) => [
      element('h2', {}, file.path),
      element('ul', {},
        ...(file.done ?? []).map((/** @type {string} */ done) => element('li', {}, `repaired ${done}`)),
        ...file.left.map((/** @type {Json} */ left) => element('li', {}, `left ${left.code}: ${left.message}; ${left.why}`))),
    ]);
    byId('repairs').replaceChildren(...(told.length > 0 ? told : ['There is nothing to repair.']));
    if (head.name) download(head.name, bytes);
  }

  /** @param {string} style @param {string} name @param {string} type */
  async #save(style, name, type) {
    download(name, (await this.#ask('validate', { ...this.#request(), style })).bytes, type);
  }
}
