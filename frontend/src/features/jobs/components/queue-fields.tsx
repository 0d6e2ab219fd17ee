import { Form, Input, Select, Switch } from "antd";
import { use } from "react";
import { type Priority, usePriorities } from "@/shared/cluster/api/limits";
import { useTranslation } from "@/shared/i18n/language";
import {
  CountField,
  RuleNote,
  UnfoldedContext,
  useAllowed,
  useIsLocked,
} from "@/shared/submission/components/fields";
import { FormFold } from "@/shared/submission/components/form-fold";
import styles from "@/shared/submission/components/submission.module.css";
import {
  areExitCodes,
  isPast,
  NOTICE_SIGNALS,
  passesSignal,
  RESTART_RULES,
  type RestartRule,
} from "../model/job-form";

/** Priority in the queue, and whether the job may be preempted. */
export function QueueFold() {
  const { t } = useTranslation(["jobs", "workload"]);
  const isOnce = Form.useWatch("restart_rule") === "never";
  const priority: Priority = Form.useWatch("priority") ?? "normal";
  const isPreemptible: boolean = Form.useWatch("preemptible") ?? true;
  const given = t(isPreemptible && !isOnce ? "form.preemptible" : "form.notPreemptible");
  return (
    <FormFold
      title={t("form.queue")}
      digest={[given, t("form.ofPriority", { priority: t(`workload:priority.${priority}`) })].join(
        " · ",
      )}
    >
      <Form.Item
        name="preemptible"
        label={t("form.preemptible")}
        extra={
          <>
            {t(isOnce ? "form.preemptibleNever" : "form.preemptibleAbout")}
            <RuleNote field="preemptible" />
          </>
        }
        valuePropName="checked"
      >
        <Switch disabled={useIsLocked("preemptible") || isOnce} />
      </Form.Item>
      <PriorityFields isUsual={priority === "normal"} />
    </FormFold>
  );
}

function PriorityFields({ isUsual }: { isUsual: boolean }) {
  const { t } = useTranslation(["jobs", "workload"]);
  const priorities = usePriorities(Form.useWatch("group"), use(UnfoldedContext));
  return (
    <div className={styles.row}>
      <Form.Item
        name="priority"
        label={t("form.priority")}
        extra={
          <>
            {t("form.priorityAbout")}
            <RuleNote field="priority" />
          </>
        }
      >
        <Select
          disabled={useIsLocked("priority")}
          options={useAllowed("priority", priorities()).map((value) => ({
            value,
            label: t(`workload:priority.${value}`),
          }))}
        />
      </Form.Item>
      <Form.Item
        name="priority_until"
        label={t("form.priorityUntil")}
        extra={t("form.priorityUntilAbout")}
        hidden={isUsual}
        rules={[
          {
            validator: (_rule, local: string) =>
              isPast(local, new Date())
                ? Promise.reject(new Error(t("form.past")))
                : Promise.resolve(),
          },
        ]}
      >
        <Input type="datetime-local" />
      </Form.Item>
    </div>
  );
}

const RETRIES_MAX = 10;
const PAUSE_MINUTES_MAX = 60;

/** When a job is restarted, and the signal that announces its end. */
export function RestartFold() {
  const { t } = useTranslation("jobs");
  const rule: RestartRule = Form.useWatch("restart_rule") ?? "on_infrastructure";
  const launcher: string = Form.useWatch("launcher") ?? "plain";
  return (
    <FormFold title={t("restart.title")} digest={t(`restart.rules.${rule}`)}>
      <div className={styles.row}>
        <Form.Item name="restart_rule" label={t("restart.rule")} extra={t("restart.ruleAbout")}>
          <Select
            options={RESTART_RULES.map((value) => ({ value, label: t(`restart.rules.${value}`) }))}
          />
        </Form.Item>
        <Form.Item
          name="notice_signal"
          label={t("restart.notice")}
          extra={t("restart.noticeAbout")}
          dependencies={["launcher"]}
          rules={[
            {
              validator: (_rule, signal: string) =>
                passesSignal(launcher, signal)
                  ? Promise.resolve()
                  : Promise.reject(new Error(t("restart.launcherSignal"))),
            },
          ]}
        >
          <Select
            disabled={useIsLocked("notice_signal")}
            options={useAllowed("notice_signal", NOTICE_SIGNALS).map((value) => ({
              value,
              label: value === "none" ? t("restart.noSignal") : value,
            }))}
          />
        </Form.Item>
      </div>
      {rule === "on_failure" && (
        <div className={styles.row}>
          <CountField
            name="retries_max"
            label={t("form.retries")}
            max={RETRIES_MAX}
            help={t("form.retriesAbout")}
          />
          <Form.Item
            name="after_out_of_memory"
            label={t("restart.outOfMemory")}
            extra={t("restart.outOfMemoryAbout")}
            valuePropName="checked"
          >
            <Switch />
          </Form.Item>
        </div>
      )}
      {rule !== "never" && (
        <div className={styles.row}>
          <CountField
            name="pause_minutes"
            label={t("restart.pause")}
            min={0}
            max={PAUSE_MINUTES_MAX}
            help={t("restart.pauseAbout")}
          />
          <ExitCodes name="free_codes" />
          {rule === "on_failure" && <ExitCodes name="final_codes" />}
        </div>
      )}
    </FormFold>
  );
}

function ExitCodes({ name }: { name: "final_codes" | "free_codes" }) {
  const { t } = useTranslation("jobs");
  return (
    <Form.Item
      name={name}
      label={t(`restart.${name}`)}
      extra={t(`restart.${name}About`)}
      rules={[
        {
          validator: (_rule, codes: readonly string[] = []) =>
            areExitCodes(codes)
              ? Promise.resolve()
              : Promise.reject(new Error(t("restart.codesWrong"))),
        },
      ]}
    >
      <Select mode="tags" open={false} suffixIcon={null} tokenSeparators={[",", " "]} />
    </Form.Item>
  );
}
