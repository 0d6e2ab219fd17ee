/** What a person has done here already, asked for once the page is there. */
import { useQuery } from "@tanstack/react-query";
import { type ComponentType, Suspense, useEffect, useState } from "react";
import { api, unwrap } from "@/shared/api/client";
import type { FirstSteps } from "@/shared/api/types";
import { workloadKeys } from "@/shared/workload/api/workloads";

const KEY = "berth.welcome";

interface NewcomerProps {
  /** The list of them, loaded for those who have steps left. */
  List: ComponentType<{ taken: FirstSteps; onHide: () => void }>;
  afterMs: number;
}

/** One request in a browser where they are not hidden; hidden for good once all of them are taken. */
export function Newcomer({ List, afterMs }: NewcomerProps) {
  const [isHidden, setHidden] = useState(() => localStorage.getItem(KEY) === "hidden");
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), afterMs);
    return () => clearTimeout(timer);
  }, [afterMs]);
  const taken = useFirstSteps(isDue && !isHidden);
  const isOver = isHidden || (taken !== undefined && Object.values(taken).every(Boolean));
  useEffect(() => {
    if (isOver) localStorage.setItem(KEY, "hidden");
  }, [isOver]);
  if (isOver || !taken) return null;
  return (
    <Suspense>
      <List taken={taken} onHide={() => setHidden(true)} />
    </Suspense>
  );
}

/** Fetched again when work begins. */
function useFirstSteps(enabled: boolean): FirstSteps | undefined {
  return useQuery({
    enabled,
    queryKey: [...workloadKeys.lists, "first-steps"],
    queryFn: () => unwrap(api.GET("/api/v1/first-steps")),
  }).data;
}
