/** The part of the page of usage that its address remembers. Pure. */
export const USAGE_PERIODS = ["month", "lastMonth", "week", "days30", "days90", "year"] as const;
export type UsagePeriod = (typeof USAGE_PERIODS)[number];
export const GROUPINGS = ["group", "user", "model", "pool", "kind", "outcome"] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface UsageSearch {
  period?: UsagePeriod;
  by?: Grouping;
  group?: string;
  user?: string;
}

export interface ReportSearch {
  month?: string;
  group?: string;
}

const ID = /^[0-9a-f-]{36}$/;

export function readUsageSearch(search: Record<string, unknown>): UsageSearch {
  const { period, by, group, user } = search;
  return {
    ...(isOneOf(USAGE_PERIODS, period) && { period }),
    ...(isOneOf(GROUPINGS, by) && { by }),
    ...(typeof group === "string" && ID.test(group) && { group }),
    ...(typeof user === "string" && ID.test(user) && { user }),
  };
}

const MONTH = /^20\d\d-(?:0[1-9]|1[0-2])$/;

export function readReportSearch({ month, group }: Record<string, unknown>): ReportSearch {
  return {
    ...(typeof month === "string" && MONTH.test(month) && { month }),
    ...(typeof group === "string" && ID.test(group) && { group }),
  };
}

function isOneOf<Word extends string>(words: readonly Word[], word: unknown): word is Word {
  return words.includes(word as Word);
}
