import { createFileRoute } from "@tanstack/react-router";
import { EntityPage } from "@/app/faults";
import { useEnvironment } from "@/features/environments/api/environments";
import { EnvironmentPage } from "@/features/environments/components/environment-page";
import { readStartSearch, type StartFrom } from "@/features/environments/model/environment";
import { ImageSavePanel } from "@/features/images/components/image-save-panel";
import { useWorkloadUpdates } from "@/shared/workload/api/workloads";

export const Route = createFileRoute("/_shell/notebooks/$id")({
  // Read by the page itself: what stands here is loaded with the first page of everybody.
  validateSearch: (search) => search as { start?: StartFrom },
  component: NotebookPage,
});

function NotebookPage() {
  const { id } = Route.useParams();
  const { start } = readStartSearch(Route.useSearch());
  const environment = useEnvironment(id);
  useWorkloadUpdates(id);
  return (
    <EntityPage query={environment}>
      {(environment) => (
        <EnvironmentPage
          environment={environment}
          start={start}
          imageSave={<ImageSavePanel environment={environment} />}
        />
      )}
    </EntityPage>
  );
}
