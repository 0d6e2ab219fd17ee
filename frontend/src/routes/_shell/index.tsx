import { createFileRoute } from "@tanstack/react-router";
import { Suspense } from "react";
import { Capacity } from "@/features/overview/components/capacity";
import { EndedWork, MyWork } from "@/features/overview/components/my-work";
import { QuotaPanel } from "@/features/overview/components/quota-panel";
import { SimulatedLine } from "@/features/overview/components/simulated-line";
import { QuotaHelp } from "@/features/quotas/components/quota-help";
import { Newcomer } from "@/features/welcome/components/first-steps";
import { useClusterUpdates } from "@/shared/cluster/api/nodes";
import { useTranslation } from "@/shared/i18n/language";
import { useCanSubmit, useMe } from "@/shared/session/me";
import { isGroupAdmin, isStaff } from "@/shared/session/roles";
import { lazyWithRetry } from "@/shared/ui/opening";
import { LinkButton, PageHeader } from "@/shared/ui/page";
import { Loading } from "@/shared/ui/query-states";

export const Route = createFileRoute("/_shell/")({ component: OverviewPage });

// What most people do not see: with its texts, it is loaded for those who run something.
const LaterOperations = lazyWithRetry(
  async () => (await import("@/features/operations/components/operations-overview")).default,
);

const LaterWelcome = lazyWithRetry(
  async () => (await import("@/features/welcome/components/welcome-panel")).WelcomePanel,
);

function OverviewPage() {
  const { t } = useTranslation("overview");
  const maySubmit = useCanSubmit();
  const me = useMe();
  const runsAll = isStaff(me);
  useClusterUpdates();
  const create = <LinkButton to="/notebooks/new">{t("createNotebook")}</LinkButton>;
  const submit = (
    <LinkButton to="/jobs/new" isPrimary={false}>
      {t("submitJob")}
    </LinkButton>
  );
  const operations = (
    <Suspense fallback={<Loading rows={5} />}>
      <LaterOperations />
    </Suspense>
  );
  return (
    <>
      <PageHeader
        title={t("title")}
        about={<SimulatedLine />}
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
        {runsAll && operations}
        {(!runsAll || maySubmit) && (
          <div className="with-aside">
            <div className="stack">
              <MyWork
                welcome={(otherwise) => <Newcomer List={LaterWelcome}>{otherwise}</Newcomer>}
              />
              <EndedWork />
            </div>
            <QuotaPanel help={<QuotaHelp what={t("quota.title")} />} />
          </div>
        )}
        {!runsAll && isGroupAdmin(me) && operations}
        {!runsAll && <Capacity />}
      </div>
    </>
  );
}
