import { createFileRoute } from "@tanstack/react-router";
import { BudgetPanel } from "@/features/quotas/components/budget-panel";
import { GroupLimitsPanel } from "@/features/quotas/components/group-limits-panel";
import { HistoryPanel } from "@/features/quotas/components/history-panel";
import { MemberLimitsPanel } from "@/features/quotas/components/member-limits-panel";
import { QuotaEditor } from "@/features/quotas/components/quota-editor";
import { QuotaTable } from "@/features/quotas/components/quota-table";
import { StandingPanel } from "@/features/quotas/components/standing-panel";
import { useClusterUpdates } from "@/shared/cluster/api/nodes";
import { useTranslation } from "@/shared/i18n/language";
import { GroupRulesPanel } from "@/shared/rules/components/rules-panel";
import { useMe } from "@/shared/session/me";
import { canReadAudit, isGroupAdmin, isPlatformAdmin } from "@/shared/session/roles";
import { LinkButton, PageHeader } from "@/shared/ui/page";

export const Route = createFileRoute("/_shell/quotas")({
  // Read by the page itself: what stands here is loaded with the first page of everybody.
  validateSearch: (search) => search as { edit?: 1 },
  component: QuotasPage,
});

function QuotasPage() {
  const { t } = useTranslation("quotas");
  const { edit } = Route.useSearch();
  const navigate = Route.useNavigate();
  const me = useMe();
  useClusterUpdates();
  const mayEdit = isPlatformAdmin(me) || isGroupAdmin(me);
  if (edit && mayEdit) return <QuotaEditor onClose={() => void navigate({ search: {} })} />;
  return (
    <>
      <PageHeader
        title={t("title")}
        about={t("about")}
        actions={
          mayEdit && (
            <LinkButton to="/quotas" search={{ edit: 1 }}>
              {t("editor.open")}
            </LinkButton>
          )
        }
      />
      <div className="stack">
        <QuotaTable />
        {canReadAudit(me) && <HistoryPanel />}
        <StandingPanel />
        <BudgetPanel />
        <GroupLimitsPanel />
        <MemberLimitsPanel />
        <GroupRulesPanel />
      </div>
    </>
  );
}
