/** Parts of a long page, one at a time: the address names which, so that each can be linked to. */
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type KeyboardEvent, type ReactNode, Suspense, useId } from "react";
import { Loading } from "./query-states";
import styles from "./ui.module.css";

export interface PageTab {
  key: string;
  label: string;
  content: ReactNode;
}

interface PageTabsProps {
  label: string;
  /** The first is shown where the address names none. */
  tabs: readonly PageTab[];
  /** Its word in the address. */
  word?: string;
  /** Words of the address that belong to one tab, and go with it. */
  own?: readonly string[];
}

const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };

/**
 * Only the chosen part is mounted, and its code may come when it is chosen. The way back leads out of
 * the page, not through its tabs; who returns finds the tab that was left. One part alone has no tab.
 */
export function PageTabs({ label, tabs, word = "tab", own = [] }: PageTabsProps) {
  const id = useId();
  const named = (useSearch({ strict: false }) as Record<string, unknown>)[word];
  const navigate = useNavigate();
  const place = Math.max(
    0,
    tabs.findIndex(({ key }) => key === named),
  );
  const left = Object.fromEntries(own.map((name) => [name, undefined]));
  const leadTo = (to: number) => ({
    to: "." as const,
    search: ((old: object) => ({
      ...old,
      ...left,
      [word]: to ? tabs[to]?.key : undefined,
    })) as never,
    replace: true,
    resetScroll: false,
  });
  const step = (event: KeyboardEvent<HTMLElement>) => {
    const by = STEPS[event.key];
    if (!by) return;
    event.preventDefault();
    const to = (place + by + tabs.length) % tabs.length;
    (event.currentTarget.children[to] as HTMLElement).focus();
    void navigate(leadTo(to));
  };
  const content = (
    <Suspense key={tabs[place]?.key} fallback={<Loading />}>
      {tabs[place]?.content}
    </Suspense>
  );
  if (tabs.length === 1) return content;
  return (
    <>
      <div role="tablist" aria-label={label} className={styles.tabs} onKeyDown={step}>
        {tabs.map((tab, at) => (
          <Link
            key={tab.key}
            {...leadTo(at)}
            role="tab"
            id={`${id}-${tab.key}`}
            aria-selected={at === place}
            aria-controls={`${id}-panel`}
            tabIndex={at === place ? 0 : -1}
          >
            {tab.label}
          </Link>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tabs[place]?.key}`}>
        {content}
      </div>
    </>
  );
}
