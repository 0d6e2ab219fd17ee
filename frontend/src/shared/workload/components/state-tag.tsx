import {
  CheckCircleFilled,
  ClockCircleOutlined,
  CloseCircleFilled,
  FieldTimeOutlined,
  LoadingOutlined,
  MinusCircleOutlined,
  PauseCircleOutlined,
  PlayCircleFilled,
  RightCircleOutlined,
} from "@ant-design/icons";
import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import type { WorkloadState } from "@/shared/api/types";
import styles from "./state-tag.module.css";

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
    <span className={styles.tag} data-state={state} data-testid={testId}>
      <Icon aria-hidden />
      {t(`state.${state}`)}
    </span>
  );
}
