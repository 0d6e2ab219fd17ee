import { Form, Input } from "antd";
import { useTranslation } from "@/shared/i18n/language";
import { type PasswordChange, useChangePassword } from "@/shared/session/account";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useMessages } from "@/shared/ui/messages";
import { LEAST_LENGTH } from "../api/password-reset";

interface Fields extends PasswordChange {
  again: string;
}

/** Changes the password of the signed-in person. */
export function PasswordDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("auth");
  const messages = useMessages();
  const change = useChangePassword(() => messages.success(t("passwordChanged")));
  return (
    <EntityDialog<Fields, PasswordChange>
      action={t("changePassword")}
      title={t("changePassword")}
      initial={{}}
      save={change}
      bodyOf={({ current_password, new_password }) => ({ current_password, new_password })}
      onClose={onClose}
    >
      <Form.Item
        name="current_password"
        label={t("currentPassword")}
        rules={[{ required: true, message: t("passwordMissing") }]}
      >
        <Input.Password autoComplete="current-password" />
      </Form.Item>
      <Form.Item
        name="new_password"
        label={t("newPassword")}
        extra={t("newPasswordAbout", { least: LEAST_LENGTH })}
        rules={[
          {
            required: true,
            min: LEAST_LENGTH,
            message: t("passwordShort", { least: LEAST_LENGTH }),
          },
        ]}
      >
        <Input.Password autoComplete="new-password" />
      </Form.Item>
      <Form.Item
        name="again"
        label={t("newPasswordAgain")}
        dependencies={["new_password"]}
        rules={[
          ({ getFieldValue }) => ({
            validator: (_rule, again?: string) =>
              again === getFieldValue("new_password")
                ? Promise.resolve()
                : Promise.reject(new Error(t("passwordsDiffer"))),
          }),
        ]}
      >
        <Input.Password autoComplete="new-password" />
      </Form.Item>
    </EntityDialog>
  );
}
