import { createFileRoute } from "@tanstack/react-router";
import { EntityPage } from "@/app/faults";
import { StartAppButtons } from "@/features/apps/components/app-buttons";
import { useJobArray } from "@/features/jobs/api/jobs";
import { ArrayPage } from "@/features/jobs/components/array-page";
import type { JobArray } from "@/shared/api/types";
import { useMe } from "@/shared/session/me";

export const Route = createFileRoute("/_shell/jobs/arrays/$id")({ component: ArrayRoute });

function ArrayRoute() {
  const { id } = Route.useParams();
  return (
    <EntityPage query={useJobArray(id)}>
      {(array) => <ArrayPage array={array} apps={<SweepApps array={array} />} />}
    </EntityPage>
  );
}

/** Optuna on the folder in which the tasks of an array search together; it is in its owner's home. */
function SweepApps({ array: { id, owner, group } }: { array: JobArray }) {
  if (useMe().id !== owner.id) return null;
  const of = { home: true, group: group.id, path: `sweeps/${id}` };
  return <StartAppButtons of={of} only="optuna-dashboard" />;
}
