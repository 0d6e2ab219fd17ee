import { Alert } from "antd";
import { useTranslation } from "react-i18next";
import type { WorkloadDetail } from "@/shared/api/types";
import { formatMemory } from "@/shared/i18n/format";
import { useLanguage } from "@/shared/i18n/language";

/** Warns whoever works on a node whose disk is running full: only they know what may be deleted. */
export function ShortDisks({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  return workload.short_disks.map(({ node, free_mib, size_mib }) => (
    <Alert
      key={node.id}
      type="warning"
      showIcon
      title={t("shortDisk.title", { node: node.name })}
      description={t("shortDisk.about", {
        free: formatMemory(free_mib, language),
        size: formatMemory(size_mib, language),
      })}
    />
  ));
}
