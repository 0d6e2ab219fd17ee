import type { WorkloadDetail } from "@/shared/api/types";
import { Age } from "@/shared/ui/time";
import { stateSince } from "../model/states";
import { StateTag } from "./state-tag";

/** State, age and owner: the line under a workload's name. */
export function StateLine({ workload }: { workload: WorkloadDetail }) {
  const { state, owner } = workload;
  return (
    <>
      <span aria-live="polite">
        <StateTag state={state} testId="workload-state" />
      </span>
      <Age at={stateSince(workload)} />
      <span>{owner.display_name || owner.username}</span>
    </>
  );
}
