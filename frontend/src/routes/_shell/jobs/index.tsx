import { createFileRoute, Link } from "@tanstack/react-router";
import { CancelArrayButton, CancelButton } from "@/features/jobs/components/queue-actions";
import { hasEnded } from "@/features/jobs/model/start";
import { JOB } from "@/shared/api/kinds.gen";
import type { Workload } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { useCanSubmit, useChosenGroup, useMe } from "@/shared/session/me";
import { canStop } from "@/shared/session/roles";
import { ReceivedShares } from "@/shared/sharing/components/sharing";
import { LinkButton, PageHeader } from "@/shared/ui/page";
import { EmptyState } from "@/shared/ui/query-states";
import { ListFilters } from "@/shared/workload/components/workload-filters";
import { WorkloadList } from "@/shared/workload/components/workload-list";
import { isStoppable } from "@/shared/workload/model/lifecycle";
import {
  filtersOf,
  isFiltered,
  type ListSearch,
  readListSearch,
} from "@/shared/workload/model/list-search";

const BULK = ["cancel", "hold", "release", "requeue", "remove"] as const;

export const Route = createFileRoute("/_shell/jobs/")({
  // Read by the page itself: what stands here is loaded with the first page of everybody.
  validateSearch: (search) => search as ListSearch,
  component: JobsPage,
});

/** Ends a job, or all tasks of the array for which a row stands; null where nothing is left. */
function cancelButton({ id, name, state, array }: Workload) {
  if (array)
    return hasEnded(array.states) ? null : <CancelArrayButton arrayId={array.id} name={name} />;
  return isStoppable(state) ? <CancelButton jobId={id} name={name} /> : null;
}

function JobsPage() {
  const { t } = useTranslation(["jobs", "workload"]);
  const me = useMe();
  const group = useChosenGroup();
  const search = readListSearch(Route.useSearch());
  const navigate = Route.useNavigate();
  const submit = useCanSubmit() && <LinkButton to="/jobs/new">{t("submit")}</LinkButton>;
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} actions={submit} />
      <ReceivedShares kind={JOB.kind} />
      <ListFilters
        search={search}
        group={group}
        onChange={(next) => void navigate({ search: (old) => ({ ...old, ...next }) })}
      />
      <WorkloadList
        id="jobs"
        views="jobs"
        bulk={BULK}
        label={t("title")}
        filters={filtersOf(JOB.kind, search, group)}
        action={(job) => canStop(me, job) && cancelButton(job)}
        empty={
          isFiltered(search) ? (
            <EmptyState
              title={t("emptyFiltered.title")}
              text={t("emptyFiltered.text")}
              action={<Link to="/jobs">{t("workload:filter.clear")}</Link>}
            />
          ) : (
            <EmptyState title={t("empty.title")} text={t("empty.text")} action={submit} />
          )
        }
      />
    </>
  );
}
