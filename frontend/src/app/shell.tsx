import { MenuOutlined } from "@ant-design/icons";
import { Outlet } from "@tanstack/react-router";
import { Button, Drawer } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useReconnect, useTopics } from "@/shared/live/live";
import { workloadKeys } from "@/shared/workload/api/workloads";
import { AccountMenu } from "./account-menu";
import { ConnectionBanner } from "./connection-banner";
import { GroupSwitcher } from "./group-switcher";
import { useHealing } from "./healing";
import { Navigation } from "./navigation";
import { Preferences } from "./preferences";
import styles from "./shell.module.css";
import { useSignedIn } from "./use-signed-in";

/** The frame: navigation left, who and where above, the page below. */
export function Shell() {
  const { t } = useTranslation("app");
  const [isMenuOpen, setMenuOpen] = useState(false);
  const me = useSignedIn();
  useReconnect();
  useHealing();
  useTopics(me ? [`user:${me.id}`] : [], [workloadKeys.lists]);
  if (!me) return null;
  return (
    <div className={styles.shell}>
      <a href="#page" className={styles.skip}>
        {t("skip")}
      </a>
      <aside className={styles.side}>
        <Navigation />
      </aside>
      <Drawer
        open={isMenuOpen}
        onClose={() => setMenuOpen(false)}
        placement="left"
        size={240}
        title="Berth"
      >
        <Navigation onNavigate={() => setMenuOpen(false)} />
      </Drawer>
      <div className={styles.body}>
        <header className={styles.bar}>
          <Button
            className={styles.menu ?? ""}
            type="text"
            icon={<MenuOutlined />}
            aria-label={t("menu")}
            onClick={() => setMenuOpen(true)}
          />
          <GroupSwitcher />
          <span className={styles.gap} />
          <Preferences />
          <AccountMenu />
        </header>
        <ConnectionBanner />
        <main id="page" className={styles.page} tabIndex={-1}>
          <Outlet />
        </main>
      </div>
    </div>
  );
}
