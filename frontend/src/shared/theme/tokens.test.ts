import { theme } from "antd";
import { describe, expect, it } from "vitest";
import { themeConfig } from "./tokens";

/** Contrast of two colours by WCAG 2: 1 is none, 21 is black on white. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const part = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const TEXTS = [
  "colorText",
  "colorTextSecondary",
  "colorTextTertiary",
  "colorTextPlaceholder",
  "colorTextDisabled",
  "colorLink",
  "colorLinkHover",
  "colorSuccess",
  "colorWarning",
  "colorError",
] as const;

describe.each([
  ["light", false],
  ["dark", true],
])("the %s theme", (_, isDark) => {
  const { token = {}, components } = themeConfig(isDark, false);
  const surface = token.colorBgContainer ?? "#ffffff";
  const layout = token.colorBgLayout ?? "";

  it.each(TEXTS)("keeps %s readable on every surface", (name) => {
    const colour = token[name] ?? "";
    for (const ground of [surface, layout]) {
      expect(contrast(colour, ground)).toBeGreaterThanOrEqual(4.5);
    }
  });

  it("keeps what is chosen readable", () => {
    const { colorPrimary = "", buttonCheckedBg = "" } = components?.Radio ?? {};
    expect(contrast(colorPrimary, buttonCheckedBg)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(token.colorText ?? "", token.colorPrimaryBg ?? "")).toBeGreaterThan(4.5);
  });

  it("keeps the words of dangerous buttons, of tags and of chosen menu items readable", () => {
    const drawn = theme.getDesignToken(themeConfig(isDark, false));
    const { Button, Tag, Dropdown } = components ?? {};
    expect(contrast(Button?.dangerColor ?? "", drawn.colorError)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(Tag?.colorError ?? "", drawn.colorErrorBg)).toBeGreaterThanOrEqual(4.5);
    const chosen = Dropdown?.colorPrimary ?? "";
    expect(contrast(chosen, drawn.controlItemBgActive)).toBeGreaterThanOrEqual(4.5);
  });

  it("keeps the words of a primary button readable, also under the pointer", () => {
    const { colorPrimary = "", colorPrimaryHover = "", colorPrimaryActive = "" } = token;
    for (const ground of [colorPrimary, colorPrimaryHover, colorPrimaryActive]) {
      expect(contrast("#ffffff", ground)).toBeGreaterThanOrEqual(4.5);
    }
  });
});
