// Files as users give them to the page in Chromium: folders that are dropped, and addresses on other hosts.
import fs from 'node:fs';
import path from 'node:path';
import { changes, check, chromium, eventually, finish, native, npm, page, problem, rest, root, serve, visit } from './common.mjs';

const data = path.join(root, 'data');
const files = {
  '/files/light.md5mesh': path.join(data, 'md5/mannequin_light.md5mesh'),
  '/files/my wälk.md5anim': path.join(data, 'md5/walk.md5anim'),
  '/files/mannequin.pk4': path.join(data, 'game/mannequin.pk4'),
  '/files/a/body.md5mesh': path.join(data, 'md5/mannequin_light.md5mesh'),
  '/files/a/walk.md5anim': path.join(data, 'md5/walk.md5anim'),
  '/files/b/body.md5mesh': path.join(data, 'md5/cylinder.md5mesh'),
};
let sendSlowly = () => {};
const server = await serve({ '/files/slow.md5mesh': new Promise(resolve => { sendSlowly = () => resolve(files['/files/light.md5mesh']); }) });
const open = await serve(files, { 'access-control-allow-origin': '*' });
const closed = await serve(files);
const browser = await chromium();
const problems = [];
const hosts = [server, open, closed].map(({ url }) => url);
const scratch = fs.mkdtempSync(path.join(root, 'target/page-test-'));
const listed = tab => tab.$$eval('#models option:enabled', options => options.map(option => option.value));
const clips = tab => tab.$$eval('#clips option', options => options.map(option => option.textContent.split(' ')[0]));

// A folder with folders: a Doom 3 game's, and more files in one folder than a browser lists at once.
const game = path.join(scratch, 'base');
fs.mkdirSync(path.join(game, 'models/md5'), { recursive: true });
fs.mkdirSync(path.join(game, 'notes/empty'), { recursive: true });
for (const name of ['mannequin_light.md5mesh', 'walk.md5anim', 'run.md5anim', 'mannequin.png']) fs.copyFileSync(path.join(data, 'md5', name), path.join(game, 'models/md5', name));
for (let number = 0; number < 250; number++) fs.writeFileSync(path.join(game, 'notes', `${number}.md5anim`), 'MD5Version 10\n');
fs.copyFileSync(path.join(data, 'md5/cylinder.md5mesh'), path.join(scratch, 'cylinder.md5mesh'));
const tab = await visit(browser, server.url, [server.url], problems);
await drop(tab, [game]);
check(await problem(tab) === '', `a dropped folder: ${await problem(tab)}`);
check((await listed(tab)).join() === 'base/models/md5/mannequin_light.md5mesh', `the models of a dropped folder are ${await listed(tab)}`);
check((await clips(tab)).sort().join() === 'run,walk', `the clips of a dropped folder are ${await clips(tab)}`);
check((await tab.textContent('#about-model')).includes('mannequin.png'), 'the image of a dropped folder is not found');
check(!(await tab.textContent('#report')).includes('only the opened files'), 'a folder is not searched');
const [saved] = await Promise.all([tab.waitForEvent('download'), tab.click('#tab-validate').then(() => tab.click('#json'))]);
const theirs = (await native(scratch, ['validate', '--format', 'json', 'base'])).stdout;
check(fs.readFileSync(await saved.path()).equals(theirs), 'the report on a dropped folder differs from the native program\'s');
// A clip alone is one more clip of the model.
await drop(tab, [path.join(data, 'md5/idle.md5anim')]);
check(await problem(tab) === '', `a dropped clip: ${await problem(tab)}`);
check((await clips(tab)).sort().join() === 'idle,run,walk', `the clips after a clip was dropped are ${await clips(tab)}`);
await drop(tab, [game, path.join(scratch, 'cylinder.md5mesh')]);
check((await listed(tab)).join() === 'base/models/md5/mannequin_light.md5mesh,cylinder.md5mesh', `the models of a folder and a file are ${await listed(tab)}`);
await drop(tab, [path.join(game, 'notes/empty')]);
check(/no file/.test(await problem(tab)), `an empty folder: '${await problem(tab)}'`);
await tab.context().close();

// Without WebGL 2 models are validated and converted.
const bare = await chromium(['--disable-gpu', '--disable-software-rasterizer']);
const blind = await visit(bare, server.url, [server.url], problems);
check(await problem(blind) === '' && /no WebGL 2/.test(await blind.textContent('#drop')), `without WebGL: ${await problem(blind)} ${await blind.textContent('#drop')}`);
check(/6 files: 0 errors/.test(await blind.textContent('#report')), 'nothing is validated without WebGL');
await blind.click('#tab-convert');
const [glb] = await Promise.all([blind.waitForEvent('download'), blind.click('#to-glb')]);
check(fs.statSync(await glb.path()).size > 100_000, 'nothing is converted without WebGL');
await bare.close();

// Many models have a filter.
const many = path.join(scratch, 'many');
fs.mkdirSync(many);
for (let number = 0; number < 20; number++) fs.copyFileSync(path.join(data, 'md5/cylinder.md5mesh'), path.join(many, `model${number}.md5mesh`));
const crowd = await visit(browser, server.url, [server.url], problems);
check(!(await crowd.isVisible('#filter')), 'one model has a filter');
await drop(crowd, [many]);
await crowd.locator('#filter').pressSequentially('EL17');
check((await listed(crowd)).join() === 'many/model17.md5mesh', `the filter leaves ${await listed(crowd)}`);
await crowd.press('#filter', 'Enter');
await rest(crowd);
check(await crowd.title() === 'model17: bindpose', `the filtered model is not shown: ${await crowd.title()}`);
await crowd.context().close();

/** Drags files and folders of the disk over the page and drops them there. */
async function drop(tab, paths) {
  const session = await tab.context().newCDPSession(tab);
  for (const type of ['dragEnter', 'dragOver', 'drop']) {
    await session.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data: { items: [], files: paths, dragOperationsMask: 1 } });
    if (type === 'dragOver') await eventually(tab, () => document.getElementById('drop').checkVisibility(), null, 'the page does not show where to drop');
  }
  await tab.waitForFunction(() => !document.body.classList.contains('over'));
  await rest(tab);
}

// Addresses on a host that allows other pages to read it, and on one that does not.
/** Opens the page with models at addresses; its error, then its models. */
async function fetched(...addresses) {
  const model = encodeURIComponent(addresses.join(' '));
  const tab = await visit(browser, `${server.url}#model=${model}`, hosts, problems);
  return { tab, error: await problem(tab), models: await listed(tab), clips: await clips(tab) };
}
const mesh = await fetched(`${open.url}files/light.md5mesh`, `${open.url}files/my%20w%C3%A4lk.md5anim`);
check(mesh.error === '' && mesh.models.join() === 'light.md5mesh', `a mesh on another host: ${mesh.error} ${mesh.models}`);
check(mesh.clips.join() === 'my', `a clip on another host: ${mesh.clips}`);
check(mesh.tab.url().includes('my%2520w%25C3%25A4lk'), `the address became ${mesh.tab.url()}`);
// The policy is that of the first address: another host needs a page of its own.
// The module's answers that are waiting at that moment do not write the old address over it.
await mesh.tab.evaluate(address => {
  document.getElementById('methods').selectedIndex = 1;
  document.getElementById('methods').onchange();
  for (const end = performance.now() + 500; performance.now() < end;);
  location.hash = `#model=${address}`;
}, `${closed.url}files/light.md5mesh`);
await eventually(mesh.tab, () => /CORS/.test(document.getElementById('problem').textContent), null, 'a host without CORS is not reported');
check((await problem(mesh.tab)).startsWith(`${closed.url}files/light.md5mesh cannot be read`), `a host without CORS: ${await problem(mesh.tab)}`);
await mesh.tab.click('#open-sample');
await rest(mesh.tab);
check(await problem(mesh.tab) === '', `the sample after an address that cannot be read: ${await problem(mesh.tab)}`);
await mesh.tab.context().close();

const archive = await fetched(`${open.url}files/mannequin.pk4`);
check(archive.error === '' && archive.models.length > 0 && archive.models.every(name => name.startsWith('mannequin.pk4:')), `an archive on another host: ${archive.error} ${archive.models}`);
await archive.tab.selectOption('#subjects', 'entity mannequin_sentry');
await rest(archive.tab);
const address = archive.tab.url();
await archive.tab.context().close();
const again = await visit(browser, address, hosts, problems);
check(await problem(again) === '' && /^mannequin_sentry:/.test(await again.textContent('#about-model')), `an entity of an archive on another host: ${await problem(again)}`);
await again.context().close();

// Files with the same name at two addresses: each has a folder, and the clips next to it.
const twins = await fetched(...['a/body.md5mesh', 'b/body.md5mesh', 'a/walk.md5anim'].map(name => `${open.url}files/${name}`));
check(twins.error === '' && twins.models.join() === 'a/body.md5mesh,b/body.md5mesh', `two files with one name: ${twins.error} ${twins.models}`);
check(twins.clips.join() === 'walk', `the clips next to the first are ${twins.clips}`);
await twins.tab.selectOption('#models', 'b/body.md5mesh');
await rest(twins.tab);
check(/^body: 3 joints/.test(await twins.tab.textContent('#about-model')), `the second of two files with one name: ${await twins.tab.textContent('#about-model')}`);
await twins.tab.context().close();

// Another model on the selected joint is part of the address, and is there again after it is opened.
const pair = await fetched(...['light.md5mesh', 'a/body.md5mesh'].map(name => `${open.url}files/${name}`));
const other = pair.models.find(name => name.endsWith('body.md5mesh'));
const same = pair.models.find(name => name !== other);
await pair.tab.selectOption('#models', same);
await rest(pair.tab);
await pair.tab.selectOption('#selected', { label: 'hand_r' });
await eventually(pair.tab, () => !document.getElementById('attached').disabled, null, 'no model can be attached to the selected joint');
await pair.tab.selectOption('#attached', other);
await rest(pair.tab);
check(await problem(pair.tab) === '', `an attached model: ${await problem(pair.tab)}`);
const armed = pair.tab.url();
check(armed.includes(`attach=${encodeURIComponent(`hand_r=${other}`)}`), `the address of an attached model is ${armed}`);
await pair.tab.context().close();
const rearmed = await visit(browser, armed, hosts, problems);
await rearmed.selectOption('#selected', { label: 'hand_r' });
await eventually(rearmed, other => document.getElementById('attached').value === other, other, 'the attached model of the address is lost');
await rearmed.evaluate(armed => { location.hash = new URL(armed).hash.replace('hand_r', 'hand_q'); }, armed);
await eventually(rearmed, () => /hand_q/.test(document.getElementById('note').textContent), null, 'a joint that is not there is no note');
await rearmed.context().close();

// While the file at an address is fetched, and if it is missing, the address stays although the sample plays.
const entered = await visit(browser, server.url, [server.url], problems);
const hash = () => entered.evaluate(() => location.hash);
for (const [name, isOpened] of [['nothing', () => !document.getElementById('problem').hidden], ['slow', () => document.getElementById('busy').textContent !== '']]) {
  await entered.evaluate(name => { location.hash = `#model=/files/${name}.md5mesh`; }, name);
  await entered.waitForFunction(isOpened);
  for (let frames = 0; frames < 3; frames++) await changes(() => entered.textContent('#clock'), await entered.textContent('#clock'), 'the sample does not play on');
  check(await hash() === `#model=/files/${name}.md5mesh`, `the address of ${name} became ${await hash()}`);
}
sendSlowly();
await rest(entered);
check(await problem(entered) === '' && (await listed(entered)).join() === 'slow.md5mesh', `an address entered later: ${await problem(entered)} ${await listed(entered)}`);
check(await hash() === '#model=/files/slow.md5mesh', `the address became ${await hash()}`);
await entered.context().close();

// A new version of the page is used after the old one is closed: files of two versions are never mixed.
const versions = {};
const host = await serve(versions);
const old = await visit(browser, host.url, [host.url], problems);
await old.waitForFunction(() => navigator.serviceWorker.controller);
for (const [name, from, to] of [['sw.js', /bindpose-\w+/, 'bindpose-new'], ['index.html', '<h1>bindpose', '<h1>new']]) {
  const file = path.join(scratch, name);
  fs.writeFileSync(file, fs.readFileSync(path.join(page, name), 'utf8').replace(from, to));
  versions[name === 'sw.js' ? '/sw.js' : '/'] = versions[`/${name}`] = file;
}
await old.evaluate(async () => { await (await navigator.serviceWorker.getRegistration()).update(); });
await eventually(old, async () => (await navigator.serviceWorker.getRegistration()).waiting !== null, null, 'a new version does not wait for the old one');
for (let reloads = 0; reloads < 3; reloads++) {
  await old.reload();
  check(await old.textContent('h1') === 'bindpose', 'an open page has a file of the new version');
}
const context = old.context();
await old.close();
await changes(async () => {
  const tab = await context.newPage();
  await tab.goto(host.url);
  const title = await tab.textContent('h1');
  await tab.close();
  return title;
}, 'bindpose', 'the new version is not used');
await context.close();

for (const [addresses, wanted] of [
  [[`${open.url}files/nothing.md5mesh`], /cannot be read: 404/],
  [['file:///etc/passwd'], /does not begin with http/],
  [['http://'], /not a valid address/],
]) {
  const { tab, error } = await fetched(...addresses);
  check(wanted.test(error), `${addresses}: '${error}'`);
  check(await tab.isVisible('#open-sample') && await tab.$eval('body', body => body.dataset.ready === '1'), `${addresses}: the page does not go on`);
  await tab.context().close();
}

// What Convert and Compare showed belongs to the model before.
const next = await visit(browser, server.url, [server.url], problems);
await next.click('#tab-convert');
await Promise.all([next.waitForEvent('download'), next.click('#to-mdl')]);
await next.click('#tab-compare');
await next.click('#compare');
await next.waitForSelector('#table table');
await drop(next, [path.join(data, 'md5/cylinder.md5mesh')]);
for (const id of ['losses', 'table']) check(await next.textContent(`#${id}`) === '', `a new model keeps #${id} of the one before`);
await next.context().close();

// After a file that cannot be shown, nothing works on the model before, and the reason stays.
const broken = path.join(scratch, 'broken.md5mesh');
fs.writeFileSync(broken, fs.readFileSync(path.join(data, 'md5/mannequin_light.md5mesh'), 'utf8').replace(/"pelvis"\s+0/, '"pelvis" 99'));
const lost = await visit(browser, server.url, [server.url], problems);
await lost.click('#tab-convert');
const [converted] = await Promise.all([lost.waitForEvent('download'), lost.click('#to-glb')]);
const binary = path.join(scratch, 'sample.glb');
await converted.saveAs(binary);
await drop(lost, [binary]);
check(/only/.test(await lost.textContent('#about-engine')), `a .glb is played as ${await lost.textContent('#about-engine')}`);
for (const [name, dropped, reason] of [['a broken model', broken, /pelvis/], ['a drop without a model', path.join(data, 'md5/walk.md5anim'), /no model that they move/]]) {
  await drop(lost, [dropped]);
  check(reason.test(await problem(lost)), `${name}: ${await problem(lost)}`);
  check(await lost.title() === 'bindpose: MD5 and .x models in the browser', `after ${name} the title is ${await lost.title()}`);
  for (const id of ['screenshot', 'gif', 'compare', 'to-glb', 'engines', 'copy-link']) check(await lost.isDisabled(`#${id}`) && await lost.getAttribute(`#${id}`, 'title') === 'No model is shown.', `after ${name} #${id} is enabled`);
  check(await lost.textContent('#about-engine') === '', `after ${name} an engine is explained: ${await lost.textContent('#about-engine')}`);
  await lost.click('#tab-convert');
  check(reason.test(await problem(lost)), `the reason became ${await problem(lost)}`);
}
await lost.click('#open-sample');
await rest(lost);
for (const id of ['screenshot', 'gif', 'compare', 'to-glb', 'engines', 'copy-link']) check(await lost.isEnabled(`#${id}`), `#${id} stays disabled`);
check(/^What plays/.test(await lost.getAttribute('#gif', 'title')), `the title of the GIF became ${await lost.getAttribute('#gif', 'title')}`);
await lost.context().close();

// Without WebGL 2, controls of the drawing say why they are disabled; the address and links work.
const plain = await chromium(['--disable-gpu', '--disable-software-rasterizer']);
const undrawn = await visit(plain, `${server.url}#sample,clip=run,page=validate`, [server.url], problems, { permissions: ['clipboard-read', 'clipboard-write'] });
for (const id of ['methods', 'clips', 'colouring', 'shading', 'show-grid', 'screenshot', 'gif', 'reset-camera']) check(await undrawn.isDisabled(`#${id}`) && /no WebGL 2/.test(await undrawn.getAttribute(`#${id}`, 'title')), `without WebGL #${id} is enabled`);
check(await undrawn.isDisabled('#about-model input'), 'without WebGL a mesh can be hidden');
const undrawnHash = () => undrawn.evaluate(() => location.hash);
check(await undrawnHash() === '#sample,clip=run,page=validate', `without WebGL the address became ${await undrawnHash()}`);
await undrawn.click('#tab-play');
check(await undrawnHash() === '#sample,clip=run', `without WebGL the address of another page is ${await undrawnHash()}`);
await undrawn.selectOption('#engines', 'q2repro');
await rest(undrawn);
check(await undrawn.$eval('#engines', list => list.value) === 'q2repro' && /as=q2repro/.test(await undrawnHash()), `without WebGL the engine is ${await undrawn.$eval('#engines', list => list.value)}: ${await undrawnHash()}`);
await undrawn.click('#copy-link');
await eventually(undrawn, () => document.getElementById('note').textContent === 'The link is copied.', null, 'without WebGL no link is copied');
check((await undrawn.evaluate(() => navigator.clipboard.readText())).endsWith(await undrawnHash()), 'without WebGL the link differs from the address');
await plain.close();

// If WebGL is lost, the page opens its files again; if it is lost for good, the view says why it is empty.
const crashing = await chromium();
const crashed = await visit(crashing, server.url, [server.url], problems, { serviceWorkers: 'block' });
await drop(crashed, [path.join(data, 'md5/mannequin_light.md5mesh'), path.join(data, 'md5/walk.md5anim')]);
const method = () => crashed.textContent('#about-method');
const usual = await method();
await crashed.selectOption('#methods', 'dqs');
await changes(method, usual, 'the method is not explained');
const gpu = await crashing.newBrowserCDPSession();
const crash = async () => {
  const again = crashed.waitForEvent('worker');
  await gpu.send('Browser.crashGpuProcess').catch(() => {});
  await again;
  await eventually(crashed, () => document.title === 'mannequin_light: bindpose', null, 'the files are not opened again after WebGL was lost');
  await rest(crashed);
};
await crash();
check(await crashed.isVisible('#canvas') && await problem(crashed) === '', `after WebGL was lost: ${await problem(crashed)}`);
check(await crashed.$eval('#methods', list => list.value) === 'dqs' && (await clips(crashed)).join() === 'walk', `after WebGL was lost, the method is ${await crashed.$eval('#methods', list => list.value)}`);
for (let crashes = 1; crashes < 6 && await crashed.isVisible('#canvas'); crashes++) await crash();
check(/no WebGL 2/.test(await crashed.textContent('#drop')) && await crashed.isDisabled('#screenshot'), `WebGL is lost for good: ${await crashed.textContent('#drop')}`);
await crashing.close();

// A browser that lacks what the page needs is told so, and no picture is left.
const WITHOUT = {
  'JavaScript': { javaScriptEnabled: false },
  'Worker': () => { delete window.Worker; },
  'a constructor of workers': () => { window.Worker = class { constructor() { throw new TypeError('module workers are not supported'); } }; },
  'module workers': () => { window.Worker = class { constructor() { setTimeout(() => this.onerror(new ErrorEvent('error', { message: 'SyntaxError' }))); } postMessage() {} terminate() {} }; },
  'WebAssembly': 'delete self.WebAssembly;',
  'DecompressionStream': 'delete self.DecompressionStream;',
};
for (const [what, change] of Object.entries(WITHOUT)) {
  const context = await browser.newContext({ serviceWorkers: 'block', ...(typeof change === 'object' ? change : {}) });
  const tab = await context.newPage();
  if (typeof change === 'function') await tab.addInitScript(change);
  if (typeof change === 'string') await tab.route('**/worker.js', async route => route.fulfill({ response: await route.fetch(), body: change + fs.readFileSync(path.join(page, 'worker.js'), 'utf8') }));
  await tab.goto(server.url);
  check(await tab.getByText(/this page needs a browser with/i).waitFor().then(() => true, () => false), `without ${what}: ${await tab.textContent('#problem')}`);
  check(!(await tab.isVisible('#picture')) && await tab.textContent('#busy') === '', `without ${what} the page seems to load`);
  await context.close();
}

// Without a clipboard, as by http from another machine, the link is put where it can be copied.
const insecure = await visit(browser, server.url, [server.url], problems);
await insecure.evaluate(() => { Object.defineProperty(navigator, 'clipboard', { value: undefined }); });
const asked = insecure.waitForEvent('dialog').then(async dialog => { await dialog.dismiss(); return dialog.defaultValue(); }, () => '');
await insecure.click('#copy-link');
check((await asked).startsWith(`${server.url}#sample,`), `without a clipboard the link is '${await asked}'`);
await insecure.context().close();

// A part of a link that does not fit the model is a note; all other parts are shown.
const linked = await visit(browser, server.url, [server.url], problems);
const fitting = 'clip=run method=dqs beside=matrix-blend time=0.250 colouring=batches surfaces=edges shading=unlit show=names turns=3%200%200%201%200'.split(' ');
for (const key of ['skin', 'entity', 'declared', 'open', 'clip', 'method', 'as', 'attach', 'beside', 'colouring', 'surfaces', 'shading', 'show', 'turns', 'look', 'time', 'speed', 'joint']) {
  const others = fitting.filter(part => !part.startsWith(`${key}=`));
  await linked.evaluate(hash => { location.hash = hash; }, `sample,${[`${key}=no-${key}${key === 'attach' ? '%3Dx' : ''}`, ...others].join()}`);
  await eventually(linked, key => document.getElementById('note').textContent.includes(`no-${key}`), key, `${key}=no-${key} is no note`);
  await rest(linked);
  check(await problem(linked) === '' && /^Left out: /.test(await linked.textContent('#note')), `${key}=no-${key}: ${await problem(linked)}`);
  const seen = await linked.evaluate(() => {
    const value = id => document.getElementById(id).value;
    return [`clip=${document.getElementById('clips').selectedOptions[0]?.textContent.split(' ')[0]}`, `method=${value('methods')}`, `beside=${value('split')}`,
      `time=${/([\d.]+) s$/.exec(document.getElementById('clock').textContent)?.[1]}0`, ...['colouring', 'surfaces', 'shading'].map(id => `${id}=${value(id)}`),
      document.getElementById('show-names').checked && 'show=names', !document.getElementById('reset-joints').disabled && 'turns=3%200%200%201%200'];
  });
  const missing = others.filter(part => !seen.includes(part));
  check(missing.length === 0, `with ${key}=no-${key} the link shows no ${missing}`);
}
await linked.context().close();

// glTF is not validated, and not called faulty.
const exported = path.join(scratch, 'exported');
fs.mkdirSync(exported);
const unchecked = await visit(browser, server.url, [server.url], problems);
await unchecked.click('#tab-convert');
const [written] = await Promise.all([unchecked.waitForEvent('download'), unchecked.click('#to-glb')]);
await written.saveAs(path.join(exported, 'model.glb'));
await unchecked.click('#tab-validate');
for (const dropped of [path.join(exported, 'model.glb'), exported]) {
  await drop(unchecked, [dropped]);
  check(await problem(unchecked) === '' && (await unchecked.textContent('#report')).trim() === 'glTF files are played and converted, not validated.', `the report on ${dropped} is ${await unchecked.textContent('#report')}`);
}
await drop(unchecked, [path.join(exported, 'model.glb'), path.join(data, 'md5/cylinder.md5mesh')]);
check(/not validated\.1 file: 0 errors/.test(await unchecked.textContent('#report')), `the report on a .glb and a mesh is ${await unchecked.textContent('#report')}`);
await unchecked.context().close();

// The filter itself loads nothing: Enter and a choice do.
const sought = await visit(browser, server.url, [server.url], problems);
await drop(sought, [many]);
const before = await sought.title();
const chosen = () => sought.$eval('#models', list => list.selectedOptions[0]?.textContent);
for (const [text, says] of [['model17', '1 model'], ['nowhere', 'no model matches'], ['', 'many/model0.md5mesh']]) {
  await sought.fill('#filter', text);
  check(await chosen() === says, `with the filter '${text}' the list says ${await chosen()}`);
  await sought.press('#filter', 'Tab');
  await rest(sought);
  check(await sought.title() === before, `the filter '${text}' loads ${await sought.title()}`);
}
await sought.fill('#filter', 'model17');
await sought.selectOption('#models', 'many/model17.md5mesh');
await rest(sought);
check(await sought.title() === 'model17: bindpose', `the chosen model is not shown: ${await sought.title()}`);
await sought.fill('#filter', 'nowhere');
await sought.press('#filter', 'Enter');
await rest(sought);
check(await sought.title() === 'model17: bindpose' && await problem(sought) === '', `a filter without a match loads ${await sought.title()}: ${await problem(sought)}`);
await sought.context().close();

// Keys work with the focus on a button, a tick or the slider, unless that uses them itself; on a report they scroll.
const keyed = await visit(browser, server.url, [server.url], problems);
const frame = number => eventually(keyed, number => document.getElementById('clock').textContent.startsWith(`frame ${number} `), number, `frame ${number} is not shown`);
await keyed.click('#play');
await eventually(keyed, () => document.getElementById('play').textContent === 'Play', null, 'the button does not pause');
await keyed.keyboard.press('Home');
await frame(0);
await keyed.keyboard.press('.');
await frame(1);
await keyed.click('#show-axes');
await keyed.keyboard.press('k');
await eventually(keyed, () => document.getElementById('show-skeleton').checked, null, 'k does nothing with the focus on a tick');
await keyed.keyboard.press('Space');
await eventually(keyed, () => !document.getElementById('show-axes').checked, null, 'the space bar does not untick');
check(await keyed.textContent('#play') === 'Play', 'the space bar plays with the focus on a tick');
await keyed.focus('#time');
await keyed.keyboard.press('.');
await frame(2);
await keyed.click('#tab-validate');
await keyed.selectOption('#profile', 'all');
await rest(keyed);
await keyed.$$eval('#report details', all => all.forEach(details => { details.open = true; }));
await keyed.focus('#page-validate');
for (const key of ['Space', 'End', 'Home', 'PageDown']) {
  const top = () => keyed.$eval('#page-validate', panel => panel.scrollTop);
  const was = await top();
  await keyed.keyboard.press(key);
  await changes(top, was, `${key} does not scroll the report`);
  let still = NaN;
  for (let now = await top(); now !== still; now = await top()) { still = now; await keyed.waitForTimeout(100); }
}
await frame(2);
check(await keyed.textContent('#play') === 'Play', 'the space bar plays with the focus on the report');
await keyed.context().close();

// One of a thing is singular, and a material without a name is none. Tables and their summaries fit screens of all sizes.
const point = path.join(scratch, 'point.md5mesh');
fs.writeFileSync(point, 'MD5Version 10\ncommandline ""\nnumJoints 1\nnumMeshes 1\njoints {\n"origin" -1 ( 0 0 0 ) ( 0 0 0 )\n}\nmesh {\nshader ""\nnumverts 1\nvert 0 ( 0 0 ) 0 1\nnumtris 1\ntri 0 0 0 0\nnumweights 1\nweight 0 0 1 ( 0 0 0 )\n}\n');
const sized = await visit(browser, server.url, [server.url], problems);
await drop(sized, [point]);
const about = await sized.textContent('#about-model');
check(/1 joint, 1 mesh, 1 vertex, .*\(no material\)/.test(about), `a point is ${await problem(sized)} ${about}`);
await sized.click('#open-sample');
await rest(sized);
await sized.click('#tab-compare');
await sized.click('#compare');
await sized.waitForSelector('#table table');
for (const [width, height] of [[1024, 768], [820, 1180], [844, 390]]) {
  await sized.setViewportSize({ width, height });
  check(await sized.$eval('#page-compare', panel => panel.scrollWidth <= panel.clientWidth), `the table is cut off at ${width} by ${height}: ${await sized.$eval('#page-compare', panel => [panel.scrollWidth, panel.clientWidth])}`);
}
await sized.click('#tab-validate');
await sized.$$eval('#report details', all => all.forEach(details => { details.open = true; }));
await eventually(sized, () => document.querySelectorAll('#report .verdicts').length > 0, null, 'no verdict is shown');
await sized.evaluate(npm('axe-core').source);
const small = await sized.evaluate(() => window.axe.run({ runOnly: ['wcag22aa'] }));
check(small.violations.length === 0, `too small to touch: ${small.violations.flatMap(it => it.nodes.map(node => node.html)).slice(0, 3)}`);
await sized.context().close();

// A paused model stays paused when a clip is added; the note about a link goes; without a network CORS is not to blame.
const quiet = await visit(browser, server.url, [server.url], problems, { reducedMotion: 'reduce', permissions: ['clipboard-read', 'clipboard-write'] });
const stroll = path.join(scratch, 'stroll.md5anim');
fs.copyFileSync(path.join(data, 'md5/walk.md5anim'), stroll);
await drop(quiet, [stroll]);
check(await problem(quiet) === '', `a clip is not added: ${await problem(quiet)}`);
await eventually(quiet, () => /^stroll /.test(document.getElementById('clips').selectedOptions[0]?.textContent), null, 'the added clip is not shown');
check(await quiet.textContent('#play') === 'Play', 'a clip that is added plays in spite of reduced motion');
await quiet.click('#copy-link');
await eventually(quiet, () => document.getElementById('note').textContent === 'The link is copied.', null, 'no link is copied');
await eventually(quiet, () => document.getElementById('note').textContent === '', null, 'the note about the link stays');
await quiet.context().setOffline(true);
await quiet.evaluate(() => { location.hash = '#model=/files/away.md5mesh'; });
await eventually(quiet, () => /There is no network/.test(document.getElementById('problem').textContent), null, 'the missing network is not the reason');
check(!/CORS/.test(await problem(quiet)), `without a network: ${await problem(quiet)}`);
await quiet.context().close();

// The browser itself reports what the policy or CORS refuse, and a missing file.
const expected = /CORS|ERR_FAILED|404/;
const others = problems.filter(text => !expected.test(text));
check(others.length === 0, `the browser says: ${others.join(' | ')}`);
await browser.close();
for (const one of [server, open, closed, host]) one.stop();
fs.rmSync(scratch, { recursive: true });
finish('files and addresses in Chromium');
