// @ts-check
/** Files that the user drops, selects, or names by URL. */
import { element } from './dom.js';

/** @typedef {{ path: string, file: Blob, modified: number }} Given */

/** Returns the files of a list. Files of a folder have their relative paths. @param {FileList | null} list @returns {Given[]} */
export function ofList(list) {
  return [...(list ?? [])].map(file => ({ path: file.webkitRelativePath || file.name, file, modified: file.lastModified }));
}

/** Adds the file's path to a browser's error. @param {string} path @returns {(error: Error) => never} */
export const unreadable = path => error => {
  throw new Error(`${path} cannot be read: ${error.message}`);
};

/** Returns the files that were dropped, and those in dropped folders. @param {DataTransfer} transfer @returns {Promise<Given[]>} */
export async function ofDrop(transfer) {
  const entries = [...transfer.items].map(item => item.webkitGetAsEntry?.()).filter(entry => entry !== null && entry !== undefined);
  if (entries.length === 0) return ofList(transfer.files);
  /** @type {Given[]} */
  const found = [];
  const waiting = /** @type {any[]} */ (entries);
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    if (entry.isFile) {
      const path = entry.fullPath.replace(/^\//, '');
      const file = await new Promise((resolve, reject) => entry.file(resolve, reject)).catch(unreadable(path));
      found.push({ path, file, modified: file.lastModified });
      continue;
    }
    const reader = entry.createReader();
    // Each call returns a part of the entries; an empty part ends the list.
    for (;;) {
      const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject)).catch(unreadable(entry.fullPath));
      if (some.length === 0) break;
      waiting.push(...some);
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns the addresses of the files that a setting `model` names. They are separated by spaces. @param {string} [model] */
const addresses = model => (model ?? '').split(' ').filter(Boolean);

/** Protocols of addresses that the page fetches. */
const FETCHED = ['http:', 'https:'];

/** Returns a URL, which may be relative to the page's; null if it is not valid. @param {string} address */
const parse = address => (URL.canParse(address, location.href) ? new URL(address, location.href) : null);

/** Returns the hosts that a setting `model` names, without those of invalid addresses. @param {string} [model] */
const hosts = model => addresses(model).map(parse).flatMap(url => (url && FETCHED.includes(url.protocol) ? [url.origin] : []));

/** Hosts other than its own that the page may send requests to. @type {string[]} */
let allowed = [];

/** Forbids requests to all hosts but the page's own and those of `model`. A policy cannot be widened again. @param {string} [model] */
export function confine(model) {
  allowed = [location.origin, ...hosts(model)];
  const policy = element('meta', { httpEquiv: 'Content-Security-Policy', content: `connect-src 'self' ${[...new Set(allowed)].join(' ')}` });
  document.head.append(policy);
}

/** True if the page may fetch the files of `model`. @param {string} [model] */
export const isAllowed = model => hosts(model).every(host => allowed.includes(host));

/** Fetches the files of a setting `model`. @param {string} model @returns {Promise<Given[]>} */
export async function ofAddresses(model) {
  const urls = addresses(model).map(address => {
    const url = parse(address);
    if (!url) throw new Error(`${address} is not a valid address`);
    if (!FETCHED.includes(url.protocol)) throw new Error(`${url.href} does not begin with http: or https:`);
    return url;
  });
  const paths = pathsOf(urls);
  return Promise.all(urls.map((url, number) => fetched(url, paths[number])));
}

/** Returns a path for each address: its file name. If two names are equal, all paths have folders: the parts in which the addresses differ. @param {URL[]} urls */
function pathsOf(urls) {
  const parts = urls.map(({ host, pathname, search }) => {
    const names = pathname.split('/').map(decoded);
    const name = names.pop() || 'model';
    return [host.replace(':', '_'), ...names, search, name].filter(Boolean);
  });
  const names = parts.map(all => all[all.length - 1]);
  if (new Set(names).size === names.length) return names;
  const shared = parts[0].findIndex((part, depth) => parts.some(other => other[depth] !== part));
  return parts.map(all => all.slice(shared).join('/'));
}

/** Fetches a file. @param {URL} url @param {string} path @returns {Promise<Given>} */
async function fetched(url, path) {
  const response = await fetch(url, { credentials: 'omit', referrerPolicy: 'no-referrer' }).catch(error => {
    const reason = !navigator.onLine ? 'There is no network.' : url.origin === location.origin ? '' : 'Its server must allow other pages to read it (CORS), and must not redirect to another host.';
    throw new Error(`${url.href} cannot be read: ${error.message}. ${reason}`.trim());
  });
  if (!response.ok) throw new Error(`${url.href} cannot be read: ${response.status} ${response.statusText}`);
  return { path, file: await response.blob(), modified: Date.parse(response.headers.get('last-modified') ?? '') || 0 };
}

/** Returns the top-level names of the given files: single files, and folders as a whole. @param {Given[]} given */
export const tops = given => [...new Set(given.map(({ path }) => path.split('/')[0]))];

/** Decodes percent escapes. Returns the text unchanged if they are malformed. @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Parses the part of the URL after `#` as settings. @returns {Record<string, string>} */
export function settings() {
  const text = location.hash.slice(1);
  /** @type {Record<string, string>} */
  const found = {};
  for (const part of text.split(',').filter(Boolean)) {
    const [key, ...rest] = part.split('=');
    found[decoded(key)] = decoded(rest.join('='));
  }
  return found;
}

/** Formats settings as the part of the URL after `#`. @param {Record<string, string | undefined>} values */
export function link(values) {
  const escape = (/** @type {string} */ text) => encodeURIComponent(text).replace(/%2F/g, '/').replace(/%3A/g, ':');
  const parts = Object.entries(values).filter(([, value]) => value !== undefined);
  return '#' + parts.map(([key, value]) => (value === '' ? key : `${key}=${escape(value ?? '')}`)).join(',');
}
