/** Acts that need the password once more: asked for when the server says so, then done. */
import { Form, Input, Modal } from "antd";
import { type ReactNode, useState } from "react";
import { useTranslation } from "@/shared/i18n/language";
import { isDeclined } from "@/shared/session/passkeys";
import { ProblemAlert, useProblemMessage } from "@/shared/ui/query-states";
import { PasswordNeededError, useConfirmPassword } from "../api/security";

export interface Guard {
  /** Runs the act, asks for the password if it must, and shows why it was refused. */
  run: (act: () => Promise<unknown>) => void;
  /** Asks for the password first, for acts that take a while: so nobody is asked in between. */
  runConfirmed: (act: () => Promise<unknown>) => void;
  /** To be rendered by the caller: the question, while it is asked. */
  question: ReactNode;
}

export function usePasswordGuard(): Guard {
  const showProblem = useProblemMessage();
  const [waiting, setWaiting] = useState<(() => Promise<unknown>) | null>(null);
  const run: Guard["run"] = (act) =>
    void act().catch((error: Error) => {
      if (error instanceof PasswordNeededError) setWaiting(() => act);
      else if (!isDeclined(error)) showProblem(error);
    });
  const goOn = () => {
    setWaiting(null);
    if (waiting) run(waiting);
  };
  return {
    run,
    runConfirmed: (act) => setWaiting(() => act),
    question: waiting && <PasswordQuestion onConfirmed={goOn} onCancel={() => setWaiting(null)} />,
  };
}

interface PasswordQuestionProps {
  onConfirmed: () => void;
  onCancel: () => void;
}

function PasswordQuestion({ onConfirmed, onCancel }: PasswordQuestionProps) {
  const { t } = useTranslation(["account", "auth", "ui"]);
  const [form] = Form.useForm<{ password: string }>();
  const confirm = useConfirmPassword();
  return (
    <Modal
      open
      title={t("security.confirmTitle")}
      okText={t("security.confirm")}
      cancelText={t("ui:cancel")}
      confirmLoading={confirm.isPending}
      onOk={() => form.submit()}
      onCancel={onCancel}
    >
      <Form
        form={form}
        layout="vertical"
        requiredMark={false}
        onValuesChange={() => confirm.isError && confirm.reset()}
        onFinish={({ password }) => confirm.mutate(password, { onSuccess: onConfirmed })}
      >
        <p>{t("security.confirmAbout")}</p>
        <Form.Item
          name="password"
          label={t("auth:currentPassword")}
          rules={[{ required: true, message: t("auth:passwordMissing") }]}
        >
          <Input.Password autoComplete="current-password" autoFocus />
        </Form.Item>
        {confirm.isError && <ProblemAlert error={confirm.error} />}
      </Form>
    </Modal>
  );
}
