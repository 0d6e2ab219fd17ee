import { expect, it } from "vitest";
import { bringTexts } from "../../texts.config";

const SRC = new URL("..", import.meta.url).pathname;
const code = (source: string, from: string) => bringTexts(`import("${source}")`, SRC + from)?.code;

it("brings with code what it says, and what says whatever it imports at once", () => {
  expect(
    code(`${SRC}routes/_shell/jobs/$id.tsx?tsr-split=component`, "routes/_shell/jobs/$id.tsx"),
  ).toContain('tsr-split=component"), ["apps","datasets","jobs"])');
  expect(code("./silence-dialog", "features/alarms/components/alarm-list.tsx")).toContain(
    'withTexts(import("./silence-dialog"), ["alarms","nodes"])',
  );
  expect(code("@/features/nodes/components/node-page", "routes/_shell/nodes/$id.tsx")).toContain(
    '["alarms","audit","nodes"]',
  );
});

it("leaves alone what says nothing of a feature: that is there from the start", () => {
  expect(code("./opened-menu", "shared/ui/opening.tsx")).toBeUndefined();
  expect(code("tus-js-client", "features/files/api/uploads.ts")).toBeUndefined();
});
