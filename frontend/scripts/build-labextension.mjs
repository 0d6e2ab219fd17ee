// src/jupyterlab → the extension's one file beside the node agent, which brings it into notebooks.
// With --check nothing is written: the program fails when the committed file is not what would be built.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const PLACE = new URL(
  "../../nodeagent/launch/labextensions/berth-jupyterlab/static/remote-entry.gen.js",
  import.meta.url,
);
const HEADER = "// Generated from frontend/src/jupyterlab by `npm run generate`. Do not edit.\n";

const [{ output }] = await build({
  configFile: false,
  logLevel: "error",
  resolve: { alias: { "@": fileURLToPath(new URL("../src", import.meta.url)) } },
  build: {
    write: false,
    minify: false,
    target: "es2022",
    lib: {
      entry: fileURLToPath(new URL("../src/jupyterlab/remote.ts", import.meta.url)),
      formats: ["iife"],
      name: "berthJupyterlab",
    },
  },
});
const text = HEADER + output[0].code;
if (!process.argv.includes("--check")) {
  writeFileSync(PLACE, text);
} else if (readFileSync(PLACE, "utf8") !== text) {
  console.error("the JupyterLab extension is not what src/jupyterlab says: run `npm run generate`");
  process.exit(1);
}
