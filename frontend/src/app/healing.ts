/** What failed because of the network or the server is asked for again, without anybody's click. */
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { isRetryable } from "@/shared/api/problem";

export const AGAIN_MS = 5_000;

/** Ask again for everything on the page that could not be had. */
export function useHealing(): void {
  const client = useQueryClient();
  useEffect(() => {
    const timer = setInterval(() => heal(client), AGAIN_MS);
    return () => clearInterval(timer);
  }, [client]);
}

function heal(client: QueryClient): void {
  void client.refetchQueries({
    type: "active",
    predicate: ({ state }) => state.status === "error" && isRetryable(state.error),
  });
}
