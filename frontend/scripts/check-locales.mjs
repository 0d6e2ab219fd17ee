// Texts live in locale files, in both languages: same keys, same placeholders, none unused, and no
// Chinese in code. Plural forms may differ: English has `_one`, Chinese has only `_other`.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const CJK = /[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]/;
const PLURAL = /_(?:zero|one|two|few|many|other)$/;

const files = readdirSync("src", { recursive: true }).map((name) => join("src", name));
const code = files
  .filter((file) => /\.tsx?$/.test(file) && !/\.(test|gen)\.|^src\/testing\//.test(file))
  .map((file) => ({ file, text: readFileSync(file, "utf8") }));
const allCode = code.map(({ text }) => text).join("\n");

const faults = [
  ...files.filter((file) => file.endsWith("locales/en.json")).flatMap(compare),
  ...code.flatMap(chineseIn),
];
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exit(1);
}

function compare(englishFile) {
  const chineseFile = englishFile.replace("en.json", "zh-CN.json");
  const english = textsOf(englishFile);
  const chinese = textsOf(chineseFile);
  return [...new Set([...english.keys(), ...chinese.keys()])].flatMap((key) => {
    const [one, other] = [english.get(key), chinese.get(key)];
    if (!one || !other) return `${one ? chineseFile : englishFile}: no text for "${key}"`;
    if (placeholders(one) !== placeholders(other)) {
      return `${chineseFile}: "${key}" has other placeholders than the English text`;
    }
    return isUsed(key) ? [] : `${englishFile}: nothing uses "${key}"`;
  });
}

/** Named in full, or by a prefix that code completes with a state or code of the server. */
function isUsed(key) {
  const steps = key.split(".");
  const prefixes = steps.slice(1).map((_, index) => steps.slice(0, index + 1).join("."));
  return (
    new RegExp(`[":\`]${key.replaceAll(".", "\\.")}["\`]`).test(allCode) ||
    prefixes.some((prefix) => new RegExp(`["\`:]${prefix}\\.\\$\\{`).test(allCode))
  );
}

/** Key → all its plural forms in one text. */
function textsOf(file) {
  const texts = new Map();
  const walk = (node, path) => {
    for (const [name, value] of Object.entries(node)) {
      const key = [...path, name].join(".").replace(PLURAL, "");
      if (typeof value === "string") texts.set(key, `${texts.get(key) ?? ""}${value}`);
      else walk(value, [...path, name]);
    }
  };
  walk(JSON.parse(readFileSync(file, "utf8")), []);
  return texts;
}

function placeholders(text) {
  const names = [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name);
  return [...new Set(names)]
    .filter((name) => name !== "count")
    .sort()
    .join();
}

/** Lines marked `locale-check:` may hold Chinese: names of languages, characters of patterns. */
function chineseIn({ file, text }) {
  return text
    .split("\n")
    .flatMap((line, index) =>
      CJK.test(line) && !line.includes("locale-check:")
        ? `${file}:${index + 1}: Chinese text belongs in a locale file`
        : [],
    );
}
