import { MenuOutlined } from "@ant-design/icons";
import { useQueryClient } from "@tanstack/react-query";
import { Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { Button, Drawer } from "antd";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Me } from "@/shared/api/types";
import { useReconnect } from "@/shared/live/use-reconnect";
import { useTopics } from "@/shared/live/use-topics";
import { useMaybeMe } from "@/shared/session/me";
import { workloadKeys } from "@/shared/workload/api/keys";
import { AccountMenu } from "./account-menu";
import { ConnectionBanner } from "./connection-banner";
import { GroupSwitcher } from "./group-switcher";
import { Navigation } from "./navigation";
import { Preferences } from "./preferences";
import styles from "./shell.module.css";

/** The frame: navigation left, who and where above, the page below. */
export function Shell() {
  const { t } = useTranslation("app");
  const [isMenuOpen, setMenuOpen] = useState(false);
  const me = useSignedIn();
  useReconnect();
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

/** Leads to the sign-in page when the session ends while a page is open. */
function useSignedIn(): Me | null {
  const me = useMaybeMe();
  const navigate = useNavigate();
  const client = useQueryClient();
  const here = useRouterState({ select: (state) => state.location.href });
  useEffect(() => {
    if (me !== null) return;
    client.removeQueries({ predicate: (query) => query.queryKey[0] !== "session" });
    void navigate({ to: "/sign-in", search: { next: here } });
  }, [me, navigate, client, here]);
  return me ?? null;
}
