// What a browser loads when a page is opened first is bounded, for every page: bytes as sent with
// gzip, and files. The document and the manifest of the build say which files a page needs; Brotli
// sends a tenth less. `bench/page_visits.py` counts the same in Chromium.
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const FOLDER = "dist";
const MANIFEST = join(FOLDER, ".vite");
const BYTES_MAX = 300_000;
/** With its document; beside them a page asks for its data, at most eight times. */
const FILES_MAX = 22;
const LANGUAGES = ["en", "zh-CN"];
const DOCUMENT = "index.html";
const ROUTE = /^src\/routes(?:\/_shell)?(\/.+)\.tsx\?tsr-split=component$/;
/** The frame of all pages, and what comes after every page by itself. */
const FRAME = ["src/routes/_shell.tsx?tsr-split=component", "src/app/quick-button.tsx"];
/** What the overview shows to those who run something. */
const OPERATIONS = "src/features/operations/components/operations-overview.tsx";

/** What follows the first view of a page by itself: what draws its charts. */
const PLOT = ["src/shared/ui/line-plot.tsx"];
const FOLLOWS = { "/nodes": PLOT, "/nodes/$id": PLOT };

/** Bounds of pages that need more, with why. In each are 16 kB for i18next, what all of `shared/` says,
 * and the question before what was typed is dropped. */
const OWN_MAX = {
  // Reasons, faults and states in the words of the features that they are of.
  "/ of staff": { bytes: 295_600, files: 23 },
  // The parser of Markdown.
  "/help": { bytes: 304_000, files: 19 },
  "/help/$": { bytes: 304_000, files: 19 },
  // The tree of folders, and uploads that go on after a break.
  "/files": { bytes: 320_500, files: 25 },
  // Tasks of an array beside their charts.
  "/jobs/arrays/$id": { bytes: 294_500, files: 23 },
  // Charts are in the first view.
  "/nodes": { bytes: 319_500, files: 23 },
  "/nodes/$id": { bytes: 327_500, files: 25 },
  // What a study is made of, by the words of the policy.
  "/what-if/$id": { bytes: 302_500, files: 27 },
  // Everything about one piece of work, with its tabs, log and advice.
  "/services/$id": { bytes: 300_000, files: 24 },
  "/replicas/$id": { bytes: 300_500, files: 26 },
  "/apps/$id": { bytes: 304_000, files: 29 },
  "/notebooks/$id": { bytes: 311_500, files: 27 },
  "/jobs/$id": { bytes: 323_500, files: 33 },
  // A terminal.
  "/jobs/$id/terminal": { bytes: 468_000, files: 26 },
  "/notebooks/$id/terminal": { bytes: 466_500, files: 26 },
  // Fields of a form, of the component library, are in the first view.
  "/jobs/new": { bytes: 407_000, files: 30 },
  "/notebooks/new": { bytes: 399_500, files: 30 },
  "/services/new": { bytes: 421_500, files: 30 },
  "/forgot-password": { bytes: 363_500, files: 20 },
  "/reset-password": { bytes: 363_500, files: 20 },
  "/profile": { bytes: 394_000, files: 23 },
  "/security": { bytes: 396_500, files: 20 },
  // The same for those who run the cluster; the audit log has words of twelve features.
  "/audit": { bytes: 404_500, files: 33 },
  "/policies": { bytes: 379_600, files: 25 },
  "/site": { bytes: 369_500, files: 20 },
};

const manifest = JSON.parse(readFileSync(join(MANIFEST, "manifest.json"), "utf8"));
/** By what is imported later, the features whose texts come with it: `texts.config.ts`. */
const brought = JSON.parse(readFileSync(join(MANIFEST, "texts.json"), "utf8"));
const named = readFileSync(join(FOLDER, DOCUMENT), "utf8").matchAll(
  /(?:src|href)="\/(assets\/[^"]+)"/g,
);
const documentFiles = [DOCUMENT, ...[...named].map(([, file]) => file)];
const pages = Object.keys(manifest).flatMap((key) => {
  const [, path] = ROUTE.exec(key) ?? [];
  return path && path !== "/_shell"
    ? [{ key, page: addressOf(path), isFramed: key.includes("/_shell/") }]
    : [];
});
const faults = pages.toSorted((a, b) => a.page.localeCompare(b.page)).flatMap(weigh);
// Nothing of the site reads it.
rmSync(MANIFEST, { recursive: true });
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exit(1);
}

/** `/jobs/$id_.terminal` → `/jobs/$id/terminal`. */
function addressOf(path) {
  return path
    .replace("$id_.", "$id/")
    .replace(/(.)\/index$/, "$1")
    .replace(/^\/index$/, "/");
}

function weigh({ key, page, isFramed }) {
  const sources = [...(isFramed ? FRAME : []), key];
  const plain = weighFiles(page, [...sources, ...(FOLLOWS[page] ?? [])]);
  return page === "/" ? [...plain, ...weighFiles("/ of staff", [...sources, OPERATIONS])] : plain;
}

function weighFiles(page, sources) {
  const all = LANGUAGES.map((language) => {
    const files = new Set(documentFiles);
    const features = sources.flatMap((source) => brought[source] ?? []);
    const folders = ["src/app", ...features.map((name) => `src/features/${name}`)];
    const texts = folders.map((folder) => textsKey(`${folder}/locales/${language}.json`, language));
    for (const source of [...texts, ...sources]) collect(source, files);
    const bytes = [...files].reduce((sum, file) => sum + sentBytes(file), 0);
    return { bytes, count: files.size };
  });
  const bytes = Math.max(...all.map((each) => each.bytes));
  const count = Math.max(...all.map((each) => each.count));
  const [bytesMax, filesMax] = [
    OWN_MAX[page]?.bytes ?? BYTES_MAX,
    OWN_MAX[page]?.files ?? FILES_MAX,
  ];
  console.log(`${page.padEnd(26)}${bytes} of ${bytesMax} bytes, ${count} of ${filesMax} files`);
  return [
    ...(bytes > bytesMax ? [`${page}: ${bytes} bytes, ${bytesMax} at most`] : []),
    ...(count > filesMax ? [`${page}: ${count} files, ${filesMax} at most`] : []),
  ];
}

/** Its own file, or the one with what every page may say. */
function textsKey(path, language) {
  const isCommon = (key) => key.startsWith(`_texts-${language}-`);
  return path in manifest ? path : Object.keys(manifest).find(isCommon);
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
