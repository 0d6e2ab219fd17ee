import { Dropdown, type MenuProps } from "antd";
import { type ReactNode, useState } from "react";

/** A menu below its button, open from the beginning. */
export function OpenedMenu({ menu, children }: { menu: MenuProps; children: ReactNode }) {
  const [isOpen, setOpen] = useState(true);
  return (
    <Dropdown trigger={["click"]} menu={menu} open={isOpen} onOpenChange={setOpen}>
      {children}
    </Dropdown>
  );
}
