import { useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { SimulatedBadge } from "@/shared/workload/components/tags";
import { useDemo, useRemoveSimulated, useSwitchActivity } from "../api/demo";

/** States that the past of a demo is made up; an administrator may have the activity paused, and all of it removed. */
export function SimulatedLine() {
  const { t } = useTranslation("overview");
  const demo = useDemo();
  const isAdmin = isPlatformAdmin(useMe());
  const removal = useRemoveSimulated();
  const activity = useSwitchActivity();
  if (!demo || (demo.past_from === null && !demo.activity)) return null;
  if (demo.removed_at !== null) return <span>{t("simulated.leaving")}</span>;
  return (
    <>
      <SimulatedBadge of="work" />
      {isAdmin && (
        <>
          <span>{t(demo.activity ? "simulated.line" : "simulated.paused")}</span>
          <ConfirmButton
            action={t(demo.activity ? "simulated.pause" : "simulated.resume")}
            label={t(demo.activity ? "simulated.pauseAll" : "simulated.resumeAll")}
            question={t(demo.activity ? "simulated.pauseQuestion" : "simulated.resumeQuestion")}
            mutation={activity}
            input={!demo.activity}
          />
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
