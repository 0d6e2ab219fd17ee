import { Form, Input } from "antd";
import type { Approval } from "@/shared/api/types";
import { COMMENT_MAX, useDecide, type Verb } from "@/shared/approvals/api/approvals";
import { useTranslation } from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { RequestWords } from "./request-words";

interface DecisionDialogProps {
  request: Approval;
  verb: Verb;
  onClose: () => void;
}

/** Approves or declines one request; what is approved is in force at once. */
export function DecisionDialog({ request, verb, onClose }: DecisionDialogProps) {
  const { t } = useTranslation("approvals");
  const decide = useDecide(request.id, verb);
  return (
    <EntityDialog<{ comment?: string }, { comment?: string }>
      action={t(verb)}
      title={t(verb === "approve" ? "approveTitle" : "declineTitle")}
      initial={{}}
      save={decide}
      bodyOf={({ comment = "" }) => ({ comment: comment.trim() })}
      onClose={onClose}
    >
      <p>
        <RequestWords request={request} />
      </p>
      {verb === "approve" && <p className="quiet">{t("approveAbout")}</p>}
      <Form.Item name="comment" label={t("comment")} extra={t("commentAbout")}>
        <Input.TextArea rows={3} maxLength={COMMENT_MAX} />
      </Form.Item>
    </EntityDialog>
  );
}
