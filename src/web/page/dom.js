// @ts-check
/** Helpers for HTML elements. */

/**
 * Returns the element with an id, checked to be of a kind.
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @param {new () => T} [_kind]
 * @returns {T}
 */
export function byId(id, _kind) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return /** @type {T} */ (found);
}

/**
 * Creates an element with properties, attributes (`aria-…`, `data-…`, `role`, `for`) and children. Text is never parsed as markup.
 * @param {string} name
 * @param {Record<string, any>} [properties]
 * @param {...(Node | string | number | null | undefined | false)} children
 * @returns {any}
 */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (/^(aria-|data-|role$|for$|scope$|colspan$)/.test(key)) made.setAttribute(key, String(value));
    else /** @type {any} */ (made)[key] = value;
  }
  made.append(...children.filter(child => child !== null && child !== undefined && child !== false).map(child => (typeof child === 'number' ? String(child) : /** @type {Node | string} */ (child))));
  return made;
}

/** Replaces the options of a list. @param {HTMLSelectElement} list @param {{ value: string, text: string, title?: string, disabled?: boolean }[]} options @param {string} [chosen] */
export function choices(list, options, chosen) {
  list.replaceChildren(...options.map(({ value, text, title, disabled }) => element('option', { value, textContent: text, title, disabled })));
  if (chosen !== undefined) list.value = chosen;
}

/** Downloads bytes as a file. @param {string} name @param {Uint8Array} bytes @param {string} [type] */
export function download(name, bytes, type = 'application/octet-stream') {
  const url = URL.createObjectURL(new Blob([/** @type {any} */ (bytes)], { type }));
  const link = element('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Formats a count with its noun, in the plural unless it is 1. @param {number} count @param {string} thing */
export const counted = (count, thing) => `${count} ${count === 1 ? thing : thing.replace(/ex$/, 'ic') + (/(ex|sh)$/.test(thing) ? 'es' : 's')}`;

/** Formats a number with few digits. @param {number} value @param {number} [digits] */
export const number = (value, digits = 3) => Number(value.toPrecision(digits)).toString();
