/** The tabs of a job's page, as its address names them. */
export const JOB_TABS = ["log", "outputs", "usage", "events", "details"] as const;
export type JobTab = (typeof JOB_TABS)[number];

export function readJobTab(value: unknown): { tab?: JobTab } {
  const tab = JOB_TABS.find((name) => name === value);
  return tab ? { tab } : {};
}
