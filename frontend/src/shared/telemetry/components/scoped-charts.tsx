import { useNavigate, useSearch } from "@tanstack/react-router";
import { Select } from "antd";
import { useTranslation } from "react-i18next";
import { Panel } from "@/shared/ui/page";
import type { ChartPart, Subject } from "../model/charts";
import { UsageCharts } from "./usage-charts";

interface ScopedChartsProps {
  /** What is charted unless the address names one of the parts, and how it is called. */
  whole: Subject;
  title: string;
  parts: readonly (ChartPart & { title: string })[];
}

/** Charts of a whole or of one of its parts, which stands in the address. */
export function ScopedCharts({ whole, title, parts }: ScopedChartsProps) {
  const { t } = useTranslation("telemetry");
  const navigate = useNavigate();
  const { scope }: { scope?: unknown } = useSearch({ strict: false });
  const part = parts.find(({ id }) => id === scope);
  const choose = (id: string) =>
    void navigate({
      to: ".",
      search: ((old: object) => ({ ...old, scope: id || undefined })) as never,
      replace: true,
      resetScroll: false,
    });
  const picker = (
    <Select
      size="small"
      aria-label={t("scope.label")}
      popupMatchSelectWidth={false}
      value={part?.id ?? ""}
      onChange={choose}
      options={[
        { value: "", label: title },
        ...parts.map(({ id, title }) => ({ value: id, label: title })),
      ]}
    />
  );
  return (
    <Panel title={t("title")} extra={parts.length > 1 && picker}>
      <UsageCharts key={part?.id ?? ""} subject={part ?? whole} />
    </Panel>
  );
}
