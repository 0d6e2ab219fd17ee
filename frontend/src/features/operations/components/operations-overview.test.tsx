import { screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { DayCurves, NearLimits, Overview, RecentUse, Waits } from "@/shared/api/types";
import { aCardMap } from "@/testing/card-map";
import { aMe } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import { changePct, partOf, recentRows } from "../model/operations";
import OperationsOverview from "./operations-overview";

const AT = "2026-03-01T09:00:00Z";
const training = { id: "p1", name: "training", title_en: "Training", title_zh: "训练池" };
const vision = { id: "g1", name: "vision", title_en: "Vision", title_zh: "Vision" };
const liWei = { id: "u1", username: "li.wei", display_name: "Li Wei" };
const holding = { gpu_milli: 3500, idle_milli: 1000, unmeasured_milli: 500, workloads: 3 };

function anOverview(fields: Partial<Overview> = {}): Overview {
  return {
    as_of: AT,
    is_whole: true,
    problems: [
      {
        code: "nodes_down",
        severity: "critical",
        count: 7,
        since: AT,
        subjects: [{ node: "n1", name: "gpu-1", detail: "lost" }],
      },
      { code: "alarms_firing", severity: "warning", count: 1, since: null, subjects: [] },
    ],
    pools: [
      {
        pool: training,
        gpus_total: 16,
        gpus_held: 10,
        gpus_free: 4,
        gpus_lost: 0,
        gpus_out: 2,
        slices_total: 0,
        slices_free: 0,
        is_simulated: false,
        idle_milli: 1000,
      },
    ],
    held: holding,
    groups: [{ held: holding, group: vision }],
    groups_total: 12,
    people: [{ held: holding, user: liWei }],
    people_total: 1,
    idle: [
      {
        id: "w1",
        name: "ux lab",
        kind: "environment",
        use_pct: 1,
        owner: liWei,
        group: vision,
        gpu_milli: 1000,
        since: AT,
      },
    ],
    idle_total: 1,
    ...fields,
  };
}

const WAITS: Waits = {
  total: 5,
  by_pool: [{ pool: training, group: null, code: "", count: 5, oldest_at: AT }],
  by_reason: [
    { pool: training, group: null, code: "fragmented", count: 4, oldest_at: AT },
    { pool: training, group: null, code: "", count: 1, oldest_at: AT },
  ],
  by_group: [{ pool: training, group: vision, code: "", count: 5, oldest_at: AT }],
  longest: [],
};
const NOBODY: Waits = { total: 0, by_pool: [], by_reason: [], by_group: [], longest: [] };
const LIMITS: NearLimits = {
  total: 1,
  limits: [
    {
      kind: "quota",
      currency: "",
      id: "q1",
      name: "",
      resource: "gpu",
      group: vision,
      pool: null,
      used: 5500,
      limit: 6000,
      used_pct: 91,
    },
  ],
};

const use = (gpu_milli_s: number, failed: number): RecentUse => ({
  begins_at: AT,
  ends_at: AT,
  gpu_milli_s,
  sampled_milli_s: gpu_milli_s,
  idle_milli_s: 0,
  busy_milli_s: gpu_milli_s / 2,
  ended: { failed },
  started: 1,
  wait_p50_s: 60,
  wait_p95_s: null,
});

const DAY: DayCurves = {
  times: ["2026-03-01T08:45:00Z", AT],
  held_milli: [4000, 10_000],
  used_milli: [null, 7483],
  waiting: [0, 5],
  waiting_milli: [0, 8000],
};

/** Open one of the parts below. */
const open = async (name: string) => userEvent.click(await screen.findByRole("radio", { name }));

function show(overview: unknown, waits: unknown = WAITS, limits: unknown = LIMITS) {
  const map = aCardMap(); // of other pools: the figures are those of the overview
  serve({
    "GET /api/v1/overview": overview,
    "GET /api/v1/overview/waits": waits,
    "GET /api/v1/overview/near-limits": limits,
    "GET /api/v1/overview/recent": { last: use(7_200_000, 3), before: use(3_600_000, 0) },
    "GET /api/v1/overview/day": DAY,
    "GET /api/v1/pools": { next: null, previous: null, results: [] },
    "GET /api/v1/card-map": {
      ...map,
      pools: map.pools.map((each) => ({ ...each, id: `other ${each.id}` })),
    },
  });
  return renderPart(<OperationsOverview />, aMe({ platform_role: "operator", memberships: [] }));
}

const hrefOf = (name: string | RegExp, within_: HTMLElement = document.body) =>
  within(within_).getAllByRole("link", { name })[0]?.getAttribute("href");

it("says what is not well and leads to where one acts", async () => {
  show(anOverview());
  const well = await screen.findByRole("region", { name: "Is everything well?" });
  expect(hrefOf(/7 nodes take no work/, well)).toBe("/nodes?as=list&attention=true");
  expect(hrefOf("gpu-1", well)).toBe("/nodes/n1");
  expect(within(well).getByText(/6 more/)).toBeTruthy();
  expect(hrefOf(/1 alarm is firing/, well)).toBe("/alarms");
  expect(within(well).queryByText(/Everything is well/)).toBeNull();
});

it("has the most urgent cause as its title, and what to do about waste and waits", async () => {
  const lost: Overview["problems"][number] = {
    code: "gpus_lost",
    severity: "critical",
    count: 1,
    since: null,
    subjects: [{ node: "n1", name: "gpu-1 #5", detail: "xid_79" }],
  };
  show(anOverview({ problems: [lost] }));
  const well = await screen.findByRole("region", { name: "Is everything well?" });
  expect(within(well).getByRole("heading").textContent).toContain("1 GPU is lost");
  expect(hrefOf("1 GPU is lost", well)).toBe("/nodes/map?state=lost");
  expect(well.textContent).toContain("gpu-1 #5 (It reported Xid 79)");
  const todo = screen.getByRole("region", { name: "To do" });
  expect(within(todo).getByRole("button", { name: "Stop ux lab" })).toBeTruthy();
  expect(hrefOf("See queue", todo)).toBe("/queue");
  expect(
    await screen.findByRole("img", { name: /now 10 held, 7½ used, 8 asked for by .* of 16/ }),
  ).toBeTruthy();
  expect(await screen.findByRole("img", { name: "Waiting, last 24 hours" })).toBeTruthy();
});

it("leads from every figure to the list that has it", async () => {
  show(anOverview());
  const pools = await screen.findByRole("region", { name: "Where the GPUs are" });
  expect(hrefOf("4", pools)).toBe("/nodes/map?pool=training&state=free");
  expect(hrefOf(/4 × Free GPUs are scattered/, pools)).toBe(
    "/queue?pool=training&reason=fragmented",
  );
  const groups = screen.getByRole("region", { name: "Groups by GPUs held now" });
  expect(within(groups).getByText("3½ GPUs")).toBeTruthy();
  expect(within(groups).getByText(/3 workloads · 1 GPU idle · ½ GPU not measured/)).toBeTruthy();
  expect(within(groups).getByText("and 11 more")).toBeTruthy();
  await open("Waiting");
  const waits = screen.getByRole("region", { name: "By group" });
  expect(hrefOf("Vision", waits)).toBe("/queue?pool=training&team=g1");
  await open("Idle");
  const idle = screen.getByRole("region", { name: "Held but idle" });
  expect(hrefOf("ux lab", idle)).toBe("/notebooks/w1");
  await open("Near limits");
  const limits = screen.getByRole("region", { name: "Near their limits" });
  expect(await within(limits).findByText("5½ of 6")).toBeTruthy();
});

it("sets the last 24 hours beside those before, and a dash where nothing is known", async () => {
  show(anOverview());
  await open("Last 24 h");
  const recent = await screen.findByRole("table", { name: "Last 24 hours" });
  const cells = (name: string) =>
    within(within(recent).getByRole("rowheader", { name }).closest("tr") as HTMLElement)
      .getAllByRole("cell")
      .map(({ textContent }) => textContent);
  expect(cells("GPU time held")).toEqual(["2 GPU-h", "1 GPU-h", "+100 %"]);
  expect(cells("GPU use while held")).toEqual(["50 %", "50 %", "±0 %"]);
  expect(cells("Failed")).toEqual(["3", "0", "–"]);
  expect(cells("Wait, p95")).toEqual(["–", "–", "–"]);
});

it("says that all is well, and speaks Chinese", async () => {
  await speak("zh-CN");
  const nothing = anOverview({ problems: [], idle: [], idle_total: 0 });
  show(nothing, NOBODY, { total: 0, limits: [] });
  expect(await screen.findByText(/一切正常：/)).toBeTruthy();
  expect(screen.getByText("没有闲置，也没有排队。")).toBeTruthy();
  await open("排队");
  expect(screen.getByText("没有排队的工作。")).toBeTruthy();
  await open("接近上限");
  expect(await screen.findByText("没有配额、预算、磁盘或存储卷接近上限。")).toBeTruthy();
});

it("claims nothing of what was not measured", async () => {
  const unmeasured = { ...holding, idle_milli: 0 };
  const held = (milli: number) => ({ ...unmeasured, unmeasured_milli: milli });
  const idle = { idle: [], idle_total: 0 };
  for (const [milli, text] of [
    [0, "Every GPU that is held is in use."],
    [500, "Every GPU that is held and measured is in use; some are not measured yet."],
    [3500, "None of the GPUs that are held is measured yet."],
  ] as const) {
    const { unmount } = show(anOverview({ ...idle, held: held(milli) }));
    await open("Idle");
    expect(await screen.findByText(text)).toBeTruthy();
    unmount();
  }
  const none = { ...use(3_600_000, 0), sampled_milli_s: 0 };
  const { used, idle: notUsed } = recentRows(none, none);
  expect([used.last, notUsed.last]).toEqual([null, null]);
});

it("shows a head the own groups, without the cluster's pools", async () => {
  show(anOverview({ is_whole: false, pools: [] }));
  expect(await screen.findByRole("heading", { name: "My groups now" })).toBeTruthy();
  expect(screen.queryByRole("region", { name: "Where the GPUs are" })).toBeNull();
});

it("says which part cannot be shown, and shows the others", async () => {
  show(anOverview(), WAITS, problem(503, "unavailable"));
  expect(await screen.findByRole("region", { name: "Groups by GPUs held now" })).toBeTruthy();
  await open("Near limits");
  expect(await screen.findByRole("alert")).toBeTruthy();
});

it("says why it cannot be shown", async () => {
  show(problem(403, "denied"));
  expect(await screen.findByRole("alert")).toBeTruthy();
});

it("has no change from nothing, and no part of nothing", () => {
  expect(changePct(3, 0)).toBeNull();
  expect(changePct(3, 4)).toBe(-25);
  expect(partOf(1, 0)).toBeNull();
});
