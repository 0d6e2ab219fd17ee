/**
 * The look: one accent, greys for structure, colours for states. Every text colour keeps 4.5 : 1
 * on every surface it is used on, in both themes; the library's own defaults do not.
 */
import { type ThemeConfig, theme } from "antd";

const FONT =
  'system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC", sans-serif';
export const MONO =
  'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", "Noto Sans Mono CJK SC", monospace';

const SHAPE = {
  fontFamily: FONT,
  fontFamilyCode: MONO,
  fontSize: 14,
  borderRadius: 6,
  wireframe: false,
  controlOutlineWidth: 2,
} as const;

const LIGHT = {
  colorPrimary: "#0b6a80",
  // Words on them are white: under the pointer they get darker, where the library makes them paler.
  colorPrimaryHover: "#095b6e",
  colorPrimaryActive: "#084f60",
  colorInfo: "#0b6a80",
  colorLink: "#0b6a80",
  colorLinkHover: "#084f60",
  colorSuccess: "#1a7a45",
  colorWarning: "#8f5600",
  colorError: "#b42318",
  // The library derives pale backgrounds that turn murky for dark accents: name them.
  colorPrimaryBg: "#e4f1f4",
  colorPrimaryBgHover: "#d2e7ec",
  colorPrimaryBorder: "#8fc4d0",
  colorInfoBg: "#e4f1f4",
  colorInfoBorder: "#8fc4d0",
  colorSuccessBg: "#e8f5ed",
  colorSuccessBorder: "#a5d6b8",
  colorWarningBg: "#fdf3e1",
  colorWarningBorder: "#e8cd9a",
  colorErrorBg: "#fdeeec",
  colorErrorBorder: "#f0b5ae",
  colorBgLayout: "#f4f6f7",
  colorText: "#16242b",
  colorTextSecondary: "#4a5b64",
  colorTextTertiary: "#5a6b74",
  colorTextDescription: "#5a6b74",
  colorTextPlaceholder: "#63737c",
  colorTextDisabled: "#63737c",
  colorBorder: "#c3ced3",
  colorBorderSecondary: "#e1e7ea",
} as const;

const DARK = {
  colorPrimary: "#1b8097",
  colorPrimaryHover: "#17728a",
  colorPrimaryActive: "#13627a",
  colorInfo: "#1b8097",
  colorLink: "#5cc4d8",
  colorLinkHover: "#8ad8e6",
  colorSuccess: "#4cc38a",
  colorWarning: "#e5a33d",
  colorError: "#f2776a",
  colorPrimaryBg: "#12303a",
  colorPrimaryBgHover: "#173c48",
  colorPrimaryBorder: "#25657a",
  colorInfoBg: "#12303a",
  colorInfoBorder: "#25657a",
  colorSuccessBg: "#12291d",
  colorSuccessBorder: "#2b6145",
  colorWarningBg: "#2e2413",
  colorWarningBorder: "#6d5423",
  colorErrorBg: "#331b19",
  colorErrorBorder: "#7d3a34",
  colorBgBase: "#10181c",
  colorBgLayout: "#0c1316",
  colorBgContainer: "#141d22",
  colorBgElevated: "#1b262c",
  colorText: "#e4ecef",
  colorTextSecondary: "#b0bfc6",
  colorTextTertiary: "#98a9b1",
  colorTextDescription: "#98a9b1",
  colorTextPlaceholder: "#8b9ca5",
  colorTextDisabled: "#8b9ca5",
  colorBorder: "#3a4a52",
  colorBorderSecondary: "#26333a",
} as const;

/** Class of the element below which the library's variables, such as `--ant-color-text`, are set. */
export const LOOK = "berth-look";

/** `isCalm`: components neither animate nor wait for animations that the style sheet forbids. */
export function themeConfig(isDark: boolean, isCalm: boolean): ThemeConfig {
  const colours = isDark ? DARK : LIGHT;
  return {
    algorithm: isDark ? theme.darkAlgorithm : theme.defaultAlgorithm,
    cssVar: { key: LOOK },
    token: { ...SHAPE, ...colours, motion: !isCalm },
    components: {
      Button: {
        primaryShadow: "none",
        defaultShadow: "none",
        dangerShadow: "none",
        dangerColor: isDark ? "#1b0d0b" : "#ffffff",
        defaultHoverColor: colours.colorLinkHover,
        defaultHoverBorderColor: colours.colorLinkHover,
        defaultActiveColor: colours.colorLink,
        defaultActiveBorderColor: colours.colorLink,
      },
      // What is chosen is text on a pale ground: the accent of buttons is too dark for that.
      Dropdown: { colorPrimary: colours.colorLink },
      Tag: { colorError: colours.colorError },
      Modal: { linkDecoration: "underline" },
      Form: { itemMarginBottom: 16, verticalLabelPadding: "0 0 6px" },
      Radio: {
        wireframe: true,
        colorPrimary: colours.colorLink,
        colorPrimaryHover: colours.colorLinkHover,
        colorPrimaryActive: colours.colorLink,
        buttonCheckedBg: colours.colorPrimaryBg,
      },
    },
  };
}
