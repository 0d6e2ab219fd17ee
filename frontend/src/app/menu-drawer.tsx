import { Drawer } from "antd";
import { Navigation } from "./navigation";

interface MenuDrawerProps {
  isOpen: boolean;
  onClose: () => void;
}

/** The navigation of narrow screens. */
export function MenuDrawer({ isOpen, onClose }: MenuDrawerProps) {
  return (
    <Drawer open={isOpen} onClose={onClose} placement="left" size={240} title="Berth">
      <Navigation onNavigate={onClose} />
    </Drawer>
  );
}
