import { MenuOutlined, UserOutlined } from "@ant-design/icons";
import { useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useNavigate, useRouter } from "@tanstack/react-router";
import { Button } from "antd";
import { Suspense, useEffect, useState } from "react";
import { InboxButton } from "@/features/inbox/components/inbox-button";
import type { Me } from "@/shared/api/types";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useReconnect, useTopics } from "@/shared/live/live";
import { useSignOut } from "@/shared/session/account";
import { useChosenGroup, useMaybeMe, useMe } from "@/shared/session/me";
import { later, lazyWithRetry, MenuButton, usePrefetch } from "@/shared/ui/opening";
import { workloadKeys } from "@/shared/workload/api/workloads";
import { IdleNotices } from "@/shared/workload/components/idle-notices";
import { ConnectionBanner, useRefetchFailed, useSessionCheck } from "./connection";
import { Navigation } from "./navigation";
import { Preferences } from "./preferences";
import styles from "./shell.module.css";

// Parts that most people do not open, or not at once.
const LaterDrawer = later(async () => (await import("./menu-drawer")).MenuDrawer);
const LaterGroupSelect = lazyWithRetry(async () => (await import("./group-select")).GroupSelect);
const LaterPasswordDialog = later(
  async () => (await import("@/features/auth/components/password-dialog")).PasswordDialog,
);

const LaterQuickButton = lazyWithRetry(async () => (await import("./quick-button")).QuickButton);

/** Other rights show other rows, and other buttons. */
const EVERYTHING = [[]];

/** The frame of every page: navigation at the left, group and account above, the page below. */
export function Shell() {
  const { t } = useTranslation("app");
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [wasMenuOpened, setMenuOpened] = useState(false);
  const me = useSignedIn();
  useReconnect();
  useRefetchFailed();
  useSessionCheck();
  usePrefetch();
  useTopics(me ? [`user:${me.id}`] : [], [workloadKeys.lists]);
  useTopics(me ? [`rights:${me.id}`] : [], EVERYTHING);
  if (!me) return null;
  return (
    <div className={styles.shell}>
      <a href="#page" className={styles.skip}>
        {t("skip")}
      </a>
      <aside className={styles.side}>
        <Navigation />
      </aside>
      {wasMenuOpened && <LaterDrawer isOpen={isMenuOpen} onClose={() => setMenuOpen(false)} />}
      <div className={styles.body}>
        <header className={styles.bar}>
          <Button
            className={styles.menu ?? ""}
            type="text"
            icon={<MenuOutlined />}
            aria-label={t("menu")}
            onClick={() => {
              setMenuOpened(true);
              setMenuOpen(true);
            }}
          />
          <GroupSwitcher />
          <span className={styles.gap} />
          <Suspense fallback={<span className={styles.place} />}>
            <LaterQuickButton />
          </Suspense>
          <InboxButton />
          <Preferences />
          <AccountMenu />
        </header>
        <ConnectionBanner />
        <main id="page" className={styles.page} tabIndex={-1}>
          <IdleNotices>
            <Outlet />
          </IdleNotices>
        </main>
      </div>
    </div>
  );
}

/** Chooses which of my groups the pages show; with only one there is nothing to choose. */
function GroupSwitcher() {
  const language = useLanguage();
  const { memberships } = useMe();
  const chosen = useChosenGroup();
  const navigate = useNavigate();
  const [only, ...others] = memberships;
  if (only && others.length === 0) return <strong>{titleOf(only.group, language)}</strong>;
  if (!only) return null;
  return (
    <Suspense>
      <LaterGroupSelect
        groups={memberships.map(({ group }) => group)}
        chosen={chosen}
        onChoose={(group) => void navigate({ to: ".", search: (old) => ({ ...old, group }) })}
      />
    </Suspense>
  );
}

function AccountMenu() {
  const { t } = useTranslation(["app", "auth"]);
  const me = useMe();
  const signOut = useSignOut();
  const [isChanging, setChanging] = useState(false);
  const acts: Record<string, () => void> = {
    password: () => setChanging(true),
    out: () => signOut.mutate(),
  };
  return (
    <>
      <MenuButton
        label={t("account")}
        icon={<UserOutlined />}
        menu={{
          items: [
            {
              key: "who",
              label: `${me.display_name || me.username} (${me.username})`,
              disabled: true,
            },
            { type: "divider" },
            { key: "profile", label: <Link to="/profile">{t("profile")}</Link> },
            { key: "keys", label: <Link to="/ssh-keys">{t("sshKeys")}</Link> },
            { key: "security", label: <Link to="/security">{t("security")}</Link> },
            { key: "password", label: t("auth:changePassword") },
            { key: "out", label: t("signOut") },
          ],
          onClick: ({ key }) => acts[key]?.(),
        }}
      />
      {isChanging && <LaterPasswordDialog onClose={() => setChanging(false)} />}
    </>
  );
}

const SIGN_IN = "/sign-in";

/**
 * Who is signed in; leads to the sign-in page when the session ends while a page is open.
 *
 * The address is read once, when that happens: while the sign-in page is on its way, the present
 * address is that page's own, and to come back to it would never end.
 */
export function useSignedIn(): Me | null {
  const me = useMaybeMe();
  const router = useRouter();
  const client = useQueryClient();
  useEffect(() => {
    if (me !== null) return;
    client.removeQueries({ predicate: (query) => query.queryKey[0] !== "session" });
    const { pathname, href } = router.state.location;
    if (pathname !== SIGN_IN) void router.navigate({ to: SIGN_IN, search: { next: href } });
  }, [me, router, client]);
  return me ?? null;
}
