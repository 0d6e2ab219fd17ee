import { useTranslation } from "react-i18next";
import type { WorkloadDetail } from "@/shared/api/types";
import { useNow } from "@/shared/lib/use-now";
import { Elapsed } from "@/shared/ui/elapsed";
import { Panel } from "@/shared/ui/panel";
import { ReasonList } from "./reason-list";

/** Work that starts at once is not worth an explanation that vanishes again. */
const PATIENCE_MS = 5_000;

/** Why a queued workload waits, its place in the queue, and since when. */
export function WaitingPanel({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("workload");
  const now = useNow();
  const { state, position, reasons, queued_at } = workload;
  const isExplained = reasons.length > 0;
  const isNew = now.getTime() - new Date(queued_at).getTime() < PATIENCE_MS;
  if (state !== "queued" || (isNew && !isExplained)) return null;
  return (
    <Panel
      title={t("waiting.title")}
      testId="reasons"
      extra={
        <span className="num">
          {position !== null && `${t("waiting.position", { position })} · `}
          {t("waiting.since")} <Elapsed since={queued_at} />
        </span>
      }
    >
      {isExplained ? <ReasonList reasons={reasons} /> : t("waiting.noReasonYet")}
    </Panel>
  );
}
