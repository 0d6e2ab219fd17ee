import { useMutation, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { api, unwrap } from "@/shared/api/client";
import { ProblemError, readProblem } from "@/shared/api/problem";
import { useFallbackInterval, useTopics } from "@/shared/live/live";
import { workloadKeys } from "@/shared/workload/api/workloads";
import {
  type FileSearch,
  type FolderLevel,
  folderTopic,
  PAGE_SIZE,
  withListed,
} from "../model/paths";

export const FILES = ["files"] as const;
const trashKey = (volume: string) => [...FILES, volume, "trashed"] as const;
/** Many files may change at once: their folder is fetched once in this time. */
const CHANGES_MS = 1_000;
/** How often a folder is fetched whose path is too long for a topic. */
const LONG_PATH_MS = 15_000;

/** My home; the first visit makes it. */
export function useHome(isWanted: boolean) {
  return useQuery({
    queryKey: [...FILES, "home"],
    queryFn: () => unwrap(api.POST("/api/v1/volumes/home")),
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** One page of a folder; it follows what others change there. */
export function useFolder(volume: string, search: FileSearch) {
  const { path = "", sort = "name", descending = false, page = 1, snapshot = "" } = search;
  const part = { offset: (page - 1) * PAGE_SIZE, limit: PAGE_SIZE };
  const query = { path, sort, descending, ...part, ...(snapshot && { snapshot }) };
  const queryKey = [...FILES, volume, "folder", query];
  const topic = snapshot ? null : folderTopic(volume, path);
  const fallback = useFallbackInterval();
  // What others delete here is in the trash then.
  useTopics(topic ? [topic] : [], [queryKey, trashKey(volume)], { pauseMs: CHANGES_MS });
  return useQuery({
    queryKey,
    refetchInterval: topic || snapshot ? fallback : LONG_PATH_MS,
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/volumes/{volume_id}/files", {
          params: { path: { volume_id: volume }, query },
        }),
      ),
  });
}

/** How old the folders of a folder may be that is opened again in a tree. */
const LEVEL_MS = 60_000;

interface OpenTree {
  volume: string;
  /** The folder that is shown. */
  path: string;
  snapshot: string | undefined;
  /** The folders that are open. */
  open: readonly string[];
  /** The folders in the one that is shown, where a list of it knows them all. */
  listed?: readonly string[] | undefined;
}

/** The folders in each open folder. Those along the path come in one answer, others one by one. */
export function useFolderTree({ volume, path, snapshot, open, listed }: OpenTree) {
  const client = useQueryClient();
  const keyOf = (folder: string) => [...FILES, volume, "folders", folder, snapshot];
  const read = (folder: string, along: boolean) => {
    const query = { path: folder, along, ...(snapshot && { snapshot }) };
    return unwrap(
      api.GET("/api/v1/volumes/{volume_id}/folders", {
        params: { path: { volume_id: volume }, query },
      }),
    );
  };
  const trail = useQuery({
    queryKey: [...FILES, volume, "trail", path, snapshot],
    queryFn: async () => {
      const levels = await read(path, true);
      for (const level of levels) client.setQueryData(keyOf(level.path), [level]);
      return levels.map((level) => level.path);
    },
  });
  const answers = useQueries({
    queries: open.map((folder) => ({
      queryKey: keyOf(folder),
      queryFn: () => read(folder, false),
      enabled: trail.isSuccess && !trail.data.includes(folder),
      staleTime: LEVEL_MS,
    })),
  });
  const found = answers.flatMap(({ data }) => data ?? []);
  const levels = new Map<string, FolderLevel>(found.map((level) => [level.path, level]));
  const shown = levels.get(path);
  useEffect(() => {
    const known = listed && shown && withListed(shown, listed);
    if (known) client.setQueryData<FolderLevel[]>(keyOf(path), [known]);
  });
  return levels;
}

/** One page of a folder of what a job left. */
export function useOutputs(jobId: string, path: string, page: number) {
  const query = { path, offset: (page - 1) * PAGE_SIZE, limit: PAGE_SIZE };
  return useQuery({
    queryKey: [...workloadKeys.outputs(jobId), query],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/jobs/{workload_id}/outputs", {
          params: { path: { workload_id: jobId }, query },
        }),
      ),
  });
}

/** The snapshots in which a volume may be looked at, the last first. */
export function useSnapshots(volume: string) {
  return useQuery({
    queryKey: [...FILES, volume, "snapshots"],
    queryFn: () => unwrap(api.GET("/api/v1/volumes/{volume_id}/snapshots", of(volume))),
  });
}

/** Puts a file or folder of a snapshot back; answers with its path now. */
export function useRestoreSnapshot(volume: string) {
  return useFileMutation(volume, (body: { snapshot: string; path: string }) =>
    unwrap(api.POST("/api/v1/volumes/{volume_id}/snapshots/restore", { ...of(volume), body })),
  );
}

export function useTrashedFiles(volume: string) {
  return useQuery({
    queryKey: trashKey(volume),
    queryFn: () => unwrap(api.GET("/api/v1/volumes/{volume_id}/files/trashed", of(volume))),
  });
}

/** How much a folder holds; counting takes some seconds. */
export function useFolderSize(volume: string, path: string, snapshot?: string) {
  return useQuery({
    queryKey: [...FILES, volume, "size", path, snapshot],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/volumes/{volume_id}/files/size", {
          params: { path: { volume_id: volume }, query: { path, ...(snapshot && { snapshot }) } },
        }),
      ),
  });
}

export function useCreateFolder(volume: string) {
  return useFileMutation(volume, (path: string) =>
    unwrap(api.POST("/api/v1/volumes/{volume_id}/folders", { ...of(volume), body: { path } })),
  );
}

export function useMoveFile(volume: string) {
  return useFileMutation(volume, (body: { path: string; to: string }) =>
    unwrap(api.POST("/api/v1/volumes/{volume_id}/files/move", { ...of(volume), body })),
  );
}

/** Moves into a folder of the volume; answers for each path. */
export function useMoveFiles(volume: string) {
  return useFileMutation(volume, (body: { paths: string[]; folder: string }) =>
    unwrap(api.POST("/api/v1/volumes/{volume_id}/files/move-into", { ...of(volume), body })),
  );
}

/** Puts into the trash; answers for each path. */
export function useTrashFiles(volume: string) {
  return useFileMutation(volume, (paths: string[]) =>
    unwrap(api.POST("/api/v1/volumes/{volume_id}/files/trash", { ...of(volume), body: { paths } })),
  );
}

export function useRestoreFiles(volume: string) {
  return useFileMutation(volume, (ids: string[]) =>
    unwrap(api.POST("/api/v1/volumes/{volume_id}/files/restore", { ...of(volume), body: { ids } })),
  );
}

/** Removes entries of the trash for good; without ids, all of them. */
export function useRemoveFiles(volume: string) {
  return useFileMutation(volume, (ids: string[]) =>
    unwrap(api.POST("/api/v1/volumes/{volume_id}/files/remove", { ...of(volume), body: { ids } })),
  );
}

export function contentAddress(volume: string, path: string, snapshot?: string): string {
  return `/api/v1/volumes/${volume}/content?${place(path, snapshot)}`;
}

export function archiveAddress(volume: string, path: string, snapshot?: string): string {
  return `/api/v1/volumes/${volume}/archive?${place(path, snapshot)}`;
}

/** Saves entries of a folder as one zip file, by a form: their names may be longer than an address. */
export function downloadEntries(address: string, names: readonly string[]): void {
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action: address, target: "_blank", rel: "noopener" });
  for (const value of names) {
    form.append(
      Object.assign(document.createElement("input"), { name: "name", value, type: "hidden" }),
    );
  }
  document.body.append(form);
  form.submit();
  form.remove();
}

export function outputAddress(jobId: string, path: string): string {
  return `/api/v1/jobs/${jobId}/outputs/${path.split("/").map(encodeURIComponent).join("/")}`;
}

export function outputsArchiveAddress(jobId: string, path: string): string {
  return `/api/v1/jobs/${jobId}/outputs-archive?${place(path)}`;
}

function place(path: string, snapshot?: string): string {
  const asked = `path=${encodeURIComponent(path)}`;
  return snapshot ? `${asked}&snapshot=${encodeURIComponent(snapshot)}` : asked;
}

/** The first bytes of a file, or all of them. */
export function useContent(address: string, most: number, version: string) {
  return useQuery({
    queryKey: [...FILES, "content", address, most, version],
    queryFn: async ({ signal }) => {
      const response = await fetch(address, {
        signal,
        headers: {
          "Accept-Language": document.documentElement.lang,
          Range: `bytes=0-${most - 1}`,
        },
      });
      // An empty file has no range.
      if (response.status === 416) return new Uint8Array();
      if (!response.ok) {
        const body: unknown = await response.json().catch(() => null);
        throw new ProblemError(readProblem(response.status, body, ""));
      }
      return new Uint8Array(await response.arrayBuffer());
    },
  });
}

function of(volume: string) {
  return { params: { path: { volume_id: volume } } };
}

function useFileMutation<Input, Answer>(
  volume: string,
  mutationFn: (input: Input) => Promise<Answer>,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () => client.invalidateQueries({ queryKey: [...FILES, volume] }),
  });
}
