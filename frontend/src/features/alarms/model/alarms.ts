/** Words, units, forms and filters of alarms. Pure. */
import type { Alarm, AlarmKindTerms, AlarmRule, AlarmRuleInput } from "@/shared/api/types";
import { formatDuration, formatNumber } from "@/shared/i18n/format";

export type AlarmUnit = AlarmKindTerms["unit"];

const UNIT_OF: Record<Alarm["rule"]["kind"], AlarmUnit> = {
  gpu_idle: "percent",
  gpu_hot: "celsius",
  gpu_fault: "none",
  node_silent: "none",
  work_waiting: "minutes",
  quota_near: "percent",
  budget_near: "percent",
  time_limit_near: "minutes",
  disk_near_full: "percent",
  volume_near_full: "percent",
  work_held: "none",
};
const SYMBOLS: Record<AlarmUnit, string> = { none: "", percent: "%", celsius: "°C", minutes: "" };

/** What stands behind a number; minutes are a word of the language. */
export function symbolOf(unit: AlarmUnit, language: string): string {
  if (unit !== "minutes") return SYMBOLS[unit];
  const format = new Intl.NumberFormat(language, { style: "unit", unit: "minute" });
  return format.formatToParts(2).find(({ type }) => type === "unit")?.value ?? "";
}

/** A threshold or a value with its unit: `88 °C`, `12 h`. */
export function formatValue(value: number, unit: AlarmUnit, language: string): string {
  if (unit === "minutes") return formatDuration(60 * value, language);
  return `${formatNumber(value, language, 0)} ${symbolOf(unit, language)}`.trim();
}

/** The value of an alarm with its unit; empty where its condition has no number. */
export function valueText(
  { rule, value }: { rule: Pick<Alarm["rule"], "kind">; value: number },
  language: string,
): string {
  const unit = UNIT_OF[rule.kind];
  return unit === "none" ? "" : formatValue(value, unit, language);
}

/** The number in a code such as `xid_79`. */
export function xidOf(detail: string): string | undefined {
  return /^xid_(\d+)$/.exec(detail)?.[1];
}

/** What the address remembers of the list, and what the server is asked with. */
export interface AlarmQuery {
  state: Alarm["state"];
  severity?: AlarmRule["severity"] | undefined;
  kind?: AlarmRule["kind"] | undefined;
  /** The id of a group. */
  group?: string | undefined;
  /** Part of the name of what it is about. */
  subject?: string | undefined;
  is_acknowledged?: false | undefined;
}

export const ALARM_SEVERITIES = ["info", "warning", "critical"] as const;
export const ALARM_KINDS = Object.keys(UNIT_OF) as AlarmRule["kind"][];
export const SUBJECT_MAX = 100;

/** The filters of an address; only what fires can wait for somebody who acknowledges it. */
export function readAlarmQuery(state: Alarm["state"], search: Record<string, unknown>): AlarmQuery {
  const { severity, kind, group, subject, open } = search;
  return {
    state,
    severity: ALARM_SEVERITIES.find((each) => each === severity),
    kind: ALARM_KINDS.find((each) => each === kind),
    group: typeof group === "string" && group ? group : undefined,
    subject: typeof subject === "string" && subject ? subject.slice(0, SUBJECT_MAX) : undefined,
    is_acknowledged: state === "firing" && open === true ? false : undefined,
  };
}

export function isAlarmFiltered({ state: _, ...filters }: AlarmQuery): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

export const SEVERITY_COLOURS: Record<AlarmRule["severity"], string> = {
  info: "default",
  warning: "warning",
  critical: "error",
};

export interface RuleFields {
  kind: AlarmRule["kind"];
  name?: string;
  severity: AlarmRule["severity"];
  threshold?: number;
  minutes: number;
  pool?: string;
  group?: string;
  quiet_from?: string;
  quiet_until?: string;
  audience?: AlarmRule["audience"];
  channels?: string[];
  act?: AlarmRule["act"];
  tag?: string;
}

/** A rule as its form holds it. */
export function fieldsOf(rule: AlarmRule): RuleFields {
  return {
    kind: rule.kind,
    name: rule.name,
    severity: rule.severity,
    threshold: rule.threshold,
    minutes: rule.duration_s / 60,
    ...(rule.pool && { pool: rule.pool.id }),
    ...(rule.group && { group: rule.group.id }),
    ...(rule.quiet_from !== null && { quiet_from: dayClock(rule.quiet_from) }),
    ...(rule.quiet_until !== null && { quiet_until: dayClock(rule.quiet_until) }),
    audience: rule.audience,
    channels: rule.channels.map(({ id }) => id),
    act: rule.act,
    tag: rule.tag,
  };
}

/** What a new rule of a kind begins with. */
export function ruleDefaults(terms: AlarmKindTerms): RuleFields {
  return {
    kind: terms.kind,
    severity: terms.severity,
    threshold: terms.threshold,
    minutes: terms.duration_s / 60,
    audience: terms.audience,
    act: "",
  };
}

/** What admins of a group make rules of: its work and limits, without the platform's staff in them. */
export function termsOfGroup(kinds: readonly AlarmKindTerms[]): AlarmKindTerms[] {
  return kinds
    .filter(({ has_group }) => has_group)
    .map((terms) => {
      const within = terms.audience.filter((who) => who !== "staff");
      return { ...terms, audience: within.length > 0 ? within : ["group_admins"] };
    });
}

/** As the server takes it, `portal.workloads.tags.TAG_PATTERN`. */
export const TAG = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,31}$/u;

/** The request that a filled form stands for; what a kind does not have is not sent. */
export function ruleBody(fields: RuleFields, terms: AlarmKindTerms): AlarmRuleInput {
  const name = fields.name?.trim();
  return {
    kind: fields.kind,
    ...(name && { name }),
    severity: fields.severity,
    threshold: fields.threshold ?? terms.threshold,
    duration_s: Math.round(fields.minutes * 60),
    pool: (terms.has_pool && fields.pool) || null,
    group: (terms.has_group && fields.group) || null,
    quiet_from: dayMinute(fields.quiet_from),
    quiet_until: dayMinute(fields.quiet_until),
    audience: (fields.audience ?? []).filter((who) => terms.has_group || who === "staff"),
    channels: fields.channels ?? [],
    ...actOf(fields, terms),
  };
}

function actOf({ act, tag }: RuleFields, terms: AlarmKindTerms) {
  if (!act || !terms.acts.includes(act)) return { act: "" as const, tag: "" };
  return { act, tag: act === "tag_work" ? (tag ?? "").trim() : "" };
}

/** Minute of the day as a clock shows it: `1350` → `22:30`. */
export function dayClock(minute: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

export function dayMinute(clock: string | undefined): number | null {
  if (!clock) return null;
  const [hours = 0, minutes = 0] = clock.split(":").map(Number);
  return 60 * hours + minutes;
}
