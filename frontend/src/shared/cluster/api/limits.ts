/** Limits of groups that forms keep to. */
import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { GroupLimit } from "@/shared/api/types";
import { useListChanges } from "@/shared/live/live";

export const groupLimitsKey = ["group-limits"] as const;
export const PRIORITIES = ["low", "normal", "high"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** What one member of each of my groups may have at a time. */
export function useGroupLimits(enabled = true) {
  useListChanges(enabled ? ["group"] : [], [groupLimitsKey]);
  return useQuery({
    enabled,
    queryKey: groupLimitsKey,
    queryFn: () => unwrap(api.GET("/api/v1/group-limits")),
  });
}

/** The priorities that I may give in a group, by id or name; a present one stays offered. */
export function usePriorities(
  group: string | undefined,
  enabled = true,
): (present?: Priority) => Priority[] {
  const limits = useGroupLimits(enabled).data;
  const most = limits?.find((row) => isOf(row, group))?.my_priority_max ?? "high";
  return (present) =>
    PRIORITIES.filter(
      (name) => name === present || PRIORITIES.indexOf(name) <= PRIORITIES.indexOf(most),
    );
}

function isOf({ group }: GroupLimit, wanted: string | undefined): boolean {
  return group.id === wanted || group.name === wanted;
}
