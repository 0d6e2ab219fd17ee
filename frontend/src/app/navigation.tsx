import {
  AlertOutlined,
  ApartmentOutlined,
  AppstoreOutlined,
  AuditOutlined,
  BarChartOutlined,
  BranchesOutlined,
  CalendarOutlined,
  CloudServerOutlined,
  ClusterOutlined,
  ContainerOutlined,
  ControlOutlined,
  DashboardOutlined,
  DatabaseOutlined,
  DollarOutlined,
  ExperimentOutlined,
  FileOutlined,
  FileSearchOutlined,
  FolderOpenOutlined,
  IdcardOutlined,
  KeyOutlined,
  LineChartOutlined,
  LockOutlined,
  OrderedListOutlined,
  PieChartOutlined,
  SettingOutlined,
  SnippetsOutlined,
  TeamOutlined,
} from "@ant-design/icons";
import { Link } from "@tanstack/react-router";
import { useAlarmCounts } from "@/features/alarms/api/counts";
import { useApprovalCounts } from "@/shared/approvals/api/approvals";
import { useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { type NavPlace, OVERVIEW, type PlaceKey, placeGroups } from "./places";
import styles from "./shell.module.css";

const ICONS: Record<PlaceKey, typeof KeyOutlined> = {
  overview: DashboardOutlined,
  notebooks: ExperimentOutlined,
  jobs: AppstoreOutlined,
  services: CloudServerOutlined,
  apps: LineChartOutlined,
  templates: SnippetsOutlined,
  files: FileOutlined,
  volumes: FolderOpenOutlined,
  datasets: DatabaseOutlined,
  queue: OrderedListOutlined,
  reservations: CalendarOutlined,
  nodes: ClusterOutlined,
  usage: BarChartOutlined,
  alarms: AlertOutlined,
  tokens: KeyOutlined,
  requests: AuditOutlined,
  secrets: LockOutlined,
  people: TeamOutlined,
  directories: IdcardOutlined,
  quotas: PieChartOutlined,
  pools: ApartmentOutlined,
  policies: ControlOutlined,
  studies: BranchesOutlined,
  prices: DollarOutlined,
  site: SettingOutlined,
  audit: FileSearchOutlined,
  images: ContainerOutlined,
};

export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  const { t } = useTranslation("app");
  const groups = placeGroups(useMe());
  const toDecide = useApprovalCounts().data?.to_decide ?? 0;
  const firing = useAlarmCounts().data?.firing ?? 0;
  const link = ({ to, key }: NavPlace) => {
    const Icon = ICONS[key];
    return (
      <li key={to}>
        <Link
          to={to}
          activeOptions={{ exact: to === "/", includeSearch: false }}
          onClick={onNavigate}
        >
          <Icon aria-hidden />
          {t(`places.${key}`)}
          {key === "requests" && toDecide > 0 && (
            <span className={`num ${styles.count}`} title={t("toDecide", { count: toDecide })}>
              {toDecide}
            </span>
          )}
          {key === "alarms" && firing > 0 && (
            <span className={`num ${styles.count}`} title={t("firing", { count: firing })}>
              {firing}
            </span>
          )}
        </Link>
      </li>
    );
  };
  return (
    <nav aria-label={t("navigation")} className={styles.nav}>
      <div className={styles.brand}>
        <img src="/assets/berth.svg" alt="" width="24" height="24" />
        Berth
      </div>
      <ul>{link(OVERVIEW)}</ul>
      {groups.map(({ key, places }) => (
        <section key={key} aria-label={t(`placeGroups.${key}`)}>
          <h2 className={styles.navTitle}>{t(`placeGroups.${key}`)}</h2>
          <ul>{places.map(link)}</ul>
        </section>
      ))}
    </nav>
  );
}
