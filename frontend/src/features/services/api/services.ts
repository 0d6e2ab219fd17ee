/** Services: lists, one of them, its replicas, revisions and steps, and what is done with it. */
import {
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useState } from "react";
import { api, nextCursor, unwrap } from "@/shared/api/client";
import type { ServiceChange, ServiceDetail, ServiceInput, ServiceScale } from "@/shared/api/types";
import { IdempotencyKeys } from "@/shared/submission/model/submission";
import { liveFirst } from "../model/service";

export const serviceKeys = {
  lists: ["services", "list"] as const,
  list: (filters: object) => ["services", "list", filters] as const,
  one: (id: string) => ["services", "one", id] as const,
  detail: (id: string) => ["services", "one", id, "detail"] as const,
  part: (id: string, part: "replicas" | "ended" | "revisions" | "steps" | "keys") =>
    ["services", "one", id, part] as const,
};

export interface ServiceListQuery {
  group?: string;
  mine?: boolean;
  state?: "running" | "stopped";
  search?: string;
}

/** Load changes without a word of the server: what shows it asks again by itself. */
const LOAD_MS = 5_000;
const PAGE_SIZE = 50;

/** Services that this person may see, newest first, page by page. */
export function useServices(filters: ServiceListQuery) {
  return useInfiniteQuery({
    queryKey: serviceKeys.list(filters),
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET("/api/v1/services", {
          params: {
            query: { ...filters, page_size: PAGE_SIZE, ...(pageParam && { cursor: pageParam }) },
          },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: LOAD_MS,
    select: ({ pages }) => pages.flatMap((page) => page.results),
  });
}

export function useService(id: string) {
  return useQuery({
    queryKey: serviceKeys.detail(id),
    queryFn: () => unwrap(api.GET("/api/v1/services/{service_id}", { params: pathOf(id) })),
    refetchInterval: LOAD_MS,
  });
}

/** Its replicas that have not ended, those first that answer. */
export function useReplicas(id: string) {
  return useQuery({
    queryKey: serviceKeys.part(id, "replicas"),
    queryFn: () => askReplicas(id, false),
    select: liveFirst,
    refetchInterval: LOAD_MS,
  });
}

/** Its last replicas that have ended, newest first, once somebody asks for them. */
export function useEndedReplicas(id: string, isAsked: boolean) {
  return useQuery({
    queryKey: serviceKeys.part(id, "ended"),
    queryFn: () => askReplicas(id, true),
    refetchInterval: LOAD_MS,
    enabled: isAsked,
  });
}

async function askReplicas(id: string, ended: boolean) {
  const params = { ...pathOf(id), query: { ended } };
  const answer = await unwrap(api.GET("/api/v1/services/{service_id}/replicas", { params }));
  return answer.results;
}

/** Why it has how many replicas, newest first. */
export function useSteps(id: string) {
  return useQuery({
    queryKey: serviceKeys.part(id, "steps"),
    queryFn: () => unwrap(api.GET("/api/v1/services/{service_id}/steps", { params: pathOf(id) })),
    select: ({ results }) => results,
    refetchInterval: LOAD_MS,
  });
}

/** What its replicas run and ran, newest first. */
export function useRevisions(id: string) {
  return useQuery({
    queryKey: serviceKeys.part(id, "revisions"),
    queryFn: () =>
      unwrap(api.GET("/api/v1/services/{service_id}/revisions", { params: pathOf(id) })),
    select: ({ results }) => results,
    refetchInterval: LOAD_MS,
  });
}

export type ServiceAction = "stop" | "start";

export function useServiceAction(id: string, action: ServiceAction) {
  return useServiceMutation(id, () =>
    unwrap(api.POST(`/api/v1/services/{service_id}/${action}`, { params: pathOf(id) })),
  );
}

/** Create a service, once for what the form holds, however often the button is pressed. */
export function useCreateService() {
  const client = useQueryClient();
  const [keys] = useState(() => new IdempotencyKeys());
  return useMutation({
    mutationFn: (body: ServiceInput) =>
      unwrap(
        api.POST("/api/v1/services", {
          body,
          params: { header: { "Idempotency-Key": keys.for(body) } },
        }),
      ),
    onSuccess: (service) => {
      client.setQueryData(serviceKeys.detail(service.id), service);
      return client.invalidateQueries({ queryKey: serviceKeys.lists });
    },
  });
}

/** How many replicas there may be, and how many are wanted now. */
export function useScaleService(id: string) {
  return useServiceMutation(id, (body: ServiceScale) =>
    unwrap(api.POST("/api/v1/services/{service_id}/scale", { params: pathOf(id), body })),
  );
}

/** Change what it promises and what its replicas run; the second is a new revision. */
export function useChangeService(id: string) {
  return useServiceMutation(id, (body: ServiceChange) =>
    unwrap(api.PATCH("/api/v1/services/{service_id}", { params: pathOf(id), body })),
  );
}

/** Serve with the revision of this number again. */
export function useRollBack(id: string) {
  return useServiceMutation(id, (revision: number) =>
    unwrap(
      api.POST("/api/v1/services/{service_id}/roll-back", {
        params: pathOf(id),
        body: { revision },
      }),
    ),
  );
}

/** Send a part of the requests, in percent, to a revision. */
export function useSetCanary(id: string, revision: number) {
  return useServiceMutation(id, ({ percent }: { percent: number }) =>
    unwrap(
      api.PUT("/api/v1/services/{service_id}/canary", {
        params: pathOf(id),
        body: { revision, percent },
      }),
    ),
  );
}

/** Serve with the canary alone, if it is taken, else without it. */
export function useEndCanary(id: string) {
  return useServiceMutation(id, (taken: boolean) =>
    unwrap(
      api.DELETE("/api/v1/services/{service_id}/canary", {
        params: { ...pathOf(id), query: { taken } },
      }),
    ),
  );
}

export function useDeleteService() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE("/api/v1/services/{service_id}", { params: pathOf(id) })),
    onSettled: () => client.invalidateQueries({ queryKey: serviceKeys.lists }),
  });
}

function useServiceMutation<Input>(
  id: string,
  mutationFn: (input: Input) => Promise<ServiceDetail>,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: (service) => client.setQueryData(serviceKeys.detail(id), service),
    onSettled: () => askAgain(client, id),
  });
}

function askAgain(client: QueryClient, id: string) {
  return Promise.all([
    client.invalidateQueries({ queryKey: serviceKeys.one(id) }),
    client.invalidateQueries({ queryKey: serviceKeys.lists }),
  ]);
}

function pathOf(id: string) {
  return { path: { service_id: id } };
}
