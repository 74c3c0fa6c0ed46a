// Checks binary glTF files with Khronos' own validator, which is no part of knead:
//
//   npm install --prefix /tmp/gltf gltf-validator
//   NODE_PATH=/tmp/gltf/node_modules node validation/gltf_validate.mjs DIR/surface/*/*.glb
//
// Prints what it finds per file; ends with 1 if there is an error or a warning.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { validateBytes } = createRequire(import.meta.url)('gltf-validator');
let bad = process.argv.length < 3;
if (bad) console.error('usage: gltf_validate.mjs FILE.glb ...');
for (const file of process.argv.slice(2)) {
  const { issues, info } = await validateBytes(new Uint8Array(readFileSync(file)));
  console.log(`${file}: ${issues.numErrors} errors, ${issues.numWarnings} warnings, ${info.totalVertexCount} vertices, ${info.totalTriangleCount} triangles`);
  for (const message of issues.messages) console.log(`  ${message.code}: ${message.message} (${message.pointer})`);
  bad ||= issues.numErrors + issues.numWarnings > 0;
}
process.exit(bad ? 1 : 0);
