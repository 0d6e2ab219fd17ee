import type { FormInstance } from "antd";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import styles from "./submission.module.css";

/** The words beside the fields that hold a fault now. */
export function faultyFields(form: Pick<FormInstance, "getFieldsError">): string[] {
  const faulty = form.getFieldsError().filter(({ errors }) => errors.length > 0);
  return faulty.map(({ name }) => {
    const label = document.querySelector(`label[for="${name.join("_")}"]`);
    return label?.textContent || String(name[0]);
  });
}

/** Names the fields that need a correction beside the button: they may be out of sight. */
export function FieldsToCorrect({ names }: { names: readonly string[] }) {
  const { t } = useTranslation("submission");
  const language = useLanguage();
  if (names.length === 0) return null;
  const list = new Intl.ListFormat(language).format(new Set(names));
  return (
    <p role="alert" className={styles.fault}>
      {t("toCorrect", { count: names.length, names: list })}
    </p>
  );
}
