// The grain of the pages: few files, none too long, no function longer than a screen, and one
// meaning for every name that is exported, a component or a hook. Whoever asks what work is like asks
// the row of its kind, not for the name of the kind. Tests, generated files and what only tests use do
// not count.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FILES_MAX = 552;
const MEDIAN_MIN = 60;
const LINES_MAX = 400;
const FUNCTION_MAX = 80;
/** Functions that were longer when the limit came; none may grow, and a name goes when it is split. */
const LONGER = {
  CardCanvas: 118,
  PoolsPanel: 102,
  useSavedImageColumns: 98,
  PolicyForm: 96,
  useNodeListColumns: 96,
  SiteForm: 93,
  CommandPalette: 89,
  JobPage: 85,
  VolumeFiles: 84,
  UsageTable: 82,
  MemberLine: 81,
};

const KIND_ROWS = "src/shared/api/kinds.gen.ts";
/** What is about one kind of work, and may name it. */
const ABOUT_ONE_KIND = [
  "src/features/notebooks/",
  "src/features/jobs/",
  "src/features/services/",
  "src/routes/_shell/apps/",
  "src/routes/_shell/jobs/",
  "src/routes/_shell/notebooks/",
  "src/routes/_shell/services/",
  "src/shared/metrics/components/metrics-tab.tsx",
  "src/shared/workload/model/kinds.ts",
];
/** Texts of the frame, the app of a session, its icon and its column, the purposes of pools. */
const OTHER_MEANINGS =
  /useTranslation\([^)]*\)|Workload\["app"\]|Omit<\w+, "app">|(?:icon|key)[=:] ?"app"|(?:APP_ICONS|PURPOSES) = \[[^\]]*\]/g;

const NAME = /^(export )?(?:async )?(?:function|const|class|interface|type) (\w+)/gm;
/** A function of a module, to its closing brace: the formatter puts both at the begin of a line. */
const FUNCTION = /^(?:export )?(?:async )?function (\w+)[\s\S]*?^}/gm;
const COMPONENT = /^(?:[A-Z]\w*[a-z]\w*|use[A-Z]\w*)$/;

const files = readdirSync("src", { recursive: true })
  .map((name) => join("src", name))
  .filter((file) => /\.(?:tsx?|css)$/.test(file) && !/\.(?:test|gen)\.|^src\/testing\//.test(file))
  .map((file) => ({ file, text: readFileSync(file, "utf8") }));

const sizes = files.map(({ text }) => text.split("\n").length - 1).sort((a, b) => a - b);
const middle = sizes.length >> 1;
const median = sizes.length % 2 ? sizes[middle] : (sizes[middle - 1] + sizes[middle]) / 2;
console.log(
  `${files.length} files of ${sizes.reduce((sum, lines) => sum + lines)} lines, median ${median}`,
);

const rows = readFileSync(KIND_ROWS, "utf8");
const [kinds, constants] = [/"kind": "(\w+)"/g, /export const (\w+) = \{\n {2}"/g].map((pattern) =>
  [...rows.matchAll(pattern)].map(([, name]) => name).join("|"),
);
const kindName = new RegExp(`"(?:${kinds})"|\\bKINDS\\.(?:${kinds})\\b`);
const kindRow = new RegExp(
  `^import \\{[^}]*\\b(?:${constants})\\b[^}]*\\} from .*kinds\\.gen"`,
  "m",
);

const faults = [
  ...(files.length > FILES_MAX ? [`${files.length} files, ${FILES_MAX} at most`] : []),
  ...(median < MEDIAN_MIN ? [`median file of ${median} lines, ${MEDIAN_MIN} at least`] : []),
  ...files.flatMap(longFile),
  ...files.flatMap(longFunctions),
  ...files.flatMap(namedKinds),
  ...repeatedNames(),
];
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exit(1);
}

function longFile({ file, text }) {
  const lines = text.split("\n").length - 1;
  return lines > LINES_MAX ? [`${file}: ${lines} lines, ${LINES_MAX} at most`] : [];
}

function longFunctions({ file, text }) {
  return [...text.matchAll(FUNCTION)].flatMap(([body, name]) => {
    const [lines, most] = [body.split("\n").length, LONGER[name] ?? FUNCTION_MAX];
    return lines > most ? [`${file}: ${name} has ${lines} lines, ${most} at most`] : [];
  });
}

function namedKinds({ file, text }) {
  const [name] = kindName.exec(text.replace(OTHER_MEANINGS, "")) ?? [];
  const isAboutOne = ABOUT_ONE_KIND.some((place) => file.startsWith(place));
  return [
    ...(name ? [`${file}: names the kind ${name}; a field of its row says what is asked`] : []),
    ...(kindRow.test(text) && !isAboutOne
      ? [`${file}: takes the row of one kind by its name`]
      : []),
  ];
}

/** Props of components and the routes' `Route` are read beside their component only. */
function repeatedNames() {
  const places = new Map();
  for (const { file, text } of files) {
    for (const [, isExported, name] of text.matchAll(NAME)) {
      if (name === "Route" || (!isExported && !COMPONENT.test(name))) continue;
      places.set(name, [...(places.get(name) ?? []), file]);
    }
  }
  return [...places]
    .filter(([, where]) => where.length > 1)
    .map(([name, where]) => `${name} is declared in ${where.join(" and ")}`);
}
