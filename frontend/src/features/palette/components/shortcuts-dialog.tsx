import { Modal } from "antd";
import { Fragment } from "react";
import { useTranslation } from "@/shared/i18n/language";
import styles from "./palette.module.css";

interface ShortcutsDialogProps {
  /** What a letter after `g` leads to. */
  jumps: readonly { keys: readonly string[]; label: string }[];
  onClose: () => void;
}

/** All keys that pages know, by where they work. */
export function ShortcutsDialog({ jumps, onClose }: ShortcutsDialogProps) {
  const { t } = useTranslation("palette");
  const modifier = navigator.platform.startsWith("Mac") ? "⌘" : "Ctrl";
  const rows = [
    { keys: [modifier, "K"], label: t("keys.search") },
    { keys: ["?"], label: t("keys.list") },
    ...jumps.map(({ keys, label }) => ({ keys, label: t("keys.goTo", { place: label }) })),
    { keys: ["Esc"], label: t("keys.close") },
    { keys: ["Enter"], label: t("keys.cellDown") },
    { keys: ["Shift", "Enter"], label: t("keys.cellUp") },
  ];
  return (
    <Modal open footer={null} onCancel={onClose} title={t("keys.title")} width={480}>
      <dl className={styles.keys}>
        {rows.map(({ keys, label }) => (
          <Fragment key={label}>
            <dt>
              {keys.map((key, index) => (
                <Fragment key={key}>
                  {index > 0 && " "}
                  <kbd>{key}</kbd>
                </Fragment>
              ))}
            </dt>
            <dd>{label}</dd>
          </Fragment>
        ))}
      </dl>
      <p className="second">{t("keys.about")}</p>
    </Modal>
  );
}
