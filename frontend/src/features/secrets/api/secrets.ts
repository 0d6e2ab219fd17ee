import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { SecretInput } from "@/shared/api/types";
import { SECRETS } from "@/shared/cluster/api/credentials";

/** Store a secret, or replace the value of the one with this id. */
export function useSaveSecret(id: string | undefined) {
  return useSecretMutation(({ value, ...body }: SecretInput) =>
    id === undefined
      ? unwrap(api.POST("/api/v1/secrets", { body: { ...body, value } }))
      : unwrap(
          api.PUT("/api/v1/secrets/{secret_id}", {
            params: { path: { secret_id: id } },
            body: { value },
          }),
        ),
  );
}

interface Deletion {
  id: string;
  /** Also while work that may start again names it. */
  force: boolean;
}

export function useDeleteSecret() {
  return useSecretMutation(({ id, force }: Deletion) =>
    unwrap(
      api.DELETE("/api/v1/secrets/{secret_id}", {
        params: { path: { secret_id: id }, query: force ? { force } : {} },
      }),
    ),
  );
}

function useSecretMutation<Input, Answer>(mutationFn: (input: Input) => Promise<Answer>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () => client.invalidateQueries({ queryKey: SECRETS }),
  });
}
