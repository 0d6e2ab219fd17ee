import { createFileRoute } from "@tanstack/react-router";
import { PolicyPage } from "@/features/policy/components/policy-form";
import { RunTimesPanel } from "@/features/policy/components/run-times-panel";
import { PoolPicker } from "@/shared/cluster/components/pool-picker";
import { useTranslation } from "@/shared/i18n/language";
import { PoolRulesPanel } from "@/shared/rules/components/rules-panel";
import { useMe } from "@/shared/session/me";
import { isStaff } from "@/shared/session/roles";
import { PageHeader } from "@/shared/ui/page";

const NAME_MAX = 63;

export const Route = createFileRoute("/_shell/policies")({
  validateSearch: ({ pool }: Record<string, unknown>): { pool?: string } =>
    typeof pool === "string" && pool ? { pool: pool.slice(0, NAME_MAX) } : {},
  component: PoliciesPage,
});

function PoliciesPage() {
  const { t } = useTranslation("policy");
  const mayJudge = isStaff(useMe());
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} />
      <PoolPicker>
        {(chosen) => (
          <div className="stack" key={chosen.id}>
            <PolicyPage pool={chosen} />
            <PoolRulesPanel pool={chosen} />
            {mayJudge && <RunTimesPanel pool={chosen} />}
          </div>
        )}
      </PoolPicker>
    </>
  );
}
