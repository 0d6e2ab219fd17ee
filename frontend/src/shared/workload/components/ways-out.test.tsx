import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { aWorkload } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import { WaitDetails } from "./ways-out";

const other = {
  id: "job-9",
  name: "sweep",
  owner: { id: "u", username: "li", display_name: "Li Na" },
  group: { id: "g", name: "vision", title_en: "Vision", title_zh: "Vision" },
  mine: true,
  kind: "training",
  gpus: 3,
  slices: 0,
  replicas: 1,
  preemptible: true,
};
const wait = {
  expected_start: null,
  limits: [
    {
      reason: { code: "quota_ceiling", params: {} },
      holders: [
        { work: other, amount: 3000, ends_at: "2036-03-02T12:00:00Z", basis: "limits" },
        {
          work: { ...other, id: "job-8", name: "new" },
          amount: 1000,
          ends_at: null,
          basis: "limits",
        },
      ],
      others: 2,
      others_amount: 4000,
    },
  ],
  ways_out: [
    { code: "fewer_gpus", changes: { gpus: 5 }, pool: null, stops: null, call: null },
    { code: "interruptible", changes: { preemptible: true }, pool: null, stops: null, call: null },
    { code: "stop_own", changes: {}, pool: null, stops: other, call: null },
  ],
};

function show(stops = other, owner = aWorkload().owner) {
  const log = serve({
    "GET /api/v1/workloads/workload-1/waiting": {
      ...wait,
      ways_out: wait.ways_out.map((way) => (way.stops ? { ...way, stops } : way)),
    },
    "PATCH /api/v1/jobs/workload-1": aWorkload({ gpus: 5 }),
    "POST /api/v1/jobs/job-9/cancel": aWorkload({ id: "job-9" }),
    "POST /api/v1/app-sessions/job-9/close": aWorkload({ id: "job-9" }),
  });
  const workload = aWorkload({ state: "queued", gpus: 8, kind: "training", owner });
  renderPart(<WaitDetails workload={workload} />);
  return log;
}

describe("WaitDetails", () => {
  it("names who holds the limit, with their GPUs and until when, and counts the others", async () => {
    show();
    expect(await screen.findByText(/^until .+ at the latest$/)).toBeTruthy();
    expect(screen.getByText(/starting now/)).toBeTruthy();
    expect(screen.getByText(/and 2 other workloads/)).toBeTruthy();
  });

  it("offers each way out: the change, or the stop of other work", async () => {
    const log = show();
    expect(await screen.findByText(/^with 5 GPUs\./)).toBeTruthy();
    const [change] = screen.getAllByRole("button", { name: "Change it" });
    if (change) await userEvent.click(change);
    expect(await screen.findByText("Change train?")).toBeTruthy();
    expect(log.some(({ route }) => route.startsWith("PATCH"))).toBe(false);
    const asked = within(screen.getByRole("tooltip")).getByRole("button", { name: "Change it" });
    await userEvent.click(asked);
    await waitFor(() =>
      expect(log.find(({ route }) => route.startsWith("PATCH"))?.body).toEqual({ gpus: 5 }),
    );
    await userEvent.click(screen.getByRole("button", { name: "Stop sweep" }));
    await userEvent.click(await screen.findByRole("button", { name: "Stop it" }));
    expect(log.some(({ route }) => route === "POST /api/v1/jobs/job-9/cancel")).toBe(true);
  });

  it("names whose work it is, and restores the former values on request", async () => {
    const log = show(other, { id: "u-9", username: "wang.fang", display_name: "Wang Fang" });
    await screen.findByText(/^with 5 GPUs\./);
    const [change] = screen.getAllByRole("button", { name: "Change it" });
    if (change) await userEvent.click(change);
    expect(await screen.findByText(/^Wang Fang submitted it, and is notified/)).toBeTruthy();
    const question = within(screen.getByRole("tooltip"));
    await userEvent.click(question.getByRole("button", { name: "Change it" }));
    await userEvent.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() =>
      expect(log.filter(({ route }) => route.startsWith("PATCH")).map(({ body }) => body)).toEqual([
        { gpus: 5 },
        { gpus: 8 },
      ]),
    );
  });

  it("says of an app that nothing is lost, and closes it", async () => {
    const log = show({ ...other, kind: "app" });
    await userEvent.click(await screen.findByRole("button", { name: "Stop sweep" }));
    expect(await screen.findByText(/^The app closes/)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Stop it" }));
    expect(log.some(({ route }) => route === "POST /api/v1/app-sessions/job-9/close")).toBe(true);
  });

  it("says it in Chinese too", async () => {
    await speak("zh-CN");
    show();
    expect(await screen.findByText(/只申请 5/)).toBeTruthy();
    expect(screen.getByText(/占用者/)).toBeTruthy();
  });
});
