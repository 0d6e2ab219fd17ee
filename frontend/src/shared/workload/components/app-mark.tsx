import {
  BlockOutlined,
  CodeOutlined,
  ExperimentOutlined,
  LineChartOutlined,
  TableOutlined,
} from "@ant-design/icons";
import type { ComponentType } from "react";
import type { Workload } from "@/shared/api/types";
import { titleOf, useLanguage } from "@/shared/i18n/language";

type AppRef = NonNullable<Workload["app"]>;

const ICONS: Record<AppRef["icon"], ComponentType> = {
  app: BlockOutlined,
  chart: LineChartOutlined,
  code: CodeOutlined,
  experiment: ExperimentOutlined,
  table: TableOutlined,
};

/** The picture of a web app; its name stands beside it. */
export function AppIcon({ icon }: { icon: AppRef["icon"] }) {
  const Icon = ICONS[icon];
  return <Icon aria-hidden />;
}

/** Which web app a session runs, below its name. */
export function AppMark({ app }: { app: AppRef }) {
  return (
    <span className="second">
      <AppIcon icon={app.icon} /> {titleOf(app, useLanguage())}
    </span>
  );
}
