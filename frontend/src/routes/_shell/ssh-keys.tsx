import { createFileRoute } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { AddKey, HowTo, KeyTable } from "@/features/ssh-keys/components/ssh-keys-page";
import { PageHeader } from "@/shared/ui/page";

export const Route = createFileRoute("/_shell/ssh-keys")({ component: SshKeysPage });

function SshKeysPage() {
  const { t } = useTranslation("ssh-keys");
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} actions={<AddKey />} />
      <div className="stack">
        <KeyTable />
        <HowTo />
      </div>
    </>
  );
}
