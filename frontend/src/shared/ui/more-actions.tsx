/** The seldom actions of a row or a page, behind one button: red and many only once they are asked for. */
import { MoreOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { type ReactNode, useDeferredValue, useState } from "react";
import { later } from "./opening";

const loadActions = () => import("./opened-actions");
const LaterActions = later(async () => (await loadActions()).OpenedActions);

interface MoreActionsProps {
  /** For people who cannot see beside what the button stands. */
  label: string;
  size?: "small" | "middle";
  /** Buttons, one below the other. */
  children: ReactNode;
}

export function MoreActions({ label, size = "small", children }: MoreActionsProps) {
  const [target, setTarget] = useState<Element | null>(null);
  // A press is answered before the buttons are drawn.
  const shown = useDeferredValue(target);
  return (
    <>
      <Button
        size={size}
        type={size === "small" ? "text" : "default"}
        icon={<MoreOutlined aria-hidden />}
        aria-label={label}
        onClick={({ currentTarget }) => setTarget(currentTarget)}
        onPointerEnter={() => void loadActions()}
        onFocus={() => void loadActions()}
      />
      {shown && (
        <LaterActions label={label} target={shown}>
          {children}
        </LaterActions>
      )}
    </>
  );
}
