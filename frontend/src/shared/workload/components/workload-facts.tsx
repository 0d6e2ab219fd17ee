/** The details of one workload, whatever its kind. */
import { Link } from "@tanstack/react-router";
import { Tag } from "antd";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { KINDS } from "@/shared/api/kinds.gen";
import type { WorkloadDetail } from "@/shared/api/types";
import { choiceWords } from "@/shared/cluster/model/gpu-models";
import { formatDuration, formatMemory, formatMoment } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe, usePlaceOf } from "@/shared/session/me";
import { canStop } from "@/shared/session/roles";
import { CopyButton } from "@/shared/ui/code-block";
import { Facts } from "@/shared/ui/page";
import { Age, Deadline } from "@/shared/ui/time";
import { useSaveTags } from "../api/row-actions";
import { heldCards } from "../model/held-cards";
import { useHeldWords, useRequestWords } from "./sentences";
import { ArrayLink, DependencyList } from "./workload-link";

/** How long work may run. */
function TimeLimit({ seconds }: { seconds: number | null }) {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  return seconds === null ? t("fact.noTimeLimit") : formatDuration(seconds, language);
}

/** What was asked for, where it runs, and how long it may. */
export function WorkloadFacts({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const placeOf = usePlaceOf();
  const { devices, host } = useRequestWords()(workload);
  const { gpu_memory_ceiling_mib } = workload;
  const choice = choiceWords(workload, language);
  const ceiling =
    gpu_memory_ceiling_mib === null
      ? t("fact.ceilingOfPool")
      : formatMemory(gpu_memory_ceiling_mib, language);
  return (
    <Facts
      facts={[
        [t("fact.devices"), devices],
        ...(workload.gpu_milli > 0 ? [[t("fact.ceiling"), ceiling] as const] : []),
        ...(choice ? [[t("fact.choice"), choice] as const] : []),
        [t("fact.host"), host],
        [t("fact.image"), titleOf(workload.image, language)],
        [t("fact.pool"), titleOf(workload.pool, language)],
        [t("fact.group"), titleOf(workload.group, language)],
        [t("fact.owner"), workload.owner.display_name || workload.owner.username],
        [t("fact.priority"), <PriorityWords key="priority" workload={workload} />],
        [t("fact.preemptible"), t(workload.preemptible ? "fact.yes" : "fact.no")],
        ...(workload.evictions > 0
          ? [[t("fact.evictions"), t("fact.times", { count: workload.evictions })] as const]
          : []),
        [t("fact.timeLimit"), <TimeLimit key="limit" seconds={workload.time_limit_s} />],
        [t("fact.endsAt"), <Deadline key="ends" at={workload.ends_at} />],
        ...filesFacts(t, workload, placeOf),
        ...variablesFact(t, workload),
        ...(workload.spec.template
          ? [[t("fact.template"), t("fact.templateOf", workload.spec.template)] as const]
          : []),
        ...(workload.array
          ? [[t("fact.array"), <ArrayLink key="array" array={workload.array} />] as const]
          : []),
        ...(workload.not_before
          ? [[t("fact.notBefore"), formatMoment(new Date(workload.not_before), language)] as const]
          : []),
        ...(workload.dependencies.length > 0
          ? [
              [
                t("fact.dependencies"),
                <DependencyList key="dependencies" dependencies={workload.dependencies} />,
              ] as const,
            ]
          : []),
        ...tagsFact(t, workload),
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

function tagsFact(
  t: TFunction<"workload">,
  workload: WorkloadDetail,
): (readonly [string, ReactNode])[] {
  if (workload.tags.length === 0) return [];
  return [[t("fact.tags"), <Tags key="tags" workload={workload} />]];
}

/** Its tags, which those who may stop it take off. */
function Tags({ workload }: { workload: WorkloadDetail }) {
  const save = useSaveTags(workload.id);
  const mayChange = canStop(useMe(), workload);
  const without = (tag: string) => workload.tags.filter((each) => each !== tag);
  return workload.tags.map((tag) => (
    <Tag
      key={tag}
      closable={mayChange}
      onClose={(event) => {
        event.preventDefault();
        save.mutate(without(tag));
      }}
    >
      {tag}
    </Tag>
  ));
}

/** The files that it has besides its own folder, with where it has them; of an app, its page says it. */
function filesFacts(
  t: TFunction<"workload">,
  { kind, spec: { home, volumes, inputs, datasets } }: WorkloadDetail,
  placeOf: (path: string) => string,
): (readonly [string, ReactNode])[] {
  if (KINDS[kind].is_prescribed) return [];
  const paths = [
    ...(home ? [placeOf("/home/berth")] : []),
    ...volumes.map(({ name }) => placeOf(`/volumes/${name}`)),
    ...datasets.map((reference) => {
      const [name, version] = reference.split("@");
      const path = placeOf(`/data/${name}`);
      return version ? `${path} (${reference})` : path;
    }),
  ];
  return [
    ...(paths.length > 0
      ? [
          [
            t("fact.files"),
            <code key="files" className="mono">
              {paths.join("  ")}
            </code>,
          ] as const,
        ]
      : []),
    ...inputs.map(
      ({ job, name }) =>
        [
          t("fact.input", { name }),
          <Link key={job} to="/jobs/$id" params={{ id: job }}>
            <code className="mono">/inputs/{name}</code>
          </Link>,
        ] as const,
    ),
  ];
}

/** Its variables; only its owner is told their values. */
function variablesFact(
  t: TFunction<"workload">,
  { spec: { env, hidden_env } }: WorkloadDetail,
): (readonly [string, ReactNode])[] {
  const lines = [...Object.entries(env).map(([name, value]) => `${name}=${value}`), ...hidden_env];
  if (lines.length === 0) return [];
  const shown = lines.map((line) => (
    <div key={line} style={{ overflowWrap: "anywhere" }}>
      <code className="mono">{line}</code>
    </div>
  ));
  return [[t("fact.variables"), shown]];
}

function PriorityWords({ workload: { priority, priority_until } }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const word = t(`priority.${priority}`);
  if (!priority_until || priority === "normal") return <>{word}</>;
  const at = formatMoment(new Date(priority_until), language);
  return <>{t("fact.priorityUntil", { priority: word, at })}</>;
}

function Places({ workload: { allocations, mig_profile } }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("workload");
  const live = allocations.filter(({ state }) => state !== "released");
  const words = useHeldWords(mig_profile);
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
