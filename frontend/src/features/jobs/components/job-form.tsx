import { Form, Select } from "antd";
import { JOB } from "@/shared/api/kinds.gen";
import type { Pool } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { useConfig } from "@/shared/session/me";
import type { Submitted } from "@/shared/submission/api/submission";
import {
  CountField,
  Lockable,
  RuleNote,
  useAllowed,
  useIsLocked,
} from "@/shared/submission/components/fields";
import { FormFold } from "@/shared/submission/components/form-fold";
import styles from "@/shared/submission/components/submission.module.css";
import { SubmissionForm } from "@/shared/submission/components/submission-form";
import { curlOf, type SubmissionChoices } from "@/shared/submission/model/submission";
import { CodeBlock } from "@/shared/ui/code-block";
import { useSubmitJob } from "../api/jobs";
import {
  type JobFormValues,
  jobDraft,
  jobInput,
  LAUNCHERS,
  type Launcher,
  stemOf,
} from "../model/job-form";
import { jobFormOf } from "../model/resubmission";
import { ProgramFields } from "./program-fields";
import { QueueFold, RestartFold } from "./queue-fields";
import { ArrayFold, StartFold } from "./start-fields";

interface JobFormProps extends SubmissionChoices {
  onSubmitted: (submitted: Submitted) => void;
  /** What it begins with besides the defaults: an earlier job, a notebook, outputs of a job. */
  again?: Partial<JobFormValues> | undefined;
}

const EXAMPLE = 'echo "hello from $(hostname)"\necho "result" > "$BERTH_OUTPUT_DIR/result.txt"\n';
const INITIAL = {
  way: "script",
  script: EXAMPLE,
  replicas: 1,
  launcher: "plain",
  priority: "normal",
  preemptible: true,
  restart_rule: "on_infrastructure",
  notice_signal: "SIGTERM",
  silence: "pool",
  retries_max: 1,
  pause_minutes: 0,
} as const;

export function JobForm({ onSubmitted, again, ...choices }: JobFormProps) {
  const { t } = useTranslation("jobs");
  const submit = useSubmitJob();
  return (
    <SubmissionForm
      {...choices}
      onSubmitted={onSubmitted}
      kind={{
        work: JOB.kind,
        stemOf,
        initial: INITIAL,
        ...(again && { again }),
        toInput: jobInput,
        ofBody: jobFormOf,
        toDraft: jobDraft,
        submission: submit,
        action: t("submit"),
        program: (
          <Lockable settings={["script", "command"]}>
            <ProgramFields />
          </Lockable>
        ),
        portsAbout: t("form.portsAbout"),
        more: (pool) => (
          <>
            <RankFold pool={pool} />
            <ArrayFold />
            <StartFold />
            <Lockable settings={["restart"]}>
              <RestartFold />
            </Lockable>
            <QueueFold />
          </>
        ),
        foot: (values) => <Curl values={values} />,
      }}
    />
  );
}

/** How many of these run together, and what starts their processes. */
function RankFold({ pool: { limits } }: { pool: Pool }) {
  const { t } = useTranslation("jobs");
  const ranks: number = Form.useWatch("replicas") ?? 1;
  const launcher: Launcher = Form.useWatch("launcher") ?? "plain";
  return (
    <FormFold
      title={t("form.ranks")}
      digest={[
        ranks,
        launcher === "plain" ? t("form.noLauncher") : t(`form.launchers.${launcher}`),
      ].join(" · ")}
    >
      <div className={styles.row}>
        <CountField
          name="replicas"
          label={t("form.ranks")}
          max={limits.replicas_max}
          help={t("form.ranksAbout")}
        />
        <Form.Item
          name="launcher"
          label={t("form.launcher")}
          extra={
            <>
              {t("form.launcherAbout")}
              <RuleNote field="launcher" />
            </>
          }
        >
          <Select
            disabled={useIsLocked("launcher")}
            options={useAllowed("launcher", LAUNCHERS).map((value) => ({
              value,
              label: t(`form.launchers.${value}`),
            }))}
          />
        </Form.Item>
      </div>
    </FormFold>
  );
}

/** The same submission for a pipeline, once the form is complete. */
function Curl({ values }: { values: Partial<JobFormValues> }) {
  const { t } = useTranslation("submission");
  const portalUrl = useConfig()?.portal_url ?? window.location.origin;
  if (!jobDraft(values)) return null;
  const body = jobInput({ ...INITIAL, ...values } as JobFormValues);
  return (
    <details>
      <summary>{t("curl")}</summary>
      <CodeBlock
        label={t("curl")}
        text={curlOf(portalUrl, "array" in body ? "/api/v1/job-arrays" : "/api/v1/jobs", body)}
      />
    </details>
  );
}
