// docs/api/openapi.yaml → src/shared/api/schema.gen.ts. With --check nothing is written: the
// program fails when the committed types are not those of the committed schema.
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const SCHEMA = new URL("../../docs/api/openapi.yaml", import.meta.url);
const TYPES = new URL("../src/shared/api/schema.gen.ts", import.meta.url);
// A field with a default may be left out of a request.
const OPTIONS = { alphabetize: true, defaultNonNullable: false };
const HEADER = "// Generated from docs/api/openapi.yaml by `npm run generate`. Do not edit.\n\n";

const types = HEADER + astToString(await openapiTS(SCHEMA, OPTIONS));
if (!process.argv.includes("--check")) {
  writeFileSync(TYPES, types);
} else if (readFileSync(TYPES, "utf8") !== types) {
  console.error("schema.gen.ts is not what docs/api/openapi.yaml says: run `npm run generate`");
  process.exit(1);
}
