/** What the pages do while the server cannot be reached: a banner, and retries. */
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { Alert } from "antd";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { isRetryable } from "@/shared/api/problem";
import { formatDuration } from "@/shared/i18n/format";
import { useLanguage } from "@/shared/i18n/language";
import { useLinkState } from "@/shared/live/live";
import { useNow } from "@/shared/ui/time";

const PATIENCE_MS = 4_000;

/** A banner while there is no live connection, with the age of the data. */
export function ConnectionBanner() {
  const isOpen = useLinkState() === "open";
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    if (isOpen) {
      setLost(false);
      return undefined;
    }
    const timer = setTimeout(() => setLost(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isOpen]);
  return isLost ? <LostBanner /> : null;
}

function LostBanner() {
  const { t } = useTranslation("app");
  const language = useLanguage();
  const client = useQueryClient();
  const now = useNow();
  const newest = Math.max(
    ...client
      .getQueryCache()
      .getAll()
      .map((q) => q.state.dataUpdatedAt),
  );
  const age = formatDuration((now.getTime() - newest) / 1000, language);
  return <Alert banner type="warning" role="status" title={t("connectionLost", { age })} />;
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
