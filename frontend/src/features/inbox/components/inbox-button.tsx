import { BellOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { Suspense, useState } from "react";
import { useTranslation } from "@/shared/i18n/language";
import { useBrowserNotices } from "@/shared/live/browser-notices";
import { later, lazyWithRetry } from "@/shared/ui/opening";
import { useInbox } from "../api/inbox";
import styles from "./inbox-button.module.css";

const LaterInbox = later(async () => (await import("./inbox-drawer")).InboxDrawer);
const LaterBrowserNotices = lazyWithRetry(
  async () => (await import("./browser-notices")).BrowserNotices,
);

/** The bell above every page, with how many notices are new; it opens the inbox. */
export function InboxButton() {
  const { t } = useTranslation("inbox");
  const [isOpen, setOpen] = useState(false);
  const [isWanted, setWanted] = useState(false);
  const isShownOutside = useBrowserNotices() === "on";
  const unread = useInbox().data?.unread ?? 0;
  const open = () => {
    setWanted(true);
    setOpen(true);
  };
  return (
    <>
      <Button
        type="text"
        className={styles.bell ?? ""}
        aria-label={unread > 0 ? t("openNew", { count: unread }) : t("title")}
        icon={<BellOutlined />}
        onClick={open}
      >
        {unread > 0 && (
          <span className={`num ${styles.count}`} aria-hidden="true">
            {unread}
          </span>
        )}
      </Button>
      {isShownOutside && (
        <Suspense>
          <LaterBrowserNotices />
        </Suspense>
      )}
      {isWanted && <LaterInbox isOpen={isOpen} onClose={() => setOpen(false)} />}
    </>
  );
}
