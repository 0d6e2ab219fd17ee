import { Button } from "antd";
import { useState } from "react";
import type { Pool } from "@/shared/api/types";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { later } from "@/shared/ui/opening";

const LaterInvite = later(async () => (await import("./invite-dialog")).InviteDialog);

/** Invites a server to join the pool. */
export function AddNode({ pool }: { pool: Pool }) {
  const { t } = useTranslation("pools");
  const language = useLanguage();
  const [isOpen, setOpen] = useState(false);
  const title = t("addNodeTitle", { name: titleOf(pool, language) });
  return (
    <>
      <Button size="small" aria-label={title} onClick={() => setOpen(true)}>
        {t("addNode")}
      </Button>
      {isOpen && <LaterInvite pool={pool} title={title} onClose={() => setOpen(false)} />}
    </>
  );
}
