import { createFileRoute } from "@tanstack/react-router";
import { EntityPage } from "@/app/faults";
import { useEnvironment } from "@/features/environments/api/environments";
import { TerminalPage } from "@/features/terminal/components/terminal-page";
import { useWorkloadUpdates } from "@/shared/workload/api/workloads";

export const Route = createFileRoute("/_shell/notebooks/$id_/terminal")({
  component: NotebookTerminal,
});

function NotebookTerminal() {
  const { id } = Route.useParams();
  const environment = useEnvironment(id);
  useWorkloadUpdates(id);
  return (
    <EntityPage query={environment}>
      {(environment) => <TerminalPage workload={environment} kind="environments" />}
    </EntityPage>
  );
}
