/**
 * What a long form of a page has: the list of its sections, the bar that saves it, and what keeps edits
 * from being lost. Its question is a dialog, which comes when it is asked.
 */
import { hashKey } from "@tanstack/react-query";
import { useBlocker } from "@tanstack/react-router";
import { Button } from "antd";
import type { ReactNode } from "react";
import { useTranslation } from "@/shared/i18n/language";
import { later } from "./opening";
import styles from "./ui.module.css";

const LaterDiscard = later(async () => (await import("./discard-dialog")).DiscardQuestion);

/** Edits are lost with the page: another hash or group shows the same page. */
const pageOf = ({ pathname, search }: { pathname: string; search: object }) =>
  hashKey([pathname, { ...search, group: undefined }]);

/** Asks before edits that are not saved are left; where the page is closed, the browser asks. */
export function UnsavedGuard({ isUnsaved }: { isUnsaved: () => boolean }) {
  const { t } = useTranslation("ui");
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => pageOf(current) !== pageOf(next) && isUnsaved(),
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  return (
    leaving.status === "blocked" && (
      <LaterDiscard
        about={t("unsaved.about")}
        onDiscard={() => leaving.proceed()}
        onStay={() => leaving.reset()}
      />
    )
  );
}

interface SectionListProps {
  label: string;
  sections: readonly { id: string; title: string }[];
}

/**
 * What a long form has, as a row above it: each name leads to its section, without a new address,
 * before which a form that is not saved would ask.
 */
export function SectionList({ label, sections }: SectionListProps) {
  const leadTo = (id: string) => {
    const section = document.getElementById(id);
    section?.scrollIntoView();
    section?.focus({ preventScroll: true });
  };
  return (
    <nav aria-label={label} className={styles.sections}>
      {sections.map(({ id, title }) => (
        <Button key={id} size="small" disabled={false} onClick={() => leadTo(id)}>
          {title}
        </Button>
      ))}
    </nav>
  );
}

/** What saves a long form: it stays in sight wherever in the form one is. */
export function SaveBar({ children }: { children: ReactNode }) {
  return <div className={styles.saveBar}>{children}</div>;
}
