import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { aWorkload } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { MetricsTab } from "./metrics-tab";

const ID = "00000001-0000-0000-0000-000000000000";
const OTHER = "00000002-0000-0000-0000-000000000000";
const NOTHING = { malformed: 0, example: "", names: 0, steps: 0 };

const metric = (name: string, more: object = {}) => ({
  name,
  reports: 2,
  last_step: 10,
  last_at: "2026-03-01T09:00:00Z",
  last_value: 0.25,
  last_word: "",
  low_value: 0.25,
  low_step: 10,
  high_value: 2,
  high_step: 0,
  not_finite: 0,
  not_finite_step: null,
  ...more,
});

const line = (job: string, name: string, means: (number | null)[]) => ({
  job,
  name,
  steps: means.map((_, index) => index * 10),
  times: means.map((_, index) => index * 1000),
  means,
  lows: means,
  highs: means,
});

const job = (id: string, name: string) => ({ id, name, array_index: null, state: "running" });

function show(metrics: object, lines: object, compared = "") {
  const onCompare = vi.fn();
  const asked = serve({
    [`GET /api/v1/jobs/${ID}/metrics`]: metrics,
    [`GET /api/v1/jobs/${ID}/metrics/lines`]: lines,
    "GET /api/v1/workloads": { results: [], next: null, previous: null },
    "GET /api/v1/groups": { results: [], next: null, previous: null },
    "GET /api/v1/pools": { results: [], next: null, previous: null },
  });
  const shown = aWorkload({ id: ID, name: "mine", kind: "training" });
  renderPart(<MetricsTab job={shown} compared={compared} onCompare={onCompare} />);
  return asked;
}

it("shows the line to print while there is nothing", async () => {
  show({ rank: 0, ranks: [], metrics: [], left_out: NOTHING }, { jobs: [], lines: [] });
  expect(await screen.findByText(/@metrics step=\{step\}/)).toBeTruthy();
  expect(screen.getByRole("button", { name: /copy/i })).toBeTruthy();
});

it("draws a chart for each metric, with what was left out", async () => {
  show(
    {
      rank: 0,
      ranks: [0],
      metrics: [
        metric("acc", { last_value: null, last_word: "nan", not_finite: 3, not_finite_step: 7 }),
        metric("loss"),
      ],
      left_out: { malformed: 1, example: "@metrics loss=?", names: 0, steps: 2 },
    },
    { jobs: [job(ID, "mine")], lines: [line(ID, "acc", [1, null]), line(ID, "loss", [2, 0.25])] },
  );
  expect(await screen.findByRole("img", { name: "loss: 0.25, 1 line" })).toBeTruthy();
  expect(screen.getByRole("img", { name: "acc: NaN, 1 line" })).toBeTruthy();
  expect(screen.getByText("3 values were NaN or infinite, first at step 7")).toBeTruthy();
  expect(screen.getByText(/@metrics loss=\?/)).toBeTruthy();
  expect(screen.getByText(/^2 values are left out/)).toBeTruthy();
  await userEvent.click(screen.getByRole("checkbox", { name: "Log scale" }));
  expect(screen.getByRole("img", { name: "loss: 0.25, 1 line" })).toBeTruthy();
});

it("names the jobs that are compared", async () => {
  const asked = show(
    { rank: 0, ranks: [0], metrics: [metric("loss")], left_out: NOTHING },
    {
      jobs: [job(ID, "mine"), job(OTHER, "theirs")],
      lines: [line(ID, "loss", [2, 1]), line(OTHER, "loss", [3, 2])],
    },
    `${OTHER},${ID}`,
  );
  expect(await screen.findByRole("img", { name: "loss: 0.25, 2 lines" })).toBeTruthy();
  expect(screen.getByRole("link", { name: "Open theirs" })).toBeTruthy();
  const lines = asked.find(({ route }) => route.endsWith("/lines"));
  expect(new URL(lines?.url ?? "").searchParams.get("others")).toBe(OTHER);
  await userEvent.click(screen.getByRole("button", { name: "theirs", pressed: true }));
  expect(screen.getByRole("img", { name: "loss: 0.25, 1 line" })).toBeTruthy();
  expect(screen.getByRole("button", { name: "theirs", pressed: false })).toBeTruthy();
});
