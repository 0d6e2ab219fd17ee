import { fileURLToPath } from "node:url";
import { tanstackRouter } from "@tanstack/router-plugin/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vitest/config";
import { textParts } from "./texts.config";

/** Where `npm run dev` finds a running portal. */
const portal = process.env.BERTH_PORTAL_URL ?? "http://127.0.0.1:8000";
const toPortal = { target: portal, changeOrigin: true, headers: { origin: portal } };

/** Small modules of the overview and of most lists. */
const LISTS = new RegExp(
  "/src/shared/(?:cluster/(?:components/(?:berth-strip|quota-meter)|model/(?:cells|quotas))|ui/(?:data-table|meter)" +
    "|workload/(?:api/|components/(?:tags|workload-link|workload-table)|model/lifecycle))" +
    "|/@ant-design/icons.*/WarningFilled" +
    "|/antd/es/(?:_util/colors|theme/util/genPresetColor|config-provider/hooks/useCSSVarCls)",
);

/** Small modules around every page but the sign-in page: what they count. */
const FRAME = new RegExp(
  "/src/(?:app/navigation|features/(?:inbox/(?:api|components/inbox-button)|alarms/api/counts)" +
    "|shared/approvals/api/)|/@ant-design/icons.*/FolderOpenOutlined",
);

/** Small modules that the sign-in page and the frame of every other page share. */
const BOTH =
  /\/src\/(?:app\/preferences|shared\/session\/account)|\/@ant-design\/icons.*\/(?:BulbOutlined|Eye(?:Invisible)?Outlined)/;

/** The button of the header that comes after the first page, with what it listens to. */
const QUICK = /\/src\/app\/quick-(?:button|keys)|\/@ant-design\/icons.*\/SearchOutlined/;

/** What shows beside an element once a reader is on it, apart from all that pages are made of. */
const HINTS = new RegExp(
  "/src/shared/ui/opened-hint" +
    "|/node_modules/(?:antd/es/(?:tooltip|style/(?:placementArrow|roundedArrow|motion/zoom)|_util/placements)|@rc-component/(?:trigger|portal|tooltip))",
);

/** Small modules that pages share, by who shares them: a page of work came in sixty files. */
const PARTS = new RegExp(
  "/src/shared/(?:ui/(?!(?:entity|secret)-dialog)|cluster/(?!components/node-choice)|lists|api)/?" +
    "|/node_modules/antd/es/(?:tag|flex)/",
);
const WORK = new RegExp(
  "/src/shared/(?:submission/(?:api|model|components/change-buttons)|sharing/components/sharing" +
    "|workload/(?:components/(?:advice|app-mark|event-list|queue-facts|silent|timeline|waiting|ways|workload-(?:filters|list|page))|model/))",
);

/** Fields, dialogs and drawers: a page of rows has none before one is opened. */
const CONTROLS = new RegExp(
  "/src/shared/(?:ui/(?:entity|secret)-dialog|cluster/components/node-choice)" +
    "|/node_modules/(?:antd|@rc-component)/",
);
const CHARTS = /\/src\/shared\/(?:telemetry|metrics)\//;
const FORMS = /\/src\/shared\/(?:submission|rules)\//;

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

const NOTHING_SHARED = "\0nothing-shared";

/** Hints that share one popup are not used here; with the way to do so came all that places popups. */
const oneHintAlone: Plugin = {
  name: "one-hint-alone",
  enforce: "pre",
  resolveId: (source, importer) =>
    source === "../tooltip/UniqueProvider" &&
    importer?.endsWith("/antd/es/config-provider/index.js")
      ? NOTHING_SHARED
      : null,
  load: (id) => (id === NOTHING_SHARED ? "export default ({ children }) => children;" : null),
};

export default defineConfig({
  plugins: [
    formContextAlone,
    oneHintAlone,
    textParts,
    tanstackRouter({
      target: "react",
      autoCodeSplitting: true,
      generatedRouteTree: "src/app/route-tree.gen.ts",
      quoteStyle: "double",
      semicolons: true,
    }),
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
    manifest: true,
    rolldownOptions: {
      output: {
        // Few files on the first pages: what every page begins with is one, what lists show another.
        codeSplitting: {
          groups: [
            { name: "initial", tags: ["$initial"] },
            { name: "lists", test: LISTS },
            { name: "frame", test: FRAME },
            { name: "both", test: BOTH },
            { name: "quick", test: QUICK },
            { name: "hints", test: HINTS },
            // What pages of rows need stands before what takes it along, with fields and dialogs.
            { name: "parts", test: PARTS, minShareCount: 4 },
            { name: "work", test: WORK, minShareCount: 2 },
            { name: "controls", test: CONTROLS, minShareCount: 12 },
            { name: "dialogs", test: CONTROLS, minShareCount: 8 },
            { name: "charts", test: CHARTS, minShareCount: 2 },
            { name: "forms", test: FORMS, minShareCount: 3 },
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
