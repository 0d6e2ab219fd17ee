/** What an act was done to and what it wrote down, in the words and units of the pages. */
import type { AuditEvent } from "@/shared/api/types";
import { useGroups, usePools } from "@/shared/cluster/api/cluster";
import { formatAmount } from "@/shared/cluster/model/quotas";
import {
  formatBytes,
  formatDuration,
  formatMemory,
  formatMilli,
  formatMoment,
  formatMoney,
} from "@/shared/i18n/format";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { formatWindow, type WeekSpan } from "@/shared/i18n/week";
import styles from "./audit.module.css";

interface Detail {
  /** The names down to the value, as the act wrote them: `lending`, `bound_s`. */
  path: readonly string[];
  /** What it was, where the act changed it. */
  before?: unknown;
  after: unknown;
}

type Values = Record<string, unknown>;

/**
 * What an act wrote down, a line for each value, however deep it stands. Acts write changes as `before`
 * and `after` with all values in each, or for each value; what is the same in both is left out, as is
 * what nobody set.
 */
export function detailsOf(params: Values): Detail[] {
  const { before, after, ...others } = params;
  const single = Object.entries(others)
    .filter(([name]) => !UNSAID.includes(name))
    .flatMap(([name, value]) => {
      const both = valuesOf(value);
      return "before" in both && "after" in both
        ? changesIn([name], both.before, both.after)
        : changesIn([name], undefined, value).map(({ path, after }) => ({ path, after }));
    });
  return [...changesIn([], before, after), ...single];
}

function changesIn(path: string[], before: unknown, after: unknown): Detail[] {
  const [old, given] = [valuesOf(before), valuesOf(after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(given)])];
  if (names.length > 0) {
    return names.flatMap((name) => changesIn([...path, name], old[name], given[name]));
  }
  const [was, is] = [leafOf(before), leafOf(after)];
  return JSON.stringify(was) === JSON.stringify(is) ? [] : [{ path, before: was, after: is }];
}

/** The value; what is empty nobody set. */
function leafOf(value: unknown): unknown {
  return ['""', "null", "{}", "[]"].includes(JSON.stringify(value)) ? undefined : value;
}

function valuesOf(value: unknown): Values {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Values)
    : {};
}

/** What changed, from what to what, and everything else that the act wrote down. */
export function Details({ params }: { params: AuditEvent["params"] }) {
  const { t } = useTranslation("audit");
  const { named, said } = useParamWords();
  const lines = detailsOf(params);
  if (lines.length === 0) return null;
  return (
    <details className={styles.second}>
      <summary>{t("details")}</summary>
      <dl className={styles.details}>
        {lines.map(({ path, after, ...was }) => {
          const name = path.at(-1) ?? "change";
          return (
            <div key={path.join("/")}>
              <dt>{(path.length > 0 ? path : [name]).map(named).join(" · ")}</dt>
              <dd className="mono">
                {"before" in was && (
                  <>
                    <del>{said(name, was.before, params)}</del>
                    <span aria-hidden> → </span>
                  </>
                )}
                {said(name, after, params)}
              </dd>
            </div>
          );
        })}
      </dl>
    </details>
  );
}

/** What the target is called stands above the details: acts keep it, because the thing may be gone. */
const TITLES = ["name", "title"];
/** Those, and how the threshold beside it is written. */
const UNSAID = [...TITLES, "unit"];
/** By what else a thing is known, the best first. */
const KNOWN_BY = [...TITLES, "host", "username", "subject", "rule", "node", "model"];
/** What belongs to a group and has no name of its own. */
const SCOPE = ["user", "resource", "model", "pool"];
const OF_GROUP = ["quota", "budget", "member_limit", "group", "image_retention"];

/** What people call the thing; null where only its id is known. */
export function useTargetName(): (event: AuditEvent) => string | null {
  const coded = useCodedText();
  const titled = useTitles();
  const { said } = useParamWords();
  const ofGroup = (title: string, params: AuditEvent["params"]) =>
    [
      title,
      ...SCOPE.filter((name) => params[name]).map((name) => said(name, params[name], params)),
    ].join(" · ");
  return ({ params, object_type, object_id, group_id }) => {
    const group = OF_GROUP.includes(object_type) ? titled(group_id ?? "") : null;
    if (group) return ofGroup(group, params);
    const known = KNOWN_BY.find((name) => params[name]);
    if (known) return said(known, params[known], params);
    return titled(object_id) ?? coded(`audit:target.${params.scenario ? "story" : object_type}`);
  };
}

/** The titles of groups and pools, by id or name. */
function useTitles(): (key: string) => string | null {
  const language = useLanguage();
  const [groups, pools] = [useGroups().data ?? [], usePools().data ?? []];
  return (key) => {
    const found = [...pools, ...groups].find(({ id, name }) => id === key || name === key);
    return found ? titleOf(found, language) : null;
  };
}

/** Where other pages have the words for the codes of a value; what has none is shown as it is. */
const CODES: Record<string, readonly string[]> = {
  access: ["sharing:access"],
  act: ["alarms:act"],
  alarm_act: ["alarms:act"],
  alarm_kind: ["alarms:kind"],
  audience: ["alarms:audience"],
  cause: ["workload:cause"],
  channel_kind: ["channels:kinds"],
  code: ["api:problem"],
  fault: ["nodes:cardFault"],
  from: ["cluster:nodeState"],
  kind: ["approvals:kind", "templates:kind"],
  locked: ["audit:param", "submission:template.field"],
  lost_as: ["nodes:lostAs"],
  outcome: ["audit:value.code", "api:problem"],
  period: ["quotas:budget.per"],
  platform_role: ["people:platformRole"],
  priority: ["workload:priority"],
  purpose: ["pools:purpose"],
  required: ["audit:param", "submission:template.field"],
  resource: ["cluster:quota.resource"],
  role: ["people:role"],
  rule: ["alarms:kind"],
  scopes: ["tokens:scope"],
  severity: ["alarms:severity"],
  state: ["workload:state", "cluster:nodeState", "nodes:cardState"],
  weight: ["cluster:quota.weight"],
  writers: ["volumes:writer"],
};
const PLACES = ["pool", "group", "groups", "from", "to", "owner", "to_pools", "fall_back"];
const MONEY = ["money", "hourly"];
const LIMITED = ["guarantee", "deserved", "ceiling", "user_ceiling"];
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** Where the word for a name is, on the page where its value is set if it has none here. */
const WORDS: readonly ((name: string) => string)[] = [
  (name) => `audit:param.${name}`,
  (name) => `policy:knob.${name}.title`,
  (name) => `policy:section.${name}`,
  (name) => `site:field.${name}.title`,
  (name) => `submission:template.field.${name}`,
];

type Said = (name: string, value: unknown, beside: Values) => string;

/** What a parameter is called, and its value; `beside` it stand the others, such as its resource. */
function useParamWords(): { named: (name: string) => string; said: Said } {
  const language = useLanguage();
  const { t } = useTranslation("audit");
  const coded = useCodedText();
  const titled = useTitles();
  const named = (name: string) =>
    WORDS.map((word) => coded(word(name))).find(Boolean) ??
    titled(name) ??
    name.replaceAll("_", " ");
  const worded = (name: string, value: string) => {
    const ways = [...(CODES[name] ?? []), `policy:choice.${name}`].map((way) => `${way}.${value}`);
    const found = [`audit:value.${name}.${value}`, ...ways].map((way) => coded(way)).find(Boolean);
    if (found) return found;
    if (MOMENT.test(value)) return formatMoment(new Date(value), language);
    return (PLACES.includes(name) && titled(value)) || value;
  };
  const said: Said = (name, value, beside) => {
    if (name === "windows") return windowed(value);
    switch (typeof value) {
      case "boolean":
        return t(value ? "yes" : "no");
      case "number":
        return measured(name, value, beside, language);
      case "string":
        return moneyText(name, value, beside, language) ?? (worded(name, value) || "–");
      default:
        return partsOf(name, value, beside) || "–";
    }
  };
  const windowed = (value: unknown) =>
    ((value ?? []) as WeekSpan[]).map((span) => formatWindow(span, language)).join(", ") ||
    coded("policy:wholeWeek") ||
    "–";
  const partsOf = (name: string, value: unknown, beside: Values): string => {
    if (Array.isArray(value)) {
      const isOfThings = value.some((one) => typeof one === "object");
      return value.map((one) => said(name, one, beside)).join(isOfThings ? "; " : ", ");
    }
    const values = valuesOf(value);
    return Object.entries(values)
      .filter(([, one]) => leafOf(one) !== undefined)
      .map(([key, one]) => `${named(key)} ${said(key, one, { ...beside, ...values })}`)
      .join(", ");
  };
  return { named, said };
}

const MINUTE_S = 60;
const DAY_S = 86_400;
/** How a number is written, by the unit that its name says. */
const MEASURES: readonly [RegExp, (value: number, language: string) => string][] = [
  [/_mib(_max)?$/, formatMemory],
  [/(^|_)bytes$/, formatBytes],
  [/_milli$/, formatMilli],
  [/_s(_max)?$|^seconds$/, formatDuration],
  [/_min(utes)?$/, (value, language) => formatDuration(value * MINUTE_S, language)],
  [/_days$/, (value, language) => formatDuration(value * DAY_S, language)],
  [/_(pct|percent)$/, (value) => `${value} %`],
  [/_celsius$/, (value) => `${value} °C`],
  // Minutes of the site's day.
  [/^quiet_/, (value) => new Date(value * MINUTE_S * 1000).toISOString().slice(11, 16)],
];

/** A number in the unit that its name says, or that of the resource or the threshold beside it. */
function measured(name: string, value: number, beside: Values, language: string): string {
  const { resource, unit } = beside;
  if (LIMITED.includes(name) && typeof resource === "string") {
    return formatAmount(resource, value, language);
  }
  const full = name === "threshold" ? `${name}_${unit}` : name;
  const write = MEASURES.find(([ending]) => ending.test(full))?.[1] ?? String;
  return write(value, language);
}

/** Money in the currency beside it; null is none. */
function moneyText(name: string, value: string, { currency }: Values, language: string) {
  if (!MONEY.includes(name) || typeof currency !== "string" || !currency) return null;
  return formatMoney(Number(value), currency, language);
}
