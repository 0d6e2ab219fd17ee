import { Form, Input } from "antd";
import type { Alarm } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useAcknowledge } from "../api/alarms";
import { useAlarmWords, useRuleName } from "./alarm-words";

const COMMENT_MAX = 300;

/** Says that the reader takes care of an alarm. */
export function AcknowledgeDialog({ alarm, onClose }: { alarm: Alarm; onClose: () => void }) {
  const { t } = useTranslation("alarms");
  const ruleName = useRuleName();
  const words = useAlarmWords();
  return (
    <EntityDialog<{ comment?: string }, { comment: string }>
      title={t("acknowledgeTitle")}
      action={t("acknowledge")}
      initial={{}}
      save={useAcknowledge(alarm.id)}
      bodyOf={({ comment = "" }) => ({ comment: comment.trim() })}
      onClose={onClose}
    >
      <p>
        {ruleName(alarm.rule)}: {words.subject(alarm)}
      </p>
      <p className="quiet">{t("acknowledgeAbout")}</p>
      <Form.Item name="comment" label={t("comment")}>
        <Input.TextArea rows={2} maxLength={COMMENT_MAX} />
      </Form.Item>
    </EntityDialog>
  );
}
