import { focusManager } from "@tanstack/react-query";
import { act, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { type Asked, serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { RankCharts } from "./scoped-charts";
import { UsageCharts } from "./usage-charts";

const line = (
  metric: string,
  unit: string,
  title: string,
  values: (number | null)[],
  limit: number | null = null,
) => ({ subject: title, title, metric, unit, values, limit });

const NODE = { kind: "node", id: "node-1" } as const;

afterEach(() => {
  vi.useRealTimers();
  focusManager.setFocused(undefined);
});

function show(series: object[]) {
  serve({ "GET /api/v1/telemetry": { step_s: 15, times: [0, 15_000, 30_000], series } });
  renderPart(<UsageCharts subject={NODE} />);
}

it("shows a chart for what is measured, and names the rest", async () => {
  show([
    line("gpu_utilisation", "percent", "0", [10, 20, 40]),
    line("gpu_utilisation", "percent", "1", [0, 0, 60]),
    line("gpu_memory", "mebibytes", "0", [1024, 1024, 2048], 32_768),
    line("gpu_memory", "mebibytes", "1", [null, null, 1024], 32_768),
    line("power", "watts", "0", [null, null, null]),
  ]);
  expect(
    await screen.findByRole("img", { name: /GPU utilisation.*50 % now, 60 % at most/i }),
  ).toBeTruthy();
  // What the head says is below the top of the scale: both are of one card.
  expect(screen.getByText("\u00d8 1.5 GiB")).toBeTruthy();
  expect(screen.getByText("of 32.0 GiB each")).toBeTruthy();
  expect(screen.getAllByText("Not measured here")).toHaveLength(9);
});

it("draws a limit that use comes near to, of a sum all limits together", async () => {
  const limited = (values: number[][]) =>
    values.map((own, n) => line("gpu_memory", "mebibytes", `${n}`, own, 32_768));
  show([
    ...limited([
      [1024, 2048, 16_384],
      [0, 0, 0],
      [1, 1, 1],
    ]),
    line("power", "watts", "0", [1]),
  ]);
  expect(await screen.findByText("of 32.0 GiB each")).toBeTruthy();
  expect(screen.getByTestId("limit-line")).toBeTruthy();

  await userEvent.click(screen.getByRole("button", { name: /sum/ }));
  expect(screen.getByText("of 96.0 GiB")).toBeTruthy();
  expect(screen.queryByTestId("limit-line")).toBeNull();
});

it("hides a line, and adds up those that are left", async () => {
  show([
    line("gpu_utilisation", "percent", "0", [10, 20, 40]),
    line("gpu_utilisation", "percent", "1", [0, 0, 60]),
    line("gpu_utilisation", "percent", "2", [0, 0, 80]),
    line("power", "watts", "0", [100, 100, 100]),
    line("power", "watts", "1", [200, 200, 200]),
    line("power", "watts", "2", [400, 400, 400]),
  ]);
  const [sum, last] = await Promise.all([
    screen.findByRole("button", { name: /sum/, pressed: false }),
    screen.findByRole("button", { name: "Card 2", pressed: true }),
  ]);
  expect(screen.getByRole("img", { name: /Power.*400 W at most/ })).toBeTruthy();
  await userEvent.click(sum);
  expect(screen.getByRole("img", { name: /Power.*700 W at most/ })).toBeTruthy();
  await userEvent.click(last);
  expect(screen.getByRole("img", { name: /Power.*300 W at most/ })).toBeTruthy();
  expect(screen.getByRole("img", { name: /GPU utilisation.*50 % now, 60 % at most/ })).toBeTruthy();
});

it("shows no value of now once nothing is measured any more", async () => {
  show([line("power", "watts", "0", [250, null, null, null, null])]);
  expect(await screen.findByRole("img", { name: /Power.*– now, 250 W at most/ })).toBeTruthy();
});

it("says so when nothing was measured at all", async () => {
  show([line("power", "watts", "0", [null, null, null])]);
  expect(await screen.findByText(/^Nothing was measured/)).toBeTruthy();
});

it("shows ended work over its own time, and nothing of it as of now", async () => {
  const asked = serve({
    "GET /api/v1/telemetry": {
      step_s: 15,
      times: [0, 15_000],
      series: [line("cpu", "milli", "0", [430, 400])],
    },
  });
  const run = { since: "2026-03-01T09:00:00Z", until: "2026-03-01T09:00:22Z" };
  renderPart(<UsageCharts subject={{ kind: "workload", id: "work-1" }} run={run} />);
  expect(
    await screen.findByRole("img", { name: "CPU, Whole run: 0.43 cores at most" }),
  ).toBeTruthy();
  expect(screen.queryByText(/now/)).toBeNull();
  expect(screen.queryByRole("radio")).toBeNull();
  const { searchParams } = new URL(asked.at(-1)?.url ?? "");
  expect([searchParams.get("since"), searchParams.get("until")]).toEqual([run.since, run.until]);
});

it("asks for the range that is chosen, which the address names", async () => {
  const asked = serve({ "GET /api/v1/telemetry": { step_s: 15, times: [], series: [] } });
  renderPart(<UsageCharts subject={NODE} />);
  const ranges = await screen.findByRole("combobox", { name: "Time range" });
  await userEvent.selectOptions(ranges, "Last 7 days");
  const days = () => {
    const since = new URL(asked.at(-1)?.url ?? "").searchParams.get("since") ?? "";
    return (Date.now() - new Date(since).getTime()) / 86_400_000;
  };
  await waitFor(() => expect(days()).toBeCloseTo(7, 2));
});

it("says what the GPUs of a work drew, and never zero for unknown", async () => {
  const work = { kind: "workload", id: "work-1" } as const;
  const known = { gpu_milli_s: 8000, measured_milli_s: 6000, energy_j: 9_000_000, carbon_g: 1050 };
  const route = "GET /api/v1/usage/workloads/work-1";
  const telemetry = { "GET /api/v1/telemetry": { step_s: 15, times: [0], series: [] } };
  serve({ ...telemetry, [route]: known });
  const { unmount } = renderPart(<UsageCharts subject={work} />);
  expect(
    await screen.findByText("GPUs drew 2.5 kWh, 1.05 kg CO₂e. Measured for 75 % of the GPU time."),
  ).toBeTruthy();
  unmount();

  serve({ ...telemetry, [route]: { ...known, energy_j: null, carbon_g: null } });
  renderPart(<UsageCharts subject={work} />);
  expect(await screen.findByText("The energy of the GPUs is not measured yet.")).toBeTruthy();
});

/** Steps of ten seconds in which a card had one value, the last of which begins at a moment. */
const tenSeconds = (until: number, count: number, value: number) => ({
  step_s: 10,
  times: Array.from({ length: count }, (_, n) => until - (count - 1 - n) * 10_000),
  series: [line("gpu_utilisation", "percent", "0", Array(count).fill(value))],
});

it("asks every few seconds what is new in its last minute, while somebody looks", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const now = Math.floor(Date.now() / 10_000) * 10_000;
  let [tag, served] = ['W/"1"', tenSeconds(now, 20, 10)];
  const asked = serve({
    "GET /api/v1/telemetry": ({ headers }: Asked) =>
      headers.get("If-None-Match") === tag
        ? new Response(null, { status: 304 })
        : Response.json(served, { headers: { ETag: tag } }),
  });
  const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  const newest = () => {
    const { url, headers } = asked.at(-1) as Asked;
    const since = Date.parse(new URL(url).searchParams.get("since") ?? "");
    return [(since - now) / 1000, headers.get("If-None-Match")];
  };
  renderPart(<UsageCharts subject={NODE} />);
  expect(await screen.findByRole("img", { name: /GPU utilisation.*10 % now/ })).toBeTruthy();
  expect(newest()[1]).toBeNull();

  await pass(5_000);
  await waitFor(() => expect(newest()).toEqual([-60, 'W/"1"']));
  expect(screen.getByRole("img", { name: /GPU utilisation.*10 % now/ })).toBeTruthy();

  [tag, served] = ['W/"2"', tenSeconds(now + 10_000, 8, 30)];
  await pass(5_000);
  expect(await screen.findByRole("img", { name: /GPU utilisation.*30 % now/ })).toBeTruthy();
  await pass(5_000);
  await waitFor(() => expect(newest()).toEqual([-50, 'W/"2"']));

  focusManager.setFocused(false);
  const count = asked.length;
  await pass(60_000);
  expect(asked).toHaveLength(count);
});

it("asks for all of it where its last minute does not continue what is shown", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const now = Math.floor(Date.now() / 10_000) * 10_000;
  let served = tenSeconds(now, 20, 10);
  const asked = serve({
    "GET /api/v1/telemetry": () => Response.json(served, { headers: { ETag: 'W/"1"' } }),
  });
  renderPart(<UsageCharts subject={NODE} />);
  expect(await screen.findByRole("img", { name: /GPU utilisation.*10 % now/ })).toBeTruthy();

  served = tenSeconds(now + 600_000, 8, 90);
  await act(() => vi.advanceTimersByTimeAsync(5_000));
  expect(await screen.findByRole("img", { name: /GPU utilisation.*90 % now/ })).toBeTruthy();
  const tags = asked.map(({ headers }) => headers.get("If-None-Match"));
  expect(tags.slice(0, 3)).toEqual([null, 'W/"1"', null]);
});

it("shows eight ranks of a wide job at a time", async () => {
  const now = Math.floor(Date.now() / 10_000) * 10_000;
  const asked = serve({ "GET /api/v1/telemetry": tenSeconds(now, 20, 10) });
  const run = { since: new Date(now - 190_000).toISOString(), until: null };
  renderPart(<RankCharts id="work-1" replicas={20} run={run} />);
  expect(await screen.findByRole("img", { name: /GPU utilisation.*10 % now/ })).toBeTruthy();
  const ranks = () =>
    asked
      .filter(({ url }) => url.includes("/telemetry"))
      .map(({ url }) => new URL(url).searchParams.get("first_rank"));
  expect(ranks()).toEqual([null]);

  const shown = screen.getByRole("combobox", { name: "Ranks shown" });
  await userEvent.selectOptions(shown, "Ranks 16 to 19");
  await waitFor(() => expect(ranks().at(-1)).toBe("16"));
});
