import { useMutation, useQueryClient } from "@tanstack/react-query";
import { clusterKeys } from "@/shared/cluster/api/cluster";
import { sessionKeys } from "@/shared/session/me";

export const peopleKeys = {
  all: ["people"] as const,
  list: (search: string) => ["people", "list", search] as const,
};

/** Whatever changes people, groups or members shows in all three, and maybe in what I may do. */
const TOUCHED = [peopleKeys.all, clusterKeys.groups, sessionKeys.me];

export function useChanging<Input, Answer>(
  mutationFn: (input: Input) => Promise<Answer>,
  onChanged?: (answer: Answer) => void,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: (answer) => {
      onChanged?.(answer);
      return Promise.all(TOUCHED.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
}
