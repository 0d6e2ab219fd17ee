import { Alert } from "antd";
import type { WorkloadDetail } from "@/shared/api/types";
import { formatMoment } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";

/** Says which nodes of the work are not heard, since when, and what happens to it there. */
export function SilentNodes({ workload }: { workload: Pick<WorkloadDetail, "silent_nodes"> }) {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  return workload.silent_nodes.map(({ node, since, silence }) => (
    <Alert
      key={node.id}
      type="warning"
      showIcon
      title={t("silentNode.title", {
        node: node.name,
        at: formatMoment(new Date(since), language),
      })}
      description={t(`silentNode.${silence}`)}
    />
  ));
}
