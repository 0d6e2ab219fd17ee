/** How a job ended; of one that failed, what its reader needs first. */
import { useQuery } from "@tanstack/react-query";
import { Alert } from "antd";
import type { WorkloadDetail } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { canSubmitIn } from "@/shared/session/roles";
import { LinkButton } from "@/shared/ui/page";
import { useCauseSentence } from "@/shared/workload/components/sentences";
import { failedRank, isTerminal } from "@/shared/workload/model/lifecycle";
import { exitMeaning, nodeWords } from "@/shared/workload/model/reasons";
import { readLogEnd } from "../api/log";
import { lastLinesOf } from "../model/log";
import styles from "./jobs.module.css";

/** How it ended, in words: exit code with its meaning, and the cause where there is one. */
function Ending({ job }: { job: WorkloadDetail }) {
  const { exit_code, cause, cause_params, state } = job;
  const causeSentence = useCauseSentence();
  const isExplained = cause !== "exited" || nodeWords(`${cause_params.detail ?? ""}`).code;
  const words = isTerminal(state) && cause && isExplained;
  if (exit_code === null && !words) return null;
  return (
    <p data-testid="ending" style={{ margin: 0 }}>
      {exit_code !== null && <ExitCode code={exit_code} rank={failedRank(job)} />}
      {exit_code !== null && words && " · "}
      {words && causeSentence(cause, cause_params)}
    </p>
  );
}

/** How it ended: of a job that failed with what to do next. */
export function JobEnd({ job }: { job: WorkloadDetail }) {
  return job.state === "failed" ? <Failure job={job} /> : <Ending job={job} />;
}

/** The cause in words, the first error and the last lines of the log, and what to do next. */
function Failure({ job }: { job: WorkloadDetail }) {
  const { t } = useTranslation("jobs");
  const maySubmit = canSubmitIn(useMe(), job.group.id);
  return (
    <Alert
      type="error"
      showIcon
      title={t("failure.title")}
      description={
        <div className="stack">
          <Ending job={job} />
          {job.epoch > 0 && <LastLines job={job} />}
          {maySubmit && (
            <div>
              <LinkButton to="/jobs/new" search={{ from: job.id }}>
                {t("failure.again")}
              </LinkButton>
            </div>
          )}
        </div>
      }
    />
  );
}

/** The end of the log of the rank that failed; the whole log is below. */
function LastLines({ job }: { job: WorkloadDetail }) {
  const { t } = useTranslation("jobs");
  const { id, kind, epoch } = job;
  const rank = failedRank(job) ?? 0;
  const end = useQuery({
    queryKey: ["log-end", id, epoch, rank],
    queryFn: ({ signal }) => readLogEnd({ jobId: id, kind, ranks: [rank] }, signal),
    select: lastLinesOf,
  }).data;
  if (!end || end.lines.length === 0) return null;
  return (
    <>
      {end.error && (
        <p className={styles.firstError}>
          {t("failure.error")} <code className="mono">{end.error}</code>
        </p>
      )}
      <section aria-label={t("failure.lines")}>
        <pre className={styles.lastLines}>{end.lines.join("\n")}</pre>
      </section>
    </>
  );
}

/** An exit code together with what it usually means, and the rank that gave it where it is known. */
function ExitCode({ code, rank }: { code: number; rank: number | null }) {
  const { t } = useTranslation("jobs");
  const meaning = t(`exit.${exitMeaning(code)}`);
  return (
    <span data-testid="exit-code" className="num">
      {rank === null
        ? t("exitCode", { code, meaning })
        : t("exitCodeOfRank", { rank, code, meaning })}
    </span>
  );
}
