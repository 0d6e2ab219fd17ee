// The grain of the pages: few files, none too long, no function longer than a screen, and one
// meaning for every name that is exported, a component or a hook. Tests, generated files and what
// only tests use do not count.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FILES_MAX = 450;
const MEDIAN_MIN = 60;
const LINES_MAX = 400;
const FUNCTION_MAX = 80;
/** Functions that were longer when the limit came; none may grow, and a name goes when it is split. */
const LONGER = {
  OneSubmission: 144,
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

const faults = [
  ...(files.length > FILES_MAX ? [`${files.length} files, ${FILES_MAX} at most`] : []),
  ...(median < MEDIAN_MIN ? [`median file of ${median} lines, ${MEDIAN_MIN} at least`] : []),
  ...files.flatMap(longFile),
  ...files.flatMap(longFunctions),
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
