import { createFileRoute } from "@tanstack/react-router";
import { QuotaTable } from "@/features/quotas/components/quota-table";
import { useClusterUpdates } from "@/shared/cluster/api/nodes";
import { useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { canReadAudit, isGroupAdmin, isPlatformAdmin } from "@/shared/session/roles";
import { later, prefetched } from "@/shared/ui/opening";
import { LinkButton, PageHeader } from "@/shared/ui/page";
import { PageTabs } from "@/shared/ui/page-tabs";

const LaterEditor = later(
  async () => (await import("@/features/quotas/components/quota-editor")).QuotaEditor,
);
const LaterBudgets = prefetched(
  async () => (await import("@/features/quotas/components/budget-panel")).BudgetPanel,
);
const LaterMembers = prefetched(
  async () => (await import("@/features/quotas/components/group-limits-panel")).MembersTab,
);
const LaterGroupRules = prefetched(
  async () => (await import("@/shared/rules/components/rules-panel")).GroupRulesPanel,
);
const LaterFairShare = prefetched(
  async () => (await import("@/features/quotas/components/standing-panel")).StandingPanel,
);
const LaterQuotaHistory = prefetched(
  async () => (await import("@/features/quotas/components/history-panel")).HistoryPanel,
);

export const Route = createFileRoute("/_shell/quotas")({
  // Read by the page itself: what stands here is loaded with the first page of everybody.
  validateSearch: (search) => search as { edit?: 1; tab?: string },
  component: QuotasPage,
});

function QuotasPage() {
  const { t } = useTranslation("quotas");
  const { edit } = Route.useSearch();
  const navigate = Route.useNavigate();
  const me = useMe();
  useClusterUpdates();
  const mayEdit = isPlatformAdmin(me) || isGroupAdmin(me);
  if (edit && mayEdit) return <LaterEditor onClose={() => void navigate({ search: {} })} />;
  const actions = mayEdit && (
    <LinkButton to="/quotas" search={{ edit: 1 }}>
      {t("editor.open")}
    </LinkButton>
  );
  const tabs = [
    { key: "quotas", label: t("tab.quotas"), content: <QuotaTable /> },
    { key: "budgets", label: t("tab.budgets"), content: <LaterBudgets /> },
    { key: "members", label: t("tab.members"), content: <LaterMembers /> },
    { key: "rules", label: t("tab.rules"), content: <LaterGroupRules /> },
    { key: "standing", label: t("tab.standing"), content: <LaterFairShare /> },
  ];
  const history = { key: "history", label: t("tab.history"), content: <LaterQuotaHistory /> };
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} actions={actions} />
      <PageTabs label={t("title")} tabs={canReadAudit(me) ? [...tabs, history] : tabs} />
    </>
  );
}
