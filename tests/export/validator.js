// Validates every .glb and .gltf file of a folder with the Khronos glTF validator, which can read all files in that folder.
// Prints a line for each error, warning and note, and at the end how many files were read.
'use strict';
const fs = require('fs');
const path = require('path');
const validator = require('gltf-validator');

const SEVERITIES = ['error', 'warning', 'info', 'hint'];
const folder = process.argv[2];

(async () => {
  const files = fs.readdirSync(folder).filter((name) => /\.gl(b|tf)$/.test(name)).sort();
  for (const name of files) {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(path.join(folder, name))), {
      uri: name,
      maxIssues: 20,
      externalResourceFunction: async (uri) => new Uint8Array(fs.readFileSync(path.join(folder, decodeURIComponent(uri)))),
    });
    for (const issue of report.issues.messages) {
      console.log(`${name}: ${SEVERITIES[issue.severity]} ${issue.code} ${issue.pointer || ''} ${issue.message}`);
    }
  }
  console.log(`validated ${files.length}`);
})();
