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
  useState,
} from "react";

/** A part of a page, such as a dialog, that comes once it is asked for. */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const Part = lazy(async () => ({ default: await load() }));
  return (props) => <Suspense>{createElement(Part as ComponentType<Props>, props)}</Suspense>;
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
const LaterMenu = lazy(async () => ({ default: (await loadMenu()).OpenedMenu }));

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
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <LaterMenu menu={menu}>{button}</LaterMenu>
    </Suspense>
  );
}

const LaterHint = lazy(async () => ({ default: (await import("./opened-hint")).OpenedHint }));

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
