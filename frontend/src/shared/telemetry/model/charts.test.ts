import { expect, it } from "vitest";
import { chartsOf } from "./charts";

it("keeps lines that were measured and says nothing for the rest", () => {
  const line = (metric: string, unit: string, title: string, values: (number | null)[]) => ({
    subject: title,
    title,
    metric,
    unit,
    values,
  });
  const telemetry = {
    step_s: 15,
    times: [0, 15_000],
    series: [
      line("gpu_utilisation", "percent", "0", [1, null]),
      line("gpu_utilisation", "percent", "1", [null, null]),
      line("gpu_memory", "mebibytes", "0", [900, 1000]),
      line("power", "watts", "0", [null, null]),
    ],
  };

  const charts = chartsOf(telemetry, ["gpu_utilisation", "gpu_memory", "power"]);

  expect(charts.map(({ metric, top, lines }) => [metric, top, lines.length])).toEqual([
    ["gpu_utilisation", 100, 1],
    ["gpu_memory", 1536, 1],
    ["power", 1, 0],
  ]);
});
