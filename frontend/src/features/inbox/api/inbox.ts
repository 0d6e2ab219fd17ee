/** What the reader was notified of. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { useFallbackInterval, useTopics } from "@/shared/live/live";
import { useMe } from "@/shared/session/me";

const INBOX = ["inbox"] as const;

export function useInbox() {
  const me = useMe();
  useTopics([`user:${me.id}`], [INBOX]);
  return useQuery({
    queryKey: INBOX,
    queryFn: () => unwrap(api.GET("/api/v1/inbox")),
    refetchInterval: useFallbackInterval(),
  });
}

/** Mark notices as read, up to the one with this id. */
export function useMarkRead() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (until: string) => unwrap(api.POST("/api/v1/inbox", { body: { until } })),
    onSuccess: (inbox) => client.setQueryData(INBOX, inbox),
  });
}
