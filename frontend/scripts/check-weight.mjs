// What a browser loads for the first pages is bounded: bytes as sent with gzip, and files. The
// document and the manifest of the build say which files a page needs; Brotli sends a tenth less.
// `bench/page_visits.py` counts the same in Chromium.
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const FOLDER = "dist";
const MANIFEST = join(FOLDER, ".vite");
const BYTES_MAX = 256_000;
/** What those who run the cluster see besides. */
const OPERATIONS_BYTES_MAX = 268_000;
/** With its document; beside them a page loads its data. */
const FILES_MAX = 21;
const OPERATIONS_FILES_MAX = 25;
const LANGUAGES = ["en", "zh"];
const DOCUMENT = "index.html";
const OVERVIEW = [
  ...["src/routes/_shell.tsx", "src/routes/_shell/index.tsx"].map(partOf),
  // Comes after the page, by itself.
  "src/app/quick-button.tsx",
];
const PAGES = {
  "sign-in": () => ["src/routes/sign-in.tsx"].map(partOf),
  overview: () => OVERVIEW,
  operations: (language) => [
    ...OVERVIEW,
    `src/app/locales-${language}-overview.ts`,
    "src/features/operations/components/operations-overview.tsx",
  ],
};

const manifest = JSON.parse(readFileSync(join(MANIFEST, "manifest.json"), "utf8"));
const named = readFileSync(join(FOLDER, DOCUMENT), "utf8").matchAll(
  /(?:src|href)="\/(assets\/[^"]+)"/g,
);
const documentFiles = [DOCUMENT, ...[...named].map(([, file]) => file)];
const faults = Object.entries(PAGES).flatMap(([page, sources]) =>
  LANGUAGES.flatMap((language) => weigh(page, sources, language)),
);
// Nothing of the site reads it.
rmSync(MANIFEST, { recursive: true });
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exit(1);
}

function weigh(page, sources, language) {
  const files = new Set(documentFiles);
  const entries = [`src/app/locales-${language}.ts`, ...sources(language)];
  for (const source of entries) collect(source, files);
  const bytes = [...files].reduce((sum, file) => sum + sentBytes(file), 0);
  console.log(`${page} (${language}): ${bytes} bytes with gzip in ${files.size} files`);
  const [bytesMax, filesMax] =
    page === "operations" ? [OPERATIONS_BYTES_MAX, OPERATIONS_FILES_MAX] : [BYTES_MAX, FILES_MAX];
  return [
    ...(bytes > bytesMax ? [`${page} (${language}): ${bytes} bytes, ${bytesMax} at most`] : []),
    ...(files.size > filesMax ? [`${page}: ${files.size} files, ${filesMax} at most`] : []),
  ];
}

/** The part of a route that the router loads when the route is visited. */
function partOf(route) {
  return `${route}?tsr-split=component`;
}

function collect(key, files) {
  const { file, css = [], imports = [] } = manifest[key];
  if (files.has(file)) return;
  for (const each of [file, ...css]) files.add(each);
  for (const each of imports) collect(each, files);
}

/** What has no packed variant is sent as it is. */
function sentBytes(file) {
  const packed = join(FOLDER, `${file}.gz`);
  return statSync(existsSync(packed) ? packed : join(FOLDER, file)).size;
}
