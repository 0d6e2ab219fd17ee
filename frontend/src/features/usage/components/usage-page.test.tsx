import { screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { aMe } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import { aUsageRow } from "@/testing/usage";
import { UsagePage } from "./usage-page";

const HOURS = 3_600_000;
const ROW = aUsageRow({
  period: new Date().toISOString().slice(0, 10),
  key: "user-1",
  title_en: "Chen Yu",
  title_zh: "陈宇",
  gpu_milli_s: 10 * HOURS,
  sampled_milli_s: 8 * HOURS,
  idle_milli_s: 2 * HOURS,
  busy_milli_s: 4 * HOURS,
  measured_milli_s: 6 * HOURS,
  energy_j: 9_000_000,
  carbon_g: 1050,
  cpu_milli_s: 0.1 * HOURS,
  costs: [{ currency: "CNY", amount: "120.00" }],
  idle_costs: [{ currency: "CNY", amount: "24.00" }],
});
const WEEK = {
  week: "2026-11-16",
  gpu_s: 604_800,
  simulated_gpu_s: 604_800,
  held_milli_s: 302_400_000,
  sampled_milli_s: 100_000,
  busy_milli_s: 50_000,
  tasks: 12,
};

function serveUsage(rows: object[] = [ROW], as_of: string | null = "2026-11-23T08:00:00Z") {
  const total = { ...ROW, key: "", ...(rows.length === 0 && aUsageRow()) };
  return serve({
    "GET /api/v1/usage": { first_day: "", last_day: "", as_of, rows, total },
    "GET /api/v1/usage/waits": {
      first_day: "",
      last_day: "",
      rows: [{ kind: "", count: 3, p50_s: 30, p90_s: 600, p95_s: 900, longest_s: 1200 }],
    },
    "GET /api/v1/usage/weeks": { as_of, weeks: [WEEK] },
  });
}

const queriesOf = (asked: { url: string }[]) =>
  asked.map(({ url }) => new URL(url)).filter(({ pathname }) => pathname === "/api/v1/usage");

it("shows a developer the own use by kind, without what only heads and staff see", async () => {
  const asked = serveUsage([{ ...ROW, key: "training" }]);
  renderPart(<UsagePage />);
  const table = await screen.findByRole("table", { name: "Usage by subject" });
  expect(within(table).getByText("Jobs")).toBeTruthy();
  expect(within(table).getByText("CN¥120.00")).toBeTruthy();
  expect(screen.getAllByText("50 %").length).toBeGreaterThan(0);
  expect(screen.getByText("2 GPU-h without samples")).toBeTruthy();
  expect(await screen.findByText("10 min")).toBeTruthy();
  const groupings = queriesOf(asked).map(({ searchParams }) => searchParams.get("group_by"));
  expect(groupings).toContain("kind");
  expect(screen.queryByText("Idle GPUs, by who held them")).toBeNull();
  expect(screen.queryByTestId("cluster-weeks")).toBeNull();
});

it("shows staff groups first, who holds idle GPUs, and before and after with its honest label", async () => {
  const asked = serveUsage();
  renderPart(<UsagePage />, aMe({ platform_role: "auditor" }));
  const idle = await screen.findByRole("table", { name: "Idle GPUs, by who held them" });
  expect(within(idle).getByText("25 %")).toBeTruthy();
  expect(within(idle).getByText("CN¥24.00")).toBeTruthy();
  expect(await screen.findByText(/^100 % of the GPU time is of simulated GPUs/)).toBeTruthy();
  expect(screen.getByRole("img", { name: /^Hours held per GPU and day: 12 h/ })).toBeTruthy();
  expect(screen.getByText("The story: 160 before, 368 after")).toBeTruthy();
  const groupings = queriesOf(asked).map(({ searchParams }) => searchParams.get("group_by"));
  expect(new Set(groupings)).toEqual(new Set(["group", "user", null]));
});

it("shows the last year day by day, and says it in words", async () => {
  const asked = serveUsage();
  renderPart(<UsagePage />);
  const today = new Intl.DateTimeFormat("en", { dateStyle: "full" }).format(new Date());
  expect(
    await screen.findByRole("img", { name: /^GPUs were held on 1 day; most on/ }),
  ).toBeTruthy();
  expect(screen.getByText(`${today}: 10 GPU-h`)).toBeTruthy();
  const days = queriesOf(asked).filter(({ searchParams }) => !searchParams.has("group_by"));
  expect(days[0]?.searchParams.get("granularity")).toBe("day");
});

it("shows energy and carbon, how much is not measured, and never zero for unknown", async () => {
  const unknown = { ...ROW, key: "user-2", title_en: "Li Na", energy_j: null, carbon_g: null };
  const noGpu = { ...aUsageRow(), key: "user-3", title_en: "Wu Di", cpu_milli_s: HOURS };
  serveUsage([ROW, unknown, noGpu]);
  renderPart(<UsagePage />, aMe({ platform_role: "auditor" }));
  const table = await screen.findByRole("table", { name: "Usage by subject" });
  const cells = (name: string) =>
    within(within(table).getByText(name).closest("tr") as HTMLElement)
      .getAllByRole("cell")
      .map(({ textContent }) => textContent);
  expect(cells("Chen Yu")).toEqual(expect.arrayContaining(["2.5", "1.05"]));
  expect(cells("Li Na").filter((text) => text === "not measured")).toHaveLength(2);
  expect(cells("Wu Di")).not.toContain("not measured");
  expect(screen.getByText("2.5 kWh")).toBeTruthy();
  const cores = screen.getByText("Held, with or without a GPU");
  expect(cores.previousSibling?.textContent).toBe("0.1");
  expect(screen.getByText("1.05 kg CO₂e; 4 GPU-h not measured")).toBeTruthy();
});

it("tells an empty period from a meter that has not counted yet", async () => {
  serveUsage([], null);
  renderPart(<UsagePage />);
  expect(await screen.findByText(/The meter has not counted yet/)).toBeTruthy();
});

it("speaks Chinese", async () => {
  await speak("zh-CN");
  serveUsage();
  renderPart(<UsagePage />, aMe({ platform_role: "operator" }));
  expect(await screen.findByRole("heading", { name: "用量" })).toBeTruthy();
  expect(await screen.findAllByText("陈宇")).not.toHaveLength(0);
  expect(screen.getByText("首次启动前的等待", { selector: "h2" })).toBeTruthy();
});
