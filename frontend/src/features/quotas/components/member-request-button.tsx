import { Button } from "antd";
import { useState } from "react";
import type { MemberLimit } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { later } from "@/shared/ui/opening";

const LaterRaise = later(async () => (await import("./member-limit-dialog")).RaiseDialog);

/** Asks the heads of the group for more of one's own limits. */
export function MemberRequestButton({ limit }: { limit: MemberLimit }) {
  const { t } = useTranslation("quotas");
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        {t("raise.open")}
      </Button>
      {isOpen && <LaterRaise limit={limit} onClose={() => setOpen(false)} />}
    </>
  );
}
