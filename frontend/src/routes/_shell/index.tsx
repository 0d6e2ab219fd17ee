import { createFileRoute } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { OpenButton } from "@/features/environments/components/open-button";
import { Capacity } from "@/features/overview/components/capacity";
import { MyWork } from "@/features/overview/components/my-work";
import { QuotaPanel } from "@/features/overview/components/quota-panel";
import { useClusterUpdates } from "@/shared/cluster/api/cluster";
import { useCanSubmit } from "@/shared/session/me";
import { LinkButton, PageHeader, Panel } from "@/shared/ui/page";

export const Route = createFileRoute("/_shell/")({ component: OverviewPage });

function OverviewPage() {
  const { t } = useTranslation(["overview", "environments"]);
  const maySubmit = useCanSubmit();
  useClusterUpdates();
  const create = <LinkButton to="/notebooks/new">{t("environments:create")}</LinkButton>;
  const submit = (
    <LinkButton to="/jobs/new" isPrimary={false}>
      {t("submitJob")}
    </LinkButton>
  );
  return (
    <>
      <PageHeader
        title={t("title")}
        actions={
          maySubmit && (
            <>
              {submit}
              {create}
            </>
          )
        }
      />
      <div className="stack">
        <div className="with-aside">
          <Panel title={t("mine")}>
            <MyWork
              action={({ id, is_ready }) =>
                is_ready && <OpenButton environmentId={id} size="small" />
              }
            />
          </Panel>
          <QuotaPanel />
        </div>
        <Capacity />
      </div>
    </>
  );
}
