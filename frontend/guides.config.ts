/** The guides of `docs/` and their pictures become files of the build: the pages show them below `/help`. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const DOCS = new URL("../docs/", import.meta.url);
const FOLDERS = ["users", "reference", "img/walk"];

export const guides: Plugin = {
  name: "guides",
  generateBundle() {
    for (const folder of FOLDERS) {
      for (const name of readdirSync(fileURLToPath(new URL(folder, DOCS)))) {
        const path = `${folder}/${name}`;
        const source = readFileSync(fileURLToPath(new URL(path, DOCS)));
        this.emitFile({ type: "asset", fileName: `guides/${path}`, source });
      }
    }
  },
};
