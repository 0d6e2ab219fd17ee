import { Alert, Button } from "antd";
import { useTranslation } from "react-i18next";
import { problemOf } from "@/shared/api/problem";
import { useProblemText } from "@/shared/api/use-problem-text";
import styles from "./problem-alert.module.css";

/** What went wrong, in words, with the request id for whoever helps. */
export function ProblemAlert({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { t } = useTranslation("ui");
  const describe = useProblemText();
  const problem = problemOf(error);
  const title = describe(problem);
  // One fault that is the whole problem has been said above.
  const faults = problem.errors.filter(({ detail }) => detail !== title);
  return (
    <Alert
      type="error"
      showIcon
      role="alert"
      title={title}
      action={onRetry && <Button onClick={onRetry}>{t("retry")}</Button>}
      description={
        <>
          {faults.length > 0 && (
            <ul className={styles.faults}>
              {faults.map((fault) => (
                <li key={`${fault.pointer}${fault.code}`}>
                  {fault.pointer && <code>{fault.pointer.slice(1)}</code>} {fault.detail}
                </li>
              ))}
            </ul>
          )}
          <details className={styles.details}>
            <summary>{t("details")}</summary>
            <code>{problem.code}</code>
            {problem.requestId && (
              <>
                {" · "}
                {t("requestId")} <code>{problem.requestId}</code>
              </>
            )}
          </details>
        </>
      }
    />
  );
}
