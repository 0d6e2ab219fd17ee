import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { RunTimeAccuracy } from "@/shared/api/types";
import { aMe, aPool } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { RunTimesPanel } from "./run-times-panel";

const NOTHING: RunTimeAccuracy = {
  runs: 0,
  since: null,
  predicted: 0,
  within_factor_two_percent: 0,
  too_long_percent: 0,
  too_short_percent: 0,
  median_error_percent: 0,
};

function show(accuracy: RunTimeAccuracy) {
  serve({ "GET /api/v1/pools/pool-1/run-times": accuracy });
  renderPart(<RunTimesPanel pool={aPool()} />, aMe({ platform_role: "auditor" }));
}

it("tells how many runs were predicted, and how well", async () => {
  show({ ...NOTHING, runs: 1200, predicted: 1100, within_factor_two_percent: 83 });
  expect(await screen.findByText("1,100 / 1,200")).toBeTruthy();
  expect(screen.getByText("83 %")).toBeTruthy();
});

it("has no figures where nothing was predicted, and says so where nothing has ended", async () => {
  show({ ...NOTHING, runs: 1 });
  expect(await screen.findByText("0 / 1")).toBeTruthy();
  expect(screen.getAllByText("–")).toHaveLength(4);
});
