import { Alert } from "antd";
import { useTranslation } from "react-i18next";
import type { Node } from "@/shared/api/types";
import { formatMoment } from "@/shared/i18n/format";
import { useCodedText, useLanguage } from "@/shared/i18n/language";
import styles from "./nodes.module.css";

/** Why the node takes no work, or soon may not: what an operator wants, and what it reports itself. */
export function NodeReasons({ node }: { node: Node }) {
  const { t } = useTranslation("nodes");
  const coded = useCodedText();
  const language = useLanguage();
  const { hold, drain_until, drain_stops, faults, containers_held } = node;
  const deadline = drain_until && formatMoment(new Date(drain_until), language);
  return (
    <>
      {hold !== "" && (
        <p className={styles.hint}>
          {t(`hold.${hold}`)}
          {hold === "drain" &&
            deadline &&
            ` ${t(drain_stops ? "drainStops" : "drainMoves", { at: deadline })}`}
          {hold === "drain" &&
            containers_held > 0 &&
            ` ${t("drainLeft", { count: containers_held })}`}
        </p>
      )}
      {faults.map(({ code, detail, is_blocking }) => (
        <Alert
          key={`${code} ${detail}`}
          type={is_blocking ? "error" : "warning"}
          showIcon
          title={coded(`nodes:fault.${code}`) ?? t("faultOther", { code })}
          description={[is_blocking && t("takesNoWork"), detail].filter(Boolean).join(" ")}
        />
      ))}
    </>
  );
}
