/** Sharing a notebook, a web app or the ports of a job with colleagues, and opening what they share. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { KINDS } from "@/shared/api/kinds.gen";
import type { AccessShareInput, Workload } from "@/shared/api/types";
import { useFallbackInterval } from "@/shared/live/live";
import { openInTab, workloadKeys } from "@/shared/workload/api/workloads";

type Shareable = Pick<Workload, "id" | "kind">;

const keyOf = ({ id }: Shareable) => [...workloadKeys.one(id), "shares"] as const;
/** Below `lists`: a notice to a person makes that person's pages fetch these again. */
const RECEIVED = workloadKeys.list({ shared: true });

/** Who may open it now. */
export function useShares(workload: Shareable, isWanted: boolean) {
  const params = { path: { workload_id: workload.id } };
  return useQuery({
    queryKey: keyOf(workload),
    queryFn: () =>
      unwrap(api.GET(`/api/v1/${KINDS[workload.kind].plural}/{workload_id}/shares`, { params })),
    enabled: isWanted,
  });
}

export function useShare(workload: Shareable) {
  const params = { path: { workload_id: workload.id } };
  return useChange(workload, (body: AccessShareInput) =>
    unwrap(
      api.POST(`/api/v1/${KINDS[workload.kind].plural}/{workload_id}/shares`, { params, body }),
    ),
  );
}

export function useEndShare(workload: Shareable) {
  return useChange(workload, (shareId: string) => {
    const params = { path: { workload_id: workload.id, share_id: shareId } };
    return unwrap(
      api.DELETE(`/api/v1/${KINDS[workload.kind].plural}/{workload_id}/shares/{share_id}`, {
        params,
      }),
    );
  });
}

function useChange<Input, Answer>(
  workload: Shareable,
  mutationFn: (input: Input) => Promise<Answer>,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () => client.invalidateQueries({ queryKey: keyOf(workload) }),
  });
}

/** What colleagues share with me now, the newest. */
export function useReceivedShares() {
  return useQuery({
    queryKey: RECEIVED,
    queryFn: () => unwrap(api.GET("/api/v1/access-shares")),
    select: (page) => page.results,
    refetchInterval: useFallbackInterval(),
  });
}

export function useLeaveShare() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (shareId: string) =>
      unwrap(
        api.DELETE("/api/v1/access-shares/{share_id}", { params: { path: { share_id: shareId } } }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: RECEIVED }),
  });
}

/** Open what is shared, or a port of it, in a new tab. */
export function useOpenShared(shareId: string) {
  const params = { path: { share_id: shareId } };
  return useMutation({
    mutationFn: (port?: number) =>
      openInTab(() =>
        unwrap(
          api.POST("/api/v1/access-shares/{share_id}/tickets", {
            params,
            body: port === undefined ? {} : { port },
          }),
        ),
      ),
  });
}
