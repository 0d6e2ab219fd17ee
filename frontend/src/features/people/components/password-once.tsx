import { Alert, Button, Modal } from "antd";
import { useTranslation } from "react-i18next";
import type { PersonPassword } from "@/shared/api/types";
import { CodeBlock } from "@/shared/ui/code-block";

interface PasswordOnceProps {
  issued: PersonPassword;
  onClose: () => void;
}

/** A new password, shown this once; a click beside the dialog does not lose it. */
export function PasswordOnce({ issued: { username, password }, onClose }: PasswordOnceProps) {
  const { t } = useTranslation("people");
  return (
    <Modal
      open
      title={t("password.of", { name: username })}
      mask={{ closable: false }}
      onCancel={onClose}
      footer={
        <Button type="primary" onClick={onClose}>
          {t("password.done")}
        </Button>
      }
    >
      <div className="stack">
        <Alert type="warning" showIcon title={t("password.once")} />
        <CodeBlock label={t("password.password")} text={password} />
        <p>{t("password.next")}</p>
      </div>
    </Modal>
  );
}
