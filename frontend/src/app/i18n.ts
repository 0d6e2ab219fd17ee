/**
 * Texts: one namespace per `locales` folder, named after its parent. `texts.json` says which part has
 * it, and which parts a page needs besides the first.
 */

import { type TextPart, texts } from "virtual:texts";
import type { Locale } from "antd/es/locale";
import {
  addTexts,
  currentLanguage,
  type Language,
  preferredLanguage,
  rememberLanguage,
  showLanguage,
} from "@/shared/i18n/language";
import { pages } from "./texts.json";

/** What has been asked for; a switch of the language loads it again. */
const wanted = new Set<TextPart>(["first"]);
const loaded = new Set<string>();
const libraryLocales = new Map<Language, Locale>();
const ALL = Object.keys(texts.en) as TextPart[];

/** With what the page of this address says. */
export async function startTexts(path: string): Promise<void> {
  want(partsOf(path));
  await switchLanguage(preferredLanguage());
}

/** The parts that the page of an address says. */
export function partsOf(path: string): readonly TextPart[] {
  const page = Object.entries(pages).find(([pattern]) => isAddressOf(path, pattern));
  return (page?.[1] as TextPart[] | undefined) ?? [];
}

/** A `*` of a pattern is any one step of the path. */
function isAddressOf(path: string, pattern: string): boolean {
  return new RegExp(`^${pattern.replaceAll("*", "[^/]+")}/?$`).test(path);
}

/** Load parts in the present language. */
export function loadTexts(parts: readonly TextPart[]): Promise<void> {
  want(parts);
  return load(currentLanguage());
}

/** Load what any page says. */
export function loadAllTexts(): Promise<void> {
  return loadTexts(ALL);
}

function want(parts: readonly TextPart[]): void {
  for (const part of parts) wanted.add(part);
}

/** Load the texts of a language, then show every page in it. */
export async function switchLanguage(language: Language): Promise<void> {
  await load(language);
  showLanguage(language);
  document.documentElement.lang = language;
  rememberLanguage(language);
}

/** What the component library says in a language that is loaded. */
export function libraryLocale(language: Language): Locale | undefined {
  return libraryLocales.get(language);
}

async function load(language: Language): Promise<void> {
  await Promise.all([...wanted].map((part) => add(language, part)));
}

async function add(language: Language, part: TextPart): Promise<void> {
  const key = `${language} ${part}`;
  if (loaded.has(key)) return;
  const { default: bundles, library } = await texts[language][part]();
  if (library) libraryLocales.set(language, library);
  for (const [namespace, bundle] of Object.entries(bundles)) {
    addTexts(language, namespace, bundle);
  }
  loaded.add(key);
}
