import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { ProblemAlert } from "@/shared/ui/problem-alert";

/** Stands in for a page that could not be shown. */
export function PageFault({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return <ProblemAlert error={error} onRetry={retry} />;
}
