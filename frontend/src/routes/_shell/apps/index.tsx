import { createFileRoute, Link } from "@tanstack/react-router";
import { Flex } from "antd";
import { CloseButton } from "@/features/apps/components/app-buttons";
import { APP } from "@/shared/api/kinds.gen";
import { useTranslation } from "@/shared/i18n/language";
import { useChosenGroup, useMe } from "@/shared/session/me";
import { canStop, isMineToOpen, isPlatformAdmin } from "@/shared/session/roles";
import { ReceivedShares } from "@/shared/sharing/components/sharing";
import { later } from "@/shared/ui/opening";
import { PageHeader } from "@/shared/ui/page";
import { EmptyState } from "@/shared/ui/query-states";
import { OpenButton } from "@/shared/workload/components/open-button";
import { ListFilters } from "@/shared/workload/components/workload-filters";
import { WorkloadList } from "@/shared/workload/components/workload-list";
import { isStoppable } from "@/shared/workload/model/lifecycle";
import {
  filtersOf,
  isFiltered,
  type ListSearch,
  readListSearch,
} from "@/shared/workload/model/list-search";

const LaterAppCatalogue = later(
  async () => (await import("@/features/apps/components/app-catalogue")).AppCatalogue,
);

const BULK = ["close"] as const;

export const Route = createFileRoute("/_shell/apps/")({
  // Read by the page itself: what stands here is loaded with the first page of everybody.
  validateSearch: (search) => search as ListSearch,
  component: AppsRoute,
});

function AppsRoute() {
  const { t } = useTranslation(["apps", "workload"]);
  const me = useMe();
  const search = readListSearch(Route.useSearch());
  const navigate = Route.useNavigate();
  const group = useChosenGroup();
  const clear = <Link to="/apps">{t("workload:filter.clear")}</Link>;
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} />
      <ListFilters
        search={search}
        group={group}
        onChange={(next) => void navigate({ search: (old) => ({ ...old, ...next }) })}
      />
      <div className="stack">
        <ReceivedShares kind={APP.kind} />
        <WorkloadList
          id="apps"
          views="apps"
          bulk={BULK}
          label={t("title")}
          filters={filtersOf(APP.kind, search, group)}
          action={(app) =>
            isStoppable(app.state) && (
              <Flex gap={8} wrap>
                {isMineToOpen(me, app) && <OpenButton workload={app} size="small" />}
                {canStop(me, app) && <CloseButton sessionId={app.id} name={app.name} />}
              </Flex>
            )
          }
          empty={
            isFiltered(search) ? (
              <EmptyState
                title={t("emptyFiltered.title")}
                text={t("emptyFiltered.text")}
                action={clear}
              />
            ) : (
              <EmptyState title={t("empty.title")} text={t("empty.text")} />
            )
          }
        />
        {isPlatformAdmin(me) && <LaterAppCatalogue />}
      </div>
    </>
  );
}
