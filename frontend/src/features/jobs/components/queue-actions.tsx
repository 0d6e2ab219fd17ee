/** Buttons that hold, release, requeue and cancel a job or the tasks of an array. */
import { Button } from "antd";
import type { JobArray, WorkloadDetail } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { Confirm } from "@/shared/ui/confirm-button";
import { useProblemMessage } from "@/shared/ui/query-states";
import {
  type ArrayAction,
  type JobAction,
  useArrayAction,
  useCancelJob,
  useJobAction,
} from "../api/jobs";
import { hasEnded, isHeld, isPlaced } from "../model/start";

/** What can be done with a job in the queue, or with one that runs. */
export function QueueActions({ job }: { job: WorkloadDetail }) {
  if (job.state === "queued") {
    return <JobActionButton jobId={job.id} action={isHeld(job) ? "release" : "hold"} />;
  }
  const mayRepeat = job.restart.rule !== "never";
  return isPlaced(job.state) && mayRepeat ? <RequeueButton jobId={job.id} /> : null;
}

function JobActionButton({ jobId, action }: { jobId: string; action: JobAction }) {
  const { t } = useTranslation("jobs");
  const showProblem = useProblemMessage();
  const act = useJobAction(jobId, action);
  return (
    <Button loading={act.isPending} onClick={() => act.mutate(undefined, { onError: showProblem })}>
      {t(`queue.${action}`)}
    </Button>
  );
}

function RequeueButton({ jobId }: { jobId: string }) {
  const { t } = useTranslation("jobs");
  const showProblem = useProblemMessage();
  const requeue = useJobAction(jobId, "requeue");
  return (
    <Confirm
      title={t("queue.requeueQuestion")}
      description={t("queue.requeueAbout")}
      okText={t("queue.requeueConfirm")}
      cancelText={t("keep")}
      onConfirm={() => requeue.mutate(undefined, { onError: showProblem })}
    >
      <Button loading={requeue.isPending}>{t("queue.requeue")}</Button>
    </Confirm>
  );
}

interface CancelButtonProps {
  jobId: string;
  /** Name of the job, where a page has several of these buttons. */
  name?: string;
}

export function CancelButton({ jobId, name }: CancelButtonProps) {
  const { t } = useTranslation("jobs");
  const showProblem = useProblemMessage();
  const cancel = useCancelJob(jobId);
  const run = () => cancel.mutate(undefined, { onError: showProblem });
  return (
    <Confirm
      title={t("cancelQuestion")}
      description={t("cancelAbout")}
      okText={t("cancelConfirm")}
      okButtonProps={{ danger: true }}
      cancelText={t("keep")}
      onConfirm={run}
    >
      {name === undefined ? (
        <Button loading={cancel.isPending}>{t("cancel")}</Button>
      ) : (
        <Button size="small" loading={cancel.isPending} aria-label={t("cancelNamed", { name })}>
          {t("cancelShort")}
        </Button>
      )}
    </Confirm>
  );
}

/** What can be done with all tasks of an array at once. */
export function ArrayActions({ array }: { array: JobArray }) {
  const { t } = useTranslation("jobs");
  const { states, holds } = array;
  const held = Object.values(holds).reduce((sum, count) => sum + count, 0);
  if (hasEnded(states)) return null;
  return (
    <>
      {(states.queued ?? 0) > held && (
        <ArrayButton arrayId={array.id} action="hold" label={t("queue.holdTasks")} />
      )}
      {held > 0 && (
        <ArrayButton arrayId={array.id} action="release" label={t("queue.releaseTasks")} />
      )}
      <CancelArrayButton arrayId={array.id} />
    </>
  );
}

interface ArrayButtonProps {
  arrayId: string;
  action: ArrayAction;
  label: string;
}

function ArrayButton({ arrayId, action, label }: ArrayButtonProps) {
  const showProblem = useProblemMessage();
  const act = useArrayAction(arrayId, action);
  return (
    <Button loading={act.isPending} onClick={() => act.mutate(undefined, { onError: showProblem })}>
      {label}
    </Button>
  );
}

interface CancelArrayButtonProps {
  arrayId: string;
  /** Name of the array, where a page has several of these buttons. */
  name?: string;
}

export function CancelArrayButton({ arrayId, name }: CancelArrayButtonProps) {
  const { t } = useTranslation("jobs");
  const showProblem = useProblemMessage();
  const cancel = useArrayAction(arrayId, "cancel");
  return (
    <Confirm
      title={t("queue.cancelQuestion")}
      description={t("queue.cancelAbout")}
      okText={t("queue.cancelConfirm")}
      okButtonProps={{ danger: true }}
      cancelText={t("keep")}
      onConfirm={() => cancel.mutate(undefined, { onError: showProblem })}
    >
      <Button
        size={name === undefined ? "middle" : "small"}
        loading={cancel.isPending}
        {...(name !== undefined && { "aria-label": t("cancelNamed", { name }) })}
      >
        {name === undefined ? t("queue.cancelArray") : t("cancelShort")}
      </Button>
    </Confirm>
  );
}
