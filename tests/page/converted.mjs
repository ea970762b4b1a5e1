// Every model as .glb in three.js beside our own images of the source: outlines, colours without light, and normals, in the
// middle of a clip. BINDPOSE_PAIRS=DIR keeps the images of both.
import fs from 'node:fs';
import path from 'node:path';
import { check, chromium, finish, native, root, shared } from './common.mjs';

const SIZE = 192;
/** Rooms and quads that show the viewer their back, which three.js does not draw. */
const TURNED_AWAY = ['cell.x', 'lobby_skybox.x', 'quad.x', 'quadlow.x'];
/** Has no triangle. */
const EMPTY = 'OverflowingTriangleIndex.md5mesh';

const corpus = path.join(shared, 'corpus');
const source = fs.existsSync(corpus) ? corpus : path.join(root, 'data');
const scratch = fs.mkdtempSync(path.join(root, 'target/page-test-'));
const { stdout } = await native(scratch, ['convert', source, '-o', 'glb', '--to', 'glb', '--json']);
const models = JSON.parse(stdout).models.filter(model => model.result === 'converted' && path.basename(model.input) !== EMPTY);

const browser = await chromium();
const tab = await browser.newPage();
const imports = JSON.stringify({ imports: { three: '/three/build/three.module.js' } });
await tab.route('http://models/**', route => {
  const name = decodeURIComponent(new URL(route.request().url()).pathname.slice(1));
  if (name === '') return route.fulfill({ contentType: 'text/html', body: `<script type="importmap">${imports}</script>` });
  return route.fulfill({ path: path.join(name.startsWith('three/') ? path.join(root, 'target/node_modules') : scratch, name) });
});
await tab.goto('http://models/');
await tab.evaluate(prepare, SIZE);

/** In the page: defines `draw`, which compares a .glb with our images of it. */
async function prepare(size) {
  const THREE = await import('three');
  const { GLTFLoader } = await import('/three/examples/jsm/loaders/GLTFLoader.js');
  const renderer = new THREE.WebGLRenderer({ alpha: true, preserveDrawingBuffer: true });
  renderer.setSize(size, size);

  /** Pixels of an image, and the box of those that are drawn. */
  const read = image => {
    const context = new OffscreenCanvas(size, size).getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, size, size);
    let [left, top, right, bottom] = [size, size, 0, 0];
    for (let pixel = 0; pixel < size * size; pixel++) {
      if (data[4 * pixel + 3] < 64) continue;
      const [x, y] = [pixel % size, Math.floor(pixel / size)];
      [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x + 1), Math.max(bottom, y + 1)];
    }
    return { data, left, top, width: right - left, height: bottom - top };
  };

  /** Draws a scene as wide or high as `box`, in pixels, from 30 degrees to its left and 20 above; the image and the camera's axes. */
  const look = (scene, box) => {
    const camera = new THREE.OrthographicCamera();
    const [yaw, pitch] = [30, 20].map(THREE.MathUtils.degToRad);
    camera.position.set(Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), Math.cos(yaw) * Math.cos(pitch));
    camera.lookAt(0, 0, 0);
    camera.updateMatrixWorld();
    const [point, bounds] = [new THREE.Vector3(), new THREE.Box3()];
    scene.traverse(mesh => {
      for (const vertex of mesh.geometry?.index.array ?? []) {
        bounds.expandByPoint(mesh.getVertexPosition(vertex, point).applyMatrix4(mesh.matrixWorld).applyMatrix4(camera.matrixWorldInverse));
      }
    });
    const [centre, extent] = [bounds.getCenter(new THREE.Vector3()), bounds.getSize(new THREE.Vector3())];
    const reach = size / 2 * (extent.x > extent.y ? extent.x / box.width : extent.y / box.height);
    Object.assign(camera, {
      left: centre.x - reach, right: centre.x + reach, top: centre.y + reach, bottom: centre.y - reach,
      near: -bounds.max.z - extent.length(), far: -bounds.min.z + extent.length(),
    });
    camera.updateProjectionMatrix();
    renderer.render(scene, camera);
    return [read(renderer.domElement), [0, 1, 2].map(column => new THREE.Vector3().setFromMatrixColumn(camera.matrixWorld, column))];
  };

  /** Both images over each other: pixels, shares that only one draws (edges aside), and the mean difference of colours, also with the
   * directions of normals reversed and of the mean colours. */
  const compare = (ours, theirs, world = null) => {
    const drawn = ({ data, left, top }, x, y) => {
      [x, y] = [x + left, y + top];
      return x >= 0 && y >= 0 && x < size && y < size && data[4 * (y * size + x) + 3] >= 64;
    };
    const colour = ({ data, left, top }, x, y) => [0, 1, 2].map(channel => data[4 * ((y + top) * size + x + left) + channel]);
    const near = (image, x, y) => [-1, 0, 1].some(dx => [-1, 0, 1].some(dy => drawn(image, x + dx, y + dy)));
    let [pixels, lost, added, difference, turned] = [0, 0, 0, 0, 0];
    const shift = [0, 0, 0];
    const apart = (a, b) => a.reduce((sum, part, channel) => sum + Math.abs(part - b[channel]) / 3, 0);
    for (let y = 0; y < Math.max(ours.height, theirs.height); y++) for (let x = 0; x < Math.max(ours.width, theirs.width); x++) {
      const [a, b] = [drawn(ours, x, y), drawn(theirs, x, y)];
      lost += a && !near(theirs, x, y);
      added += b && !near(ours, x, y);
      if (!a || !b) continue;
      pixels++;
      const own = colour(ours, x, y);
      const other = world ? world(colour(theirs, x, y)) : colour(theirs, x, y);
      difference += apart(own, other);
      own.forEach((part, channel) => { shift[channel] += part - other[channel]; });
      turned += apart(own.map(part => 255 - part), other);
    }
    const [a, b, c, d] = [lost, added, difference, turned].map(sum => sum / pixels);
    return { pixels, lost: a, added: b, difference: c, turned: d, shift: Math.max(...shift.map(Math.abs)) / pixels };
  };

  window.draw = async (url, clip, time, ours) => {
    const images = await Promise.all(ours.map(async file => read(await createImageBitmap(await (await fetch(file)).blob()))));
    const { scene, animations } = await new GLTFLoader().loadAsync(url);
    scene.updateMatrixWorld(true);
    const meshes = [];
    scene.traverse(object => object.isMesh && meshes.push([object, object.material]));
    const dress = change => meshes.forEach(([mesh, material]) => { [mesh.frustumCulled, mesh.material] = [false, change(material)]; });
    // Our renderer draws both sides of materials of .x and MD5, smooths all images that shrink, and filters them as sRGB, which
    // three.js does to videos alone.
    dress(material => {
      if (material.map) Object.assign(material.map, { colorSpace: THREE.NoColorSpace, minFilter: THREE.LinearMipmapLinearFilter });
      const unlit = new THREE.MeshBasicMaterial({
        map: material.map, color: material.color, vertexColors: material.vertexColors, side: THREE.DoubleSide,
        alphaTest: material.alphaTest, transparent: material.transparent, opacity: material.opacity, depthWrite: material.depthWrite,
      });
      return Object.assign(unlit, { defines: { DECODE_VIDEO_TEXTURE: '' } });
    });
    const rest = look(scene, { width: 0.9 * size, height: 0.9 * size })[0].width;
    if (clip !== null) {
      const mixer = new THREE.AnimationMixer(scene);
      mixer.clipAction(THREE.AnimationClip.findByName(animations, clip)).play();
      mixer.setTime(time);
      scene.updateMatrixWorld(true);
    }
    const colours = compare(images[0], look(scene, images[0])[0]);
    const urls = [renderer.domElement.toDataURL()];
    dress(material => new THREE.MeshNormalMaterial({ side: material.side }));
    const [image, axes] = look(scene, images[1]);
    urls.push(renderer.domElement.toDataURL());
    const normals = compare(images[1], image, seen => {
      const world = new THREE.Vector3();
      seen.forEach((part, axis) => world.addScaledVector(axes[axis], part / 127.5 - 1));
      return [world.z, world.x, world.y].map(part => 127.5 * (part + 1));
    });
    // Materials without a colour of their own, or with white alone, have quiet colours in our images.
    const isPlain = ({ map, color }) => !map && Math.min(...color) > 0.79;
    return { rest, colours, normals, urls, isPlain: meshes.some(([, material]) => isPlain(material)) };
  };
}

/** Draws a model by both. */
async function pair(model, number) {
  const glb = model.files.map(file => file.path).find(file => file.endsWith('.glb'));
  const clip = model.clips.find(clip => clip.frames > 1);
  const time = clip ? Math.floor((clip.frames - 1) / 2) / clip.fps : 0;
  const kinds = ['unlit', 'normals'];
  const files = kinds.map(kind => `${number}-${kind}.png`);
  await Promise.all(kinds.map(async (shading, index) => {
    const { code, stderr } = await native(scratch, ['render', model.input, '-o', files[index], '--shading', shading, '--camera', '30,20', '--orthographic',
      '--no-grid', '--background', 'transparent', '--size', `${SIZE}`, '--samples', '1', '--method', 'cpu',
      ...(clip ? ['--clip', clip.name, '--time', `${time}`] : [])]);
    // A file that is at fault ends with 1 though its image is drawn.
    const expected = model.losses.some(({ fault }) => fault) ? 1 : 0;
    check(code === expected, `${model.input}: ${code} instead of ${expected}: ${stderr}`);
  }));
  const args = [`/${glb}`, clip?.name ?? null, time, files.map(file => `/${file}`)];
  const { rest, colours, normals, urls, isPlain } = await tab.evaluate(args => window.draw(...args), args);
  const fault = what => `${model.input}: ${what}: ${JSON.stringify({ colours, normals })}`;
  check(rest > 0, fault('its rest pose is not drawn'));
  check(colours.pixels > 0 && colours.lost < 0.04 && colours.added < 0.02, fault('its outline differs'));
  const isQuiet = isPlain || model.losses.some(({ kind, code }) => kind === 'image' && code === 'TEX001');
  check(isQuiet || colours.difference < 20 && colours.shift < 4, fault('its colours differ'));
  const isTurnedAway = TURNED_AWAY.includes(path.basename(model.input));
  check(isTurnedAway || Math.min(normals.difference, normals.turned) < 30, fault('its normals differ'));
  if (!process.env.BINDPOSE_PAIRS) return;
  console.log(number, path.basename(model.input), isQuiet, JSON.stringify([colours, normals]));
  for (const [index, kind] of kinds.entries()) {
    const base = path.join(process.env.BINDPOSE_PAIRS, `${number}-${kind}`);
    fs.writeFileSync(`${base}-three.png`, Buffer.from(urls[index].split(',')[1], 'base64'));
    fs.copyFileSync(path.join(scratch, files[index]), `${base}-ours.png`);
  }
}

for (const [number, model] of models.entries()) await pair(model, number);
await browser.close();
fs.rmSync(scratch, { recursive: true });
finish('models as .glb in three.js', `, ${models.length} models of ${source}`);
