import { createFileRoute, Link } from "@tanstack/react-router";
import { NOTEBOOK } from "@/shared/api/kinds.gen";
import { useTranslation } from "@/shared/i18n/language";
import { useCanSubmit, useChosenGroup, useMe } from "@/shared/session/me";
import { isMineToOpen } from "@/shared/session/roles";
import { ReceivedShares } from "@/shared/sharing/components/sharing";
import { LinkButton, PageHeader } from "@/shared/ui/page";
import { EmptyState } from "@/shared/ui/query-states";
import { OpenButton } from "@/shared/workload/components/open-button";
import { ListFilters } from "@/shared/workload/components/workload-filters";
import { WorkloadList } from "@/shared/workload/components/workload-list";
import {
  filtersOf,
  isFiltered,
  type ListSearch,
  readListSearch,
} from "@/shared/workload/model/list-search";

const BULK = ["stop", "start", "delete", "remove"] as const;

export const Route = createFileRoute("/_shell/notebooks/")({
  // Read by the page itself: what stands here is loaded with the first page of everybody.
  validateSearch: (search) => search as ListSearch,
  component: NotebooksPage,
});

function NotebooksPage() {
  const { t } = useTranslation(["notebooks", "workload"]);
  const me = useMe();
  const group = useChosenGroup();
  const search = readListSearch(Route.useSearch());
  const navigate = Route.useNavigate();
  const create = useCanSubmit() && <LinkButton to="/notebooks/new">{t("create")}</LinkButton>;
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} actions={create} />
      <ListFilters
        search={search}
        group={group}
        onChange={(next) => void navigate({ search: (old) => ({ ...old, ...next }) })}
      />
      <ReceivedShares kind={NOTEBOOK.kind} />
      <WorkloadList
        id="notebooks"
        views="notebooks"
        bulk={BULK}
        label={t("title")}
        filters={filtersOf(NOTEBOOK.kind, search, group)}
        action={(notebook) =>
          notebook.is_ready &&
          isMineToOpen(me, notebook) && <OpenButton workload={notebook} size="small" />
        }
        empty={
          isFiltered(search) ? (
            <EmptyState
              title={t("emptyFiltered.title")}
              text={t("emptyFiltered.text")}
              action={<Link to="/notebooks">{t("workload:filter.clear")}</Link>}
            />
          ) : (
            <EmptyState title={t("empty.title")} text={t("empty.text")} action={create} />
          )
        }
      />
    </>
  );
}
