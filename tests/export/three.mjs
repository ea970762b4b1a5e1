// Loads every .glb of a folder with three.js, plays its animations as NAME.json specifies, and prints the distances of
// vertices from the positions given there: a line for each file, with the largest distance.
//
// NAME.json: [{"animation": number or null, "time": seconds, "primitives": [[x, y, z, …], …]}, …]. Primitives are sorted by
// their numbers of vertices, and each has every "step"th vertex.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, modules] = process.argv.slice(2);
const module = (file) => import(pathToFileURL(path.join(modules, 'three', file)).href);
globalThis.self = globalThis;
const THREE = await module('build/three.module.js');
const { GLTFLoader } = await module('examples/jsm/loaders/GLTFLoader.js');

const load = (bytes) => new Promise((resolve, reject) => new GLTFLoader().parse(bytes, '', resolve, reject));
const names = fs.readdirSync(folder).filter((name) => name.endsWith('.glb')).sort();
for (const name of names) {
  const file = fs.readFileSync(path.join(folder, name));
  const gltf = await load(file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength));
  const { step, times } = JSON.parse(fs.readFileSync(path.join(folder, name.replace(/glb$/, 'json')), 'utf8'));
  const meshes = [];
  gltf.scene.traverse((object) => object.isMesh && meshes.push(object));
  const size = (mesh) => mesh.geometry.attributes.position.count;
  meshes.sort((a, b) => size(a) - size(b));
  let worst = 0;
  const place = new THREE.Vector3();
  for (const { animation, time, primitives } of times) {
    const mixer = new THREE.AnimationMixer(gltf.scene);
    if (animation !== null) {
      const action = mixer.clipAction(gltf.animations[animation]);
      action.setLoop(THREE.LoopOnce);
      action.clampWhenFinished = true;
      action.play();
      mixer.setTime(time);
    }
    gltf.scene.updateMatrixWorld(true);
    meshes.forEach((mesh, number) => {
      const expected = primitives[number];
      for (let at = 0, vertex = 0; at < expected.length; at += 3, vertex += step) {
        mesh.getVertexPosition(vertex, place).applyMatrix4(mesh.matrixWorld);
        worst = Math.max(worst, Math.hypot(place.x - expected[at], place.y - expected[at + 1], place.z - expected[at + 2]));
      }
    });
    mixer.stopAllAction();
    mixer.uncacheRoot(gltf.scene);
  }
  console.log(`${worst} ${meshes.length} ${name}`);
}
