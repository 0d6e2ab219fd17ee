// Write a Brotli and a gzip variant beside each built text file: the web process serves the one that
// the browser accepts (WhiteNoise), and spends no time on it.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

const FOLDER = "dist";
const TEXT = /\.(?:css|html|js|json|md|mjs|svg|txt|webmanifest)$/;
/** Bytes; below, the headers weigh more than what is saved. */
const SIZE_MIN = 1024;
const VARIANTS = { br: brotliCompressSync, gz: (text) => gzipSync(text, { level: 9 }) };

for (const name of readdirSync(FOLDER, { recursive: true })) {
  const file = join(FOLDER, name);
  if (!TEXT.test(file) || statSync(file).size < SIZE_MIN) continue;
  const text = readFileSync(file);
  for (const [suffix, compress] of Object.entries(VARIANTS)) {
    const packed = compress(text);
    if (packed.length < text.length) writeFileSync(`${file}.${suffix}`, packed);
  }
}
