import { CloudUploadOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isGroupAdmin, isPlatformAdmin } from "@/shared/session/roles";
import { later } from "@/shared/ui/opening";
import type { PublishedSource } from "../model/dataset";

const LaterPublish = later(async () => (await import("./dataset-dialogs")).PublishDialog);

interface PublishButtonProps {
  /** What becomes a version: a folder of a volume, or the outputs of a job. */
  folder: PublishedSource;
  /** What people call it. */
  title: string;
}

/** Publishes a folder as the next version of a data set; for those who manage data sets of a group. */
export function PublishButton({ folder, title }: PublishButtonProps) {
  const { t } = useTranslation("datasets");
  const [isOpen, setOpen] = useState(false);
  if (!useMayPublish()) return null;
  return (
    <>
      <Button icon={<CloudUploadOutlined aria-hidden />} onClick={() => setOpen(true)}>
        {t("publish.action")}
      </Button>
      {isOpen && (
        <LaterPublish
          folder={folder}
          title={t("publish.title", { title })}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

/** Publishes files of which the dialog asks where they lie. */
export function PublishFilesButton() {
  const { t } = useTranslation("datasets");
  const [isOpen, setOpen] = useState(false);
  if (!useMayPublish()) return null;
  return (
    <>
      <Button icon={<CloudUploadOutlined aria-hidden />} onClick={() => setOpen(true)}>
        {t("publish.anyAction")}
      </Button>
      {isOpen && <LaterPublish title={t("publish.anyAction")} onClose={() => setOpen(false)} />}
    </>
  );
}

function useMayPublish(): boolean {
  const me = useMe();
  return isGroupAdmin(me) || isPlatformAdmin(me);
}
