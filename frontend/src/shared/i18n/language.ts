/** What this reader chose, of languages and clocks, and texts for codes of the server. */
import i18next, { type FlatNamespace, type TFunction } from "i18next";
import { useSyncExternalStore } from "react";
import { type Clock, clockStyle, subscribeToClock } from "./clock";

export const LANGUAGES = ["en", "zh-CN"] as const;
export type Language = (typeof LANGUAGES)[number];

export const LANGUAGE_NAMES: Record<Language, string> = {
  en: "English",
  "zh-CN": "简体中文", // locale-check: a language is named in itself
};

const STORAGE_KEY = "berth.language";

export function preferredLanguage(): Language {
  return nearestLanguage(localStorage.getItem(STORAGE_KEY) ?? navigator.language);
}

export function rememberLanguage(language: Language): void {
  localStorage.setItem(STORAGE_KEY, language);
}

function nearestLanguage(tag: string): Language {
  return tag.toLowerCase().startsWith("zh") ? "zh-CN" : "en";
}

// Texts come later, with the code that says them: nothing is loaded here.
i18next.init({
  lng: LANGUAGES[0],
  load: "currentOnly",
  resources: {},
  initAsync: false,
  // Named here they hold for every key, whatever characters a code of the server has.
  keySeparator: ".",
  nsSeparator: ":",
  contextSeparator: "~",
  interpolation: { escapeValue: false },
  missingInterpolationHandler: () => "–",
});

export function currentLanguage(): Language {
  return i18next.language as Language;
}

export function useLanguage(): Language {
  return useSyncExternalStore(watchLanguage, currentLanguage);
}

function watchLanguage(listener: () => void): () => void {
  i18next.on("languageChanged", listener);
  return () => i18next.off("languageChanged", listener);
}

/** The chosen clock in components. */
export function useClock(): Clock {
  return useSyncExternalStore(subscribeToClock, clockStyle);
}

type Namespaces = FlatNamespace | readonly [FlatNamespace, ...FlatNamespace[]];

/** The texts of these namespaces; keys without one are of the first. Lists call it a thousand times. */
export function useTranslation<const Names extends Namespaces>(names: Names) {
  const language = useLanguage();
  const first: string = typeof names === "string" ? names : names[0];
  return { t: textsOf(language, first) as unknown as TFunction<Names> };
}

const texts = new Map<string, TFunction>();

/** One for a language and namespace: React sees by it that nothing changed. */
function textsOf(language: Language, name: string): TFunction {
  const key = `${language} ${name}`;
  const known = texts.get(key);
  if (known) return known;
  // `getFixedT` would copy all options of the library at each call.
  const made = ((text: string, params?: object) =>
    i18next.t(text, { ...params, lng: language, ns: name })) as unknown as TFunction;
  texts.set(key, made);
  return made;
}

/** A thing whose title the server keeps in both languages. */
interface Titled {
  id: string;
  name: string;
  title_en: string;
  title_zh: string;
}

/** Its title. */
export function titleOf(thing: Omit<Titled, "id">, language: Language): string {
  return (language === "zh-CN" ? thing.title_zh : thing.title_en) || thing.name;
}

/** The title of the thing with this id; undefined where it is not among them. */
export function titleIn(
  things: readonly Titled[] | undefined,
  id: string | null | undefined,
  language: Language,
): string | undefined {
  const thing = things?.find((each) => each.id === id);
  return thing && titleOf(thing, language);
}

/** Things to choose from, by title; their values are ids. */
export function titleOptions(things: readonly Titled[] | undefined, language: Language) {
  const options = things?.map((thing) => ({ value: thing.id, label: titleOf(thing, language) }));
  return byLabel(options ?? [], language);
}

/** In the order in which people look for a name: `gpu-2` before `gpu-10`. */
export function byLabel<T extends { label: string }>(options: T[], language: Language): T[] {
  const words = new Intl.Collator(language, { numeric: true });
  return options.toSorted((one, other) => words.compare(one.label, other.label));
}

/** A text whose key holds a code of the server; null where the catalogue lacks the code. */
export type CodedText = (key: string, params?: Record<string, unknown>) => string | null;

/** The one way to texts whose keys the compiler cannot check: `namespace:group.code`. */
export function useCodedText(): CodedText {
  const lng = useLanguage();
  return (key, params) => {
    const options = { ...params, lng, returnObjects: false };
    return i18next.exists(key, options) ? i18next.t(key as never, options) : null;
  };
}
