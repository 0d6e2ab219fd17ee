import { useTranslation } from "@/shared/i18n/language";
import { CodeBlock } from "@/shared/ui/code-block";
import { EmptyState } from "@/shared/ui/query-states";
import styles from "./metrics.module.css";

const LINE = 'print(f"@metrics step={step} loss={loss:.4f}", flush=True)';

/** Nothing was printed: the one line that a program needs, ready to copy. */
export function NoMetrics() {
  const { t } = useTranslation("metrics");
  return (
    <>
      <EmptyState title={t("empty.title")} text={t("empty.text")} />
      <div className={styles.code}>
        <CodeBlock label={t("empty.line")} text={LINE} />
      </div>
    </>
  );
}
