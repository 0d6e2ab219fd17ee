import { act, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { LiveSocket } from "@/shared/live/socket";
import { serve } from "@/testing/fake-server";
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

/** A connection of the page that the test speaks through. */
function liveConnection() {
  const wire = {
    onopen: () => {},
    onmessage: (_: { data: string }) => {},
    onclose: () => {},
    close() {},
    send() {},
  };
  const timers: (() => void)[] = [];
  const later = (run: () => void) => {
    timers.push(run);
    return () => {};
  };
  const socket = new LiveSocket({ open: () => wire as unknown as WebSocket, later });
  const tell = (frame: object) =>
    act(async () =>
      wire.onmessage({ data: JSON.stringify({ topic: "telemetry:node:node-1", ...frame }) }),
    );
  return { socket, wire, tell, timers };
}

it("moves with pushed points and asks nothing, but after a hole once for its end", async () => {
  const second = 1000;
  const now = Math.floor(Date.now() / 10_000) * 10_000;
  const columns = [{ metric: "gpu_utilisation", factor: 1, is_counter: false, is_summed: false }];
  const answerAt = (until: number, value: number) => {
    const times = Array.from({ length: 20 }, (_, n) => until - (19 - n) * 10 * second);
    const values = times.map(() => value);
    const points = times.slice(-7).map((at) => [at, value]);
    const since = until - 70 * second;
    return {
      step_s: 10,
      times,
      series: [{ ...line("gpu_utilisation", "percent", "0", values), subject: "card-0" }],
      tail: { since, columns, series: [{ id: "card-0", subject: "card-0", points }] },
    };
  };
  let served = answerAt(now, 10);
  const asked = serve({ "GET /api/v1/telemetry": () => served });
  const { socket, wire, tell } = liveConnection();
  renderPart(<UsageCharts subject={NODE} />, undefined, socket);
  act(() => wire.onopen());
  expect(await screen.findByRole("img", { name: /GPU utilisation.*10 % now/ })).toBeTruthy();
  await tell({ op: "subscribed", seq: 0, quiet_ms: 60_000 });

  const push = (n: number, after: number | null) =>
    tell({
      op: "points",
      after,
      series: [{ id: "card-0", subject: "card-0", points: [[now + n * second, 10 + n]] }],
    });
  for (let n = 2; n <= 60; n += 2) await push(n, now + (n - 2) * second);
  expect(
    await screen.findByRole("img", { name: /GPU utilisation.*70 % now, 70 % at most/ }),
  ).toBeTruthy();
  expect(asked).toHaveLength(1);

  served = answerAt(now + 80 * second, 90);
  await push(82, now + 80 * second);
  expect(await screen.findByRole("img", { name: /GPU utilisation.*90 % now/ })).toBeTruthy();
  await push(84, now + 82 * second);
  expect(asked).toHaveLength(2);
  const since = Date.parse(new URL(asked[1]?.url ?? "").searchParams.get("since") ?? "");
  expect(since).toBe(now);
});

it("moves the host of a node with the points behind the columns of its cards", async () => {
  const second = 1000;
  const now = Math.floor(Date.now() / 10_000) * 10_000;
  const times = Array.from({ length: 20 }, (_, n) => now - (19 - n) * 10 * second);
  const samples = times.slice(-7);
  const card = {
    ...line("gpu_utilisation", "percent", "0", Array(20).fill(10)),
    subject: "card-0",
  };
  const column = { factor: 1, is_counter: false, is_summed: false };
  const asked = serve({
    "GET /api/v1/telemetry": {
      step_s: 10,
      times,
      series: [card, line("cpu", "milli", "node-1", Array(20).fill(2000), 4000)],
      tail: {
        since: now - 70 * second,
        columns: [
          { ...column, metric: "gpu_utilisation" },
          { ...column, metric: "cpu", is_counter: true },
        ],
        series: [
          { id: "card-0", subject: "card-0", points: samples.map((at) => [at, 10]) },
          { id: "node-1", subject: "node-1", points: samples.map((at) => [at, null, 2 * at]) },
        ],
      },
    },
  });
  const { socket, wire, tell } = liveConnection();
  renderPart(<UsageCharts subject={NODE} />, undefined, socket);
  act(() => wire.onopen());
  expect(await screen.findByRole("img", { name: /CPU.*2 cores now/ })).toBeTruthy();
  await tell({ op: "subscribed", seq: 0, quiet_ms: 60_000 });
  const at = now + 10 * second;
  await tell({
    op: "points",
    after: now,
    series: [
      { id: "card-0", subject: "card-0", points: [[at, 30]] },
      { id: "node-1", subject: "node-1", points: [[at, null, 2 * now + 35 * second]] },
    ],
  });
  expect(await screen.findByRole("img", { name: /CPU.*3.5 cores now/ })).toBeTruthy();
  expect(screen.getByRole("img", { name: /GPU utilisation.*30 % now/ })).toBeTruthy();
  expect(asked).toHaveLength(1);
});

it("shows eight ranks of a wide job at a time, and of what is pushed only theirs", async () => {
  const second = 1000;
  const now = Math.floor(Date.now() / 10_000) * 10_000;
  const columns = [{ metric: "gpu_utilisation", factor: 1, is_counter: false, is_summed: false }];
  const times = Array.from({ length: 20 }, (_, n) => now - (19 - n) * 10 * second);
  const asked = serve({
    "GET /api/v1/telemetry": {
      step_s: 10,
      times,
      series: [line("gpu_utilisation", "percent", "0", Array(20).fill(10))],
      tail: {
        since: now - 70 * second,
        columns,
        series: [{ id: "attempt-0", subject: "0", points: times.slice(-7).map((at) => [at, 10]) }],
      },
    },
  });
  const { socket, wire, tell } = liveConnection();
  const run = { since: new Date(now - 190 * second).toISOString(), until: null };
  renderPart(<RankCharts id="work-1" replicas={20} run={run} />, undefined, socket);
  act(() => wire.onopen());
  expect(await screen.findByRole("img", { name: /GPU utilisation.*10 % now/ })).toBeTruthy();
  const topic = "telemetry:workload:work-1";
  await tell({ topic, op: "subscribed", seq: 0, quiet_ms: 60_000 });
  await tell({
    topic,
    op: "points",
    after: now,
    series: [
      { id: "attempt-9", subject: "9", points: [[now + 2 * second, 99]] },
      { id: "attempt-0", subject: "0", points: [[now + 2 * second, 12]] },
    ],
  });
  expect(await screen.findByRole("img", { name: /11 % now, 11 % at most/ })).toBeTruthy();
  const ranks = () =>
    asked
      .filter(({ url }) => url.includes("/telemetry"))
      .map(({ url }) => new URL(url).searchParams.get("first_rank"));
  expect(ranks()).toEqual([null]);

  const shown = screen.getByRole("combobox", { name: "Ranks shown" });
  await userEvent.selectOptions(shown, "Ranks 16 to 19");
  await waitFor(() => expect(ranks().at(-1)).toBe("16"));
});
