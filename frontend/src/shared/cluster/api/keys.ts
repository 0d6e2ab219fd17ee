export const clusterKeys = {
  pools: ["cluster", "pools"] as const,
  nodes: ["cluster", "nodes"] as const,
  images: ["cluster", "images"] as const,
  quotas: (groupId: string | null) => ["cluster", "quotas", groupId] as const,
  allQuotas: ["cluster", "quotas"] as const,
};
