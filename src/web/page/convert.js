// @ts-check
/** The pages "Convert" and "Compare". */
import { byId, choices, download, element, number } from './dom.js';

/** @typedef {import('./wasm.js').Json} Json */

/** @type {[string, string][]} */
const FORMATS = [['glb', 'glTF (.glb)'], ['md5', 'MD5 (.zip)'], ['x', 'DirectX (.x)'], ['iqm', 'IQM'], ['obj', 'OBJ of the rest pose'],
  ['mdl', 'Quake (.mdl)'], ['md3', 'Quake III (.md3)']];

/** Shares of the size that are rounding: shaders' numbers have 24 bits. */
const ROUNDING = 1e-6;

/**
 * @param {import('./engine.js').Engine} engine
 * @param {() => Json} source Files of the shown model, or its name in the game.
 * @param {(text: string, work: () => Promise<void>) => Promise<void>} work
 */
export function setUp(engine, source, work) {
  byId('formats').replaceChildren(...FORMATS.map(([to, title]) => element('button', {
    type: 'button', textContent: title, id: `to-${to}`,
    onclick: () => work(`Converting to ${title}`, async () => {
      const { head, bytes } = await engine.ask('convert', { ...source(), to });
      const lines = [...head.losses, ...head.notes].map((/** @type {string} */ line) => element('li', {}, line));
      byId('losses').replaceChildren(
        element('p', {}, `${head.name}: ${bytes.length.toLocaleString('en')} bytes`),
        lines.length > 0 ? element('ul', {}, ...lines) : element('p', {}, 'Nothing was lost.'));
      download(head.name, bytes);
    }),
  })));
  choices(byId('axis'), ['x', 'y', 'z'].map(value => ({ value, text: value })));
  byId('compare').onclick = () => work('Comparing the methods', async () => {
    const [joint, axis, degrees] = ['joint', 'axis', 'degrees'].map(id => byId(id, HTMLInputElement).value);
    const { head } = await engine.ask('compare', { ...source(), joint: Number(joint), axis, degrees: Number(degrees) || 0 });
    byId('table').replaceChildren(table(head));
  });
}

/** @param {Json} compared */
function table({ rows, size }) {
  const cell = (/** @type {string} */ text) => element('td', { className: 'number' }, text);
  const row = (/** @type {Json} */ it) => element('tr', {}, element('th', { scope: 'row' }, it.method),
    ...(it.error ? [element('td', { colspan: 3 }, it.error)]
      : [cell(it.of_size < ROUNDING ? '0' : number(it.distance)), cell(`${it.of_size < ROUNDING ? '0' : number(100 * it.of_size)} %`), cell(Number.isFinite(it.volume) ? `${(100 * it.volume).toFixed(1)} %` : '')]));
  const heads = ['Method', 'Largest distance', 'Of the size', 'Volume'].map((text, place) => element('th', { scope: 'col', className: place ? 'number' : '' }, text));
  return element('table', {}, element('caption', { className: 'small' }, `Distance from the weighted sum; the model's size is ${number(size)}. Volume as a share of the rest pose's.`),
    element('thead', {}, element('tr', {}, ...heads)), element('tbody', {}, ...rows.map(row)));
}
