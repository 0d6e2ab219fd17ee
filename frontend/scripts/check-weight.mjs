// What a browser loads for the first pages is bounded: bytes as sent with gzip, and files. The
// document and the manifest of the build say which files a page needs; Brotli sends a tenth less.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const FOLDER = "dist";
const MANIFEST = join(FOLDER, ".vite");
const BYTES_MAX = 256_000;
/** Beside them a page loads its document and its data. */
const FILES_MAX = 20;
const LANGUAGES = ["en", "zh"];
const PAGES = {
  "sign-in": ["routes/sign-in.tsx"],
  overview: ["routes/_shell.tsx", "routes/_shell/index.tsx"],
};

const manifest = JSON.parse(readFileSync(join(MANIFEST, "manifest.json"), "utf8"));
const documentFiles = [
  ...readFileSync(join(FOLDER, "index.html"), "utf8").matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g),
].map(([, file]) => file);
const faults = Object.entries(PAGES).flatMap(([page, routes]) =>
  LANGUAGES.flatMap((language) => weigh(page, routes, language)),
);
// Nothing of the site reads it.
rmSync(MANIFEST, { recursive: true });
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exit(1);
}

function weigh(page, routes, language) {
  const files = new Set(documentFiles);
  for (const source of [`src/app/locales-${language}.ts`, ...routes.map(partOf)])
    collect(source, files);
  const bytes = [...files].reduce((sum, file) => sum + sentBytes(file), 0);
  console.log(`${page} (${language}): ${bytes} bytes with gzip in ${files.size} files`);
  return [
    ...(bytes > BYTES_MAX ? [`${page} (${language}): ${bytes} bytes, ${BYTES_MAX} at most`] : []),
    ...(files.size > FILES_MAX ? [`${page}: ${files.size} files, ${FILES_MAX} at most`] : []),
  ];
}

/** The part of a route that the router loads when the route is visited. */
function partOf(route) {
  return `src/${route}?tsr-split=component`;
}

function collect(key, files) {
  const { file, css = [], imports = [] } = manifest[key];
  if (files.has(file)) return;
  for (const each of [file, ...css]) files.add(each);
  for (const each of imports) collect(each, files);
}

function sentBytes(file) {
  const packed = join(FOLDER, `${file}.gz`);
  return existsSync(packed)
    ? readFileSync(packed).length
    : gzipSync(readFileSync(join(FOLDER, file))).length;
}
