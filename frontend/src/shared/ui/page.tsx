/** What every page is built from: its title, panels, facts and links that look like buttons. */
import { createLink } from "@tanstack/react-router";
import { Button, type ButtonProps } from "antd";
import { createContext, Fragment, type ReactNode, type Ref, use } from "react";
import styles from "./ui.module.css";

interface PageHeaderProps {
  title: string;
  /** One line under the title: state, age, owner, or what the page is for. */
  about?: ReactNode;
  /** At most one primary action, at the right. */
  actions?: ReactNode;
}

export function PageHeader({ title, about, actions }: PageHeaderProps) {
  return (
    <header className={styles.pageHeader}>
      <PageTitle text={title} />
      <div className={styles.pageWords}>
        <h1>{title}</h1>
        {about && <div className={styles.pageAbout}>{about}</div>}
      </div>
      {actions && <div className={styles.pageActions}>{actions}</div>}
    </header>
  );
}

/** What stands before every title of a browser tab while something needs its reader. */
export const TitleMarkContext = createContext("");

/** Names the browser tab. */
export function PageTitle({ text }: { text: string }) {
  return <title>{`${use(TitleMarkContext)}${text} · Berth`}</title>;
}

interface PanelProps {
  title: string;
  /** The title as it is drawn, where it is a link. */
  heading?: ReactNode;
  extra?: ReactNode;
  children: ReactNode;
  testId?: string;
  /** By which a list of sections leads to it. */
  id?: string;
}

/** A titled section of a page. */
export function Panel({ title, heading, extra, children, testId, id }: PanelProps) {
  return (
    <section
      className={styles.panel}
      aria-label={title}
      data-testid={testId}
      id={id}
      tabIndex={id ? -1 : undefined}
    >
      <div className={styles.panelHead}>
        <h2>{heading || title}</h2>
        {extra}
      </div>
      {children}
    </section>
  );
}

interface FoldedPanelProps {
  title: string;
  /** What is set in it, also while it is folded. */
  digest?: string;
  children: ReactNode;
}

/** A section that most people never open. */
export function FoldedPanel({ title, digest = "", children }: FoldedPanelProps) {
  return (
    <section className={styles.panel} aria-label={title}>
      <details>
        <summary className={styles.fold}>
          <h2>{title}</h2>
          <span>{digest}</span>
        </summary>
        <div className={styles.folded}>{children}</div>
      </details>
    </section>
  );
}

/** Names and values side by side. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

type LookProps = Omit<ButtonProps, "type" | "ref"> & {
  ref?: Ref<HTMLAnchorElement>;
  /** A page has one primary action; set false for the others. */
  isPrimary?: boolean;
};

/** A link that looks like a button. */
export const LinkButton = createLink(({ ref, isPrimary = true, ...props }: LookProps) => (
  <Button
    type={isPrimary ? "primary" : "default"}
    {...props}
    ref={ref as Ref<HTMLButtonElement & HTMLAnchorElement>}
  />
));
