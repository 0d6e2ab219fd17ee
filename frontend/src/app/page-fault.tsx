import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { useCallback, useEffect } from "react";
import { isRetryable } from "@/shared/api/problem";
import { ProblemAlert } from "@/shared/ui/query-states";
import { AGAIN_MS } from "./healing";

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
