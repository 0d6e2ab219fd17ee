import { CheckOutlined, CopyOutlined } from "@ant-design/icons";
import { Button, Tooltip } from "antd";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { copyText } from "@/shared/lib/copy-text";

const SHOWN_MS = 2_000;

/** Copies a text and says so; `what` completes the button's name. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const { t } = useTranslation("ui");
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const name = isCopied ? t("copied") : t("copy", { what });
  return (
    <Tooltip title={name}>
      <Button
        type="text"
        size="small"
        aria-label={name}
        icon={isCopied ? <CheckOutlined /> : <CopyOutlined />}
        onClick={() => void copyText(text).then(setCopied)}
      />
    </Tooltip>
  );
}
