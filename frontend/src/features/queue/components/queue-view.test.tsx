import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { aGlimpse, aPage, aPool, aQueue, aQuota, aWorkload } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { QueueView } from "./queue-view";

const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
const soon = new Date(Date.now() + 60_000).toISOString();
const unjudged = { sure_percent: null, estimates: 0 };
const hidden = { id: null, name: null, owner: null, group: null };
const pool = { id: "pool-2", name: "development", title_en: "Development", title_zh: "开发池" };

function show(queue: object, groups: object[] = []) {
  const asked = serve({
    "GET /api/v1/pools": aPage([aPool()]),
    "GET /api/v1/groups": aPage(groups),
    "POST /api/v1/workloads/workload-1/place": aWorkload({ state: "queued" }),
    "GET /api/v1/pools/pool-1/queue": queue,
    "GET /api/v1/workloads/workload-1": aWorkload({
      state: "queued",
      position: 2,
      reasons: [{ code: "insufficient_now", params: { resource: "gpus", requested: 1, free: 0 } }],
    }),
    "GET /api/v1/workloads/workload-1/waiting": { expected_start: null, limits: [], ways_out: [] },
    "GET /api/v1/workloads/workload-1/events": [],
    "GET /api/v1/quotas": [aQuota({ deserved: 4000 })],
  });
  renderPart(<QueueView pool={aPool()} standing={<p>The standing of the groups</p>} />);
  return asked;
}

const waiting = [
  {
    position: 1,
    work: aGlimpse(),
    priority: 0,
    submitted_at: soon,
    expected_start: null,
    reasons: [],
  },
];

it("lets the head of a group put its waiting work first", async () => {
  const { group } = aGlimpse();
  const asked = show(aQueue({ waiting_total: 1, waiting }), [{ ...group, role: "group_admin" }]);
  await userEvent.click(await screen.findByRole("button", { name: "Place of train in its group" }));
  await userEvent.click(await screen.findByRole("button", { name: "First in its group" }));
  await waitFor(() =>
    expect(asked.find(({ route }) => route.endsWith("/place"))?.body).toEqual({ place: "first" }),
  );
});

it("lets nobody else order the work of a group", async () => {
  const { group } = aGlimpse();
  show(aQueue({ waiting_total: 1, waiting }), [{ ...group, role: "developer" }]);
  await screen.findByText("train");
  expect(screen.queryByRole("button", { name: /Place of/ })).toBeNull();
});

it("shows the order, what is promised, and lent GPUs", async () => {
  show(
    aQueue({
      waiting_total: 3,
      waiting: [
        {
          position: 1,
          work: aGlimpse({ ...hidden, gpus: 8 }),
          priority: 0,
          submitted_at: soon,
          expected_start: { earliest: inAnHour, latest: inAnHour, basis: "limits", ...unjudged },
          reasons: [],
        },
        {
          position: 2,
          work: aGlimpse({ name: "nightly", preemptible: true }),
          priority: 0,
          submitted_at: soon,
          expected_start: null,
          reasons: [
            { code: "insufficient_now", params: { resource: "gpus", requested: 1, free: 0 } },
          ],
        },
      ],
      reservations: [
        {
          work: aGlimpse({ ...hidden, gpus: 8 }),
          starts_at: inAnHour,
          nodes: [{ node: { id: "n", name: "gpu-1" }, replicas: 1 }],
        },
      ],
      running: [
        {
          work: aGlimpse({ name: "guest", mine: true }),
          state: "running",
          pool,
          lender: pool,
          started_at: soon,
          ends_at: null,
          nodes: ["gpu-dev"],
        },
      ],
    }),
  );
  const rows = await screen.findAllByRole("row");
  expect(rows[1]?.textContent).toContain("Work of another group");
  // The zone stands once, in the head.
  expect(rows[0]?.textContent).toMatch(/Start \((UTC|GMT)/);
  expect(rows[1]?.textContent).toMatch(/about \D*\d\d:\d\d/);
  expect(rows[1]?.textContent).not.toMatch(/UTC|GMT/);
  expect(rows[2]?.textContent).toContain("nightly");
  expect(rows[2]?.textContent).toContain("preemptible");
  expect(screen.getByText("and 1 more")).toBeTruthy();
  expect(screen.getByRole("img", { name: /Reserved start · 8 GPUs · gpu-1/ })).toBeTruthy();
  expect(screen.getByRole("img", { name: /Mine · On lent GPUs · 1 GPU · gpu-dev/ })).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Not enough free" }));
  const reasons = await screen.findByTestId("reasons");
  expect(within(reasons).getAllByRole("listitem")[0]?.dataset.code).toBe("insufficient_now");
  await userEvent.click(screen.getByRole("radio", { name: "12 h" }));
  expect(screen.getByRole("radio", { name: "12 h" })).toHaveProperty("checked", true);
});

it("has the shares of the groups in its second tab, remembered by the address", async () => {
  show(aQueue());
  await userEvent.click(await screen.findByRole("tab", { name: "Quota and fair share" }));
  expect(await screen.findByText(/deserved 4/)).toBeTruthy();
  expect(screen.getByText("The standing of the groups")).toBeTruthy();
});

it("says so when nobody waits and nothing runs", async () => {
  show(aQueue());
  expect(await screen.findByText("New work starts at once while there is capacity.")).toBeTruthy();
  expect(screen.getByText("Nothing is running or reserved here.")).toBeTruthy();
});
