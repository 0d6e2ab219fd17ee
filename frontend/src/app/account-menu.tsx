import { KeyOutlined, LogoutOutlined, UserOutlined } from "@ant-design/icons";
import { Link } from "@tanstack/react-router";
import { Button, Dropdown } from "antd";
import { useTranslation } from "react-i18next";
import { useSignOut } from "@/features/auth/api/session";
import { useMe } from "@/shared/session/me";

export function AccountMenu() {
  const { t } = useTranslation("app");
  const me = useMe();
  const signOut = useSignOut();
  return (
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
          { key: "out", label: t("signOut"), icon: <LogoutOutlined /> },
        ],
        onClick: ({ key }) => key === "out" && signOut.mutate(),
      }}
    >
      <Button type="text" icon={<UserOutlined />} aria-label={t("account")} />
    </Dropdown>
  );
}
