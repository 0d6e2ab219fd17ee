import { createFileRoute } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { BudgetPanel } from "@/features/quotas/components/budget-panel";
import { GroupLimitsPanel } from "@/features/quotas/components/group-limits-panel";
import { MemberLimitsPanel } from "@/features/quotas/components/member-limits-panel";
import { QuotaTable } from "@/features/quotas/components/quota-table";
import { StandingPanel } from "@/features/quotas/components/standing-panel";
import { useClusterUpdates } from "@/shared/cluster/api/cluster";
import { PageHeader } from "@/shared/ui/page";

export const Route = createFileRoute("/_shell/quotas")({ component: QuotasPage });

function QuotasPage() {
  const { t } = useTranslation("quotas");
  useClusterUpdates();
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} />
      <div className="stack">
        <QuotaTable />
        <StandingPanel />
        <BudgetPanel />
        <GroupLimitsPanel />
        <MemberLimitsPanel />
      </div>
    </>
  );
}
