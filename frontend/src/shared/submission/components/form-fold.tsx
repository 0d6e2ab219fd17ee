/** Parts of a form that few people open, each a line with what is set in it now. */
import { type ReactNode, useId, useState } from "react";
import { UnfoldedContext } from "./fields";
import styles from "./submission.module.css";

interface FormFoldProps {
  title: string;
  /** What is set in it, also while it is folded. */
  digest: string;
  /** Whether it is open at first. */
  isOpen?: boolean;
  children: ReactNode;
}

/** A fold of a form. Its fields are there while it is folded, and read nothing from the server until it opens. */
export function FormFold({ title, digest, isOpen = false, children }: FormFoldProps) {
  const [wasOpened, setOpened] = useState(isOpen);
  const id = useId();
  return (
    <details
      className={styles.fold}
      aria-labelledby={id}
      open={isOpen || undefined}
      onToggle={({ currentTarget }) => currentTarget.open && setOpened(true)}
    >
      <summary>
        <h3 id={id}>{title}</h3>
        <span className="num">{digest}</span>
      </summary>
      <UnfoldedContext value={wasOpened}>
        <div>{children}</div>
      </UnfoldedContext>
    </details>
  );
}

/** All of them, side by side while they are folded. */
export function Folds({ children }: { children: ReactNode }) {
  return <div className={styles.folds}>{children}</div>;
}

/** Opens every fold around a field. */
export function unfoldAround(element: Element | null): void {
  for (let fold = element?.closest("details"); fold; ) {
    fold.open = true;
    fold = fold.parentElement?.closest("details");
  }
}
