import type { ReactNode } from "react";
import styles from "./page-header.module.css";
import { PageTitle } from "./page-title";

interface PageHeaderProps {
  title: string;
  /** One line under the title: state, age, owner, or what the page is for. */
  about?: ReactNode;
  /** At most one primary action, at the right. */
  actions?: ReactNode;
}

export function PageHeader({ title, about, actions }: PageHeaderProps) {
  return (
    <header className={styles.header}>
      <PageTitle text={title} />
      <div className={styles.words}>
        <h1>{title}</h1>
        {about && <div className={styles.about}>{about}</div>}
      </div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </header>
  );
}
