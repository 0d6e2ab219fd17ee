/** What the account keeps of its reader: where notices reach beside the inbox, and by which clock times are read. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type {
  ClockInput,
  NoticeChannelInput,
  NoticeChoice,
  NoticeChoiceInput,
} from "@/shared/api/types";
import { chooseClock } from "@/shared/i18n/clock";
import { useTopics } from "@/shared/live/live";
import { meQuery, useMe } from "@/shared/session/me";

const CHOICE = ["notice-choice"] as const;

export function useNoticeChoice() {
  const { id } = useMe();
  useTopics([`user:${id}`], [CHOICE]); // whether the channel took what it was sent
  return useQuery({
    queryKey: CHOICE,
    queryFn: () => unwrap(api.GET("/api/v1/me/notices")),
  });
}

export function useChooseNotices() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NoticeChoiceInput) => unwrap(api.PUT("/api/v1/me/notices", { body })),
    onSuccess: (choice: NoticeChoice) => client.setQueryData(CHOICE, choice),
  });
}

/** The answer has the secret of a webhook, which is shown this once. */
export function useSetNoticeChannel() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NoticeChannelInput) =>
      unwrap(api.PUT("/api/v1/me/notices/channel", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: CHOICE }),
  });
}

export function useRemoveNoticeChannel() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(api.DELETE("/api/v1/me/notices/channel")),
    onSuccess: () => client.invalidateQueries({ queryKey: CHOICE }),
  });
}

export function useTestNoticeChannel() {
  return useMutation({ mutationFn: () => unwrap(api.POST("/api/v1/me/notices/channel/test")) });
}

/** The clock is shown at once. */
export function useSaveClock() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: ClockInput) => unwrap(api.PUT("/api/v1/me/clock", { body })),
    onMutate: async (body) => {
      await client.cancelQueries(meQuery);
      client.setQueryData(meQuery.queryKey, (me) => me && { ...me, ...body });
      chooseClock(body.time_zone, body.hours);
    },
    onError: () => client.invalidateQueries(meQuery),
  });
}
