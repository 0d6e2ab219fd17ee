import { ExperimentOutlined, UnlockOutlined } from "@ant-design/icons";
import { Tag, Tooltip } from "antd";
import { useTranslation } from "react-i18next";

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
