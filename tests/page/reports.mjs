// The reports of `compare` and `snapshot` in Chromium: axe, light and dark, narrow, printed, sorted by keyboard. Screenshots are
// in target/web-page-shots.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { PATIENCE, accessible, check, chromium, finish, native, root } from './common.mjs';

const shots = path.join(root, 'target/web-page-shots');
fs.mkdirSync(shots, { recursive: true });
const scratch = fs.mkdtempSync(path.join(root, 'target/page-test-'));
const data = path.join(root, 'data/md5');
const browser = await chromium();

/** Visits a report in three ways. */
async function visit(name, file, act) {
  for (const [way, options] of [['light', {}], ['dark', { colorScheme: 'dark' }], ['narrow', { viewport: { width: 390, height: 844 } }]]) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    context.setDefaultTimeout(PATIENCE);
    const tab = await context.newPage();
    const problems = [];
    tab.on('pageerror', error => problems.push(error.message));
    tab.on('console', message => { if (message.type() === 'error') problems.push(message.text()); });
    await tab.goto(pathToFileURL(file).href);
    await accessible(tab, `${name}, ${way}`);
    const width = await tab.evaluate(() => document.documentElement.scrollWidth);
    check(width <= (options.viewport?.width ?? 1280), `${name}, ${way}: the page is ${width} pixels wide`);
    await tab.screenshot({ path: path.join(shots, `${name}-${way}.png`), fullPage: true });
    if (way === 'light') {
      await act?.(tab);
      await tab.emulateMedia({ media: 'print' });
      await tab.setViewportSize({ width: 718, height: 1000 });
      const cut = await tab.evaluate(() => document.documentElement.scrollWidth);
      check(cut <= 718, `${name}, printed: ${cut - 718} pixels are cut off`);
      fs.writeFileSync(path.join(shots, `${name}.pdf`), await tab.pdf({ format: 'A4' }));
    }
    check(problems.length === 0, `${name}, ${way}: ${problems.join(' | ')}`);
    await tab.context().close();
  }
}

const compared = path.join(scratch, 'compared');
const { code, stderr } = await native(data, ['compare', 'mannequin_light.md5mesh', '--methods', 'cpu,dqs', '--sweep', 'forearm_l=x,140..180', '--size', '128x128', '-o', compared]);
check(code === 0, `compare: ${stderr}`);
if (code === 0) await visit('compare', path.join(compared, 'report.html'), async tab => {
  const shown = await tab.$$eval('section input[type=range]', sliders => sliders.map(slider => slider.getAttribute('aria-valuetext')));
  check(shown.length > 0 && !shown.some(text => /^140°/.test(text)), `sliders start at ${shown.join(', ')}`);
  const unnamed = await tab.$$eval('img', images => images.filter(image => !image.alt).length);
  check(unnamed === 0, `${unnamed} images have no text`);
  const button = tab.locator('.sortable th button').first();
  const first = () => tab.locator('.sortable tbody tr td').first().textContent();
  const seen = [];
  for (const sort of ['ascending', 'descending']) {
    await button.focus();
    await tab.keyboard.press('Enter');
    check(await tab.locator('.sortable th').first().getAttribute('aria-sort') === sort, `the table is not sorted: ${sort}`);
    seen.push(await first());
  }
  check(seen[0] !== seen[1], `sorting changes nothing: ${seen}`);
});

const helped = path.join(scratch, 'helped');
const helpers = await native(data, ['compare', 'mannequin_light.md5mesh', '--methods', 'cpu,dqs', '--helpers', 'forearm_l=2', '--size', '128x128', '-o', helped]);
check(helpers.code === 0, `compare --helpers: ${helpers.stderr}`);
if (helpers.code === 0) await visit('helpers', path.join(helped, 'report.html'), async tab => {
  const images = await tab.$$eval('.tiles tbody tr', rows => rows.map(row => row.querySelectorAll('img').length));
  check(images.length === 2 && images.every(count => count === 7), `images without and with helpers: ${images}`);
});

// A walk on the spot whose root moves.
const clips = path.join(scratch, 'clips');
const walk = fs.readFileSync(path.join(data, 'walk.md5anim'), 'utf8');
fs.writeFileSync(path.join(scratch, 'idle.md5anim'), walk.replace(/(frame (\d+) \{\s*)(\S+)/g, (_, start, frame, number) => `${start}${Number(number) + 4 * frame}`));
const moved = await native(scratch, ['validate', 'idle.md5anim', '--motion', '--report', 'clips']);
check(moved.code === 0, `validate --motion: ${moved.stderr}`);
if (moved.code === 0) await visit('clips', path.join(clips, 'report.html'), async tab => {
  const charts = await tab.$$eval('section svg title', titles => titles.map(title => title.textContent));
  check(charts.some(title => /root/.test(title)), `charts: ${charts.join(', ')}`);
});

// A recorded walk that changed afterwards.
const models = path.join(scratch, 'models');
fs.mkdirSync(models);
for (const name of ['mannequin_light.md5mesh', 'walk.md5anim']) fs.copyFileSync(path.join(data, name), path.join(models, name));
await native(scratch, ['snapshot', 'record', 'models', '-o', 'snapshots']);
const clip = fs.readFileSync(path.join(models, 'walk.md5anim'), 'utf8');
fs.writeFileSync(path.join(models, 'walk.md5anim'), clip.replace(/(frame 5 \{\s*)(\S+)/, (_, start, number) => `${start}${Number(number) + 3}`));
const verified = await native(scratch, ['snapshot', 'verify', 'models', '-s', 'snapshots', '--report', 'verified']);
check(verified.code === 1, `verify sees no change: ${verified.stderr}`);
const report = path.join(scratch, 'verified/index.html');
check(fs.existsSync(report), 'verify writes no page');
if (fs.existsSync(report)) await visit('snapshot', report);

await browser.close();
fs.rmSync(scratch, { recursive: true });
finish('the reports in Chromium');
