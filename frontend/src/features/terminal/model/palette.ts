/** Colours of the terminal in both themes; xterm keeps every text at 4.5 : 1 on top of these. */
import type { ITheme } from "@xterm/xterm";

export const CONTRAST_MIN = 4.5;

const LIGHT: ITheme = {
  background: "#ffffff",
  foreground: "#16242b",
  cursor: "#0b6a80",
  cursorAccent: "#ffffff",
  selectionBackground: "#cfe5ea",
  black: "#16242b",
  red: "#b42318",
  green: "#1a7a45",
  yellow: "#8f5600",
  blue: "#2256a8",
  magenta: "#6b4fa3",
  cyan: "#0b6a80",
  white: "#4a5b64",
};

const DARK: ITheme = {
  background: "#0c1316",
  foreground: "#e4ecef",
  cursor: "#5cc4d8",
  cursorAccent: "#0c1316",
  selectionBackground: "#25454f",
  black: "#667b86",
  red: "#f2776a",
  green: "#4cc38a",
  yellow: "#e5a33d",
  blue: "#7fb0ef",
  magenta: "#b9a3ea",
  cyan: "#5cc4d8",
  white: "#e4ecef",
};

export function palette(isDark: boolean): ITheme {
  return isDark ? DARK : LIGHT;
}
