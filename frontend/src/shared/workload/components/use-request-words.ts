import { useTranslation } from "react-i18next";
import { formatMemory, formatMilli } from "@/shared/i18n/format";
import { useLanguage } from "@/shared/i18n/language";

interface Devices {
  cards: number;
  slices: number;
  share_milli?: number;
  share_mib?: number;
  mig_profile?: string;
  replicas: number;
}

interface Requested extends Devices {
  cpu_milli: number;
  memory_mib: number;
}

/** The devices that are asked for, in words: `2 slices`, `4 cards × 2 ranks`. */
export function useDeviceWords(): (devices: Devices) => string {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const part = ({ cards, slices, share_milli, share_mib = 0, mig_profile }: Devices) => {
    if (mig_profile) return t("request.profile", { profile: mig_profile });
    if (share_milli) {
      const memory = formatMemory(share_mib, language);
      return t("request.share", { percent: share_milli / 10, memory });
    }
    if (slices > 0) return t("request.slices", { count: slices });
    return cards > 0 ? t("request.cards", { count: cards }) : t("request.noCards");
  };
  return (devices) => {
    const { replicas } = devices;
    const one = part(devices);
    return replicas > 1 ? t("request.ranks", { one, count: replicas }) : one;
  };
}

/** All that is asked for: devices, and `8 cores · 16.0 GiB`. */
export function useRequestWords(): (request: Requested) => { devices: string; host: string } {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const devices = useDeviceWords();
  return (request) => {
    const { cpu_milli, memory_mib } = request;
    const cores = t("request.cores", {
      count: cpu_milli / 1000,
      amount: formatMilli(cpu_milli, language),
    });
    return {
      devices: devices(request),
      host: `${cores} · ${formatMemory(memory_mib, language)}`,
    };
  };
}
