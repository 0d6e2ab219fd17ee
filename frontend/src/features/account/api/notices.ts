/** Where notices reach the reader, beside the inbox. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { NoticeChoice, NoticeChoiceInput } from "@/shared/api/types";

const CHOICE = ["notice-choice"] as const;

export function useNoticeChoice() {
  return useQuery({
    queryKey: CHOICE,
    queryFn: () => unwrap(api.GET("/api/v1/me/notices")),
  });
}

export function useChooseMails() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NoticeChoiceInput) => unwrap(api.PUT("/api/v1/me/notices", { body })),
    onSuccess: (choice: NoticeChoice) => client.setQueryData(CHOICE, choice),
  });
}
