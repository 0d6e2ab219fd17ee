export const clusterKeys = {
  pools: ["cluster", "pools"] as const,
  nodes: ["cluster", "nodes"] as const,
  images: ["cluster", "images"] as const,
  datasets: (groupId: string) => ["cluster", "datasets", groupId] as const,
  quotas: (groupId: string | null) => ["cluster", "quotas", groupId] as const,
  groups: ["cluster", "groups"] as const,
  queue: (poolId: string) => ["cluster", "pools", poolId, "queue"] as const,
  policy: (poolId: string) => ["cluster", "pools", poolId, "policy"] as const,
  budgets: ["cluster", "budgets"] as const,
  groupLimits: ["cluster", "group-limits"] as const,
  allQuotas: ["cluster", "quotas"] as const,
};
