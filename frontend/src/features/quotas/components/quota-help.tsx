import { QuestionCircleOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "@/shared/i18n/language";
import { later } from "@/shared/ui/opening";
import type { QuotaTerm } from "../model/terms";

const LaterTerms = later(async () => (await import("./quota-terms")).QuotaTerms);

interface QuotaHelpProps {
  /** What stands beside it. */
  what: string;
  /** Those that are explained; all of them, unless it is about one. */
  term?: QuotaTerm;
}

/** A question mark beside words of quotas. What they mean comes once it is asked for. */
export function QuotaHelp({ what, term }: QuotaHelpProps) {
  const { t } = useTranslation("ui");
  const [target, setTarget] = useState<Element | null>(null);
  const label = t("explain", { what });
  return (
    <>
      <Button
        size="small"
        type="text"
        icon={<QuestionCircleOutlined aria-hidden />}
        aria-label={label}
        onClick={({ currentTarget }) => setTarget(currentTarget)}
      />
      {target && <LaterTerms label={label} target={target} {...(term && { term })} />}
    </>
  );
}
