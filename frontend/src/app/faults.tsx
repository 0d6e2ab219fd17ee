/** What stands in for a page that does not exist or could not be shown. */
import { type ErrorComponentProps, Link, useRouter } from "@tanstack/react-router";
import { type ReactNode, useCallback, useEffect } from "react";
import { isCodeMissing, isRetryable, problemOf } from "@/shared/api/problem";
import { useTranslation } from "@/shared/i18n/language";
import { hasNewBuild } from "@/shared/ui/opening";
import { PageTitle } from "@/shared/ui/page";
import { EmptyState, ProblemAlert, QueryBoundary, type QueryLike } from "@/shared/ui/query-states";
import { AGAIN_MS } from "./connection";

/**
 * For code that cannot be loaded the router would load the whole page again, once, even where there is no
 * network and the browser shows a page of its own. `PageFault` asks first whether there is a new build.
 */
window.addEventListener("vite:preloadError", ({ payload }) =>
  sessionStorage.setItem(`tanstack_router_reload:${payload.message}`, "done"),
);

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

interface EntityPageProps<Data> {
  query: QueryLike<Data>;
  children: (data: Data) => ReactNode;
}

/** The page of one entity: it loads, does not exist, could not be loaded, or is there. */
export function EntityPage<Data>({ query, children }: EntityPageProps<Data>) {
  const isMissing = query.error !== null && problemOf(query.error).status === 404;
  if (query.data === undefined && isMissing) return <NotFoundPage />;
  return (
    <QueryBoundary query={query} rows={8}>
      {children}
    </QueryBoundary>
  );
}

/** Stands in for a page that could not be shown; asks again by itself where that may help. */
export function PageFault({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = useCallback(async () => {
    if (isCodeMissing(error) && (await hasNewBuild())) return location.reload();
    reset();
    void router.invalidate();
  }, [error, reset, router]);
  useEffect(() => {
    if (!isRetryable(error)) return undefined;
    const timer = setInterval(() => void retry(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [error, retry]);
  return <ProblemAlert error={error} onRetry={() => void retry()} />;
}
