/** Who is signed in. `null` means no session; pages below the shell always have one. */
import { queryOptions, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { use } from "react";
import { api, unwrap } from "@/shared/api/client";
import { problemOf } from "@/shared/api/problem";
import type { Config, GroupRef, Me } from "@/shared/api/types";
import { adoptClock } from "@/shared/i18n/clock";

export const sessionKeys = {
  me: ["session", "me"] as const,
  config: ["session", "config"] as const,
};

const SUBMITTING_ROLES = ["group_admin", "developer"];

export const meQuery = queryOptions({
  queryKey: sessionKeys.me,
  queryFn: async (): Promise<Me | null> => {
    try {
      const me = await unwrap(api.GET("/api/v1/me"));
      if (me.hours) adoptClock(me.time_zone, me.hours);
      return me;
    } catch (error) {
      const { status } = problemOf(error);
      if (status === 401 || status === 403) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

export function useMaybeMe(): Me | null | undefined {
  return useQuery(meQuery).data;
}

const NEVER = new Promise<never>(() => {});

/** Once the session is over, what asks this waits for the shell to take it away. */
export function useMe(): Me {
  const { data } = useSuspenseQuery(meQuery);
  return data ?? use(NEVER);
}

export const configQuery = queryOptions({
  queryKey: sessionKeys.config,
  queryFn: () => unwrap(api.GET("/api/v1/config")),
  staleTime: Number.POSITIVE_INFINITY,
});

export function useConfig(): Config | undefined {
  return useQuery(configQuery).data;
}

/** Folders of containers, and the variables that name them to work without one. */
const PLACES = {
  "/home/berth": "$HOME",
  "/volumes": "$BERTH_VOLUMES_DIR",
  "/data": "$BERTH_DATA_DIR",
  "/inputs": "$BERTH_INPUTS_DIR",
};

/** Where work finds what a container has at a path. */
export function usePlaceOf(): (path: string) => string {
  const isIsolated = useConfig()?.is_isolated ?? true;
  return (path) => {
    if (isIsolated) return path;
    const [place, variable] =
      Object.entries(PLACES).find(([each]) => `${path}/`.startsWith(`${each}/`)) ?? [];
    return place === undefined ? path : `${variable}${path.slice(place.length)}`;
  };
}

/** The groups in which this person may submit work. */
export function submittableGroups(me: Me): GroupRef[] {
  return me.memberships
    .filter((membership) => SUBMITTING_ROLES.includes(membership.role))
    .map((membership) => membership.group);
}

/** Whether there is any group in which this person may submit work. */
export function useCanSubmit(): boolean {
  return submittableGroups(useMe()).length > 0;
}

/** The id of the group in the address, or null for all of mine. */
export function useChosenGroup(): string | null {
  const search: { group?: string } = useSearch({ strict: false });
  return search.group ?? null;
}
