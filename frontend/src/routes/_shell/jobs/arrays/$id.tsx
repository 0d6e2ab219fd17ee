import { createFileRoute } from "@tanstack/react-router";
import { EntityPage } from "@/app/faults";
import { SweepAppButton } from "@/features/apps/components/app-buttons";
import { useJobArray } from "@/features/jobs/api/jobs";
import { ArrayPage } from "@/features/jobs/components/array-page";

export const Route = createFileRoute("/_shell/jobs/arrays/$id")({ component: ArrayRoute });

function ArrayRoute() {
  const { id } = Route.useParams();
  return (
    <EntityPage query={useJobArray(id)}>
      {(array) => <ArrayPage array={array} apps={<SweepAppButton array={array} />} />}
    </EntityPage>
  );
}
