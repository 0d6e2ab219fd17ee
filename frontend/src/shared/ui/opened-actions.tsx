import { Dropdown } from "antd";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { StandIn } from "./opened-hint";
import styles from "./ui.module.css";

interface OpenedActionsProps {
  label: string;
  target: Element;
  children: ReactNode;
}

/** Buttons beside the one that was pressed; the first of them has the focus, and Escape closes them. */
export function OpenedActions({ label, target, children }: OpenedActionsProps) {
  const [isOpen, setOpen] = useState(true);
  const leave = ({ key }: KeyboardEvent) => {
    if (key !== "Escape") return;
    setOpen(false);
    if (target instanceof HTMLElement) target.focus();
  };
  return (
    <Dropdown
      trigger={["click"]}
      placement="bottomRight"
      open={isOpen}
      onOpenChange={setOpen}
      popupRender={() => (
        <fieldset aria-label={label} className={styles.actions} ref={focusFirst} onKeyDown={leave}>
          {children}
        </fieldset>
      )}
    >
      <StandIn target={target} />
    </Dropdown>
  );
}

function focusFirst(box: HTMLElement | null): void {
  box?.querySelector<HTMLElement>("button, a")?.focus();
}
