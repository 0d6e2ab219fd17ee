import { Button, Form, Input, InputNumber } from "antd";
import { useState } from "react";
import { problemOf } from "@/shared/api/problem";
import type { ApprovalInput, WorkloadChange, WorkloadDetail } from "@/shared/api/types";
import { COMMENT_MAX, useApprovals, useMakeRequest } from "@/shared/approvals/api/approvals";
import { formatDuration } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { canChange } from "@/shared/session/roles";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useMessages } from "@/shared/ui/messages";
import { isStoppable } from "@/shared/workload/model/lifecycle";
import { useChangeWorkload } from "../api/submission";
import { limitHours, limitSeconds, needsRequest } from "../model/changes";

const STEP_H = 0.5;

/** Gives work a longer time limit, or asks for one where the policy does not allow it. */
export function ExtendButton({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("submission");
  const me = useMe();
  const [isOpen, setOpen] = useState(false);
  if (!isStoppable(workload.state) || !canChange(me, workload)) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t("extend.open")}</Button>
      {isOpen && <ExtendDialog workload={workload} onClose={() => setOpen(false)} />}
    </>
  );
}

interface ExtendDialogProps {
  workload: WorkloadDetail;
  onClose: () => void;
}

/** Changes the limit at once; what the policy refuses becomes a request with a reason. */
function ExtendDialog({ workload, onClose }: ExtendDialogProps) {
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
      initial={{ hours: limitHours(workload.time_limit_s) + 1 }}
      save={save}
      bodyOf={({ hours }) => ({ time_limit_s: limitSeconds(hours) })}
      onClose={onClose}
    >
      <TimeField now={formatDuration(workload.time_limit_s, language)} />
    </EntityDialog>
  );
}

function TimeField({ now }: { now: string }) {
  const { t } = useTranslation("submission");
  return (
    <Form.Item
      name="hours"
      label={t("extend.hours")}
      extra={t("extend.hoursAbout", { now })}
      rules={[{ required: true, message: t("extend.hoursMissing") }]}
    >
      <InputNumber min={STEP_H} step={STEP_H} style={{ width: "100%" }} />
    </Form.Item>
  );
}

interface RequestForm {
  hours: number;
  comment?: string;
}

interface RequestDialogProps extends ExtendDialogProps {
  hours: number;
  /** Why it is not allowed without one. */
  why: string;
}

function RequestDialog({ workload, hours, why, onClose }: RequestDialogProps) {
  const { t } = useTranslation("submission");
  const language = useLanguage();
  const messages = useMessages();
  const request = useMakeRequest();
  const done = () => {
    messages.success(t("extend.requested"));
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
      <TimeField now={formatDuration(workload.time_limit_s, language)} />
      <Form.Item name="comment" label={t("extend.comment")}>
        <Input.TextArea rows={3} maxLength={COMMENT_MAX} />
      </Form.Item>
    </EntityDialog>
  );
}

/** That a longer time was requested and nobody has decided yet. */
export function PendingRequest({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("submission");
  const language = useLanguage();
  const waiting = useApprovals({ workload: workload.id, state: "pending" }).data?.[0];
  const asked = waiting?.asked.time_limit_s;
  if (typeof asked !== "number") return null;
  return (
    <p data-testid="pending-request" style={{ margin: 0 }}>
      {t("extend.waiting", { asked: formatDuration(asked, language) })}
    </p>
  );
}
