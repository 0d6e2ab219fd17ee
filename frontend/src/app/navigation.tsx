import {
  AppstoreOutlined,
  ClusterOutlined,
  DashboardOutlined,
  ExperimentOutlined,
  KeyOutlined,
} from "@ant-design/icons";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import styles from "./navigation.module.css";

const PLACES = [
  { to: "/", key: "overview", Icon: DashboardOutlined, exact: true },
  { to: "/notebooks", key: "notebooks", Icon: ExperimentOutlined, exact: false },
  { to: "/jobs", key: "jobs", Icon: AppstoreOutlined, exact: false },
  { to: "/nodes", key: "nodes", Icon: ClusterOutlined, exact: false },
  { to: "/tokens", key: "tokens", Icon: KeyOutlined, exact: false },
] as const;

export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  const { t } = useTranslation("app");
  return (
    <nav aria-label={t("navigation")} className={styles.nav}>
      <div className={styles.brand}>
        <img src="/assets/berth.svg" alt="" width="24" height="24" />
        Berth
      </div>
      <ul>
        {PLACES.map(({ to, key, Icon, exact }) => (
          <li key={to}>
            <Link to={to} activeOptions={{ exact, includeSearch: false }} onClick={onNavigate}>
              <Icon aria-hidden />
              {t(`places.${key}`)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
