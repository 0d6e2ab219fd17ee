/** The small marks of a workload: its state, what sets it apart, and its name. */
import {
  CheckCircleFilled,
  ClockCircleOutlined,
  CloseCircleFilled,
  ExperimentOutlined,
  FieldTimeOutlined,
  LoadingOutlined,
  MinusCircleOutlined,
  PauseCircleOutlined,
  PlayCircleFilled,
  RightCircleOutlined,
  UnlockOutlined,
} from "@ant-design/icons";
import { Link } from "@tanstack/react-router";
import { Tag, Tooltip } from "antd";
import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import type { WorkGlimpse, Workload, WorkloadState } from "@/shared/api/types";
import styles from "./workload.module.css";

const ICONS: Record<WorkloadState, ComponentType<{ "aria-hidden": true }>> = {
  queued: ClockCircleOutlined,
  placing: LoadingOutlined,
  starting: LoadingOutlined,
  running: PlayCircleFilled,
  stopping: LoadingOutlined,
  suspended: PauseCircleOutlined,
  succeeded: CheckCircleFilled,
  failed: CloseCircleFilled,
  cancelled: MinusCircleOutlined,
  expired: FieldTimeOutlined,
};

interface StateTagProps {
  state: WorkloadState;
  /** A state of the past does not move. */
  isPast?: boolean;
  testId?: string;
}

/** A state as colour, icon and word: never one of them alone. */
export function StateTag({ state, isPast = false, testId }: StateTagProps) {
  const { t } = useTranslation("workload");
  const Icon = isPast && ICONS[state] === LoadingOutlined ? RightCircleOutlined : ICONS[state];
  return (
    <span className={styles.stateTag} data-state={state} data-testid={testId}>
      <Icon aria-hidden />
      {t(`state.${state}`)}
    </span>
  );
}

/** States that nothing separates this work from its neighbours on the node. */
export function NoIsolationBadge() {
  const { t } = useTranslation("workload");
  return (
    <Tooltip title={t("badge.noIsolationAbout")}>
      <Tag icon={<UnlockOutlined />} color="warning" tabIndex={0}>
        {t("badge.noIsolation")}
      </Tag>
    </Tooltip>
  );
}

/** States that the cards are simulated: no GPU computes anything. */
export function SimulatedBadge() {
  const { t } = useTranslation("workload");
  return (
    <Tooltip title={t("badge.simulatedAbout")}>
      <Tag icon={<ExperimentOutlined />} tabIndex={0}>
        {t("badge.simulated")}
      </Tag>
    </Tooltip>
  );
}

/** The name of a workload, leading to its page. */
export function WorkloadLink({ workload: { id, kind, name } }: { workload: Workload }) {
  return (
    <Link
      to={kind === "environment" ? "/notebooks/$id" : "/jobs/$id"}
      params={{ id }}
      className={styles.workloadLink}
    >
      {name}
    </Link>
  );
}

/** The name of a workload as a link, where this reader may see it. */
export function GlimpseName({ work: { id, name, kind } }: { work: WorkGlimpse }) {
  const { t } = useTranslation("workload");
  if (!id) return <span>{t("ofOthers")}</span>;
  return (
    <Link
      to={kind === "environment" ? "/notebooks/$id" : "/jobs/$id"}
      params={{ id }}
      className={styles.workloadLink}
    >
      {name}
    </Link>
  );
}
