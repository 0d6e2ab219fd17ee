import { createFileRoute } from "@tanstack/react-router";
import { EntityPage } from "@/app/faults";
import { useStudy } from "@/features/studies/api/studies";
import { StudyPage } from "@/features/studies/components/study-page";

export const Route = createFileRoute("/_shell/what-if/$id")({ component: StudyRoute });

function StudyRoute() {
  const { id } = Route.useParams();
  const study = useStudy(id);
  return <EntityPage query={study}>{(study) => <StudyPage study={study} />}</EntityPage>;
}
