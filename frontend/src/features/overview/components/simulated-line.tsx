import { useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { SimulatedBadge } from "@/shared/workload/components/tags";
import { useDemo, useRemoveSimulated } from "../api/demo";

/** States that the past of a demo is made up; an administrator may have it removed. */
export function SimulatedLine() {
  const { t } = useTranslation("overview");
  const demo = useDemo();
  const isAdmin = isPlatformAdmin(useMe());
  const removal = useRemoveSimulated();
  if (!demo || (demo.past_from === null && !demo.activity)) return null;
  if (demo.removed_at !== null) return <span>{t("simulated.leaving")}</span>;
  return (
    <>
      <SimulatedBadge of="work" />
      {isAdmin && (
        <>
          <span>{t("simulated.line")}</span>
          <ConfirmButton
            action={t("simulated.remove")}
            label={t("simulated.removeAll")}
            question={t("simulated.question")}
            isDangerous
            mutation={removal}
            input={undefined}
          />
        </>
      )}
    </>
  );
}
