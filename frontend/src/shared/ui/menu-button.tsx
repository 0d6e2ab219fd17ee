import { Button, type MenuProps } from "antd";
import { lazy, type ReactNode, Suspense, useState } from "react";

interface MenuButtonProps {
  label: string;
  icon: ReactNode;
  menu: MenuProps;
}

const loadMenu = () => import("./opened-menu");
const LaterMenu = lazy(async () => ({ default: (await loadMenu()).OpenedMenu }));

/** A button that opens a menu. The menu is loaded once a reader comes near it. */
export function MenuButton({ label, icon, menu }: MenuButtonProps) {
  const [isWanted, setWanted] = useState(false);
  const button = (
    <Button
      type="text"
      icon={icon}
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
