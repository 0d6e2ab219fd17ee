import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderPart } from "@/testing/render";
import { SilentNodes } from "./silent-nodes";

const SINCE = "2026-01-05T10:00:00Z";

it.each([
  ["keep", /no second copy starts/],
  ["replace", /starts on another node/],
] as const)("says what happens to work with the term %s", async (silence, words) => {
  const silent_nodes = [{ node: { id: "n", name: "gpu-07" }, since: SINCE, silence }];
  renderPart(<SilentNodes workload={{ silent_nodes }} />);
  expect(await screen.findByText(/Node gpu-07 has not been heard since/)).toBeDefined();
  expect(screen.getByText(words)).toBeDefined();
});
