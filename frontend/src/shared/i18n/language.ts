/** What this reader chose, of languages and clocks, and texts for codes of the server. */
import type { FlatNamespace, TFunction } from "i18next";
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

let shown: Language = LANGUAGES[0];
const listeners = new Set<() => void>();

export function currentLanguage(): Language {
  return shown;
}

/** Show every page in a language whose texts are there. */
export function showLanguage(next: Language): void {
  shown = next;
  for (const listener of listeners) listener();
}

export function useLanguage(): Language {
  return useSyncExternalStore(watchLanguage, currentLanguage);
}

function watchLanguage(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
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

type TextParams = Record<string, unknown>;

// What this site uses of i18next, whose types check every key: its code is thirteen times as long, and
// every first page would load it.

const bundles = new Map<string, object>();
const RULES = { en: new Intl.PluralRules("en"), "zh-CN": new Intl.PluralRules("zh-CN") };

/** The texts of a namespace in a language. */
export function addTexts(language: Language, name: string, bundle: object): void {
  bundles.set(`${language} ${name}`, bundle);
}

/** `name:group.code` → namespace and path; without one, of `name`. */
function placeOf(key: string, name: string): [name: string, path: string] {
  const colon = key.indexOf(":");
  return colon < 0 ? [name, key] : [key.slice(0, colon), key.slice(colon + 1)];
}

/** Its text with parameters, in the form for their `count`; a number that is left out is a dash. */
export function said(language: Language, name: string, path: string, params: TextParams = {}) {
  const bundle = bundles.get(`${language} ${name}`);
  const { count } = params;
  const forms = typeof count === "number" ? pluralsOf(language, count) : [];
  const found = [...forms, ""].map((form) => textAt(bundle, path + form)).find(isText);
  return found?.replace(/\{\{(\w+)\}\}/g, (_, param: string) => {
    const value = params[param];
    return value === undefined ? "–" : String(value ?? "");
  });
}

/** The endings of the texts for an amount; one for none at all goes first. */
function pluralsOf(language: Language, count: number): string[] {
  const form = `_${RULES[language].select(count)}`;
  return count === 0 ? ["_zero", form] : [form];
}

function textAt(bundle: object | undefined, path: string): unknown {
  const below = (node: unknown, step: string) =>
    node instanceof Object && Object.hasOwn(node, step) ? (node as TextParams)[step] : undefined;
  return path.split(".").reduce<unknown>(below, bundle);
}

function isText(found: unknown): found is string {
  return typeof found === "string";
}

const texts = new Map<string, TFunction>();

function textsOf(language: Language, name: string): TFunction {
  const key = `${language} ${name}`;
  const known = texts.get(key);
  if (known) return known;
  const made = ((text: string, params?: TextParams) => {
    const [space, path] = placeOf(text, name);
    return said(language, space, path, params) ?? path;
  }) as unknown as TFunction;
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
  const language = useLanguage();
  return (key, params = {}) => said(language, ...placeOf(key, ""), params) || null;
}
