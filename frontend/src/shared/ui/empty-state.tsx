import type { ReactNode } from "react";
import styles from "./empty-state.module.css";

interface EmptyStateProps {
  title: string;
  text: string;
  action?: ReactNode;
  /** When there is nothing else on the page, its title is the page's. */
  isPage?: boolean;
}

/** Says what the page is for and the one next thing to do. */
export function EmptyState({ title, text, action, isPage = false }: EmptyStateProps) {
  const Title = isPage ? "h1" : "h2";
  return (
    <div className={styles.empty}>
      <svg viewBox="0 0 96 28" width="96" height="28" aria-hidden="true" className={styles.art}>
        <rect x="1" y="1" width="94" height="26" rx="5" />
        <path d="M24.5 1v26M48 1v26M71.5 1v26" />
      </svg>
      <Title>{title}</Title>
      <p>{text}</p>
      {action}
    </div>
  );
}
