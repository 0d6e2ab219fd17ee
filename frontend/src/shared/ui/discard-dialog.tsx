import { Modal } from "antd";
import { useTranslation } from "@/shared/i18n/language";

interface DiscardQuestionProps {
  about: string;
  onDiscard: () => void;
  onStay: () => void;
}

/** Asks before edits are lost. */
export function DiscardQuestion({ about, onDiscard, onStay }: DiscardQuestionProps) {
  const { t } = useTranslation("ui");
  return (
    <Modal
      open
      title={t("unsaved.question")}
      okText={t("unsaved.leave")}
      okButtonProps={{ danger: true }}
      cancelText={t("unsaved.stay")}
      onOk={onDiscard}
      onCancel={onStay}
    >
      {about}
    </Modal>
  );
}
