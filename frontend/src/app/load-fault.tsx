import { problemOf } from "@/shared/api/problem";
import { ProblemAlert } from "@/shared/ui/query-states";
import { NotFoundPage } from "./not-found-page";

/** Stands in for a thing that could not be loaded: it does not exist, or something failed. */
export function LoadFault({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (problemOf(error).status === 404) return <NotFoundPage />;
  return <ProblemAlert error={error} onRetry={onRetry} />;
}
