// The page in Chromium, used like a person would. Screenshots are in target/web-page-shots.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { PATIENCE, accessible, changes, check, chromium, eventually, filesBelow, finish, native, packed, page as built, problem, rest, root, serve, shared, visit as open } from './common.mjs';

const shots = path.join(root, 'target/web-page-shots');
fs.mkdirSync(shots, { recursive: true });
const data = path.join(root, 'data/md5');
const read = name => fs.readFileSync(path.join(data, name));
const server = await serve({ '/files/mannequin.md5mesh': path.join(data, 'mannequin_light.md5mesh') });
const browser = await chromium();
const problems = [];

/** Opens the page, which asks nobody else. */
const visit = (hash = '', options = {}) => open(browser, server.url + hash, [server.url], problems, options);

/** Drops files as a file manager does. */
async function drop(tab, files) {
  const given = files.map(({ name, bytes }) => ({ name, text: Buffer.from(bytes).toString('base64') }));
  const transfer = await tab.evaluateHandle(all => {
    const transfer = new DataTransfer();
    for (const { name, text } of all) transfer.items.add(new File([Uint8Array.from(atob(text), letter => letter.charCodeAt(0))], name));
    return transfer;
  }, given);
  await tab.dispatchEvent('body', 'drop', { dataTransfer: transfer });
  await rest(tab);
}

/** Reddest places of the view, in pixels of the page. */
async function red(tab) {
  const { x, y } = await tab.locator('#viewport').boundingBox();
  const png = (await tab.locator('#viewport').screenshot()).toString('base64');
  const found = await tab.evaluate(async png => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(png), letter => letter.charCodeAt(0))]));
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    const places = [];
    for (let at = 0; at < data.length; at += 4) places.push([data[at] - Math.max(data[at + 1], data[at + 2]), (at / 4) % image.width, Math.floor(at / 4 / image.width)]);
    return places.sort((a, b) => b[0] - a[0]).slice(0, 200).filter((_, rank) => rank % 20 === 0).map(([, x, y]) => [x, y]);
  }, png);
  return found.map(([left, top]) => [x + left, y + top]);
}

const hash = tab => tab.evaluate(() => location.hash);

async function downloaded(tab, button) {
  const [download] = await Promise.all([tab.waitForEvent('download'), tab.click(button)]);
  return { name: download.suggestedFilename(), bytes: fs.readFileSync(await download.path()) };
}

// The sample plays; every method shows it.
const start = Date.now();
const tab = await visit();
const seconds = (Date.now() - start) / 1000;
check(await problem(tab) === '', `the sample: ${await problem(tab)}`);
const clock = () => tab.textContent('#clock');
await changes(clock, await clock(), 'the sample does not play');
const methods = await tab.$$eval('#methods option', options => options.map(option => option.value));
const known = JSON.parse((await native(root, ['methods', '--json'])).stdout.toString());
check(methods.length === known.length, `${methods.length} methods instead of ${known.length}`);
for (const method of methods) {
  await tab.selectOption('#methods', method);
  await eventually(tab, name => (/method=([^,]*)/.exec(location.hash)?.[1] ?? 'cpu') === name, method, `${method} is not shown`);
  check(await tab.$eval('#methods', list => list.value) === method, `${method} was refused: ${await tab.textContent('#note')}`);
}
await tab.selectOption('#methods', 'cpu');

// By hand: keys, pointer, timeline.
await tab.focus('#viewport');
await tab.keyboard.press('Space');
await tab.waitForFunction(() => document.getElementById('play').textContent === 'Play');
await tab.keyboard.press('Home');
await tab.keyboard.press('.');
await eventually(tab, () => /^frame 1 /.test(document.getElementById('clock').textContent), null, 'Home and a full stop do not show the second frame');
const look = async () => (await tab.locator('#viewport').screenshot()).toString('base64');
for (const [what, act] of [
  ['a drag', async () => { await tab.mouse.move(300, 300); await tab.mouse.down(); await tab.mouse.move(420, 320, { steps: 4 }); await tab.mouse.up(); }],
  ['the wheel', () => tab.mouse.wheel(0, -400)],
  ['an arrow key', () => tab.keyboard.press('ArrowLeft')],
  ['the skeleton', () => tab.check('#show-skeleton')],
  ['names', () => tab.check('#show-names')],
  ['edges', () => tab.selectOption('#surfaces', 'surfaces and edges')],
  ['the other half', () => tab.selectOption('#split', 'dqs')],
  ['the timeline', () => tab.$eval('#time', thumb => { thumb.value = '0.7'; thumb.dispatchEvent(new Event('input')); })],
  ['the timeline by keyboard', () => tab.press('#time', 'PageUp')],
  ['an engine', () => tab.selectOption('#engines', 'q2repro')],
]) {
  const was = await look();
  await act();
  await rest(tab);
  await changes(look, was, `${what} changes nothing`);
  check(await problem(tab) === '', `${what}: ${await problem(tab)}`);
}
const seek = value => tab.$eval('#time', (thumb, value) => { thumb.value = value; thumb.dispatchEvent(new Event('input')); }, value);
const plays = () => tab.textContent('#range');
for (const [value, end] of [['0.30', '#from'], ['0.60', '#to']]) {
  const was = await plays();
  await seek(value);
  await eventually(tab, value => document.getElementById('clock').textContent.endsWith(`, ${value} s`), value, `the clock does not show ${value} s`);
  await tab.click(end);
  await changes(plays, was, `${end} changes nothing`);
}
check(/^plays 0\.3\d* to 0\.6\d* s$/.test(await plays()), `the range is '${await plays()}'`);
await tab.selectOption('#speed', '4');
await tab.focus('#viewport');
await tab.keyboard.press('Space');
for (let frames = 0; frames < 10; frames++) {
  await changes(clock, await clock(), 'the range does not play');
  const time = Number(/([\d.]+) s$/.exec(await clock())[1]);
  check(time >= 0.29 && time <= 0.61, `in the range from 0.3 to 0.6 plays ${time} s`);
}
check(await tab.$eval('#speed', list => list.value) === '4', 'the speed is forgotten');
await tab.keyboard.press('Space');
await tab.click('#whole');
await eventually(tab, () => document.getElementById('range').textContent === '', null, 'the whole clip does not play again');
await eventually(tab, () => /^Red is [\d.]+ units, at \w+/.test(document.getElementById('about-colours').textContent), null, 'the colours are not explained');
await tab.mouse.click(212, 320);
await eventually(tab, () => document.getElementById('selected').value !== '', null, 'a click selects no joint');
await tab.screenshot({ path: path.join(shots, 'light.png') });
const address = await hash(tab);
const restored = await visit(address);
check(await hash(restored) === address, `the address ${address} became ${await hash(restored)}`);
check(await restored.title() === 'mannequin_light: bindpose', `the title is ${await restored.title()}`);
await restored.context().close();
// The red ring of the selected joint, by its colour: a drag along it turns the joint.
await tab.selectOption('#split', '');
await tab.selectOption('#selected', await tab.$eval('#selected', list => [...list.options].find(option => option.textContent === 'forearm_l').value));
await rest(tab);
const isTurned = () => tab.isEnabled('#reset-joints');
check(!(await isTurned()), 'a joint is turned before it is');
for (const [x, y] of await red(tab)) {
  await tab.mouse.move(x, y);
  await tab.mouse.down();
  await tab.mouse.move(x + 25, y + 25, { steps: 5 });
  await tab.mouse.up();
  await rest(tab);
  if (await isTurned()) break;
}
await eventually(tab, () => !document.getElementById('reset-joints').disabled, null, 'a ring turns no joint');
await tab.screenshot({ path: path.join(shots, 'turned.png') });
// A copied link shows the same; the image is a file, too.
await tab.context().grantPermissions(['clipboard-read', 'clipboard-write']);
await tab.click('#copy-link');
await eventually(tab, () => document.getElementById('note').textContent === 'The link is copied.', null, 'no link is copied');
const copied = await tab.evaluate(() => navigator.clipboard.readText());
check(/time=[\d.]+/.test(copied) && copied.includes('look=') && copied.includes('show=skeleton%20names') && copied.includes('surfaces='), `the link is ${copied}`);
const again = await visit(copied.replace(server.url, ''));
for (const seen of ['clock', 'methods', 'surfaces', 'colouring', 'speed', 'selected']) {
  const value = tab => tab.$eval(`#${seen}`, it => it.value);
  check(await value(again) === await value(tab), `the link shows another ${seen}: ${await value(again)} instead of ${await value(tab)}`);
}
check(await again.isChecked('#show-names') && await again.isEnabled('#reset-joints'), 'the link shows no names, or no turned joint');
const image = (await downloaded(again, '#screenshot'));
check(image.name === 'mannequin_light.png' && image.bytes.subarray(1, 4).toString() === 'PNG' && image.bytes.length > 10_000, `the image is ${image.name}, ${image.bytes.length} bytes`);
// The GIF has a frame for each of the range, as the browser reads it; some differ, and it repeats.
await again.click('#whole');
await again.selectOption('#speed', '1');
const gif = await downloaded(again, '#gif');
const shownGif = await again.evaluate(async bytes => {
  const decoder = new ImageDecoder({ type: 'image/gif', data: Uint8Array.from(atob(bytes), letter => letter.charCodeAt(0)) });
  await decoder.tracks.ready;
  const { frameCount, repetitionCount } = decoder.tracks.selectedTrack;
  const pixels = async frameIndex => {
    const { image } = await decoder.decode({ frameIndex });
    const context = new OffscreenCanvas(image.displayWidth, image.displayHeight).getContext('2d');
    context.drawImage(image, 0, 0);
    return [image.duration / 1000, context.getImageData(0, 0, image.displayWidth, image.displayHeight).data.join()];
  };
  const [[milliseconds, first], [, later]] = [await pixels(0), await pixels(Math.floor(frameCount / 3))];
  return { frameCount, repetitionCount, milliseconds, moves: first !== later, lastFrame: document.getElementById('clock').textContent.match(/of (\d+)/)[1] };
}, gif.bytes.toString('base64'));
check(gif.name === 'mannequin_light.gif' && shownGif.moves && shownGif.repetitionCount === Infinity && String(shownGif.frameCount) === shownGif.lastFrame, `the GIF is ${JSON.stringify(shownGif)}`);
fs.writeFileSync(path.join(shots, 'clip.gif'), gif.bytes);
await again.context().close();
// Until the program runs, a picture of the sample is shown; it is what the program then draws. Another model has none.
const early = await (await browser.newContext({ viewport: { width: 1280, height: 800 }, serviceWorkers: 'block' })).newPage();
early.setDefaultTimeout(PATIENCE);
let go;
const held = new Promise(resolve => { go = resolve; });
await early.route('**/*.wasm.gz', async route => { await held; await route.continue(); });
await early.goto(`${server.url}#sample,paused=1`);
check(await early.isVisible('#picture') && await early.$eval('#picture', it => it.naturalWidth > 0), 'no picture of the sample is shown at first');
const pixelsOf = async name => {
  const png = (await early.locator('#viewport').screenshot({ path: path.join(shots, name) })).toString('base64');
  return early.evaluate(async png => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(png), letter => letter.charCodeAt(0))]));
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    return [...context.getImageData(0, 0, image.width, image.height).data];
  }, png);
};
const pictured = await pixelsOf('picture.png');
go();
await rest(early);
await early.waitForFunction(() => !document.documentElement.classList.contains('picture'));
const drawn = await pixelsOf('drawn.png');
const off = pictured.reduce((sum, value, at) => sum + Math.abs(value - drawn[at]), 0) / pictured.length;
check(off < 1.6, `sample.webp is off by ${off} of 255; docs/pictures/make makes it`);
await early.goto('about:blank');
await early.goto(`${server.url}#model=nothing.glb`);
check(!(await early.isVisible('#picture')), 'another model has the picture of the sample');
await early.context().close();
// What an address names and the files do not have is a note, and the model is shown.
const unknown = await visit('#sample,clip=gone');
check(await problem(unknown) === '' && await unknown.isVisible('#canvas'), `an unknown clip: ${await problem(unknown)}`);
check(/gone/.test(await unknown.textContent('#note')), `the note is ${await unknown.textContent('#note')}`);
// Files of the user's own are not in the address: a reload shows the sample.
await unknown.setInputFiles('#files', ['mannequin_light.md5mesh', 'walk.md5anim'].map(name => path.join(data, name)));
await rest(unknown);
check(!/clip|open/.test(await hash(unknown)), `the address of own files is ${await hash(unknown)}`);
await unknown.reload();
await unknown.waitForSelector('body[data-ready]');
await rest(unknown);
check(await problem(unknown) === '' && await unknown.isVisible('#canvas'), `after a reload: ${await problem(unknown)}`);
// Files are checked in a worker of its own, so that the view moves on; if that stops, the model is still shown.
check(unknown.workers().length === 2, `there are ${unknown.workers().length} workers`);
await unknown.workers()[1].evaluate(() => { TextEncoder.prototype.encode = () => { throw new Error('mislaid'); }; });
await unknown.$eval('#profile', list => list.onchange());
await eventually(unknown, () => /mislaid\nOnly the check has ended/.test(document.getElementById('problem').textContent), null, 'the end of a check is not told');
check(await unknown.isVisible('#canvas'), 'the end of a check hides the model');
await unknown.$eval('#profile', list => list.onchange());
await rest(unknown);
check(/^6 files/.test(await unknown.textContent('#report')), 'no file is checked after a check has ended');
// The module stops while it draws: another one is started.
await unknown.workers()[0].evaluate(() => { TextEncoder.prototype.encode = () => { throw new Error('out of order'); }; });
await eventually(unknown, () => /out of order\nIt is started again/.test(document.getElementById('problem').textContent), null, 'the module is not started again');
await unknown.click('#open-sample');
await rest(unknown);
check(await problem(unknown) === '' && await unknown.isVisible('#canvas'), `after the module stopped: ${await problem(unknown)}`);
await unknown.context().close();
const calm = await visit('', { reducedMotion: 'reduce' });
check(await calm.textContent('#play') === 'Play', 'a clip plays in spite of reduced motion');
await calm.context().close();

// Reports, repairs and conversions equal the files of the native program.
for (const name of ['play', 'validate', 'convert', 'compare']) {
  await tab.click(`#tab-${name}`);
  if (name === 'compare') {
    await tab.click('#compare');
    await tab.waitForSelector('#table table');
    check(await tab.$$eval('#table tbody tr', rows => rows.length) === known.length, 'the table lacks methods');
    check(await tab.$$eval('#table td:nth-child(2)', cells => cells.some(cell => Number(cell.textContent) > 0)), 'the joint that is turned first makes no difference');
  }
  await accessible(tab, `axe on ${name}`);
}
await tab.click('#tab-convert');
for (const to of ['glb', 'md5', 'x', 'iqm', 'obj', 'mdl', 'md3']) {
  const { name, bytes } = await downloaded(tab, `#to-${to}`);
  check(bytes.length > 10_000, `${name} has ${bytes.length} bytes`);
  await rest(tab);
}
const faulty = read('mannequin_light.md5mesh').toString().replace(/"pelvis"\s+0/, '"pelvis" 99');
await drop(tab, [{ name: 'broken.md5mesh', bytes: faulty }]);
check((await problem(tab)).length > 10, 'a broken model shows no error in place');
await tab.click('#tab-validate');
const report = await tab.textContent('#report');
check(/^1 file: 1 error.*\d+ of 20 engines loads? it, .*\d+ refuses? it/.test(report), `the answer is not first: ${report.slice(0, 200)}`);
check(report.indexOf('error[') < report.indexOf('Verdicts of 20 engines') && !(await tab.isVisible('.verdicts')), 'verdicts hide the findings');
check(/refuses|stops the game/.test(report), `no engine refuses the broken model: ${report.slice(0, 200)}`);
check(report.includes('MD5P006: only the opened files were searched'), `what is not opened is not mentioned: ${report.slice(0, 200)}`);
await eventually(tab, () => /\^/.test(document.getElementById('report').textContent), null, 'no finding has a caret');
await tab.screenshot({ path: path.join(shots, 'validate.png') });
const scratch = fs.mkdtempSync(path.join(root, 'target/page-test-'));
fs.writeFileSync(path.join(scratch, 'broken.md5mesh'), faulty);
const saved = await downloaded(tab, '#json');
check(saved.bytes.equals((await native(scratch, ['validate', '--format', 'json', 'broken.md5mesh'])).stdout), 'the JSON differs from the native program\'s');
check(!(await tab.isVisible('#canvas')), 'the model before is still shown');
check(await tab.$eval('#page-validate', panel => panel.scrollWidth <= panel.clientWidth), 'the verdicts are wider than the panel');
const sarif = await downloaded(tab, '#sarif');
check(sarif.bytes.equals((await native(scratch, ['validate', '--format', 'sarif', 'broken.md5mesh'])).stdout), 'SARIF differs from the native program\'s');
// All engines of the native program can be chosen.
const engines = (await native(scratch, ['validate', '--format', 'json', '--profile', 'all', 'broken.md5mesh'])).stdout;
await tab.selectOption('#profile', 'all');
await rest(tab);
const ofAll = await downloaded(tab, '#json');
check(ofAll.bytes.equals(engines), 'the JSON of all engines differs from the native program\'s');
// A repair equals the file that --fix writes.
const untidy = read('mannequin_light.md5mesh').toString().replace(/numJoints 23/, 'numJoints 22');
fs.writeFileSync(path.join(scratch, 'untidy.md5mesh'), untidy);
await native(scratch, ['validate', '--fix', '-o', 'fixed', 'untidy.md5mesh']);
await tab.selectOption('#profile', '');
await drop(tab, [{ name: 'untidy.md5mesh', bytes: untidy }]);
const written = path.join(scratch, 'fixed/untidy.md5mesh');
check(fs.existsSync(written), 'the native program repairs nothing');
if (fs.existsSync(written)) check((await downloaded(tab, '#fix')).bytes.equals(fs.readFileSync(written)), 'the repair differs from the native program\'s');
const repaired = read('walk.md5anim').toString().replace('commandline', '// a comment\ncommandline');
await drop(tab, [{ name: 'walk.md5anim', bytes: repaired }, { name: 'mannequin_light.md5mesh', bytes: read('mannequin_light.md5mesh') }]);
check(await problem(tab) === '', `a mesh and a clip: ${await problem(tab)}`);
check((await tab.$$eval('#clips option', options => options.length)) === 1, 'the dropped clip is not the only one');

// Archives: the game of the samples as pk4, pk3 and zip, with its entities and skins; a Quake pak.
const game = fs.readFileSync(path.join(root, 'data/game/mannequin.pk4'));
for (const name of ['mannequin.pk4', 'mannequin.pk3', 'mannequin.zip']) {
  await drop(tab, [{ name, bytes: game }]);
  check(await problem(tab) === '', `${name}: ${await problem(tab)}`);
  check((await tab.$eval('#models', list => list.value)).startsWith(`${name}:`), `no model of ${name} is shown`);
}
await drop(tab, [{ name: 'mannequin.pk4', bytes: game }]);
await tab.click('#tab-play');
const images = () => tab.textContent('#about-model');
const own = await images();
await tab.selectOption('#skins', 'mannequin_clay');
await rest(tab);
check(await problem(tab) === '' && await images() !== own, `a skin changes nothing: ${await problem(tab)}`);
await tab.selectOption('#subjects', 'entity mannequin_sentry');
await rest(tab);
check(await problem(tab) === '' && /^mannequin_sentry:/.test(await images()), `an entity is not shown: ${await problem(tab)} ${await images()}`);
await tab.screenshot({ path: path.join(shots, 'game.png') });
await tab.click('#tab-validate');
await drop(tab, [{ name: 'pak0.pak', bytes: pak('progs/player.md5mesh', read('mannequin_light.md5mesh')) }]);
check(await problem(tab) === '' && (await tab.$eval('#models', list => list.value)) === 'pak0.pak:progs/player.md5mesh', `a pak: ${await problem(tab)}`);

/** A pak with one file. */
function pak(name, bytes) {
  const [head, entry] = [Buffer.alloc(12), Buffer.alloc(64)];
  head.write('PACK');
  head.writeUInt32LE(12 + bytes.length, 4);
  head.writeUInt32LE(64, 8);
  entry.write(name);
  entry.writeUInt32LE(12, 56);
  entry.writeUInt32LE(bytes.length, 60);
  return Buffer.concat([head, bytes, entry]);
}

// Hostile files cause an error, and the page continues.
const noise = Buffer.from(Array.from({ length: 5000 }, (_, place) => (place * 7919 + (place >> 3)) & 255));
for (const [name, bytes] of [
  ['noise.md5mesh', noise], ['empty.x', ''], ['noise.glb', noise], ['noise.pk4', noise],
  ['huge.md5mesh', 'MD5Version 10\ncommandline ""\nnumJoints 2000000000\nnumMeshes 1\n'],
  ['deep.x', `xof 0303txt 0032\n${'Frame a {'.repeat(100_000)}`],
  ['cut.md5mesh', read('mannequin_light.md5mesh').subarray(0, 90_000)],
  ['bomb.pk4', bomb('models/bomb.md5mesh')],
]) {
  await drop(tab, [{ name, bytes }]);
  const told = await problem(tab);
  check(told.length > 10 && !told.includes('stopped'), `${name}: ${told || 'no error in place'}`);
}
check((await problem(tab)).includes('600 MiB') && (await problem(tab)).endsWith('the page has none.'), `a bomb: ${await problem(tab)}`);
await tab.click('#open-sample');
await rest(tab);
check(await problem(tab) === '', `after hostile files: ${await problem(tab)}`);
await tab.context().close();

/** Returns a zip of one file that unpacks to 600 MiB of blanks. */
function bomb(name) {
  const mebibyte = zlib.deflateRawSync(Buffer.alloc(1 << 20, ' '), { finishFlush: zlib.constants.Z_FULL_FLUSH });
  const packed = Buffer.concat([...Array(600).fill(mebibyte), Buffer.from([3, 0])]);
  // From the version to the lengths of the names, the header of a file and its entry in the directory are the same.
  const header = Buffer.alloc(26);
  header.writeUInt16LE(8, 4);
  header.writeUInt32LE(packed.length, 14);
  header.writeUInt32LE(600 << 20, 18);
  header.writeUInt16LE(name.length, 22);
  const file = Buffer.concat([Buffer.from('PK\x03\x04'), header, Buffer.from(name), packed]);
  const entry = Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), header, Buffer.alloc(14), Buffer.from(name)]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(entry.length, 8);
  end.writeUInt32LE(file.length, 12);
  return Buffer.concat([file, entry, Buffer.from('PK\x05\x06'), end]);
}

// A model by its address, dark and narrow screens, without a network.
const dark = await visit('#model=/files/mannequin.md5mesh', { colorScheme: 'dark' });
check(await problem(dark) === '', `a model by its address: ${await problem(dark)}`);
check(!(await dark.isVisible('#time')), 'a model without clips has a timeline');
await dark.screenshot({ path: path.join(shots, 'dark.png') });
await accessible(dark, 'axe in the dark');
await dark.waitForFunction(() => navigator.serviceWorker.controller);
await dark.context().setOffline(true);
await dark.goto(server.url);
await eventually(dark, () => document.body.dataset.ready, null, 'the page does not start without a network');
await dark.context().close();
const narrow = await visit('', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
const width = await narrow.evaluate(() => document.documentElement.scrollWidth);
check(width <= 360, `the narrow page is ${width} pixels wide`);
await narrow.screenshot({ path: path.join(shots, 'narrow.png'), fullPage: true });
await accessible(narrow, 'axe on a narrow screen');
await narrow.context().close();

// By touch: two fingers zoom.
const phone = await visit('#sample', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
check(await phone.evaluate(() => scrollY) === 0, 'the address #sample scrolls the page');
await phone.tap('#play');
await phone.waitForFunction(() => document.getElementById('play').textContent === 'Play');
const seen = async () => (await phone.locator('#viewport').screenshot()).toString('base64');
let still = '';
for (let now = await seen(); now !== still; now = await seen()) still = now;
const fingers = await phone.context().newCDPSession(phone);
for (const [type, ...places] of [['touchStart', 160, 200], ['touchMove', 120, 240], ['touchMove', 80, 280], ['touchEnd']]) {
  await fingers.send('Input.dispatchTouchEvent', { type, touchPoints: places.map((x, id) => ({ x, y: 300, id })) });
}
await changes(seen, still, 'two fingers change nothing');
await phone.screenshot({ path: path.join(shots, 'phone.png') });
for (const name of ['validate', 'convert', 'compare']) {
  await phone.click(`#tab-${name}`);
  if (name === 'compare') {
    await phone.tap('#compare');
    await phone.waitForSelector('#table table');
  }
  const wide = await phone.evaluate(() => document.documentElement.scrollWidth);
  check(wide <= 360, `the page ${name} is ${wide} pixels wide on a phone`);
  await accessible(phone, `axe on ${name} of a phone`);
  await phone.screenshot({ path: path.join(shots, `phone-${name}.png`), fullPage: true });
}
// Scripts of the page cannot send requests to another host.
const refused = await phone.evaluate(() => fetch('https://example.org/').then(() => 'answered', error => error.name));
check(refused === 'TypeError' && problems.some(text => text.includes('Content Security Policy')), `another host: ${refused}`);
problems.splice(0, problems.length, ...problems.filter(text => !text.includes('example.org')));
await phone.context().close();
// If a browser does not start modules from a file, the page explains what to do.
const file = await (await browser.newContext()).newPage();
await file.goto(`file://${path.join(built, 'index.html')}`);
check(/http.server/.test(await problem(file)), `from a file: '${await problem(file)}'`);
await file.context().close();

// Large files: the page responds while they load.
const bulk = large(60 << 20);
const big = await visit();
fs.writeFileSync(path.join(scratch, 'large.md5mesh'), bulk);
const gaps = big.evaluate(() => new Promise(resolve => {
  let [last, most] = [performance.now(), 0];
  const timer = setInterval(() => {
    const now = performance.now();
    [most, last] = [Math.max(most, now - last), now];
    if (!window.ended) return;
    clearInterval(timer);
    resolve(most);
  }, 10);
}));
const began = Date.now();
await big.setInputFiles('#files', path.join(scratch, 'large.md5mesh'));
await rest(big);
const took = (Date.now() - began) / 1000;
await big.evaluate(() => { window.ended = true; });
const gap = await gaps;
check(gap < 250 * took, `the page did not answer for ${gap.toFixed(0)} ms while it worked for ${took.toFixed(1)} s`);
check(await problem(big) === '', `60 MB: ${await problem(big)}`);
await big.context().close();

/** A mesh of so many bytes: a strip of triangles. */
function large(bytes) {
  const count = Math.floor(bytes / 125);
  const lines = ['MD5Version 10', 'commandline ""', '', 'numJoints 1', 'numMeshes 1', '', 'joints {', '\t"origin" -1 ( 0 0 0 ) ( 0 0 0 )', '}', '', 'mesh {', '\tshader "none"', '', `\tnumverts ${count}`];
  for (let i = 0; i < count; i++) lines.push(`\tvert ${i} ( 0.5 0.5 ) ${i} 1`);
  lines.push('', `\tnumtris ${count - 2}`);
  for (let i = 0; i + 2 < count; i++) lines.push(`\ttri ${i} ${i} ${i + 1} ${i + 2}`);
  lines.push('', `\tnumweights ${count}`);
  for (let i = 0; i < count; i++) lines.push(`\tweight ${i} 0 1.0 ( ${(i % 700) / 10} ${Math.floor(i / 700) / 10} ${(i % 3) / 10} )`);
  lines.push('}', '');
  return lines.join('\n');
}

// Frames compared with the native program's.
const viewer = await visit();
let worst = 0;
let frames = 0;
const corpus = path.join(shared, 'corpus');
const models = [
  [data, 'mannequin_light.md5mesh'], [data, 'mannequin.md5mesh'], [data, 'cylinder.md5mesh'], [path.join(root, 'data/x'), 'mannequin_light.x'],
  [path.join(root, 'data/game'), 'mannequin.pk4:models/md5/mannequin/mannequin.md5mesh'],
  ...(fs.existsSync(corpus) ? [[path.join(corpus, 'VoxelLegends'), 'mods/mp_mobs/mobs_animal/models/mobs_bee.x'], [path.join(corpus, 'unvanquished-players'), 'models/players/builder/body.md5mesh']] : []),
];
for (const [folder, model] of models) {
  const files = filesBelow(folder).filter(name => fs.statSync(path.join(folder, name)).size < 8 << 20).map(name => ({ name, text: fs.readFileSync(path.join(folder, name)).toString('base64') }));
  const methods = ['cpu', 'matrix-blend', 'dqs'];
  const images = await viewer.evaluate(async ({ files, model, methods }) => {
    const { Engine } = await import('./engine.js');
    const engine = new Engine(document.createElement('canvas'));
    for (const { name, text } of files) await engine.ask('put', { path: name }, Uint8Array.from(atob(text), letter => letter.charCodeAt(0)));
    const images = [];
    for (const method of methods) {
      await engine.ask('open', { files: [model], draw: true, method });
      await engine.ask('change', { change: 'seek', value: 0.2 });
      const { bytes } = await engine.ask('image', { width: 256, height: 256 });
      let text = '';
      for (const byte of bytes) text += String.fromCharCode(byte);
      images.push(btoa(text));
    }
    engine.end();
    return images;
  }, { files, model, methods });
  for (const [index, method] of methods.entries()) {
    const ours = Buffer.from(images[index], 'base64');
    const out = path.join(scratch, 'native.png');
    const { code, stderr } = await native(folder, ['render', '-m', method, '--time', '0.2', '--size', '256x256', '-o', out, '--', model]);
    check(code === 0, `${model} by ${method}: ${stderr}`);
    const theirs = execFileSync('convert', [out, '-depth', '8', 'rgba:-'], { maxBuffer: 1 << 26 });
    let sum = 0;
    for (let i = 0; i < ours.length; i++) sum += Math.abs(ours[i] - theirs[i]);
    const mean = sum / ours.length;
    frames++;
    worst = Math.max(worst, mean);
    check(mean < 1, `${model} by ${method}: frames differ by ${mean.toFixed(2)} of 255 on average`);
    fs.copyFileSync(out, path.join(shots, `native-${path.basename(model)}-${method}.png`));
    const raw = path.join(scratch, 'page.rgba');
    fs.writeFileSync(raw, ours);
    execFileSync('convert', ['-size', '256x256', '-depth', '8', raw, path.join(shots, `page-${path.basename(model)}-${method}.png`)]);
  }
}
await viewer.context().close();

check(problems.length === 0, `the browser says: ${problems.join(' | ')}`);
await browser.close();
server.stop();
fs.rmSync(scratch, { recursive: true });
const size = (fs.statSync(packed).size / 1e6).toFixed(2);
finish('the page in Chromium', `, ${methods.length} methods, first frame after ${seconds.toFixed(1)} s, module ${size} MB, 60 MB in ${took.toFixed(1)} s with gaps up to ${gap.toFixed(0)} ms, ${frames} frames within ${worst.toFixed(2)} of 255`);
