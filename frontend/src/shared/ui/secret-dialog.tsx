import { Alert, Button, Modal } from "antd";
import type { ReactNode } from "react";
import { useTranslation } from "@/shared/i18n/language";

interface SecretDialogProps {
  title: string;
  /** Says that the secret is shown this once. */
  warning: string;
  onClose: () => void;
  children: ReactNode;
}

/** A secret that is shown this once: only its button closes it, no key and no click beside it. */
export function SecretDialog({ title, warning, onClose, children }: SecretDialogProps) {
  const { t } = useTranslation("ui");
  return (
    <Modal
      open
      title={title}
      keyboard={false}
      closable={false}
      mask={{ closable: false }}
      footer={
        <Button type="primary" onClick={onClose}>
          {t("copiedIt")}
        </Button>
      }
    >
      <div className="stack">
        <Alert type="warning" showIcon title={warning} />
        {children}
      </div>
    </Modal>
  );
}
