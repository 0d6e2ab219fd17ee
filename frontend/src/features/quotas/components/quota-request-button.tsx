import { Button } from "antd";
import { useState } from "react";
import type { Quota } from "@/shared/api/types";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { later } from "@/shared/ui/opening";

const LaterQuotaRaise = later(async () => (await import("./quota-dialog")).QuotaRaiseDialog);

/** Asks the group above, or the platform, for a higher ceiling. */
export function QuotaRequestButton({ quota, what }: { quota: Quota; what: string }) {
  const language = useLanguage();
  const { t } = useTranslation("quotas");
  const [isOpen, setOpen] = useState(false);
  if (quota.ceiling === null) return null;
  return (
    <>
      <Button
        size="small"
        aria-label={t("raise.openOf", { group: titleOf(quota.group, language), what })}
        onClick={() => setOpen(true)}
      >
        {t("raise.open")}
      </Button>
      {isOpen && <LaterQuotaRaise quota={quota} what={what} onClose={() => setOpen(false)} />}
    </>
  );
}
