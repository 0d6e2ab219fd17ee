import { createFileRoute } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { OpenButton } from "@/features/environments/components/open-button";
import { Capacity } from "@/features/overview/components/capacity";
import { QuotaPanel } from "@/features/overview/components/quota-panel";
import { useClusterRings } from "@/shared/cluster/api/use-cluster-rings";
import { useChosenGroup } from "@/shared/session/use-chosen-group";
import { EmptyState } from "@/shared/ui/empty-state";
import { LinkButton } from "@/shared/ui/link-button";
import { PageHeader } from "@/shared/ui/page-header";
import { Panel } from "@/shared/ui/panel";
import { WorkloadList } from "@/shared/workload/components/workload-list";

export const Route = createFileRoute("/_shell/")({ component: OverviewPage });

function OverviewPage() {
  const { t } = useTranslation(["overview", "environments", "jobs"]);
  const group = useChosenGroup();
  useClusterRings();
  const create = <LinkButton to="/notebooks/new">{t("environments:create")}</LinkButton>;
  const submit = (
    <LinkButton to="/jobs/new" isPrimary={false}>
      {t("jobs:submit")}
    </LinkButton>
  );
  return (
    <>
      <PageHeader
        title={t("title")}
        actions={
          <>
            {submit}
            {create}
          </>
        }
      />
      <div className="stack">
        <div className="with-aside">
          <Panel title={t("mine")}>
            <WorkloadList
              isBrief
              label={t("mine")}
              filters={{ owner: "me", active: true, ...(group && { group }) }}
              action={({ id, is_ready }) =>
                is_ready && <OpenButton environmentId={id} size="small" />
              }
              empty={<EmptyState title={t("empty.title")} text={t("empty.text")} />}
            />
          </Panel>
          <QuotaPanel />
        </div>
        <Capacity />
      </div>
    </>
  );
}
