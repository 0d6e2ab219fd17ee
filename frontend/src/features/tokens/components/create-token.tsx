import { Button, Modal } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { NewToken as Token } from "@/shared/api/types";
import { NewToken } from "./new-token";
import { TokenForm } from "./token-form";

/** The page's primary action: a dialog that asks, then shows the secret once. */
export function CreateToken() {
  const { t } = useTranslation("tokens");
  const [isOpen, setOpen] = useState(false);
  const [token, setToken] = useState<Token | null>(null);
  const close = () => {
    setOpen(false);
    setToken(null);
  };
  return (
    <>
      <Button type="primary" onClick={() => setOpen(true)}>
        {t("create")}
      </Button>
      <Modal open={isOpen} title={t("create")} footer={null} onCancel={close} destroyOnHidden>
        {token ? <NewToken token={token} /> : <TokenForm onCreated={setToken} />}
      </Modal>
    </>
  );
}
