import type { ReactNode } from "react";
import styles from "./panel.module.css";

interface PanelProps {
  title: string;
  extra?: ReactNode;
  children: ReactNode;
  testId?: string;
}

/** A titled section of a page. */
export function Panel({ title, extra, children, testId }: PanelProps) {
  return (
    <section className={styles.panel} aria-label={title} data-testid={testId}>
      <div className={styles.head}>
        <h2>{title}</h2>
        {extra}
      </div>
      {children}
    </section>
  );
}
