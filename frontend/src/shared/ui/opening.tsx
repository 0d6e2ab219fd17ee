/** What opens beside an element, or above the page. It is loaded, and drawn, once a reader comes near. */
import { Button, type ButtonProps, type MenuProps } from "antd";
import {
  type ComponentType,
  cloneElement,
  createElement,
  lazy,
  type ReactElement,
  type ReactNode,
  Suspense,
  type SyntheticEvent,
  useDeferredValue,
  useEffect,
  useState,
} from "react";
import { isRetryable } from "@/shared/api/problem";
import { useTranslation } from "@/shared/i18n/language";
import styles from "./ui.module.css";

type Load<Props> = () => Promise<ComponentType<Props>>;

const PATIENCE_MS = 300;
const AGAIN_MS = 2_000;
/** Nobody has touched the page for so long: what it may open then is loaded ahead. */
const IDLE_MS = 10_000;
const ACTS = ["pointerdown", "keydown", "wheel"] as const;
const toPrefetch = new Set<() => Promise<unknown>>();

/** React's `lazy` that asks again while the server is away, instead of failing for as long as the page is open. */
export function lazyWithRetry<Props extends object>(load: Load<Props>): ComponentType<Props> {
  return lazy(async () => ({ default: await retried(load) })) as ComponentType<Props>;
}

/** The same for what a press opens: loaded before, in a pause, it opens at once and without the server. */
export function prefetched<Props extends object>(load: Load<Props>): ComponentType<Props> {
  toPrefetch.add(load);
  return lazyWithRetry(load);
}

/** A part of a page, such as a dialog, that comes once it is asked for. */
export function later<Props extends object>(load: Load<Props>): ComponentType<Props> {
  const Part = prefetched(load);
  return (props) => <Suspense fallback={<Opening />}>{createElement(Part, props)}</Suspense>;
}

/** A press was heard: what it opens is on its way. It takes no place in the page. */
function Opening() {
  const { t } = useTranslation("ui");
  const isSlow = useIsSlow();
  return (
    <span role="status" aria-label={t("loading")} className={isSlow ? styles.opening : undefined} />
  );
}

/** Whether a reader has waited long enough to be told so. */
export function useIsSlow(): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return isSlow;
}

/** Loads in a pause, one after the other, what can be opened from the pages that were shown so far. */
export function usePrefetch(): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let pauses = 0;
    const wait = () => {
      pauses += 1;
      clearTimeout(timer);
      timer = setTimeout(loadAll, IDLE_MS);
    };
    const loadAll = async () => {
      const pause = pauses;
      if (await loadWhile(() => pause === pauses)) wait();
    };
    for (const act of ACTS) addEventListener(act, wait, { passive: true });
    wait();
    return () => {
      pauses += 1;
      clearTimeout(timer);
      for (const act of ACTS) removeEventListener(act, wait);
    };
  }, []);
}

/** Loads what is left, unless the server is away; returns whether the pause has lasted. */
async function loadWhile(isPause: () => boolean): Promise<boolean> {
  for (const load of toPrefetch) {
    const isThere = isPause() && (await load().then(Boolean, () => false));
    if (!isThere) break;
    toPrefetch.delete(load);
  }
  return isPause();
}

/** Whether the server has another build than this page: what it has not loaded yet is gone. */
export async function hasNewBuild(): Promise<boolean> {
  const own = document.querySelector("script[type=module]")?.getAttribute("src");
  try {
    const page = await fetch("/", { cache: "no-store" });
    return own != null && page.ok && !(await page.text()).includes(own);
  } catch {
    return false;
  }
}

async function retried<Part>(load: () => Promise<Part>): Promise<Part> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      if (!isRetryable(error) || (await hasNewBuild())) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

/** What a dialog is about as it is saved now, for one that was opened on a row of a list. */
export function asSavedNow<Row extends { id: string }>(
  opened: Row | "new",
  rows: readonly Row[] | undefined,
): Row | undefined {
  if (opened === "new") return undefined;
  return rows?.find(({ id }) => id === opened.id) ?? opened;
}

interface MenuButtonProps extends Pick<ButtonProps, "type" | "size" | "children"> {
  label: string;
  icon: ReactNode;
  menu: MenuProps;
}

const loadMenu = () => import("./opened-menu");
const LaterMenu = prefetched(async () => (await loadMenu()).OpenedMenu);

/** A button that opens a menu. */
export function MenuButton({ label, menu, type = "text", ...look }: MenuButtonProps) {
  const [isWanted, setWanted] = useState(false);
  const button = (
    <Button
      {...look}
      type={type}
      aria-label={label}
      aria-haspopup="menu"
      autoFocus={isWanted}
      onPointerEnter={() => void loadMenu()}
      onFocus={() => void loadMenu()}
      onClick={() => setWanted(true)}
    />
  );
  // A press is answered before the menu is drawn.
  if (!useDeferredValue(isWanted)) return button;
  return (
    <Suspense fallback={button}>
      <LaterMenu menu={menu}>{button}</LaterMenu>
    </Suspense>
  );
}

const LaterHint = prefetched(async () => (await import("./opened-hint")).OpenedHint);

interface WatchedProps {
  onPointerEnter?: (event: SyntheticEvent) => void;
  onFocus?: (event: SyntheticEvent) => void;
}

interface HintedProps {
  title: string;
  children: ReactElement<WatchedProps>;
}

/** Words that show while the pointer or the keyboard is on an element. A page has thousands of them. */
export function Hinted({ title, children }: HintedProps) {
  const [target, setTarget] = useState<Element | null>(null);
  const open = ({ currentTarget }: SyntheticEvent) => setTarget(currentTarget);
  return (
    <>
      {cloneElement(children, { onPointerEnter: open, onFocus: open })}
      {target && (
        <Suspense>
          <LaterHint title={title} target={target} />
        </Suspense>
      )}
    </>
  );
}
