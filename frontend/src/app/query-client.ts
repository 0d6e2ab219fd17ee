import { QueryCache, QueryClient } from "@tanstack/react-query";
import { isRetryable, problemOf } from "@/shared/api/problem";
import { sessionKeys } from "@/shared/session/me";

const RETRIES_MAX = 2;

/** Server state for the whole page; a 401 anywhere means that the session is over. */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (problemOf(error).status === 401) client.setQueryData(sessionKeys.me, null);
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) => failures < RETRIES_MAX && isRetryable(error),
      },
    },
  });
  return client;
}
