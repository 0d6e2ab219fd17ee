/** People, groups and who belongs to which: what changes one of them shows in all three. */

import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { api, nextCursor, unwrap } from "@/shared/api/client";
import type {
  Group,
  GroupInput,
  Me,
  MemberInput,
  PersonChange,
  PersonInput,
  PersonPassword,
} from "@/shared/api/types";
import { clusterKeys } from "@/shared/cluster/api/cluster";
import { FILE_PAGE, loadPages } from "@/shared/lists/api/pages";
import { useListChanges } from "@/shared/live/live";
import { sessionKeys } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";

/** The empty role is the normal one: only what memberships give. */
export const PLATFORM_ROLES = ["", "auditor", "operator", "platform_admin"] as const;
export const GROUP_ROLES = ["viewer", "developer", "group_admin"] as const;
export type PlatformRole = (typeof PLATFORM_ROLES)[number];
export type GroupRole = (typeof GROUP_ROLES)[number];

/** Names that the server takes. */
export const USERNAME = /^[a-z0-9][a-z0-9._-]{0,31}$/;
export const GROUP_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** May add members to this group, change and remove them. */
export function canManageMembers(me: Me, group: Group): boolean {
  return isPlatformAdmin(me) || group.role === "group_admin";
}

const peopleKeys = {
  all: ["people"] as const,
  list: (query: object) => ["people", "list", query] as const,
  use: (groupId: string) => ["people", "use", groupId] as const,
};

/** A change of people, groups or members shows in all three, and maybe in my own permissions. */
const AFFECTED = [peopleKeys.all, clusterKeys.groups, sessionKeys.me];

function usePeopleMutation<Input, Answer>(
  mutationFn: (input: Input) => Promise<Answer>,
  onChanged?: (answer: Answer) => void,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: (answer) => {
      onChanged?.(answer);
      return Promise.all(AFFECTED.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
}

const PAGE_SIZE = 50;

export interface PeopleQuery {
  search?: string;
  ordering?: "username" | "-username";
}

/** People whose names hold the searched text, page by page. */
export function usePeople(query: PeopleQuery) {
  useListChanges(["user", "group"], [peopleKeys.all]);
  return useInfiniteQuery({
    queryKey: peopleKeys.list(query),
    queryFn: ({ pageParam }) => loadPeople(query, PAGE_SIZE, pageParam),
    initialPageParam: "",
    getNextPageParam: nextCursor,
    placeholderData: keepPreviousData,
    select: ({ pages }) => pages.flatMap((page) => page.results),
  });
}

function loadPeople(query: PeopleQuery, pageSize: number, cursor: string | undefined) {
  return unwrap(
    api.GET("/api/v1/users", {
      params: { query: { ...query, page_size: pageSize, ...(cursor && { cursor }) } },
    }),
  );
}

/** All of them for a file, as far as it goes. */
export function loadAllPeople(query: PeopleQuery) {
  return loadPages((cursor) => loadPeople(query, FILE_PAGE, cursor));
}

/** Add a person, whose password only `onAdded` receives, or change the one with this id. */
export function useSavePerson(id: string | undefined, onAdded: (person: PersonPassword) => void) {
  return usePeopleMutation(async ({ username, ...body }: PersonInput) => {
    if (id !== undefined) await changePerson(id, body);
    else onAdded(await unwrap(api.POST("/api/v1/users", { body: { username, ...body } })));
  });
}

/** Let a person sign in, or no longer. */
export function useActivatePerson(id: string) {
  return usePeopleMutation((is_active: boolean) => changePerson(id, { is_active }));
}

function changePerson(id: string, body: PersonChange) {
  return unwrap(api.PATCH("/api/v1/users/{user_id}", { params: { path: { user_id: id } }, body }));
}

/** The answer is the only one that holds the password. */
export function useRenewPassword(id: string, onRenewed: (person: PersonPassword) => void) {
  return usePeopleMutation(
    () =>
      unwrap(api.POST("/api/v1/users/{user_id}/password", { params: { path: { user_id: id } } })),
    onRenewed,
  );
}

/** Let a person who lost phone and recovery codes sign in with the password alone. */
export function useRemoveSecondFactors(id: string) {
  return usePeopleMutation(() =>
    unwrap(
      api.DELETE("/api/v1/users/{user_id}/second-factors", { params: { path: { user_id: id } } }),
    ),
  );
}

/** Add a group below its parent, or rename the one with this id. */
export function useSaveGroup(id: string | undefined) {
  return usePeopleMutation((body: GroupInput) =>
    id === undefined
      ? unwrap(api.POST("/api/v1/groups", { body }))
      : unwrap(
          api.PATCH("/api/v1/groups/{group_id}", {
            params: { path: { group_id: id } },
            body: { title_en: body.title_en, title_zh: body.title_zh },
          }),
        ),
  );
}

export function useRemoveGroup() {
  return usePeopleMutation((id: string) =>
    unwrap(api.DELETE("/api/v1/groups/{group_id}", { params: { path: { group_id: id } } })),
  );
}

/** What each member held of late and when each signed in last, for those who look after the group. */
export function useMemberUse(groupId: string, enabled: boolean) {
  useListChanges(enabled ? ["usage"] : [], [peopleKeys.use(groupId)]);
  return useQuery({
    enabled,
    queryKey: peopleKeys.use(groupId),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/usage/groups/{group_id}/members", {
          params: { path: { group_id: groupId } },
        }),
      ),
    select: (rows) => new Map(rows.map((row) => [row.user, row])),
  });
}

export function useAddMember(groupId: string) {
  return usePeopleMutation((body: MemberInput) =>
    unwrap(
      api.POST("/api/v1/groups/{group_id}/members", {
        params: { path: { group_id: groupId } },
        body,
      }),
    ),
  );
}

export function useChangeMember(groupId: string, userId: string) {
  return usePeopleMutation((role: GroupRole) =>
    unwrap(
      api.PATCH("/api/v1/groups/{group_id}/members/{user_id}", {
        params: { path: { group_id: groupId, user_id: userId } },
        body: { role },
      }),
    ),
  );
}

export function useRemoveMember(groupId: string) {
  return usePeopleMutation((userId: string) =>
    unwrap(
      api.DELETE("/api/v1/groups/{group_id}/members/{user_id}", {
        params: { path: { group_id: groupId, user_id: userId } },
      }),
    ),
  );
}
