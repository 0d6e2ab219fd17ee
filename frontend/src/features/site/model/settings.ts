/** The numbers of the site, the unit in which each is typed, and what a changed form sends. Pure. */
import type { SiteSettings, SiteSettingsChange } from "@/shared/api/types";

export type NumberName = SiteSettings["bounds"][number]["name"];

interface NumberField {
  name: NumberName;
  /** How many of the server's units one typed unit is. */
  factor: number;
  unit: "days" | "hours" | "minutes" | "seconds" | "rules" | "studies";
}

export const FACTOR_MAX = 2000;
const HOURS = 24;

export const SETTINGS_SECTIONS = [
  {
    name: "fairShare",
    fields: [
      { name: "half_life_s", factor: 3600, unit: "hours" },
      { name: "entry_penalty_s", factor: 60, unit: "minutes" },
    ],
  },
  {
    name: "retention",
    fields: [
      { name: "workspaces_kept_days", factor: 1, unit: "days" },
      { name: "outputs_kept_days", factor: 1, unit: "days" },
      { name: "raw_samples_kept_days", factor: 1, unit: "days" },
      { name: "minute_samples_kept_days", factor: 1, unit: "days" },
      { name: "hour_samples_kept_days", factor: 1, unit: "days" },
    ],
  },
  {
    name: "reservations",
    fields: [
      { name: "group_reservation_s_max", factor: 3600, unit: "hours" },
      { name: "group_reservation_ahead_days", factor: 1, unit: "days" },
    ],
  },
  {
    name: "groups",
    fields: [
      { name: "group_alarm_rules_max", factor: 1, unit: "rules" },
      { name: "group_studies_max", factor: 1, unit: "studies" },
    ],
  },
  { name: "leavers", fields: [{ name: "leavers_stop_after_h", factor: 1, unit: "hours" }] },
  { name: "nodes", fields: [{ name: "lease_ttl_s", factor: 1, unit: "seconds" }] },
] as const satisfies readonly { name: string; fields: readonly NumberField[] }[];

export type SettingsFields = Pick<
  SiteSettings,
  NumberName | "time_zone" | "currency" | "carbon_g_per_kwh"
>;

/** The change that a filled form stands for: what differs; a default is sent as none of its own. */
export function changeOf(settings: SiteSettings, filled: SettingsFields): SiteSettingsChange {
  const change: SiteSettingsChange = {};
  if (filled.time_zone !== settings.time_zone) change.time_zone = filled.time_zone;
  if (filled.currency !== settings.currency) change.currency = filled.currency;
  if (filled.carbon_g_per_kwh.join() !== settings.carbon_g_per_kwh.join()) {
    change.carbon_g_per_kwh = filled.carbon_g_per_kwh;
  }
  for (const { name, default: standard } of settings.bounds) {
    if (filled[name] === settings[name]) continue;
    change[name] = filled[name] === standard ? null : filled[name];
  }
  return change;
}

/** Carbon factors as they are typed: numbers with anything between them; null is not that. */
export function readFactors(typed: string): number[] | null {
  const parts = typed.split(/[\s,;\uFF0C\uFF1B\u3001]+/).filter(Boolean);
  const factors = parts.map(Number);
  const isKnown = factors.every(
    (each) => Number.isInteger(each) && each >= 0 && each <= FACTOR_MAX,
  );
  return isKnown && [0, 1, HOURS].includes(factors.length) ? factors : null;
}

/** The default of every number. */
export function defaultsOf({ bounds }: SiteSettings): Partial<Pick<SiteSettings, NumberName>> {
  return Object.fromEntries(bounds.map((row) => [row.name, row.default]));
}
