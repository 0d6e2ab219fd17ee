import { expect, it } from "vitest";
import { aMe } from "@/testing/factories";
import { aUsageRow } from "@/testing/usage";
import { readReportSearch, readUsageSearch } from "./search";
import {
  calendarDays,
  dateAtSite,
  daysOf,
  firstGrouping,
  heldInVain,
  lastFullWeek,
  meanUse,
  reportMonths,
  simulatedPart,
  stackedChart,
  stepOf,
  usageCalendar,
  weekFigures,
} from "./usage";

const TODAY = new Date(2026, 10, 23);
const GROUP = { id: "g", name: "vision", title_en: "Vision", title_zh: "Vision" };

it("reads only what it knows out of the address", () => {
  const user = "018f0000-0000-7000-8000-000000000000";
  expect(readUsageSearch({ period: "week", by: "pool", user })).toEqual({
    period: "week",
    by: "pool",
    user,
  });
  expect(readUsageSearch({ period: "ever", by: "luck", group: "<x>" })).toEqual({});
});

it("takes a month and a group out of the address of a report, and nothing else", () => {
  const group = "018f0000-0000-7000-8000-000000000000";
  expect(readReportSearch({ month: "2026-11", group, period: "week" })).toEqual({
    month: "2026-11",
    group,
  });
  expect(readReportSearch({ month: "2026-13", group: "x" })).toEqual({});
  expect(reportMonths(TODAY, 36).at(-1)).toBe("2023-12");
});

it("finds what was held in vain", () => {
  const rows = [
    aUsageRow({ key: "completed", gpu_milli_s: 9 }),
    aUsageRow({ key: "preempted", gpu_milli_s: 5 }),
  ];
  expect(heldInVain(rows)).toEqual({ preempted: 5, lost: 0 });
});

it.each([
  ["Asia/Shanghai", "2026-12-01"],
  ["America/Los_Angeles", "2026-11-30"],
])("has today's day by the clock of the site: %s", (zone, day) => {
  const at = new Date("2026-11-30T17:22:00Z");
  expect(daysOf("month", dateAtSite(at, zone)).last_day).toBe(day);
  expect(reportMonths(dateAtSite(at, zone))[0]).toBe(day.slice(0, 7));
});

it("shows each role first what it decides about", () => {
  expect(firstGrouping(aMe(), {})).toBe("kind");
  const head = aMe({ memberships: [{ group: GROUP, role: "group_admin" }] });
  expect(firstGrouping(head, {})).toBe("user");
  const staff = aMe({ platform_role: "auditor" });
  expect([firstGrouping(staff, {}), firstGrouping(staff, { group: "g" })]).toEqual([
    "group",
    "user",
  ]);
  expect(firstGrouping(staff, { user: "u" })).toBe("model");
});

it.each([
  ["month", "2026-11-01", "2026-11-23", "day"],
  ["lastMonth", "2026-10-01", "2026-10-31", "day"],
  ["week", "2026-11-17", "2026-11-23", "day"],
  ["days90", "2026-08-26", "2026-11-23", "week"],
  ["year", "2025-11-24", "2026-11-23", "month"],
] as const)("takes the days of %s", (period, first_day, last_day, step) => {
  expect(daysOf(period, TODAY)).toEqual({ first_day, last_day });
  expect(stepOf({ first_day, last_day })).toBe(step);
});

it("stacks subjects, the largest at the bottom, and leaves a gap where nothing was held", () => {
  const query = { first_day: "2026-11-01", last_day: "2026-11-03" };
  const chart = stackedChart(
    [
      aUsageRow({ period: "2026-11-01", key: "other", gpu_milli_s: 90 }),
      aUsageRow({ period: "2026-11-01", key: "a", gpu_milli_s: 10 }),
      aUsageRow({ period: "2026-11-01", key: "b", gpu_milli_s: 20 }),
      aUsageRow({ period: "2026-11-03", key: "a", gpu_milli_s: 30 }),
    ],
    query,
  );
  expect(chart.keys.map(({ key }) => key)).toEqual(["a", "b", "other"]);
  expect(chart.bars).toEqual([
    {
      period: "2026-11-01",
      total: 120,
      parts: [
        { key: "a", from: 0, to: 10 },
        { key: "b", from: 10, to: 30 },
        { key: "other", from: 30, to: 120 },
      ],
    },
    { period: "2026-11-02", total: 0, parts: [] },
    { period: "2026-11-03", total: 30, parts: [{ key: "a", from: 0, to: 30 }] },
  ]);
  expect(chart.top).toBe(120);
});

it("begins weeks on Monday, as the server does", () => {
  const query = { first_day: "2026-08-26", last_day: "2026-11-23" };
  const { bars } = stackedChart([], query);
  expect([bars[0]?.period, bars.at(-1)?.period]).toEqual(["2026-08-24", "2026-11-23"]);
});

it("knows no use where nothing was measured", () => {
  expect(meanUse(aUsageRow({ sampled_milli_s: 0 }))).toBeNull();
  expect(meanUse(aUsageRow({ sampled_milli_s: 200, busy_milli_s: 50 }))).toBe(25);
});

it("makes the three figures of a week", () => {
  const week = {
    week: "2026-11-16",
    gpu_s: 1000,
    simulated_gpu_s: 250,
    held_milli_s: 500_000,
    sampled_milli_s: 200_000,
    busy_milli_s: 100_000,
    tasks: 7,
  };
  expect(weekFigures(week)).toEqual({
    week: "2026-11-16",
    hoursPerGpuDay: 12,
    utilisation: 25,
    tasks: 7,
  });
  expect(weekFigures({ ...week, gpu_s: 0, sampled_milli_s: 0 })).toMatchObject({
    hoursPerGpuDay: null,
    utilisation: null,
  });
  expect(lastFullWeek([week, { ...week, tasks: 1 }])?.tasks).toBe(7);
  expect([lastFullWeek([week]), lastFullWeek([])]).toEqual([undefined, undefined]);
  expect(simulatedPart([week])).toBe(0.25);
  expect(simulatedPart([])).toBe(0);
});

it("has every day of the last 53 weeks, from Monday on, as full as the fullest allows", () => {
  const span = calendarDays(TODAY);
  expect(span).toEqual({ first_day: "2025-11-24", last_day: "2026-11-23" });
  const rows = [
    aUsageRow({ period: "2026-11-22", gpu_milli_s: 400 }),
    aUsageRow({ period: "2026-11-23", gpu_milli_s: 90 }),
  ];
  const { days, months, fullest, used } = usageCalendar(rows, span);
  expect(days).toHaveLength(365);
  expect(days.slice(-2).map(({ week, weekday, level }) => [week, weekday, level])).toEqual([
    [51, 6, 4],
    [52, 0, 1],
  ]);
  expect(days[0]?.level).toBe(0);
  expect([months[0], months.length]).toEqual([{ week: 1, day: "2025-12-01" }, 12]);
  expect([fullest?.day, used]).toEqual(["2026-11-22", 2]);
});
