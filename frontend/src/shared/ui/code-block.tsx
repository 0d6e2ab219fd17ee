import { CheckOutlined, CopyOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useEffect, useState } from "react";
import { useTranslation } from "@/shared/i18n/language";
import { Hinted } from "./opening";
import styles from "./ui.module.css";

/** Text to copy into a terminal or file; scrolls inside itself. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className={styles.codeBlock}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must take the keyboard */}
      <section tabIndex={0} className={styles.codeText}>
        <pre>{text}</pre>
      </section>
      <div className={styles.codeCopy}>
        <CopyButton text={text} what={label} />
      </div>
    </div>
  );
}

const SHOWN_MS = 2_000;

/** Copies a text and confirms it; `what` completes the button's name. */
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
    <Hinted title={name}>
      <Button
        type="text"
        size="small"
        aria-label={name}
        icon={isCopied ? <CheckOutlined /> : <CopyOutlined />}
        onClick={() => void copyText(text).then(setCopied)}
      />
    </Hinted>
  );
}

/** Put text on the clipboard; false when the browser refuses (no permission, plain HTTP). */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
