import { createFileRoute, Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { OpenButton } from "@/features/environments/components/open-button";
import { useCanSubmit, useMe } from "@/shared/session/me";
import { isMineToOpen } from "@/shared/session/roles";
import { useChosenGroup } from "@/shared/session/search-params";
import { LinkButton, PageHeader } from "@/shared/ui/page";
import { EmptyState } from "@/shared/ui/query-states";
import { ListFilters, WorkloadList } from "@/shared/workload/components/workload-list";
import { filtersOf, isFiltered, readListSearch } from "@/shared/workload/model/list-search";

export const Route = createFileRoute("/_shell/notebooks/")({
  validateSearch: readListSearch,
  component: NotebooksPage,
});

function NotebooksPage() {
  const { t } = useTranslation(["environments", "workload"]);
  const me = useMe();
  const group = useChosenGroup();
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const create = useCanSubmit() && <LinkButton to="/notebooks/new">{t("create")}</LinkButton>;
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} actions={create} />
      <ListFilters
        search={search}
        onChange={(next) => void navigate({ search: (old) => ({ ...old, ...next }) })}
      />
      <WorkloadList
        label={t("title")}
        filters={filtersOf("environment", search, group)}
        action={(notebook) =>
          notebook.is_ready &&
          isMineToOpen(me, notebook) && <OpenButton environmentId={notebook.id} size="small" />
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
