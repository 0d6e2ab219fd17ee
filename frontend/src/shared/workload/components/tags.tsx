/** The small marks of a workload: its state and what sets it apart. */
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
  WarningOutlined,
} from "@ant-design/icons";
import type { ComponentType } from "react";
import type { Workload, WorkloadState } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { Hinted } from "@/shared/ui/opening";
import { minutesUntil, useNow } from "@/shared/ui/time";
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

const STATES = Object.keys(ICONS) as WorkloadState[];

/** How many tasks of an array are in each state, in the order of their life. */
export function TaskStates({ states }: { states: Readonly<Record<string, number>> }) {
  const { t } = useTranslation("workload");
  return (
    <ul className={styles.taskStates} aria-label={t("taskStates")}>
      {STATES.filter((state) => states[state]).map((state) => (
        <li key={state}>
          <StateTag state={state} isPast /> <span className="num">{states[state]}</span>
        </li>
      ))}
    </ul>
  );
}

/** Warns that an idle notebook loses its GPUs, or is stopped, in so many minutes. */
export function IdleWarningTag({ warning }: { warning: NonNullable<Workload["idle_warning"]> }) {
  const { t } = useTranslation("workload");
  const count = minutesUntil(warning.at, useNow());
  return (
    <span className={`num ${styles.idleWarning}`} data-testid="idle-warning">
      <WarningOutlined aria-hidden /> {t(`idleWarning.${warning.loss}`, { count })}
    </span>
  );
}

/** States that nothing separates this work from its neighbours on the node. */
export function NoIsolationBadge() {
  const { t } = useTranslation("workload");
  return (
    <Hinted title={t("badge.noIsolationAbout")}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its explanation shows on focus */}
      <span className={styles.mark} data-tone="warning" tabIndex={0}>
        <UnlockOutlined aria-hidden /> {t("badge.noIsolation")}
      </span>
    </Hinted>
  );
}

/** States that the cards are simulated, and no GPU computes anything; or that the work itself is. */
export function SimulatedBadge({ of = "cards" }: { of?: "cards" | "work" }) {
  const { t } = useTranslation("workload");
  const isWork = of === "work";
  return (
    <Hinted title={t(isWork ? "badge.simulatedWorkAbout" : "badge.simulatedAbout")}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its explanation shows on focus */}
      <span className={styles.mark} tabIndex={0}>
        <ExperimentOutlined aria-hidden /> {t(isWork ? "badge.simulatedWork" : "badge.simulated")}
      </span>
    </Hinted>
  );
}
