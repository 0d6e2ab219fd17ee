/** The tabs of a job's page, as its address names them. */
export const JOB_TABS = ["log", "metrics", "outputs", "usage", "events", "details"] as const;
export type JobTab = (typeof JOB_TABS)[number];

export function readJobTab(value: unknown): { tab?: JobTab } {
  const tab = JOB_TABS.find((name) => name === value);
  return tab ? { tab } : {};
}

/** What the address of the form names: a job to submit again, a notebook to go on from, outputs to read. */
export interface JobOrigin {
  template?: string;
  from?: string;
  notebook?: string;
  /** A file of the home that the job shall run. */
  file?: string;
  outputs?: string;
}

export function readJobOrigin(search: Record<string, unknown>): JobOrigin {
  const names = ["template", "from", "notebook", "file", "outputs"] as const;
  return Object.fromEntries(
    names.flatMap((name) => (typeof search[name] === "string" ? [[name, search[name]]] : [])),
  );
}
