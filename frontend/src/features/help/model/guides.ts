/** Where guides lie, which one is about a page, and where the links in one lead. Pure. */
import type { Language } from "@/shared/i18n/language";

/** The list of all guides. */
export const ALL_GUIDES = "users/README";

/** The guide of the pages whose addresses begin so; the first that fits. */
const OF_PAGES: readonly (readonly [string, string])[] = [
  ["/jobs/new", "first-job"],
  ["/jobs", "logs"],
  ["/notebooks/new", "first-notebook"],
  ["/notebooks", "idle"],
  ["/apps", "apps"],
  ["/services", "services"],
  ["/replicas", "services"],
  ["/templates", "templates"],
  ["/files", "browsing-files"],
  ["/datasets", "files"],
  ["/volumes", "files"],
  ["/images", "saved-images"],
  ["/queue", "waiting"],
  ["/reservations", "reservations"],
  ["/usage", "usage"],
  ["/requests", "changing-work"],
  ["/quotas", "quotas"],
  ["/nodes", "charts"],
  ["/what-if", "group-admins"],
  ["/people", "group-admins"],
  ["/secrets", "secrets"],
  ["/ssh-keys", "access"],
  ["/security", "sign-in"],
  ["/profile", "sign-in"],
];

/** The guide about a page, by its address; the list of all for a page without one. */
export function guideFor(path: string): string {
  const [, guide] = OF_PAGES.find(([page]) => path.startsWith(page)) ?? [];
  return guide ? `users/${guide}` : ALL_GUIDES;
}

/** The address of a guide's file. What is written from the code has both languages in one file. */
export function fileOf(guide: string, language: Language): string {
  const suffix = language === "zh-CN" && guide.startsWith("users/") ? ".zh-CN" : "";
  return `/guides/${guide}${suffix}.md`;
}

const NAME = /^(?:users|reference)\/[\w-]+$/;

/** Whether there may be a guide of this name: what else an address says is not asked for. */
export function isGuide(name: string): boolean {
  return NAME.test(name);
}

const ROOT = "https://guides";
const GUIDE = /^\/guides\/((?:users|reference)\/[\w-]+?)(?:\.zh-CN)?\.md$/;
const PICTURE = /^\/guides\/img\/walk\/[\w.-]+\.png$/;

/** The guide to which a link in a guide leads; null for what the pages do not show. */
export function guideAt(guide: string, target: string): string | null {
  return GUIDE.exec(pathAt(guide, target))?.[1] ?? null;
}

/** The address of a picture in a guide. */
export function pictureAt(guide: string, target: string): string | null {
  const path = pathAt(guide, target);
  return PICTURE.test(path) ? path : null;
}

function pathAt(guide: string, target: string): string {
  const url = URL.parse(target, `${ROOT}/guides/${guide}.md`);
  return url?.origin === ROOT ? url.pathname : "";
}

const TITLE = /^# (.+)\n/;
/** Stands alone below the title. */
const OTHER_LANGUAGE = /^\n*\[[^\]]+\]\([\w.-]+\)\n/;

/** The title of a guide, and its text without it and without the link to the other language. */
export function splitGuide(file: string): { title: string; text: string } {
  const [, title = ""] = TITLE.exec(file) ?? [];
  return { title, text: file.replace(TITLE, "").replace(OTHER_LANGUAGE, "") };
}

const TO_GUIDE = /\[([^\]]+)\]\(([^)\s]+)\)/g;

/** The guides that the list of all names, with what it calls them. */
export function titlesIn(list: string): { guide: string; title: string }[] {
  return [...list.matchAll(TO_GUIDE)].flatMap(([, title = "", target = ""]) => {
    const guide = guideAt(ALL_GUIDES, target);
    return guide ? [{ guide, title }] : [];
  });
}
