import { memo } from "react";
import { segmentsOf } from "../model/ansi";
import styles from "./log-view.module.css";

/** One line with its colours. */
export const LogLine = memo(function LogLine({ text }: { text: string }) {
  return (
    <div className={styles.line}>
      {segmentsOf(text).map(({ start, text: part, colour, isBold }) => (
        <span key={start} data-colour={colour ?? undefined} data-bold={isBold || undefined}>
          {part}
        </span>
      ))}
    </div>
  );
});
