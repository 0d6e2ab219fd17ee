import {
  CheckCircleFilled,
  ClockCircleOutlined,
  CloseCircleFilled,
  MinusCircleOutlined,
  WarningFilled,
} from "@ant-design/icons";
import { useTranslation } from "@/shared/i18n/language";
import styles from "./cluster.module.css";

const ICONS = {
  joining: ClockCircleOutlined,
  ready: CheckCircleFilled,
  unready: WarningFilled,
  lost: CloseCircleFilled,
  cordoned: MinusCircleOutlined,
  draining: ClockCircleOutlined,
  drained: MinusCircleOutlined,
  retired: MinusCircleOutlined,
} as const;

/** Whether a node may take work: colour, icon and word. */
export function NodeStateTag({ state }: { state: string }) {
  const { t } = useTranslation("cluster");
  if (!isKnown(state)) return <span>{state}</span>;
  const Icon = ICONS[state];
  return (
    <span className={styles.nodeState} data-state={state}>
      <Icon aria-hidden /> {t(`nodeState.${state}`)}
    </span>
  );
}

function isKnown(state: string): state is keyof typeof ICONS {
  return state in ICONS;
}
