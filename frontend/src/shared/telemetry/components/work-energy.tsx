import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { formatNumber } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";

/** Energy comes with the samples of each hour. */
const FRESH_MS = 300_000;
const J_PER_KWH = 3_600_000;

/** What the GPUs of a work drew in all of its attempts; nothing while that is not known. */
export function WorkEnergy({ id, isOver }: { id: string; isOver: boolean }) {
  const { t } = useTranslation("telemetry");
  const language = useLanguage();
  const { data } = useQuery({
    queryKey: ["usage", "work", id],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/usage/workloads/{workload_id}", { params: { path: { workload_id: id } } }),
      ),
    staleTime: FRESH_MS,
    refetchInterval: isOver ? false : FRESH_MS,
  });
  if (!data || data.gpu_milli_s === 0) return null;
  if (data.energy_j === null) return <span>{t("energy.notMeasured")}</span>;
  const amount = (value: number) => formatNumber(value, language, 2);
  const part = formatNumber((100 * data.measured_milli_s) / data.gpu_milli_s, language, 0);
  const words = {
    kwh: amount(data.energy_j / J_PER_KWH),
    kg: data.carbon_g === null ? "" : amount(data.carbon_g / 1000),
    part,
  };
  return (
    <span className="num">
      {t(data.carbon_g === null ? "energy.measured" : "energy.withCarbon", words)}
      {part !== "100" && ` ${t("energy.part", words)}`}
    </span>
  );
}
