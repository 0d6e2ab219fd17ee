/** Alarms that concern the reader, and the rules, silences and channels behind them. */
import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { api, nextCursor, unwrap } from "@/shared/api/client";
import type {
  AlarmChannelChange,
  AlarmChannelInput,
  AlarmRuleInput,
  AlarmSilenceInput,
} from "@/shared/api/types";
import { FILE_PAGE, known, loadPages } from "@/shared/lists/api/pages";
import { useFallbackInterval, useTopics } from "@/shared/live/live";
import type { AlarmQuery } from "../model/alarms";

const ALARMS = ["alarms"] as const;
const TOPIC = "alarms";

/** Alarms that somebody looks for, newest first, page by page. */
export function useAlarms(filters: AlarmQuery) {
  useTopics([TOPIC], [ALARMS]);
  return useInfiniteQuery({
    queryKey: [...ALARMS, "list", filters],
    queryFn: ({ pageParam }) => loadAlarms({ ...filters, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: useFallbackInterval(),
    select: ({ pages }) => pages.flatMap((page) => page.results),
  });
}

/** All of them for a file, as far as it goes. */
export function loadAllAlarms(filters: AlarmQuery) {
  return loadPages((cursor) => loadAlarms({ ...filters, page_size: FILE_PAGE, cursor }));
}

function loadAlarms(query: AlarmQuery & { cursor: string | undefined; page_size?: number }) {
  return unwrap(api.GET("/api/v1/alarms", { params: { query: known(query) } }));
}

/** What has happened to alarms is read again. */
export function useAlarmsAgain() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ALARMS });
}

export function useAlarmRules() {
  useTopics([TOPIC], [ALARMS]);
  return useQuery({
    queryKey: [...ALARMS, "rules"],
    queryFn: () => unwrap(api.GET("/api/v1/alarm-rules")),
  });
}

export function useAlarmSilences() {
  useTopics([TOPIC], [ALARMS]);
  return useQuery({
    queryKey: [...ALARMS, "silences"],
    queryFn: () => unwrap(api.GET("/api/v1/alarm-silences")),
  });
}

export function useAlarmChannels(enabled = true) {
  useTopics([TOPIC], [ALARMS]);
  return useQuery({
    enabled,
    queryKey: [...ALARMS, "channels"],
    queryFn: () => unwrap(api.GET("/api/v1/alarm-channels")),
  });
}

export function useAcknowledge(id: string) {
  return useAlarmMutation((body: { comment: string }) => acknowledge(id, body));
}

export function acknowledge(id: string, body: { comment: string }) {
  return unwrap(
    api.POST("/api/v1/alarms/{alarm_id}/acknowledge", {
      params: { path: { alarm_id: id } },
      body,
    }),
  );
}

/** Add a rule, or change the one with this id; the kind of a rule stays. */
export function useSaveRule(id: string | undefined) {
  return useAlarmMutation(({ kind, ...changes }: AlarmRuleInput) =>
    id === undefined
      ? unwrap(api.POST("/api/v1/alarm-rules", { body: { kind, ...changes } }))
      : unwrap(
          api.PATCH("/api/v1/alarm-rules/{rule_id}", {
            params: { path: { rule_id: id } },
            body: changes,
          }),
        ),
  );
}

export function useSwitchRule() {
  return useAlarmMutation(({ id, enabled }: { id: string; enabled: boolean }) =>
    unwrap(
      api.PATCH("/api/v1/alarm-rules/{rule_id}", {
        params: { path: { rule_id: id } },
        body: { enabled },
      }),
    ),
  );
}

export function useRemoveRule() {
  return useAlarmMutation((id: string) =>
    unwrap(api.DELETE("/api/v1/alarm-rules/{rule_id}", { params: { path: { rule_id: id } } })),
  );
}

/** What a rule would find; nothing is saved. */
export function useTryRule() {
  return useMutation({
    mutationFn: (body: AlarmRuleInput) => unwrap(api.POST("/api/v1/alarm-rules/trial", { body })),
  });
}

export function useSilence() {
  return useAlarmMutation((body: AlarmSilenceInput) =>
    unwrap(api.POST("/api/v1/alarm-silences", { body })),
  );
}

export function useEndSilence() {
  return useAlarmMutation((id: string) =>
    unwrap(
      api.DELETE("/api/v1/alarm-silences/{silence_id}", { params: { path: { silence_id: id } } }),
    ),
  );
}

export function useAddChannel() {
  return useAlarmMutation((body: AlarmChannelInput) =>
    unwrap(api.POST("/api/v1/alarm-channels", { body })),
  );
}

export function useChangeChannel() {
  return useAlarmMutation(({ id, ...body }: AlarmChannelChange & { id: string }) =>
    unwrap(
      api.PATCH("/api/v1/alarm-channels/{channel_id}", {
        params: { path: { channel_id: id } },
        body,
      }),
    ),
  );
}

export function useRemoveChannel() {
  return useAlarmMutation((id: string) =>
    unwrap(
      api.DELETE("/api/v1/alarm-channels/{channel_id}", { params: { path: { channel_id: id } } }),
    ),
  );
}

export function useTestChannel() {
  return useAlarmMutation((id: string) =>
    unwrap(
      api.POST("/api/v1/alarm-channels/{channel_id}/test", {
        params: { path: { channel_id: id } },
      }),
    ),
  );
}

function useAlarmMutation<Input, Answer>(mutationFn: (input: Input) => Promise<Answer>) {
  return useMutation({ mutationFn, onSettled: useAlarmsAgain() });
}
