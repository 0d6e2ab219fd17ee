/** Directories of the organisation: how people come in, and what their groups mean here. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type {
  DirectoryChange,
  DirectoryInput,
  DirectoryRule,
  DirectoryToken,
} from "@/shared/api/types";
import { useListChanges } from "@/shared/live/live";
import { sessionKeys } from "@/shared/session/me";

const GROUPS_SHOWN = 200;

const directoryKeys = {
  all: ["directories"] as const,
  list: ["directories", "list"] as const,
  groups: (id: string) => ["directories", "groups", id] as const,
};

export function useDirectories() {
  useListChanges(["directory"], [directoryKeys.all]);
  return useQuery({
    queryKey: directoryKeys.list,
    queryFn: () => unwrap(api.GET("/api/v1/directories")),
    select: (page) => page.results,
  });
}

/** Names of the groups that a directory has reported, to choose from. */
export function useExternalGroups(id: string) {
  return useQuery({
    queryKey: directoryKeys.groups(id),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/directories/{directory_id}/external-groups", {
          params: { path: { directory_id: id }, query: { page_size: GROUPS_SHOWN } },
        }),
      ),
    select: (page) => page.results,
  });
}

function useDirectoryMutation<Input, Answer>(
  mutationFn: (input: Input) => Promise<Answer>,
  onDone?: (answer: Answer) => void,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: (answer) => {
      onDone?.(answer);
      // Ways to sign in are part of the configuration that the page of sign-in shows.
      const affected = [directoryKeys.all, sessionKeys.config];
      return Promise.all(affected.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
}

const pathOf = (id: string) => ({ params: { path: { directory_id: id } } });

export type DirectoryBody = DirectoryInput & DirectoryChange;

/** Add a directory, or change the one with this id, whose name stays. */
export function useSaveDirectory(id: string | undefined) {
  return useDirectoryMutation(({ name, version, ...body }: DirectoryBody) =>
    id === undefined
      ? unwrap(api.POST("/api/v1/directories", { body: { ...body, name } }))
      : changeDirectory(id, { ...body, ...(version !== undefined && { version }) }),
  );
}

/** Put rules in force; people follow within two minutes. */
export function useSaveRules(id: string) {
  return useDirectoryMutation(({ rules, version }: RulesBody) =>
    changeDirectory(id, { rules, ...(version !== undefined && { version }) }),
  );
}

export interface RulesBody {
  rules: DirectoryRule[];
  version?: number;
}

function changeDirectory(id: string, body: DirectoryChange) {
  return unwrap(api.PATCH("/api/v1/directories/{directory_id}", { ...pathOf(id), body }));
}

/** Who would gain and lose what; nothing is changed. */
export function useTryRules(id: string) {
  return useMutation({
    mutationFn: (rules: DirectoryRule[]) =>
      unwrap(
        api.POST("/api/v1/directories/{directory_id}/plan", { ...pathOf(id), body: { rules } }),
      ),
  });
}

export function useRemoveDirectory() {
  return useDirectoryMutation((id: string) =>
    unwrap(api.DELETE("/api/v1/directories/{directory_id}", pathOf(id))),
  );
}

/** The answer is the only one that holds the token. */
export function useIssueToken(id: string, onIssued: (issued: DirectoryToken) => void) {
  return useDirectoryMutation(
    () => unwrap(api.POST("/api/v1/directories/{directory_id}/token", pathOf(id))),
    onIssued,
  );
}

export function useRevokeScimToken(id: string) {
  return useDirectoryMutation(() =>
    unwrap(api.DELETE("/api/v1/directories/{directory_id}/token", pathOf(id))),
  );
}

/** Have a directory read at once by LDAP, however many have left. */
export function useSyncDirectory(id: string) {
  return useDirectoryMutation((accepts_leavers: boolean) =>
    unwrap(
      api.POST("/api/v1/directories/{directory_id}/sync", {
        ...pathOf(id),
        body: { accepts_leavers },
      }),
    ),
  );
}
