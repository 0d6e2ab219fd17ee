import {
  CheckCircleFilled,
  CloseCircleFilled,
  LoadingOutlined,
  MinusCircleOutlined,
  StopOutlined,
} from "@ant-design/icons";
import type { WorkloadDetail } from "@/shared/api/types";
import { formatClock, formatMoment } from "@/shared/i18n/format";
import { useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { Elapsed } from "@/shared/ui/time";
import { useEvents } from "../api/workloads";
import {
  earlierAttempts,
  type StartStep,
  type Step,
  type StepStatus,
  startStep,
  stepsOf,
} from "../model/lifecycle";
import { useCauseSentence } from "./sentences";
import styles from "./workload.module.css";

const ICONS: Record<StepStatus, typeof LoadingOutlined> = {
  done: CheckCircleFilled,
  current: LoadingOutlined,
  ahead: MinusCircleOutlined,
  failed: CloseCircleFilled,
  stopped: StopOutlined,
};

/** The way from submission to the end; moves by itself. */
export function Timeline({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("workload");
  const isRunning = workload.state === "running";
  return (
    <div>
      {workload.epoch > 1 && <EarlierAttempts workload={workload} />}
      <ol className={styles.timeline} aria-label={t("timeline.title")}>
        {stepsOf(workload).map((step) => (
          <TimelineStep
            key={step.name}
            step={settle(step, isRunning)}
            doing={step.name === "starting" ? startStep(workload) : null}
          />
        ))}
      </ol>
    </div>
  );
}

/** The number of the attempt whose steps follow, and how those before it ended. */
function EarlierAttempts({ workload: { id, epoch } }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const causeSentence = useCauseSentence();
  const attempts = earlierAttempts(useEvents(id).data?.results ?? [], epoch);
  return (
    <div className="second">
      <ol className={styles.reasons} aria-label={t("timeline.earlier")}>
        {attempts.map(({ number, since, until, cause }) => (
          <li key={number}>
            {t("events.attempt", { number })} ·{" "}
            <time dateTime={since} title={formatMoment(new Date(since), language)}>
              {formatClock(new Date(since), language)}
            </time>
            {" · "}
            <Elapsed since={since} until={until} />
            {cause && ` · ${causeSentence(cause, {})}`}
          </li>
        ))}
      </ol>
      <strong>{t("events.attempt", { number: epoch })}</strong>
    </div>
  );
}

/** A step that goes on by being reached (ready, running) needs no spinner. */
function settle(step: Step, isRunning: boolean): Step {
  return isRunning && step.status === "current" ? { ...step, status: "done" } : step;
}

/** What the node does at the moment, and how far it has come. */
function Doing({ doing: { name, reason, percent } }: { doing: StartStep }) {
  const { t } = useTranslation("workload");
  const coded = useCodedText();
  const words = reason && (coded(`workload:foreignQueue.${reason}`) ?? reason);
  const step = reason ? t("foreignQueueStep", { reason: words }) : t(`startStep.${name}`);
  return (
    <span className={`num ${styles.stepDoing}`}>
      {percent === null ? step : t("startStepPercent", { step, percent })}
    </span>
  );
}

function TimelineStep({ step, doing }: { step: Step; doing: StartStep | null }) {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const Icon = ICONS[step.status];
  const isCurrent = step.status === "current";
  return (
    <li data-status={step.status} aria-current={isCurrent ? "step" : undefined}>
      <Icon aria-hidden className={styles.stepIcon} />
      <span className={styles.stepName}>
        {t(`timeline.${step.name}`)}
        <span className="visually-hidden"> ({t(`timeline.status.${step.status}`)})</span>
      </span>
      <span className={`num ${styles.stepTime}`}>
        {step.at && (
          <time dateTime={step.at} title={formatMoment(new Date(step.at), language)}>
            {formatClock(new Date(step.at), language)}
          </time>
        )}
        {step.at && (step.until || isCurrent) && (
          <>
            {" · "}
            <Elapsed since={step.at} until={step.until} />
          </>
        )}
        {doing && <Doing doing={doing} />}
      </span>
    </li>
  );
}
