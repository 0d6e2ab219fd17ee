import { createFileRoute } from "@tanstack/react-router";
import { LoadFault } from "@/app/faults";
import { useStudy } from "@/features/studies/api/studies";
import { StudyPage as Study } from "@/features/studies/components/study-page";
import { Loading } from "@/shared/ui/query-states";

export const Route = createFileRoute("/_shell/what-if/$id")({ component: StudyPage });

function StudyPage() {
  const { id } = Route.useParams();
  const study = useStudy(id);
  if (study.data) return <Study study={study.data} />;
  if (study.isPending) return <Loading rows={8} />;
  return <LoadFault error={study.error} onRetry={() => void study.refetch()} />;
}
