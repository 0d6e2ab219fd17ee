import { CodeOutlined } from "@ant-design/icons";
import { Link } from "@tanstack/react-router";
import { Button, Modal } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Volume } from "@/shared/api/types";
import { useConfig } from "@/shared/session/me";
import { CodeBlock } from "@/shared/ui/code-block";
import { sftpLines } from "../model/paths";

interface SftpButtonProps {
  volume: Volume;
  path: string;
}

/** Ready lines for `sftp` and `scp` that lead to the folder that is shown. */
export function SftpButton({ volume, path }: SftpButtonProps) {
  const { t } = useTranslation("files");
  const [isOpen, setOpen] = useState(false);
  const config = useConfig();
  if (!config?.ssh_port || volume.location === "node") return null;
  const host = new URL(config.portal_url).hostname;
  const lines = sftpLines(host, config.ssh_port, volume.folder_name, path);
  const shown = volume.access === "write" ? lines : lines.filter(({ key }) => key !== "upload");
  return (
    <>
      <Button icon={<CodeOutlined aria-hidden />} onClick={() => setOpen(true)}>
        SFTP
      </Button>
      <Modal open={isOpen} title={t("sftp.title")} footer={null} onCancel={() => setOpen(false)}>
        <div className="stack">
          {shown.map(({ key, text }) => (
            <div key={key}>
              <div>{t(`sftp.${key}`)}</div>
              <CodeBlock label={t(`sftp.${key}`)} text={text} />
            </div>
          ))}
          <div>
            {t("sftp.about")} <Link to="/ssh-keys">{t("sftp.keys")}</Link>
          </div>
        </div>
      </Modal>
    </>
  );
}
