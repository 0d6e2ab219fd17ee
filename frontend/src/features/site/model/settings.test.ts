import { expect, it } from "vitest";
import type { SiteSettings } from "@/shared/api/types";
import { changeOf, defaultsOf, readFactors } from "./settings";

const SETTINGS: SiteSettings = {
  time_zone: "Asia/Shanghai",
  currency: "CNY",
  carbon_g_per_kwh: [420],
  half_life_s: 7200,
  entry_penalty_s: 3600,
  workspaces_kept_days: 7,
  outputs_kept_days: 30,
  lease_ttl_s: 30,
  raw_samples_kept_days: 2,
  minute_samples_kept_days: 35,
  hour_samples_kept_days: 1095,
  leavers_stop_after_h: 0,
  group_reservation_s_max: 259_200,
  group_reservation_ahead_days: 30,
  group_alarm_rules_max: 10,
  group_studies_max: 2,
  bounds: [
    { name: "half_life_s", min: 3600, max: 31_536_000, default: 604_800 },
    { name: "outputs_kept_days", min: 1, max: 3650, default: 90 },
    { name: "lease_ttl_s", min: 10, max: 600, default: 30 },
  ],
  time_zones: ["Asia/Shanghai", "Europe/Berlin"],
  version: 1,
};

it("sends what differs, and a default as none of its own", () => {
  expect(
    changeOf(SETTINGS, {
      ...SETTINGS,
      time_zone: "Europe/Berlin",
      currency: "EUR",
      half_life_s: 604_800,
      lease_ttl_s: 20,
    }),
  ).toEqual({ time_zone: "Europe/Berlin", currency: "EUR", half_life_s: null, lease_ttl_s: 20 });
  expect(changeOf(SETTINGS, SETTINGS)).toEqual({});
});

it("knows every default", () => {
  expect(defaultsOf(SETTINGS)).toEqual({
    half_life_s: 604_800,
    outputs_kept_days: 90,
    lease_ttl_s: 30,
  });
});

it("reads one carbon factor, one for each hour, or none", () => {
  const day = Array.from({ length: 24 }, (_, hour) => 300 + hour);
  expect(readFactors(" 420\uFF0C")).toEqual([420]);
  expect(readFactors(day.join(", "))).toEqual(day);
  expect(readFactors("")).toEqual([]);
  for (const wrong of ["-1", "2001", "1.5", "low", "1 2"]) expect(readFactors(wrong)).toBeNull();
});

it("sends carbon factors only where they differ", () => {
  const change = (carbon_g_per_kwh: number[]) =>
    changeOf(SETTINGS, { ...SETTINGS, carbon_g_per_kwh });
  expect(change([420])).toEqual({});
  expect(change([])).toEqual({ carbon_g_per_kwh: [] });
});
