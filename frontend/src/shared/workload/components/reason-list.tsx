import type { Reason } from "@/shared/api/types";
import styles from "./reason-list.module.css";
import { useReasonSentence } from "./use-reason-sentence";

/** Why not now, hardest first, one sentence each. */
export function ReasonList({ reasons }: { reasons: readonly Reason[] }) {
  const sentence = useReasonSentence();
  return (
    <ul className={styles.list}>
      {reasons.map((reason) => (
        <li key={reason.code + JSON.stringify(reason.params)} data-code={reason.code}>
          {sentence(reason)}
        </li>
      ))}
    </ul>
  );
}
