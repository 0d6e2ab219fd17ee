/** What stands in for a page that does not exist or could not be shown. */
import { type ErrorComponentProps, Link, useRouter } from "@tanstack/react-router";
import { useCallback, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { isRetryable, problemOf } from "@/shared/api/problem";
import { PageTitle } from "@/shared/ui/page";
import { EmptyState, ProblemAlert } from "@/shared/ui/query-states";
import { AGAIN_MS } from "./connection";

export function NotFoundPage() {
  const { t } = useTranslation("app");
  return (
    <>
      <PageTitle text={t("notFound.title")} />
      <EmptyState
        isPage
        title={t("notFound.title")}
        text={t("notFound.text")}
        action={<Link to="/">{t("notFound.home")}</Link>}
      />
    </>
  );
}

/** Stands in for a thing that could not be loaded: it does not exist, or something failed. */
export function LoadFault({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (problemOf(error).status === 404) return <NotFoundPage />;
  return <ProblemAlert error={error} onRetry={onRetry} />;
}

/** Stands in for a page that could not be shown; asks again by itself where that may help. */
export function PageFault({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = useCallback(() => {
    reset();
    void router.invalidate();
  }, [reset, router]);
  useEffect(() => {
    if (!isRetryable(error)) return undefined;
    const timer = setInterval(retry, AGAIN_MS);
    return () => clearInterval(timer);
  }, [error, retry]);
  return <ProblemAlert error={error} onRetry={retry} />;
}
