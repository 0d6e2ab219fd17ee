import { Button } from "antd";
import type { Advice, Advised, WorkloadDetail } from "@/shared/api/types";
import { formatMemory } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { Panel } from "@/shared/ui/page";
import { useAdvice } from "../api/workloads";
import { useDeviceWords, useStartWords } from "./sentences";
import styles from "./workload.module.css";

interface AdviceProps {
  advice: Advice;
  /** Puts it into the form beside it, where there is one that can hold it. */
  onTake?: ((advised: Advised) => void) | undefined;
}

/** That less of a GPU is enough: what was measured, what to request, and when that would start. */
export function AdviceWords({ advice, onTake }: AdviceProps) {
  const { t } = useTranslation("submission");
  const language = useLanguage();
  const { runs, peak_gpu_memory_mib, busy_pct, requested_gpu_memory_mib, enough } = advice;
  return (
    <>
      <p className={styles.reasonsLead}>
        {t("advice.measured", {
          count: runs,
          peak: formatMemory(peak_gpu_memory_mib, language),
          busy: busy_pct,
          asked: formatMemory(requested_gpu_memory_mib, language),
        })}
      </p>
      <ul className={styles.reasons} aria-label={t("advice.title")}>
        {enough.map((advised) => (
          <li key={JSON.stringify(advised)} data-code={advised.code}>
            <AdvisedWords advised={advised} />
            {onTake && (
              <Button
                size="small"
                className={styles.takeAdvice ?? ""}
                onClick={() => onTake(advised)}
              >
                {t("advice.take")}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

/** `1 slice in Development (4.0 GiB, A100): starts now`. */
function AdvisedWords({ advised }: { advised: Advised }) {
  const { t } = useTranslation("submission");
  const language = useLanguage();
  const devices = useDeviceWords();
  const startWords = useStartWords();
  const { pool, model, total_gpu_memory_mib, verdict, expected_start } = advised;
  const waits = expected_start
    ? t("advice.waitsUntil", { when: startWords(expected_start) })
    : t("advice.waits");
  // The words of a share name its memory already.
  const memory = advised.gpu_milli > 0 ? "" : formatMemory(total_gpu_memory_mib, language);
  const size = [memory, model].filter(Boolean).join(" · ");
  return (
    <>
      {t(size ? "advice.lineSized" : "advice.line", {
        what: devices({ ...advised, replicas: 1 }),
        pool: titleOf(pool, language),
        size,
        start: verdict === "starts_now" ? t("advice.startsNow") : waits,
      })}
    </>
  );
}

/** A smaller request that would be enough; nothing where none was measured, or where it failed. */
export function AdvicePanel({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("submission");
  const advice = useAdvice(workload).data;
  if (!advice || workload.state === "failed") return null;
  return (
    <Panel title={t("advice.title")} testId="advice">
      <AdviceWords advice={advice} />
    </Panel>
  );
}
