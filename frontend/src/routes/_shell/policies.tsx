import { createFileRoute } from "@tanstack/react-router";
import { PolicyPage } from "@/features/policy/components/policy-form";
import { PoolPicker } from "@/shared/cluster/components/pool-picker";
import { useTranslation } from "@/shared/i18n/language";
import { PageHeader } from "@/shared/ui/page";

export const Route = createFileRoute("/_shell/policies")({
  // Read by the page itself: what stands here is loaded with the first page of everybody.
  validateSearch: (search) => search as { pool?: string; tab?: string },
  component: PoliciesPage,
});

function PoliciesPage() {
  const { t } = useTranslation("policy");
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} />
      <PoolPicker>{(chosen) => <PolicyPage key={chosen.id} pool={chosen} />}</PoolPicker>
    </>
  );
}
