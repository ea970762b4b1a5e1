// @ts-check
/** Keeps the page's own files, so that it works without a network. `dist/web` writes the list and its version. */

const VERSION = '@VERSION@';
const FILES = ['@FILES@'];
const worker = /** @type {any} */ (self);

worker.addEventListener('install', (/** @type {any} */ event) => {
  // The worker starts after all pages of another version are closed: files of two versions do not fit each other.
  const files = FILES.map(file => new Request(file, { cache: 'no-cache' }));
  event.waitUntil(caches.open(VERSION).then(cache => cache.addAll(files)));
});

worker.addEventListener('activate', (/** @type {any} */ event) => {
  const old = (/** @type {string[]} */ names) => Promise.all(names.filter(name => name !== VERSION).map(name => caches.delete(name)));
  event.waitUntil(caches.keys().then(old).then(() => worker.clients.claim()));
});

worker.addEventListener('fetch', (/** @type {any} */ event) => {
  if (new URL(event.request.url).origin !== location.origin) return;
  event.respondWith(caches.match(event.request, { ignoreSearch: true }).then(known => known ?? fetch(event.request)));
});
