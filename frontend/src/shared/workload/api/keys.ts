/** Keys of everything about workloads. Lists and details are separate, so that rings stay cheap. */
export const workloadKeys = {
  lists: ["workloads", "list"] as const,
  list: (filters: object) => ["workloads", "list", filters] as const,
  one: (id: string) => ["workloads", "one", id] as const,
  detail: (id: string) => ["workloads", "one", id, "detail"] as const,
  events: (id: string) => ["workloads", "one", id, "events"] as const,
  /** Apart from the rings of the work: it is dear and changes slowly. */
  advice: (id: string, state: string) => ["workloads", "advice", id, state] as const,
  outputs: (id: string) => ["workloads", "one", id, "outputs"] as const,
  dryRun: (draft: object) => ["workloads", "dry-run", draft] as const,
};
