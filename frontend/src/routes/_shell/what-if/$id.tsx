import { createFileRoute } from "@tanstack/react-router";
import { EntityPage } from "@/app/faults";
import { useStudy } from "@/features/studies/api/studies";
import { StoryFindings } from "@/features/studies/components/story";
import { StudyPage } from "@/features/studies/components/study-page";
import { useClusterWeeks } from "@/features/usage/api/usage";
import { ClusterWeeks } from "@/features/usage/components/cluster-weeks";
import { lastFullWeek, STORY } from "@/features/usage/model/usage";
import type { Story } from "@/shared/api/types";

export const Route = createFileRoute("/_shell/what-if/$id")({ component: StudyRoute });

function StudyRoute() {
  const { id } = Route.useParams();
  const study = useStudy(id);
  return (
    <EntityPage query={study}>
      {(study) => <StudyPage study={study} tell={(story) => <StoryBesideOurs story={story} />} />}
    </EntityPage>
  );
}

/** The story with this cluster's own figures. */
function StoryBesideOurs({ story }: { story: Story }) {
  const own = lastFullWeek(useClusterWeeks().data ?? []);
  return <StoryFindings story={story} told={STORY} own={own} weeks={<ClusterWeeks />} />;
}
