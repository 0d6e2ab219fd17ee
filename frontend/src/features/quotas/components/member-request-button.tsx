import { Button, Form, Input, InputNumber } from "antd";
import { useState } from "react";
import type { ApprovalInput, MemberLimit } from "@/shared/api/types";
import { COMMENT_MAX, useMakeRequest } from "@/shared/approvals/api/approvals";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useMessages } from "@/shared/ui/messages";
import { memberLimitForm, OWN_COUNTS } from "../model/limits";
import { type MemberRaiseForm, memberRaise } from "../model/raises";

const FULL = { width: "100%" };

/** Asks the heads of the group for more of one's own limits. */
export function MemberRequestButton({ limit }: { limit: MemberLimit }) {
  const { t } = useTranslation("quotas");
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        {t("raise.open")}
      </Button>
      {isOpen && <RaiseDialog limit={limit} onClose={() => setOpen(false)} />}
    </>
  );
}

function RaiseDialog({ limit, onClose }: { limit: MemberLimit; onClose: () => void }) {
  const { t } = useTranslation(["quotas", "cluster"]);
  const coded = useCodedText();
  const language = useLanguage();
  const messages = useMessages();
  const request = useMakeRequest();
  const done = () => {
    messages.success(t("raise.sent"));
    onClose();
  };
  return (
    <EntityDialog<MemberRaiseForm, ApprovalInput>
      action={t("raise.send")}
      title={t("raise.title")}
      initial={memberLimitForm(limit)}
      save={{
        ...request,
        mutate: (body, act) => request.mutate(body, { ...act, onSuccess: done }),
      }}
      bodyOf={(form) => memberRaise(form, limit)}
      onClose={onClose}
    >
      <p className="quiet">{t("raise.about")}</p>
      {limit.ceilings.map(({ quota, resource, pool }) => (
        <Form.Item
          key={quota}
          name={["ceilings", quota]}
          label={t("member.ceiling", {
            what: coded(`cluster:quota.resource.${resource}`) ?? resource,
            where: pool ? titleOf(pool, language) : t("allPools"),
          })}
        >
          <InputNumber min={0} style={FULL} />
        </Form.Item>
      ))}
      {OWN_COUNTS.filter((name) => limit[name] !== null).map((name) => (
        <Form.Item key={name} name={name} label={t(`member.${name}`)}>
          <InputNumber min={0} precision={0} placeholder={t("member.asGroup")} style={FULL} />
        </Form.Item>
      ))}
      {limit.time_limit_s_max !== null && (
        <Form.Item name="hours" label={t("member.hours")}>
          <InputNumber min={0.02} placeholder={t("member.asGroup")} style={FULL} />
        </Form.Item>
      )}
      <Form.Item name="comment" label={t("raise.comment")}>
        <Input.TextArea rows={3} maxLength={COMMENT_MAX} />
      </Form.Item>
    </EntityDialog>
  );
}
