/** What the page of one workload is built from, whatever its kind. */
import { Link } from "@tanstack/react-router";
import { Alert, Button, Tag } from "antd";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { KINDS } from "@/shared/api/kinds.gen";
import type { WorkloadDetail } from "@/shared/api/types";
import { choiceWords } from "@/shared/cluster/model/gpu-models";
import { formatDuration, formatMemory, formatMoment } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useConfig, useMe, usePlaceOf } from "@/shared/session/me";
import { canStop } from "@/shared/session/roles";
import { CopyButton } from "@/shared/ui/code-block";
import { later, MenuButton } from "@/shared/ui/opening";
import { Facts, PageHeader } from "@/shared/ui/page";
import { useProblemMessage } from "@/shared/ui/query-states";
import { Age, Deadline } from "@/shared/ui/time";
import { useSaveTags } from "../api/row-actions";
import { useOpen } from "../api/workloads";
import { heldCards } from "../model/held-cards";
import { stateSince } from "../model/lifecycle";
import { AppIcon } from "./app-mark";
import { useHeldWords, useRequestWords } from "./sentences";
import { NoIsolationBadge, SimulatedBadge, StateTag } from "./tags";
import { ArrayLink, DependencyList } from "./workload-link";

interface WorkloadHeaderProps {
  workload: WorkloadDetail;
  actions: ReactNode;
}

/** Name and state of a workload, what sets it apart, and what can be done with it. */
export function WorkloadHeader({ workload, actions }: WorkloadHeaderProps) {
  const isSimulated = useConfig()?.is_simulated ?? false;
  return (
    <PageHeader
      title={
        workload.array_index === null ? workload.name : `${workload.name} [${workload.array_index}]`
      }
      about={
        <>
          <StateLine workload={workload} />
          {workload.is_isolated === false && <NoIsolationBadge />}
          {workload.simulated && <SimulatedBadge of="work" />}
          {isSimulated && !workload.simulated && <SimulatedBadge />}
        </>
      }
      actions={actions}
    />
  );
}

/** State, age and owner: the line under a workload's name. */
export function StateLine({ workload }: { workload: WorkloadDetail }) {
  const { state, owner } = workload;
  return (
    <>
      <span aria-live="polite">
        <StateTag state={state} testId="workload-state" />
      </span>
      <Age at={stateSince(workload)} />
      <span>{owner.display_name || owner.username}</span>
    </>
  );
}

/** As many ports as have buttons of their own; of more, the first have, and the rest are in a menu. */
const PORT_BUTTONS_MAX = 3;

/** Leads to what running work serves on the ports that were asked for, each in a tab of its own. */
export function PortButtons({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("workload");
  const showProblem = useProblemMessage();
  const open = useOpen(workload);
  const { ports, port_names } = workload.spec;
  const openPort = (port: number) => open.mutate(port, { onError: showProblem });
  const nameOf = (port: number) => port_names[port] ?? t("openPort", { port });
  const shown = ports.length > PORT_BUTTONS_MAX ? ports.slice(0, PORT_BUTTONS_MAX - 1) : ports;
  const rest = ports.slice(shown.length);
  return (
    <>
      {shown.map((port) => (
        <Button
          key={port}
          loading={open.isPending && open.variables === port}
          icon={port_names[port] && <AppIcon icon="app" />}
          title={t("openPort", { port })}
          onClick={() => openPort(port)}
        >
          {nameOf(port)}
        </Button>
      ))}
      {rest.length > 0 && (
        <MenuButton
          type="default"
          icon={null}
          label={t("morePorts", { count: rest.length })}
          menu={{
            items: rest.map((port) => ({
              key: port,
              label: port_names[port] ? `${nameOf(port)} (${port})` : nameOf(port),
            })),
            onClick: ({ key }) => openPort(Number(key)),
          }}
        >
          {t("morePorts", { count: rest.length })}
        </MenuButton>
      )}
    </>
  );
}

/** Warns the owner, who alone can decide what to delete, that the disk of a node is running full. */
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

const LaterOwnerLeft = later(async () => (await import("./owner-left")).OwnerLeft);

/** That its owner may not submit any more, which is seldom. */
export function OwnerNotice({ workload }: { workload: WorkloadDetail }) {
  return workload.owner_left_at && <LaterOwnerLeft workload={workload} />;
}

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
        [t("fact.timeLimit"), formatDuration(workload.time_limit_s, language)],
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
