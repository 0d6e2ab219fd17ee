/** What a person has done here already, where there is nothing else to show. */
import { useQuery } from "@tanstack/react-query";
import { type ComponentType, type ReactNode, Suspense, useEffect, useState } from "react";
import { api, unwrap } from "@/shared/api/client";
import type { FirstSteps } from "@/shared/api/types";
import { Loading } from "@/shared/ui/query-states";
import { workloadKeys } from "@/shared/workload/api/workloads";

const KEY = "berth.welcome";

interface NewcomerProps {
  /** The list of them, loaded for those who have steps left. */
  List: ComponentType<{ taken: FirstSteps; onHide: () => void }>;
  /** What stands in their place for everybody else. */
  children: ReactNode;
}

/** One request in a browser where they are not hidden; hidden for good once all of them are taken. */
export function Newcomer({ List, children }: NewcomerProps) {
  const [isHidden, setHidden] = useState(() => localStorage.getItem(KEY) === "hidden");
  const { data: taken, isError } = useFirstSteps(!isHidden);
  const isOver = isHidden || (taken !== undefined && Object.values(taken).every(Boolean));
  useEffect(() => {
    if (isOver) localStorage.setItem(KEY, "hidden");
  }, [isOver]);
  if (isOver || isError) return children;
  if (!taken) return <Loading rows={3} />;
  return (
    <Suspense fallback={<Loading rows={3} />}>
      <List taken={taken} onHide={() => setHidden(true)} />
    </Suspense>
  );
}

/** Fetched again when work begins. */
function useFirstSteps(enabled: boolean) {
  return useQuery({
    enabled,
    queryKey: [...workloadKeys.lists, "first-steps"],
    queryFn: () => unwrap(api.GET("/api/v1/first-steps")),
  });
}
