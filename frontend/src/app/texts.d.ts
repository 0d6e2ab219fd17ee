/** Made by `texts.config.ts`: a way to load each part of the texts in each language. */
declare module "virtual:texts" {
  type Locale = import("antd/es/locale").Locale;
  export type TextPart = keyof typeof import("./texts.json").parts;
  export const texts: Record<
    "en" | "zh-CN",
    Record<TextPart, () => Promise<{ default: Record<string, object>; library?: Locale }>>
  >;
}
