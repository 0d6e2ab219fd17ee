/** What the pages do while the server cannot be reached: a banner, and retries. */
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { Alert } from "antd";
import { use, useEffect } from "react";
import { isRetryable } from "@/shared/api/problem";
import { formatDuration } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { LiveContext, useIsLost, useLinkState } from "@/shared/live/live";
import { meQuery } from "@/shared/session/me";
import { useNow } from "@/shared/ui/time";

/** A banner while there is no live connection, with the age of the data if there are any. */
export function ConnectionBanner() {
  return useIsLost() ? <LostBanner /> : null;
}

function LostBanner() {
  const { t } = useTranslation("app");
  const language = useLanguage();
  const client = useQueryClient();
  const now = useNow();
  const queries = client.getQueryCache().getAll();
  const newest = Math.max(...queries.map(({ state }) => state.dataUpdatedAt));
  const age = formatDuration((now.getTime() - newest) / 1000, language);
  // What is still loading has no age: the list itself says that it waits for the connection.
  const isLoading = queries.some((query) => query.isActive() && query.state.status === "pending");
  const title = isLoading ? t("connectionLostLoading") : t("connectionLost", { age });
  return <Alert banner type="warning" role="status" title={title} />;
}

export const AGAIN_MS = 5_000;

/** Fetch again whatever failed because of the network or the server, without a click. */
export function useRefetchFailed(): void {
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

/** Ask who is signed in when the server refuses the live connection: another tab may have signed out. */
export function useSessionCheck(): void {
  const socket = use(LiveContext);
  const client = useQueryClient();
  const isRefused = useLinkState() === "refused";
  useEffect(() => {
    if (!isRefused) return;
    const goOn = async () => {
      const me = await client.fetchQuery({ ...meQuery, staleTime: 0 });
      if (!me) return;
      // Somebody has signed in again meanwhile, perhaps somebody else.
      socket.check();
      await client.invalidateQueries();
    };
    // Without an answer, `useRefetchFailed` asks again.
    goOn().catch(() => {});
  }, [isRefused, client, socket]);
}
