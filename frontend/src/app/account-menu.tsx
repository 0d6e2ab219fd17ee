import { KeyOutlined, LockOutlined, LogoutOutlined, UserOutlined } from "@ant-design/icons";
import { Link } from "@tanstack/react-router";
import { Button, Dropdown } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSignOut } from "@/features/auth/api/session";
import { PasswordDialog } from "@/features/auth/components/password-dialog";
import { useMe } from "@/shared/session/me";

export function AccountMenu() {
  const { t } = useTranslation(["app", "auth"]);
  const me = useMe();
  const signOut = useSignOut();
  const [isChanging, setChanging] = useState(false);
  const acts: Record<string, () => void> = {
    password: () => setChanging(true),
    out: () => signOut.mutate(),
  };
  return (
    <>
      <Dropdown
        trigger={["click"]}
        menu={{
          items: [
            {
              key: "who",
              label: `${me.display_name || me.username} (${me.username})`,
              disabled: true,
            },
            { type: "divider" },
            {
              key: "keys",
              label: <Link to="/ssh-keys">{t("sshKeys")}</Link>,
              icon: <KeyOutlined />,
            },
            { key: "password", label: t("auth:changePassword"), icon: <LockOutlined /> },
            { key: "out", label: t("signOut"), icon: <LogoutOutlined /> },
          ],
          onClick: ({ key }) => acts[key]?.(),
        }}
      >
        <Button type="text" icon={<UserOutlined />} aria-label={t("account")} />
      </Dropdown>
      {isChanging && <PasswordDialog onClose={() => setChanging(false)} />}
    </>
  );
}
