import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { MonthReport } from "@/shared/api/types";
import { aMe, aPage } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import { aUsageRow } from "@/testing/usage";
import { ReportPage } from "./report-page";

const HOURS = 3_600_000;
const TOTAL = aUsageRow({
  gpu_milli_s: 10 * HOURS,
  sampled_milli_s: 8 * HOURS,
  idle_milli_s: 2 * HOURS,
  busy_milli_s: 4 * HOURS,
  costs: [{ currency: "CNY", amount: "120.00" }],
});
const row = (key: string, hours: number, title = key) =>
  aUsageRow({ ...TOTAL, key, title_en: title, title_zh: title, gpu_milli_s: hours * HOURS });

function serveReport(given: Partial<MonthReport> = {}) {
  const report: MonthReport = {
    first_day: "2026-10-01",
    last_day: "2026-10-31",
    as_of: "2026-11-23T08:00:00Z",
    is_closed: true,
    total: TOTAL,
    sections: {
      group: [row("group-1", 10, "Vision")],
      user: [row("user-1", 10, "Chen Yu")],
      pool: [row("pool-1", 10, "Training pool")],
      model: [row("H100", 10)],
      kind: [row("training", 10)],
      outcome: [row("completed", 7), row("preempted", 2), row("lost", 1)],
    },
    waits: [{ kind: "", count: 3, p50_s: 30, p90_s: 600, p95_s: 900, longest_s: 1200 }],
    ...given,
  };
  return serve({
    "GET /api/v1/usage/report": report,
    "GET /api/v1/groups": aPage([
      { id: "group-1", name: "vision", title_en: "Vision", title_zh: "视觉", parent: null },
    ]),
  });
}

const asked = (log: { url: string }[]) =>
  log.map(({ url }) => new URL(url)).filter(({ pathname }) => pathname.endsWith("/report"));

it("shows all sections of a month, what was held in vain, and how long work waited", async () => {
  serveReport();
  renderPart(<ReportPage />, aMe({ platform_role: "auditor" }));
  for (const title of ["group", "person", "pool", "GPU model", "kind of work"]) {
    expect(await screen.findByRole("table", { name: `By ${title}` })).toBeTruthy();
  }
  const outcomes = screen.getByRole("table", { name: "By how the work ended" });
  expect(within(outcomes).getByText("Evicted for other work")).toBeTruthy();
  expect(screen.getByText("2 evicted for other work, 1 lost with a node or GPU")).toBeTruthy();
  expect(screen.getByText("4 GPU-h used; 2 GPU-h without samples")).toBeTruthy();
  const waits = screen.getByRole("table", { name: "Wait before the first start" });
  expect(within(waits).getByText("10 min")).toBeTruthy();
  expect(screen.getByText(/Everyone's work · The month is over; counted up to/)).toBeTruthy();
  const below = within(screen.getByRole("table", { name: "By group" })).getByRole("link");
  expect(below.getAttribute("href")).toMatch(/usage\/report\?month=.*group=group-1/);
});

it("gives the same month as PDF, as CSV and on paper", async () => {
  const print = vi.fn();
  vi.stubGlobal("print", print);
  const log = serveReport();
  renderPart(<ReportPage />);
  await screen.findByRole("table", { name: "By person" });
  const month = asked(log)[0]?.searchParams.get("month");
  for (const format of ["PDF", "CSV"]) {
    const address = screen.getByRole("link", { name: format }).getAttribute("href");
    const query = new URL(address ?? "", location.origin).searchParams;
    expect([query.get("month"), query.get("format")]).toEqual([month, format.toLowerCase()]);
  }
  await userEvent.click(screen.getByRole("button", { name: "Print" }));
  expect(print).toHaveBeenCalledOnce();
});

it("shows a member the own work, without a choice of groups", async () => {
  const log = serveReport({ is_closed: false });
  renderPart(<ReportPage />);
  expect(await screen.findByText(/Your own work · The month is not over/)).toBeTruthy();
  expect(screen.queryByRole("combobox", { name: "Group" })).toBeNull();
  expect(log.some(({ url }) => url.includes("/groups"))).toBe(false);
});

it("leads a head of groups to another month", async () => {
  serveReport();
  const group = { id: "group-1", name: "vision", title_en: "Vision", title_zh: "Vision" };
  renderPart(<ReportPage />, aMe({ memberships: [{ group, role: "group_admin" }] }));
  expect(await screen.findByText(/Your own work and that of your groups/)).toBeTruthy();
  const months = within(screen.getByRole("combobox", { name: "Month" }));
  expect(months.getAllByRole("option").length).toBeGreaterThan(0);
  expect(screen.getByRole("combobox", { name: "Group" })).toBeTruthy();
});

it("says in Chinese when nothing was held", async () => {
  await speak("zh-CN");
  const none = { group: [], user: [], pool: [], model: [], kind: [], outcome: [] };
  serveReport({ sections: none, waits: [] });
  renderPart(<ReportPage />);
  await waitFor(() => expect(screen.getByText("没有占用")).toBeTruthy());
});
