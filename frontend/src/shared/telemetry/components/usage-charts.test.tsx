import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { UsageCharts } from "./usage-charts";

const line = (metric: string, unit: string, title: string, values: (number | null)[]) => ({
  subject: title,
  title,
  metric,
  unit,
  values,
});

function show(series: object[]) {
  serve({ "GET /api/v1/telemetry": { step_s: 15, times: [0, 15_000, 30_000], series } });
  renderPart(<UsageCharts subject={{ kind: "node", id: "node-1" }} />);
}

it("shows a chart for what is measured, and names the rest", async () => {
  show([
    line("gpu_utilisation", "percent", "0", [10, 20, 40]),
    line("gpu_utilisation", "percent", "1", [0, 0, 60]),
    line("gpu_memory", "mebibytes", "0", [1024, 1024, 2048]),
    line("gpu_memory", "mebibytes", "1", [null, null, 1024]),
    line("power", "watts", "0", [null, null, null]),
  ]);
  const busy = await screen.findByRole("img", {
    name: /GPU utilisation.*50 % now, 60 % at most/i,
  });
  expect(busy.querySelectorAll("path[data-hue]")).toHaveLength(2);
  expect(screen.getByText("Σ 3.0 GiB")).toBeTruthy();
  expect(screen.getByText("3.0 GiB per card")).toBeTruthy();
  expect(screen.getByText("Not measured here: Power.")).toBeTruthy();
});

it("shows no value of now once nothing is measured any more", async () => {
  show([line("power", "watts", "0", [250, null, null, null, null])]);
  expect(await screen.findByRole("img", { name: /Power.*– now, 250 W at most/ })).toBeTruthy();
});

it("says so when nothing was measured at all", async () => {
  show([line("power", "watts", "0", [null, null, null])]);
  expect(await screen.findByText("No measurements in the last hour")).toBeTruthy();
});
