import { useTranslation } from "react-i18next";
import { useLanguage } from "@/shared/i18n/language";
import { formatMemory, formatMilli } from "@/shared/lib/format";

interface Requested {
  cards: number;
  slices: number;
  replicas: number;
  cpu_milli: number;
  memory_mib: number;
}

/** What is asked for, in words: `2 slices`, `4 cards × 2 ranks`, and `8 cores · 16.0 GiB`. */
export function useRequestWords(): (request: Requested) => { devices: string; host: string } {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  return ({ cards, slices, replicas, cpu_milli, memory_mib }) => {
    const one =
      slices > 0
        ? t("request.slices", { count: slices })
        : cards > 0
          ? t("request.cards", { count: cards })
          : t("request.noCards");
    const cores = t("request.cores", {
      count: cpu_milli / 1000,
      amount: formatMilli(cpu_milli, language),
    });
    return {
      devices: replicas > 1 ? t("request.ranks", { one, count: replicas }) : one,
      host: `${cores} · ${formatMemory(memory_mib, language)}`,
    };
  };
}
