/** The dialogs that change what work asks for, and for how long it may run. */
import { Button, Flex, Form, Input, InputNumber, Modal, Select, Switch } from "antd";
import { useState } from "react";
import { KINDS } from "@/shared/api/kinds.gen";
import { problemOf } from "@/shared/api/problem";
import type {
  Approval,
  ApprovalInput,
  Image,
  Pool,
  WorkloadChange,
  WorkloadDetail,
} from "@/shared/api/types";
import { COMMENT_MAX, useMakeRequest } from "@/shared/approvals/api/approvals";
import { useImages, usePools } from "@/shared/cluster/api/cluster";
import { usePriorities } from "@/shared/cluster/api/limits";
import { formatDeadline, formatDuration, formatMoment, formatWhen } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useMessages } from "@/shared/ui/messages";
import { bothOf, QueryBoundary } from "@/shared/ui/query-states";
import { useNow } from "@/shared/ui/time";
import { submittedKind } from "@/shared/workload/model/kinds";
import { isStoppable } from "@/shared/workload/model/lifecycle";
import { useChangeWorkload } from "../api/submission";
import {
  type ChangeForm,
  changeForm,
  changeInput,
  endWith,
  eveningAfter,
  hoursUntil,
  limitHours,
  limitSeconds,
  needsRequest,
} from "../model/changes";
import { CPU_MIN, gibOf, MEMORY_GIB_MIN } from "../model/devices";
import { imagesFor, poolsFor } from "../model/submission";
import { DeviceFields } from "./device-fields";
import { CountField, NameField, TimeLimitField } from "./fields";
import styles from "./submission.module.css";

interface ChangeDialogProps {
  workload: WorkloadDetail;
  onClose: () => void;
}

/** What waiting work, or a stopped notebook, asks for. */
export function ChangeDialog({ workload, onClose }: ChangeDialogProps) {
  const { t } = useTranslation("submission");
  const change = useChangeWorkload(workload);
  const [shown] = useState(workload);
  return (
    <EntityDialog<ChangeForm, WorkloadChange>
      action={t("change.action")}
      title={t("change.title", { name: workload.name })}
      initial={changeForm(shown)}
      save={change}
      bodyOf={(form) => changeInput(form, shown)}
      onClose={onClose}
    >
      <QueryBoundary query={bothOf(usePools(), useImages())} rows={6}>
        {([pools, images]) => <RequestFields workload={shown} pools={pools} images={images} />}
      </QueryBoundary>
    </EntityDialog>
  );
}

interface RequestFieldsProps {
  workload: WorkloadDetail;
  pools: readonly Pool[];
  images: readonly Image[];
}

function RequestFields({ workload, pools, images }: RequestFieldsProps) {
  const { t } = useTranslation(["submission", "workload"]);
  const language = useLanguage();
  const priorities = usePriorities(workload.group.id);
  const chosen: string = Form.useWatch("pool") ?? workload.pool.name;
  const pool = pools.find(({ name }) => name === chosen);
  const kind = submittedKind(workload);
  const offered = poolsFor(kind, pools);
  if (!pool) return null;
  const { limits } = pool;
  return (
    <>
      {/* A task has the name of its array. */}
      {!workload.array && <NameField />}
      <Form.Item name="pool" label={t("pool")} hidden={offered.length < 2}>
        <Select
          options={offered.map((row) => ({ value: row.name, label: titleOf(row, language) }))}
        />
      </Form.Item>
      <Form.Item name="image" label={t("image")}>
        <Select
          options={imagesFor(kind, images).map((image) => ({
            value: image.name,
            label: titleOf(image, language),
          }))}
        />
      </Form.Item>
      <DeviceFields pool={pool} />
      <div className={styles.row}>
        <CountField
          name="cpu"
          label={t("cpu")}
          max={limits.cpu_milli_max / 1000}
          min={CPU_MIN}
          step={0.5}
        />
        <CountField
          name="memory_gib"
          label={t("memory")}
          max={gibOf(limits.memory_mib_max)}
          min={MEMORY_GIB_MIN}
        />
      </div>
      <TimeLimitField pool={pool} />
      <Form.Item name="priority" label={t("change.priority")}>
        <Select
          options={priorities(workload.priority).map((value) => ({
            value,
            label: t(`workload:priority.${value}`),
          }))}
        />
      </Form.Item>
      {KINDS[kind].preemptible_by_default && (
        <Form.Item name="preemptible" label={t("change.preemptible")} valuePropName="checked">
          <Switch />
        </Form.Item>
      )}
    </>
  );
}

const STEP_H = 0.5;

/** A longer time limit, as long as the work has not ended meanwhile. */
export function ExtendDialog({ workload, onClose }: ChangeDialogProps) {
  const { t } = useTranslation("submission");
  const language = useLanguage();
  const { name, state, finished_at } = workload;
  if (isStoppable(state)) return <LimitDialog workload={workload} onClose={onClose} />;
  const at = finished_at ? formatMoment(new Date(finished_at), language) : "–";
  return (
    <Modal
      open
      title={t("extend.title", { name })}
      footer={<Button onClick={onClose}>{t("extend.close")}</Button>}
      onCancel={onClose}
    >
      <p role="alert">{t("extend.ended", { name, at })}</p>
    </Modal>
  );
}

/** Changes the limit at once; what the policy refuses becomes a request with a reason. */
function LimitDialog({ workload, onClose }: ChangeDialogProps) {
  const { t } = useTranslation("submission");
  const language = useLanguage();
  const change = useChangeWorkload(workload);
  const whyOf = (error: Error) => {
    const { detail, params } = problemOf(error);
    return typeof params.max === "number"
      ? t("extend.beyond", { max: formatDuration(params.max, language) })
      : detail;
  };
  const [refused, setRefused] = useState<{ hours: number; why: string } | null>(null);
  const save = {
    ...change,
    error: needsRequest(change.error) ? null : change.error,
    mutate: (
      body: WorkloadChange,
      act: { onSuccess: () => void; onError: (error: Error) => void },
    ) =>
      change.mutate(body, {
        ...act,
        onError: (error) =>
          needsRequest(error)
            ? setRefused({
                hours: limitHours(body.time_limit_s ?? 0),
                why: whyOf(error),
              })
            : act.onError(error),
      }),
  };
  if (refused) {
    return <RequestDialog workload={workload} {...refused} onClose={onClose} />;
  }
  return (
    <EntityDialog<{ hours: number }, WorkloadChange>
      action={t("extend.action")}
      title={t("extend.title", { name: workload.name })}
      initial={{ hours: limitHours(workload.time_limit_s ?? 0) + 1 }}
      save={save}
      bodyOf={({ hours }) => ({ time_limit_s: limitSeconds(hours) })}
      onClose={onClose}
    >
      <TimeField workload={workload} />
    </EntityDialog>
  );
}

const MORE_H = [1, 8];

/** The limit in hours, common ones by one press, and the clock time at which the work would end. */
function TimeField({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("submission");
  const language = useLanguage();
  const now = useNow();
  const form = Form.useFormInstance<{ hours: number }>();
  const hours: number | null = Form.useWatch("hours", form) ?? null;
  const end = hours === null ? null : endWith(workload, hours);
  const evening = eveningAfter(workload);
  const take = (hours: number) => form.setFieldsValue({ hours });
  return (
    <>
      <Flex gap={8} wrap style={{ marginBottom: 12 }}>
        {MORE_H.map((more) => (
          <Button key={more} onClick={() => take(limitHours(workload.time_limit_s ?? 0) + more)}>
            {t("extend.more", { count: more })}
          </Button>
        ))}
        {evening && (
          <Button onClick={() => take(hoursUntil(workload, evening))}>
            {t("extend.until", { at: formatWhen(evening, now, language) })}
          </Button>
        )}
      </Flex>
      <Form.Item
        name="hours"
        label={t("extend.hours")}
        extra={
          <>
            {t("extend.hoursAbout", { now: formatDuration(workload.time_limit_s ?? 0, language) })}{" "}
            {end && <strong>{t("extend.ends", { at: formatDeadline(end, now, language) })}</strong>}
          </>
        }
        rules={[{ required: true, message: t("extend.hoursMissing") }]}
      >
        <InputNumber min={STEP_H} step={STEP_H} style={{ width: "100%" }} />
      </Form.Item>
    </>
  );
}

interface RequestForm {
  hours: number;
  comment?: string;
}

interface RequestDialogProps extends ChangeDialogProps {
  hours: number;
  /** Why it is not allowed without one. */
  why: string;
}

function RequestDialog({ workload, hours, why, onClose }: RequestDialogProps) {
  const { t } = useTranslation("submission");
  const messages = useMessages();
  const request = useMakeRequest();
  const done = ({ decider }: Approval) => {
    messages.success(`${t("extend.requested")} ${t(`extend.decider.${decider}`)}`);
    onClose();
  };
  return (
    <EntityDialog<RequestForm, ApprovalInput>
      action={t("extend.request")}
      title={t("extend.requestTitle")}
      initial={{ hours }}
      save={{
        ...request,
        mutate: (body, act) => request.mutate(body, { ...act, onSuccess: done }),
      }}
      bodyOf={({ hours, comment = "" }) => ({
        kind: "time_limit",
        workload: workload.id,
        time_limit_s: limitSeconds(hours),
        comment: comment.trim(),
      })}
      onClose={onClose}
    >
      <p>
        {why} {t("extend.requestAbout")}
      </p>
      <TimeField workload={workload} />
      <Form.Item name="comment" label={t("extend.comment")}>
        <Input.TextArea rows={3} maxLength={COMMENT_MAX} />
      </Form.Item>
    </EntityDialog>
  );
}
