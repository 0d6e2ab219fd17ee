import { CheckCircleFilled, ClockCircleOutlined, StopOutlined } from "@ant-design/icons";
import { useTranslation } from "react-i18next";
import type { DryRunInput, Verdict } from "@/shared/api/types";
import { ProblemAlert } from "@/shared/ui/problem-alert";
import { useDryRun } from "../api/use-dry-run";
import { ReasonList } from "./reason-list";
import styles from "./start-preview.module.css";

/** The scheduler's answer to a draft: starts now, waits and why, or can never start. */
export function StartPreview({ draft }: { draft: DryRunInput | null }) {
  const { t } = useTranslation("workload");
  const dryRun = useDryRun(draft);
  if (!draft) return <p className={styles.hint}>{t("preview.incomplete")}</p>;
  if (dryRun.isError) return <ProblemAlert error={dryRun.error} />;
  if (!dryRun.data) return <p className={styles.hint}>{t("preview.asking")}</p>;
  return <Answer verdict={dryRun.data} isOld={dryRun.isPlaceholderData} />;
}

function Answer({
  verdict: { verdict, position, reasons },
  isOld,
}: {
  verdict: Verdict;
  isOld: boolean;
}) {
  const { t } = useTranslation("workload");
  return (
    <div
      className={styles.answer}
      data-testid="start-preview"
      data-verdict={verdict}
      aria-live="polite"
      aria-busy={isOld}
    >
      {verdict === "starts_now" && (
        <strong>
          <CheckCircleFilled aria-hidden /> {t("preview.startsNow")}
        </strong>
      )}
      {verdict === "waits" && (
        <strong>
          <ClockCircleOutlined aria-hidden />{" "}
          {position === null ? t("preview.waits") : t("preview.waitsAt", { position })}
        </strong>
      )}
      {verdict === "refused" && (
        <strong>
          <StopOutlined aria-hidden /> {t("preview.refused")}
        </strong>
      )}
      <ReasonList reasons={reasons} />
    </div>
  );
}
