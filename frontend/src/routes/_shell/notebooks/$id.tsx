import { createFileRoute } from "@tanstack/react-router";
import { EntityPage } from "@/app/faults";
import { ImageSavePanel } from "@/features/images/components/image-save-panel";
import { useNotebook } from "@/features/notebooks/api/notebooks";
import { NotebookPage } from "@/features/notebooks/components/notebook-page";
import { readStartSearch, type StartFrom } from "@/features/notebooks/model/notebook";
import { useWorkloadUpdates } from "@/shared/workload/api/workloads";

export const Route = createFileRoute("/_shell/notebooks/$id")({
  // Read by the page itself: what stands here is loaded with the first page of everybody.
  validateSearch: (search) => search as { start?: StartFrom },
  component: NotebookRoute,
});

function NotebookRoute() {
  const { id } = Route.useParams();
  const { start } = readStartSearch(Route.useSearch());
  const notebook = useNotebook(id);
  useWorkloadUpdates(id);
  return (
    <EntityPage query={notebook}>
      {(notebook) => (
        <NotebookPage
          notebook={notebook}
          start={start}
          imageSave={<ImageSavePanel notebook={notebook} />}
        />
      )}
    </EntityPage>
  );
}
