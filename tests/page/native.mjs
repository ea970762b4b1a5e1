// The module in node compared with the native program: reports, poses and .glb of the samples and of the visible corpus.
import fs from 'node:fs';
import path from 'node:path';
import { check, filesBelow, finish, native, root, shared, startModule } from './common.mjs';

const isModel = name => /\.(md5mesh|x)$/i.test(name);
const temporary = fs.mkdtempSync(path.join(root, 'target/page-test-'));
const text = bytes => Buffer.from(bytes).toString();
let [reports, models] = [0, 0];

/** Compares everything about the files below one folder. */
async function compare(folder, wanted = isModel) {
  const module = await startModule();
  const files = filesBelow(folder);
  for (const name of files) {
    const { mtimeMs } = fs.statSync(path.join(folder, name));
    module.ask('put', { path: name, modified: mtimeMs }, fs.readFileSync(path.join(folder, name)));
  }
  const tops = [...new Set(files.map(name => name.split('/')[0]))];
  const theirs = await native(folder, ['validate', '--format', 'json', '--', ...tops]);
  if (theirs.stdout.length > 0) {
    const ours = module.ask('validate', { paths: tops, style: 'json' });
    const [a, b] = [theirs.stdout, ours.bytes].map(bytes => JSON.parse(text(bytes)));
    for (const [index, file] of a.files.entries()) {
      reports++;
      const same = JSON.stringify(file) === JSON.stringify(b.files[index]);
      check(same, `${folder}/${file.path}: the reports differ\n native ${JSON.stringify(file).slice(0, 300)}\n page   ${JSON.stringify(b.files[index])?.slice(0, 300)}`);
    }
    check(JSON.stringify(a.summary) === JSON.stringify(b.summary), `${folder}: the summaries differ`);
    const sarif = await native(folder, ['validate', '--format', 'sarif', '--', ...tops]);
    const page = module.ask('validate', { paths: tops, style: 'sarif' });
    check(sarif.stdout.equals(Buffer.from(page.bytes)), `${folder}: SARIF differs`);
  }
  for (const name of files.filter(wanted)) {
    models++;
    const out = path.join(temporary, 'out.glb');
    fs.rmSync(out, { force: true });
    const theirs = await native(folder, ['convert', '--force', '-o', out, '--', name]);
    // 1 is also the verdict on a part that is left out, or the validator's on the result.
    const isWritten = fs.existsSync(out);
    let ours;
    try {
      ours = module.ask('convert', { files: [name], to: 'glb' });
    } catch (error) {
      check(!isWritten, `${folder}/${name}: only the page refuses it: ${error.message}`);
      continue;
    }
    check(isWritten, `${folder}/${name}: only the native program refuses it: ${theirs.stderr}`);
    if (isWritten) check(fs.readFileSync(out).equals(Buffer.from(ours.bytes)), `${folder}/${name}: .glb differs`);
    await comparePoses(module, folder, name);
  }
}

/** Joints in the middle of the first clip, in the nine decimals that `dump` prints. */
async function comparePoses(module, folder, name) {
  const { head } = module.ask('open', { files: [name] });
  if (head.clips.length === 0) return;
  const time = Math.round(head.clips[0].seconds * 500) / 1000;
  const { stdout } = await native(folder, ['dump', '--stage', 'model-pose', '--format', 'json', '--clip', head.clips[0].name, '--time', String(time), '--', name]);
  if (stdout.length === 0) return;
  const { bytes } = module.ask('pose', { files: [name], clip: 0, time });
  const ours = new Float64Array(bytes.slice().buffer);
  const theirs = translations(JSON.parse(text(stdout)));
  check(theirs.length > 0, `${folder}/${name}: the dump has no joints`);
  const largest = Math.max(1, ...ours.map(Math.abs));
  theirs.forEach((place, joint) => place.forEach((value, axis) => {
    const near = Math.abs(value - ours[12 * joint + 9 + axis]) <= 1e-6 * largest;
    check(near, `${folder}/${name}: joint ${joint} is elsewhere: ${value} and ${ours[12 * joint + 9 + axis]}`);
  }));
}

/** Positions of the joints of the only frame of a dump. */
function translations(dump) {
  const of = item => (item.record === 'joint' ? [item.position.map(Number)] : (item.items ?? []).flatMap(of));
  return of(dump);
}

// Names in Shift-JIS: the page has the browser's tables for encoding_rs's.
const japanese = fs.mkdtempSync(path.join(root, 'target/page-test-'));
const cylinder = fs.readFileSync(path.join(root, 'data/x/cylinder.x'), 'latin1');
const texture = cylinder.replace('cylinder.png', '\x8a\xe7\x83\x7e\x83\x4e\xbe\xdd\xc0\xb0.png');
fs.writeFileSync(path.join(japanese, 'texture.x'), Buffer.from(texture, 'latin1'));
await compare(japanese);
const page = await startModule();
page.ask('put', { path: 'texture.x' }, fs.readFileSync(path.join(japanese, 'texture.x')));
check(text(page.ask('validate', { paths: ['texture.x'], style: 'json' }).bytes).includes('顔ミクｾﾝﾀｰ.png'), 'a name in Shift-JIS is not decoded');
fs.rmSync(japanese, { recursive: true });
// A module that stops, here for want of memory, is an error that names the call.
let stopped = '';
try {
  page.ask('put', { path: 'large' }, new Uint8Array(2 ** 31));
} catch (error) {
  stopped = error.message;
}
check(/^The program stopped while it worked on 'put'/.test(stopped), `a module that stops: '${stopped}'`);
// The models with planted faults, which a test of the program writes: the page names each fault and nothing else.
const planted = path.join(root, 'target/tmp/planted');
const codes = found => [...new Set(found.map(({ code }) => code))].sort().join(' ');
if (fs.existsSync(planted)) {
  await compare(planted, name => /\.(md5mesh|x|gltf)$/.test(name));
  const module = await startModule();
  for (const name of filesBelow(planted)) module.ask('put', { path: name }, fs.readFileSync(path.join(planted, name)));
  for (const { model, left_out, found, refused, validated } of JSON.parse(fs.readFileSync(path.join(planted, 'expected.json')))) {
    const all = JSON.parse(text(module.ask('validate', { paths: [path.dirname(model)], style: 'json' }).bytes)).files;
    const severe = all.flatMap(file => file.findings).filter(({ severity }) => severity === 'error' || severity === 'warning');
    check(codes(severe) === [...validated].sort().join(' '), `${model}: the report names ${codes(severe)}`);
    try {
      const { head } = module.ask('open', { files: [model] });
      check(!refused, `${model} is opened`);
      check(codes(head.left_out) === [...left_out].sort().join(' '), `${model}: ${codes(head.left_out)} is left out`);
      check(codes(head.warnings) === [...found].sort().join(' '), `${model}: ${codes(head.warnings)} is warned of`);
    } catch (error) {
      check(refused, `${model}: ${error.message}`);
    }
  }
} else console.log(`tests/page: no planted models at ${planted}; cargo test --test all faults:: writes them`);
await compare(path.join(root, 'data/md5'), name => /^[^/]*\.md5mesh$/.test(name));
await compare(path.join(root, 'data/x'));
const corpus = path.join(shared, 'corpus');
if (fs.existsSync(corpus)) {
  for (const entry of fs.readdirSync(corpus, { withFileTypes: true })) {
    if (entry.isDirectory()) await compare(path.join(corpus, entry.name));
  }
} else console.log(`tests/page: no corpus at ${corpus}; only the samples are compared`);
fs.rmSync(temporary, { recursive: true });
finish('the module beside the native program', `, ${reports} reports, ${models} models`);
