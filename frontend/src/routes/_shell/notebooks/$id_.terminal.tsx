import { createFileRoute } from "@tanstack/react-router";
import { EntityPage } from "@/app/faults";
import { useNotebook } from "@/features/notebooks/api/notebooks";
import { TerminalPage } from "@/features/terminal/components/terminal-page";
import { useWorkloadUpdates } from "@/shared/workload/api/workloads";

export const Route = createFileRoute("/_shell/notebooks/$id_/terminal")({
  component: NotebookTerminal,
});

function NotebookTerminal() {
  const { id } = Route.useParams();
  const notebook = useNotebook(id);
  useWorkloadUpdates(id);
  return (
    <EntityPage query={notebook}>{(notebook) => <TerminalPage workload={notebook} />}</EntityPage>
  );
}
