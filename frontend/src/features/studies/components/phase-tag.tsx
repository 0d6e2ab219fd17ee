import { Tag } from "antd";
import { useTranslation } from "react-i18next";
import type { Study } from "@/shared/api/types";

const COLOURS = { waiting: "default", running: "processing", done: "success", failed: "error" };

export function PhaseTag({ study }: { study: Pick<Study, "phase"> }) {
  const { t } = useTranslation("studies");
  return <Tag color={COLOURS[study.phase]}>{t(`phase.${study.phase}`)}</Tag>;
}
