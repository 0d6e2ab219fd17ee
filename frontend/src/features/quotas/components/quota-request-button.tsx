import { Button, Form, Input, InputNumber } from "antd";
import { useState } from "react";
import type { ApprovalInput, Quota } from "@/shared/api/types";
import { COMMENT_MAX, useMakeRequest } from "@/shared/approvals/api/approvals";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useMessages } from "@/shared/ui/messages";
import { unitOf } from "../model/quotas";
import { type QuotaRaiseForm, quotaRaise } from "../model/raises";

/** Asks the group above, or the platform, for a higher ceiling. */
export function QuotaRequestButton({ quota, what }: { quota: Quota; what: string }) {
  const language = useLanguage();
  const { t } = useTranslation("quotas");
  const messages = useMessages();
  const request = useMakeRequest();
  const [isOpen, setOpen] = useState(false);
  if (quota.ceiling === null) return null;
  const present = quota.ceiling / unitOf(quota.resource);
  const done = () => {
    messages.success(t("raise.sent"));
    setOpen(false);
  };
  return (
    <>
      <Button
        size="small"
        aria-label={t("raise.openOf", { group: titleOf(quota.group, language), what })}
        onClick={() => setOpen(true)}
      >
        {t("raise.open")}
      </Button>
      {isOpen && (
        <EntityDialog<QuotaRaiseForm, ApprovalInput>
          action={t("raise.send")}
          title={`${titleOf(quota.group, language)} · ${what}`}
          initial={{ ceiling: present }}
          save={{
            ...request,
            mutate: (body, act) => request.mutate(body, { ...act, onSuccess: done }),
          }}
          bodyOf={(form) => quotaRaise(form, quota)}
          onClose={() => setOpen(false)}
        >
          <Form.Item
            name="ceiling"
            label={t("limit.ceiling")}
            extra={t("raise.quotaAbout", { present })}
            rules={[{ required: true, message: t("amountMissing") }]}
          >
            <InputNumber min={present} style={{ width: "100%" }} />
          </Form.Item>
          <Form.Item name="comment" label={t("raise.comment")}>
            <Input.TextArea rows={3} maxLength={COMMENT_MAX} />
          </Form.Item>
        </EntityDialog>
      )}
    </>
  );
}
