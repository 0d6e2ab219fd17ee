import { fileURLToPath } from "node:url";
import { tanstackRouter } from "@tanstack/router-plugin/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vitest/config";
import { guides } from "./guides.config";
import { textsWithCode } from "./texts.config";

/** Where `npm run dev` finds a running portal. */
const portal = process.env.BERTH_PORTAL_URL ?? "http://127.0.0.1:8000";
const toPortal = { target: portal, changeOrigin: true, headers: { origin: portal } };

/** Small modules around every page but the sign-in page: what they count; and of the overview and most lists. */
const FRAME = new RegExp(
  "/src/(?:app/(?:navigation|quick-keys)|features/(?:help/(?:model|components/help-menu)|inbox/(?:api|components/inbox-button)|alarms/api/counts|quotas/components/quota-help)" +
    "|shared/(?:approvals/api/|ui/(?:data-table|meter)" +
    "|cluster/(?:components/(?:berth-strip|pool-picker|quota-meter)|model/(?:cells|quotas))" +
    "|workload/(?:api/(?!listed)|components/(?:open-button|tags|workload-link|workload-table)|model/lifecycle)))" +
    "|/@ant-design/icons.*/(?:Export|FolderOpen|QuestionCircle|Search)Outlined|/@ant-design/icons.*/WarningFilled" +
    "|/antd/es/(?:_util/colors|theme/util/genPresetColor|config-provider/hooks/useCSSVarCls)",
);

/** Small modules that the sign-in page and the frame of every other page share. */
const BOTH =
  /\/src\/(?:app\/preferences|shared\/session\/account)|\/picker\/lib\/locale\/common|interopRequire|\/@ant-design\/icons.*\/(?:BulbOutlined|Eye(?:Invisible)?Outlined)/;

/** What shows beside an element once a reader is on it, apart from all that pages are made of. */
const HINTS = new RegExp(
  "/src/shared/ui/opened-hint" +
    "|/node_modules/(?:antd/es/(?:tooltip|style/(?:placementArrow|roundedArrow|motion/zoom)|_util/placements)|@rc-component/(?:trigger|portal|tooltip))",
);

/** Small modules that pages share, by who shares them: a page of work came in sixty files. */
const PARTS = new RegExp(
  "/src/shared/(?:workload/(?:components/(?:app-mark|queue-facts)|model/held)|ui/(?!(?:discard|entity|secret)-dialog|line-|long-form|plot|refusal)|cluster/(?!components/node-choice)|lists|api)/?" +
    "|/node_modules/antd/es/(?:tag|flex)/|/@ant-design/icons.*/(?:Block|Code|Delete|Download|Ellipsis|Stop|Table)Outlined",
);
const ROWS =
  /\/src\/shared\/(?:sharing\/(?:api|components\/sharing)|workload\/(?:components\/workload-(?:filters|list)|model\/list-search))/;
const ASKED = /\/src\/shared\/submission\/api\/submission/;
const DRAFTS = /\/src\/shared\/submission\/(?:api|model)\//;
/** Why work waits, on its page and in the form of what is not submitted yet. */
const WAITS = /\/src\/shared\/workload\/(?:components|model)\/(?:advice|waiting|ways)/;
const WORK = new RegExp(
  "/src/shared/(?:submission/components/change-buttons" +
    "|workload/(?:components/(?:silent|timeline|workload-page)))",
);

/** What menus and fields both lay out with. */
const LAYOUT = new RegExp(
  "/node_modules/(?:antd/es/(?:space|style/motion|_util/PurePanel)|@rc-component/overflow)" +
    "|/@ant-design/icons.*/(?:Down|Left|Minus|Plus|Right|Up)Outlined",
);

/** Tabs and menus. */
const MENUS =
  /\/node_modules\/(?:antd\/es\/(?:tabs|dropdown|menu)\/|@rc-component\/(?:menu|dropdown|tabs)\/)/;

/** What every page may say, and what stands around it, with the words of the component library. */
const TEXTS = new RegExp(
  "/src/(?:app|shared/[\\w-]+|features/(?:auth|help|inbox))/locales/(en|zh-CN)" +
    "|/(?:antd|@rc-component)/.*/locale/zh_CN",
);

/** What pages of one feature ask and count. */
const FEATURE = /\/src\/features\/([\w-]+)\/(?:api\/|model\/|components\/standing-panel)/;

/** Fields: a page of rows has none before a dialog is opened. */
const CONTROLS = new RegExp(
  "/src/shared/(?:ui/refusal|cluster/components/node-choice)" +
    "|/node_modules/(?:antd/es/(?!modal|drawer|skeleton)|@rc-component/(?!dialog|drawer))",
);
/** Dialogs and drawers: a form has none before its template is saved. */
const WINDOWS = new RegExp(
  "/src/shared/ui/(?:discard|entity|secret)-dialog" +
    "|/node_modules/(?:antd/es/(?:modal|drawer|skeleton)|@rc-component/(?:dialog|drawer))/",
);
const CHARTS = /\/src\/shared\/(?:telemetry\/(?!model\/ranges)|metrics|ui\/(?:line-chart|plot))/;
const FORMS = /\/src\/shared\/(?:submission\/(?!components\/term-words)|rules\/)/;

/**
 * Menus and dialogs of the component library use the form's context, and with it came its whole form
 * and validator, on pages without one.
 */
const formContextAlone: Plugin = {
  name: "form-context-alone",
  enforce: "pre",
  resolveId(source, importer) {
    const isContext = importer?.endsWith("/antd/es/form/context.js");
    return source === "@rc-component/form" && isContext
      ? this.resolve("@rc-component/form/es/FormContext", importer)
      : null;
  },
};

const ITS_CHILDREN = "\0its-children";

/**
 * Wrappers of the component library that are not used here, and what came with them on every page: hints
 * that share one popup, with all that places popups, and the ripples of buttons.
 */
const wrappersLeftOut: Plugin = {
  name: "wrappers-left-out",
  enforce: "pre",
  resolveId: (source, importer) =>
    importer?.includes("/antd/es/") &&
    /^\.\.\/(?:tooltip\/UniqueProvider|_util\/wave)$/.test(source)
      ? ITS_CHILDREN
      : null,
  load: (id) => (id === ITS_CHILDREN ? "export default ({ children }) => children;" : null),
};

export default defineConfig({
  plugins: [
    formContextAlone,
    wrappersLeftOut,
    tanstackRouter({
      target: "react",
      autoCodeSplitting: true,
      generatedRouteTree: "src/app/route-tree.gen.ts",
      quoteStyle: "double",
      semicolons: true,
    }),
    textsWithCode,
    guides,
    react(),
  ],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  server: {
    proxy: {
      "/api": toPortal,
      "/_allauth": toPortal,
      "/ws": { ...toPortal, ws: true },
    },
  },
  build: {
    target: "es2022",
    chunkSizeWarningLimit: 900,
    // Every browser of the target knows it.
    modulePreload: { polyfill: false },
    manifest: true,
    rolldownOptions: {
      output: {
        // Few files on the first pages: what every page begins with is one, what stands around another.
        codeSplitting: {
          groups: [
            { name: "initial", tags: ["$initial"] },
            {
              // One file a language.
              debugName: "texts",
              name: (id) => `texts-${TEXTS.exec(id)?.[1] ?? "zh-CN"}`,
              test: TEXTS,
            },
            { name: "frame", test: FRAME },
            { name: "both", test: BOTH },
            { name: "hints", test: HINTS },
            // What pages of rows need stands before what takes it along, with fields and dialogs.
            { name: "parts", test: PARTS, minShareCount: 4 },
            { name: "rows", test: ROWS, minShareCount: 2 },
            { name: "asked", test: ASKED, minShareCount: 2 },
            { name: "drafts", test: DRAFTS, minShareCount: 2 },
            { name: "waits", test: WAITS, minShareCount: 2 },
            { name: "work", test: WORK, minShareCount: 2 },
            { name: "layout", test: LAYOUT, minShareCount: 2 },
            { name: "menus", test: MENUS, minShareCount: 2 },
            { name: "controls", test: CONTROLS, minShareCount: 12 },
            { name: "dialogs", test: CONTROLS, minShareCount: 8 },
            { name: "windows", test: WINDOWS, minShareCount: 8 },
            { name: "charts", test: CHARTS, minShareCount: 2 },
            { name: "forms", test: FORMS, minShareCount: 3 },
            {
              debugName: "features",
              name: (id) => `${FEATURE.exec(id)?.[1]}-parts`,
              test: FEATURE,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
  test: {
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // A worker loads the component library once, not for each file: a sixth of the processor time.
    isolate: false,
    unstubGlobals: true,
    restoreMocks: true,
    projects: [
      {
        extends: true,
        test: { name: "model", environment: "node", include: ["src/**/*.test.ts"] },
      },
      {
        extends: true,
        test: {
          name: "parts",
          environment: "jsdom",
          include: ["src/**/*.test.tsx"],
          setupFiles: ["src/testing/setup.ts"],
        },
      },
    ],
  },
});
