// Shared parts of the page's tests: the built module, a server of the built folder, Chromium, and a count of checks.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const page = process.env.BINDPOSE_PAGE ?? path.join(root, 'target/web-page');
export const npm = createRequire(path.join(root, 'target/npm/'));
export const shared = process.env.BINDPOSE_SHARED ?? path.join(root, '../shared');
const program = path.join(root, 'target/debug/bindpose');

/** Longest wait for the browser in milliseconds. A slow machine needs a tenth of it. */
export const PATIENCE = 300_000;

/** The module's file, packed as the page fetches it. */
export const packed = path.join(page, 'bindpose_web.wasm.gz');

/** The module without a canvas. */
export async function startModule() {
  const { start, unpack } = await import(path.join(page, 'wasm.js'));
  return start(await WebAssembly.compile(await unpack(fs.readFileSync(packed))), null);
}

/** Runs the native program in a folder; its output whatever it exits with. */
export function native(folder, args) {
  return new Promise(resolve => {
    execFile(program, args, { cwd: folder, maxBuffer: 1 << 30, encoding: 'buffer' }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, stdout, stderr: stderr.toString() }));
  });
}

/** All files below a folder, by their paths in it. */
export function filesBelow(folder) {
  return fs.readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.relative(folder, path.join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.webp': 'image/webp' };

/** Serves the page, and files of `others` by name under /files/, with more headers. A file may be a promise. Counts requests. */
export async function serve(others = {}, headers = {}) {
  const requests = [];
  const server = http.createServer(async (request, response) => {
    const name = decodeURIComponent(new URL(request.url, 'http://x').pathname);
    requests.push(name);
    const file = await others[name] ?? path.join(page, name === '/' ? 'index.html' : path.normalize(name));
    fs.readFile(file, (error, bytes) => {
      response.writeHead(error ? 404 : 200, { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream', ...headers });
      response.end(bytes);
    });
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, requests, stop: () => server.close() };
}

/** Chromium that draws on the CPU, or as `drawing` says. */
export function chromium(drawing = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']) {
  return npm('playwright-core').chromium.launch({
    timeout: PATIENCE,
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--no-first-run', '--disable-background-networking', '--disable-component-update',
      '--disable-sync', ...drawing],
  });
}

/** Opens the page in a context of its own, and notes in `problems` what the browser complains of. Only `hosts` may be asked. */
export async function visit(browser, url, hosts, problems, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(PATIENCE);
  const tab = await context.newPage();
  tab.on('pageerror', error => problems.push(error.message));
  tab.on('console', message => { if (message.type() === 'error') problems.push(message.text()); });
  tab.on('request', request => {
    const asked = request.url();
    if (!hosts.some(host => asked.startsWith(host)) && !/^(blob|data):/.test(asked)) problems.push(`requested ${asked}`);
  });
  await tab.goto(url);
  await tab.waitForSelector('body[data-ready]');
  await rest(tab);
  return tab;
}

/** Waits until the page has no work. */
export const rest = tab => tab.waitForFunction(() => document.getElementById('busy').textContent === '' && !document.getElementById('report').textContent.includes('Checking'));

/** The error that the page shows, or nothing. */
export const problem = tab => tab.evaluate(() => (document.getElementById('problem').hidden ? '' : document.getElementById('problem').textContent));

let checks = 0;
let faults = 0;

/** Notes a check. */
export function check(is, what) {
  checks++;
  if (is) return;
  faults++;
  console.error(`tests/page: ${what}`);
}

/** Waits until something holds in the page, and notes a check. */
export async function eventually(tab, holds, given, what) {
  check(await tab.waitForFunction(holds, given).then(() => true, () => false), what);
}

/** Waits until what is seen differs from before, and notes a check. */
export async function changes(see, before, what) {
  const end = Date.now() + PATIENCE;
  let isChanged = false;
  while (!isChanged && Date.now() < end) isChanged = await see() !== before;
  check(isChanged, what);
}

/** Notes what axe finds in a page. */
export async function accessible(tab, what) {
  await tab.evaluate(npm('axe-core').source);
  const { violations } = await tab.evaluate(() => window.axe.run());
  check(violations.length === 0, `${what}: ${violations.map(it => `${it.id}: ${it.nodes.map(node => node.html).slice(0, 3).join(' ')}`).join('; ')}`);
}

/** Ends with the number of checks. */
export function finish(name, more = '') {
  console.log(`${name}: ${checks - faults} of ${checks} checks passed${more}`);
  if (faults > 0) process.exitCode = 1;
}
