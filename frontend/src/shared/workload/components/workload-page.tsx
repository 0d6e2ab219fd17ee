/** What the page of one workload is built from, whatever its kind. */
import { Alert, Button } from "antd";
import type { ReactNode } from "react";
import type { WorkloadDetail } from "@/shared/api/types";
import { formatMemory, formatMoment } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useConfig } from "@/shared/session/me";
import { later, MenuButton, prefetched } from "@/shared/ui/opening";
import { PageHeader } from "@/shared/ui/page";
import { useProblemMessage } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useOpen } from "../api/workloads";
import { stateSince } from "../model/lifecycle";
import { AppIcon } from "./app-mark";
import { NoIsolationBadge, SimulatedBadge, StateTag } from "./tags";

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

/** Everything that happened to it, in a tab of its page. */
export const LaterEvents = prefetched(async () => (await import("./event-list")).EventList);

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
