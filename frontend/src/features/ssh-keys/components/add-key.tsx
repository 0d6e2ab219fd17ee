import { Button, Form, Input, Modal } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { SshKeyInput } from "@/shared/api/types";
import { ProblemAlert } from "@/shared/ui/query-states";
import { useAddSshKey } from "../api/use-ssh-keys";

/** The page's primary action: a dialog that takes the line of a `.pub` file. */
export function AddKey() {
  const { t } = useTranslation("ssh-keys");
  const [isOpen, setOpen] = useState(false);
  const add = useAddSshKey();
  const close = () => {
    setOpen(false);
    add.reset();
  };
  return (
    <>
      <Button type="primary" onClick={() => setOpen(true)}>
        {t("add")}
      </Button>
      <Modal open={isOpen} title={t("add")} footer={null} onCancel={close} destroyOnHidden>
        <Form<SshKeyInput>
          layout="vertical"
          requiredMark={false}
          onFinish={(body) => add.mutate(body, { onSuccess: close })}
        >
          <Form.Item
            name="name"
            label={t("name")}
            rules={[{ required: true, max: 100, message: t("nameMissing") }]}
          >
            <Input autoComplete="off" placeholder={t("namePlaceholder")} />
          </Form.Item>
          <Form.Item
            name="public_key"
            label={t("key")}
            extra={t("keyAbout")}
            rules={[{ required: true, message: t("keyMissing") }]}
          >
            <Input.TextArea rows={4} spellCheck={false} placeholder="ssh-ed25519 AAAA…" />
          </Form.Item>
          <div className="stack">
            {add.isError && <ProblemAlert error={add.error} />}
            <div>
              <Button type="primary" htmlType="submit" loading={add.isPending}>
                {t("add")}
              </Button>
            </div>
          </div>
        </Form>
      </Modal>
    </>
  );
}
