/**
 * Before each test file: texts in English, and the browser parts that jsdom lacks. Files share the modules
 * and the document of their worker, so that each test leaves both as it found them.
 */
import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeAll, vi } from "vitest";
import { loadTexts, startTexts } from "@/shared/i18n/texts";
import { speak } from "./render";

Object.defineProperty(window, "matchMedia", {
  value: (query: string) => ({
    matches: query.includes("min-width"),
    media: query,
    addEventListener: () => {},
    removeEventListener: () => {},
    addListener: () => {},
    removeListener: () => {},
  }),
});
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};

// Charts draw on a canvas: every stroke is accepted, none is kept.
const context = new Proxy(
  {},
  { get: (_, name) => (name === "measureText" ? () => ({ width: 0 }) : () => {}), set: () => true },
);
HTMLCanvasElement.prototype.getContext = (() => context) as never;
globalThis.Path2D ??= class {
  moveTo() {}
  lineTo() {}
  rect() {}
  arc() {}
  closePath() {}
  addPath() {}
} as never;

// The library measures scroll bars by pseudo-elements, which jsdom only complains about.
const styleOf = window.getComputedStyle.bind(window);
window.getComputedStyle = (element) => styleOf(element);

// Generous: a busy machine is slow, and only a failure ever waits this long.
configure({ asyncUtilTimeout: 15_000 });

window.scrollTo = () => {};
Element.prototype.scrollIntoView = () => {};

const FEATURES = Object.keys(import.meta.glob("/src/features/*/locales/en.json"));

beforeAll(async () => {
  localStorage.setItem("berth.language", "en");
  await startTexts();
  await loadTexts(FEATURES.map((path) => path.split("/")[3] ?? ""));
});

afterEach(async () => {
  cleanup();
  vi.useRealTimers();
  localStorage.clear();
  sessionStorage.clear();
  await speak("en");
});
