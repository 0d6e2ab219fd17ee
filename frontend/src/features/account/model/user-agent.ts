/** Browser and system in the words that people use, from what a browser says of itself. Pure. */

const BROWSERS = [
  ["Edge", /Edg(?:e|A|iOS)?\//],
  ["Opera", /OPR\//],
  ["Firefox", /Firefox\/|FxiOS\//],
  ["Chrome", /Chrome\/|CriOS\//],
  ["Safari", /Safari\//],
] as const;
const SYSTEMS = [
  ["Android", /Android/],
  ["iOS", /iPhone|iPad/],
  ["Windows", /Windows/],
  ["macOS", /Mac OS X|Macintosh/],
  ["Linux", /Linux|X11/],
] as const;

/** "Firefox · Linux"; what is not known stays as it is, shortened. */
export function describeUserAgent(text: string): string {
  const nameIn = (known: readonly (readonly [string, RegExp])[]) =>
    known.find(([, pattern]) => pattern.test(text))?.[0];
  const found = [nameIn(BROWSERS), nameIn(SYSTEMS)].filter(Boolean);
  return found.length > 0 ? found.join(" · ") : text.slice(0, 40) || "–";
}
