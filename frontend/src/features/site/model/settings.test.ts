import { expect, it } from "vitest";
import type { SiteSettings } from "@/shared/api/types";
import { changeOf, defaultsOf } from "./settings";

const SETTINGS: SiteSettings = {
  time_zone: "Asia/Shanghai",
  currency: "CNY",
  half_life_s: 7200,
  entry_penalty_s: 3600,
  workspaces_kept_days: 7,
  outputs_kept_days: 30,
  lease_ttl_s: 30,
  raw_samples_kept_days: 2,
  minute_samples_kept_days: 35,
  hour_samples_kept_days: 1095,
  bounds: [
    { name: "half_life_s", min: 3600, max: 31_536_000, default: 604_800 },
    { name: "outputs_kept_days", min: 1, max: 3650, default: 90 },
    { name: "lease_ttl_s", min: 10, max: 600, default: 30 },
  ],
  time_zones: ["Asia/Shanghai", "Europe/Berlin"],
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
