import { Button } from "antd";
import type { HeldLimit, WayOut, WorkloadDetail } from "@/shared/api/types";
import { formatDeadline, formatDuration } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { Confirm } from "@/shared/ui/confirm-button";
import { useMessages } from "@/shared/ui/messages";
import { useProblemMessage } from "@/shared/ui/query-states";
import { useNow } from "@/shared/ui/time";
import { useStopWork } from "../api/row-actions";
import { useTakeWayOut, useWait } from "../api/workloads";
import { changedDevices, changesOf, valuesBefore } from "../model/ways-out";
import { useDeviceWords } from "./sentences";
import styles from "./workload.module.css";
import { GlimpseName } from "./workload-link";

/** Who holds the limits that keep it waiting, and what would let it start now. */
export function WaitDetails({ workload }: { workload: WorkloadDetail }) {
  const wait = useWait(workload).data;
  if (!wait) return null;
  return (
    <>
      {wait.limits.map((limit) => (
        <HolderList key={limit.reason.code + JSON.stringify(limit.reason.params)} limit={limit} />
      ))}
      <WayOutList workload={workload} ways={wait.ways_out} />
    </>
  );
}

/** Work that holds a limit, the first to end first. */
export function HolderList({ limit: { holders, others, reason } }: { limit: HeldLimit }) {
  const { t } = useTranslation("submission");
  const devices = useDeviceWords();
  const language = useLanguage();
  const now = useNow();
  if (holders.length + others === 0) return null;
  const endOf = ({ ends_at, basis }: HeldLimit["holders"][number]) =>
    ends_at
      ? t(`holders.until.${basis}`, { at: formatDeadline(new Date(ends_at), now, language) })
      : t("holders.starting");
  return (
    <div data-testid="holders" data-code={reason.code}>
      <p className={styles.reasonsLead}>{t("holders.title")}</p>
      <ul className={styles.reasons} aria-label={t("holders.title")}>
        {holders.map((holder) => (
          <li key={holder.work.id}>
            <GlimpseName work={holder.work} /> · {holder.work.owner?.display_name} ·{" "}
            {devices(holder.work)} · <span className="num">{endOf(holder)}</span>
          </li>
        ))}
        {others > 0 && <li>{t("holders.others", { count: others })}</li>}
      </ul>
    </div>
  );
}

interface WayOutListProps {
  workload: WorkloadDetail;
  ways: readonly WayOut[];
}

/** Changes after which it starts now, each with what makes it. */
function WayOutList({ workload, ways }: WayOutListProps) {
  const { t } = useTranslation("submission");
  if (ways.length === 0) return null;
  return (
    <div data-testid="ways-out">
      <p className={styles.reasonsLead}>{t("waysOut.title")}</p>
      <ul className={styles.reasons} aria-label={t("waysOut.title")}>
        {ways.map((way) => (
          <li key={JSON.stringify(way.changes) + way.stops?.id} data-code={way.code}>
            <WayOutWords way={way} of={workload} /> <WayOutButton way={way} of={workload} />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface WayOutProps {
  way: WayOut;
  of: Pick<WorkloadDetail, "gpus" | "slices" | "replicas">;
}

/** `With 4 GPUs it starts now.` */
export function WayOutWords({ way, of }: WayOutProps) {
  const { t } = useTranslation("submission");
  const devices = useDeviceWords();
  const words = useWayOutWords();
  const { code, stops } = way;
  if (code === "stop_own" && stops) {
    const [before, after] = t("waysOut.stop_own", { what: devices(stops) }).split("<work/>");
    return (
      <>
        {before}
        <GlimpseName work={stops} />
        {after}
      </>
    );
  }
  return words(way, of);
}

function useWayOutWords(): (way: WayOut, of: WayOutProps["of"]) => string {
  const { t } = useTranslation("submission");
  const language = useLanguage();
  const devices = useDeviceWords();
  return ({ code, changes, pool }, of) =>
    t(`waysOut.${code}`, {
      limit: formatDuration(Number(changes.time_limit_s ?? 0), language),
      what: devices(changedDevices(of, changes)),
      pool: pool ? titleOf(pool, language) : "",
    });
}

/** Stops the other work, or changes this one once its owner, the change and its effect were read. */
function WayOutButton({ way, of }: { way: WayOut; of: WorkloadDetail }) {
  const { t } = useTranslation("submission");
  const me = useMe();
  const words = useWayOutWords();
  const showProblem = useProblemMessage();
  const messages = useMessages();
  const take = useTakeWayOut(of);
  const language = useLanguage();
  if (way.stops) return <StopOther work={way.stops} />;
  const { name, owner, pool } = of;
  const changes = changesOf(way.changes);
  const undo = {
    about: t("waysOut.undoAbout"),
    label: t("waysOut.undo"),
    act: () => take.mutate(valuesBefore(of, changes), { onError: showProblem }),
  };
  const change = () =>
    take.mutate(changes, {
      onError: showProblem,
      onSuccess: () => messages.success(t("waysOut.changed", { name }), undo),
    });
  const isOthers = owner.id !== me.id;
  return (
    <Confirm
      title={t("waysOut.changeQuestion", { name })}
      description={
        <div style={{ maxWidth: 320 }}>
          {t("waysOut.changeAbout", { pool: titleOf(way.pool ?? pool, language) })} {words(way, of)}
          {isOthers && (
            <p style={{ marginBlockEnd: 0 }}>
              {t("waysOut.changeOthers", { owner: owner.display_name || owner.username })}
            </p>
          )}
        </div>
      }
      okText={t("waysOut.change")}
      cancelText={t("waysOut.keepAsIs")}
      onConfirm={change}
    >
      <Button size="small" loading={take.isPending} disabled={take.isSuccess}>
        {t("waysOut.change")}
      </Button>
    </Confirm>
  );
}

function StopOther({ work: { id, name, kind } }: { work: NonNullable<WayOut["stops"]> }) {
  const { t } = useTranslation("submission");
  const showProblem = useProblemMessage();
  const stop = useStopWork();
  if (!id) return null;
  return (
    <Confirm
      title={t("waysOut.stopQuestion", { name })}
      description={t(`waysOut.stopAbout.${kind as WorkloadDetail["kind"]}`)}
      okText={t("waysOut.stopConfirm")}
      okButtonProps={{ danger: true }}
      cancelText={t("waysOut.keep")}
      onConfirm={() => stop.mutate({ id, kind }, { onError: showProblem })}
    >
      <Button danger size="small" loading={stop.isPending} disabled={stop.isSuccess}>
        {t("waysOut.stop", { name })}
      </Button>
    </Confirm>
  );
}
