import { useTranslation } from "react-i18next";
import type { WorkloadDetail } from "@/shared/api/types";
import { formatDuration, formatMemory, formatMoment } from "@/shared/i18n/format";
import { titleOf, useLanguage } from "@/shared/i18n/language";
import { CopyButton } from "@/shared/ui/code-block";
import { Facts } from "@/shared/ui/page";
import { Age } from "@/shared/ui/time";
import { type HeldCard, heldCards } from "../model/held-cards";
import { useRequestWords } from "./use-request-words";

/** What was asked for, where it runs, and how long it may. */
export function WorkloadFacts({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const { devices, host } = useRequestWords()(workload);
  const { share_ceiling_mib } = workload;
  const ceiling =
    share_ceiling_mib === null
      ? t("fact.ceilingOfPool")
      : formatMemory(share_ceiling_mib, language);
  return (
    <Facts
      facts={[
        [t("fact.devices"), devices],
        ...(workload.share_milli > 0 ? [[t("fact.ceiling"), ceiling] as const] : []),
        [t("fact.host"), host],
        [t("fact.image"), titleOf(workload.image, language)],
        [t("fact.pool"), titleOf(workload.pool, language)],
        [t("fact.group"), workload.group.title],
        [t("fact.owner"), workload.owner.display_name || workload.owner.username],
        [t("fact.priority"), <Priority key="priority" workload={workload} />],
        [t("fact.preemptible"), t(workload.preemptible ? "fact.yes" : "fact.no")],
        ...(workload.evictions > 0
          ? [[t("fact.evictions"), t("fact.times", { count: workload.evictions })] as const]
          : []),
        [t("fact.timeLimit"), formatDuration(workload.time_limit_s, language)],
        [t("fact.endsAt"), <Age key="ends" at={workload.ends_at} />],
        [t("fact.submitted"), <Age key="submitted" at={workload.submitted_at} />],
        [t("fact.runsOn"), <Places key="places" workload={workload} />],
        [
          t("fact.id"),
          <span key="id">
            <code className="mono">{workload.id}</code>{" "}
            <CopyButton text={workload.id} what={t("fact.id")} />
          </span>,
        ],
      ]}
    />
  );
}

function Priority({ workload: { priority, priority_until } }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const word = t(`priority.${priority}`);
  if (!priority_until || priority === "normal") return <>{word}</>;
  const at = formatMoment(new Date(priority_until), language);
  return <>{t("fact.priorityUntil", { priority: word, at })}</>;
}

function Places({ workload: { allocations, mig_profile } }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const live = allocations.filter(({ state }) => state !== "released");
  const words = ({ index, slots, shareMilli, memoryMib, ceilingMib }: HeldCard) => {
    const held = formatMemory(memoryMib, language);
    const most = formatMemory(ceilingMib, language);
    const of = { card: index, memory: ceilingMib ? t("fact.growing", { held, most }) : held };
    if (mig_profile) return t("fact.partition", { ...of, profile: mig_profile });
    if (shareMilli > 0) return t("fact.share", { ...of, percent: shareMilli / 10 });
    return slots.length > 0
      ? t("fact.slices", { ...of, slots: slots.join(", ") })
      : t("fact.card", of);
  };
  if (live.length === 0) return <>–</>;
  return live.map(({ rank, node, devices, isolation }) => (
    <div key={rank} className="num">
      {live.length > 1 && `${t("fact.rank", { rank })}: `}
      {node.name}
      {heldCards(devices).map((card) => (
        <span key={card.uuid}>
          {" · "}
          {words(card)}
        </span>
      ))}
      {isolation && isolation !== "exclusive" && ` · ${t(`isolation.${isolation}`)}`}
    </div>
  ));
}
