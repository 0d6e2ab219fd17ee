/** Who waits, in the order in which they start: size, expected start, why, and the start on the axis. */
import { Link } from "@tanstack/react-router";
import { Button } from "antd";
import { useState } from "react";
import type {
  Pool,
  PoolQueue,
  Reason,
  StartRange,
  WaitingWork,
  WorkGlimpse,
} from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { formatWhen } from "@/shared/i18n/format";
import {
  titleIn,
  titleOf,
  useCodedText,
  useLanguage,
  useTranslation,
} from "@/shared/i18n/language";
import { useListSort } from "@/shared/lists/api/address";
import { type ListColumn, ListTable } from "@/shared/lists/components/list-table";
import { Hinted, later } from "@/shared/ui/opening";
import { EmptyState } from "@/shared/ui/query-states";
import { Elapsed, useNow } from "@/shared/ui/time";
import {
  useDeviceWords,
  useReasonSentence,
  useSureWords,
} from "@/shared/workload/components/sentences";
import { GlimpseName } from "@/shared/workload/components/workload-link";
import { readableParams, spanOf } from "@/shared/workload/model/reasons";
import type { QueueFilter } from "../api/queue";
import { type Axis, sizeCells, startBar } from "../model/schedule";
import { GroupOrder, useMayOrder } from "./group-order";
import styles from "./queue.module.css";
import { Lane } from "./schedule";

const LaterWaitDrawer = later(async () => (await import("./wait-drawer")).WaitDrawer);

/** So many are listed at first. */
const FIRST = 15;

interface WaitingTableProps {
  queue: PoolQueue;
  pool: Pool;
  axis: Axis;
  filter: QueueFilter;
}

export function WaitingTable(props: WaitingTableProps) {
  const { t } = useTranslation("queue");
  const { queue, filter } = props;
  if (queue.waiting.length > 0) return <WaitingRows {...props} />;
  const isFiltered = Boolean(filter.reason ?? filter.team);
  return isFiltered ? (
    <EmptyState title={t("only.empty.title")} text={t("only.empty.text")} />
  ) : (
    <EmptyState title={t("empty.title")} text={t("empty.text")} />
  );
}

function WaitingRows({ queue, pool, axis }: WaitingTableProps) {
  const { t } = useTranslation("queue");
  const { waiting, waiting_total: total } = queue;
  const [opened, setOpened] = useState<WorkGlimpse | null>(null);
  const columns = useWaitingColumns({ queue, pool, axis, onOpen: setOpened });
  const [sort] = useListSort("sort");
  const [isAsked, setAsked] = useState(false);
  const isWhole = isAsked || sort !== null;
  const shown = isWhole || waiting.length <= FIRST + 1 ? waiting : waiting.slice(0, FIRST);
  return (
    <div className={styles.waiting}>
      <ListTable
        id="queue"
        views="queue"
        label={t("waiting")}
        columns={columns}
        rows={shown}
        loadAll={() => Promise.resolve(waiting)}
        rowKey={(row) => waiting.indexOf(row)}
      />
      {shown.length < waiting.length && (
        <Button className={styles.whole ?? ""} onClick={() => setAsked(true)}>
          {t("whole", { count: waiting.length })}
        </Button>
      )}
      {shown === waiting && total > waiting.length && (
        <p className={styles.hint}>{t("more", { count: total - waiting.length })}</p>
      )}
      {opened?.id && (
        <LaterWaitDrawer
          workloadId={opened.id}
          name={opened.name ?? ""}
          onClose={() => setOpened(null)}
        />
      )}
    </div>
  );
}

interface ColumnsOf extends Omit<WaitingTableProps, "filter"> {
  onOpen: (work: WorkGlimpse) => void;
}

function useWaitingColumns({ queue, pool, axis, onOpen }: ColumnsOf): ListColumn<WaitingWork>[] {
  const language = useLanguage();
  const { t } = useTranslation("queue");
  const devices = useDeviceWords();
  const mayOrder = useMayOrder();
  const whose = ({ owner, group }: WorkGlimpse) =>
    [owner && (owner.display_name || owner.username), group && titleOf(group, language)]
      .filter(Boolean)
      .join(" · ");
  const order: ListColumn<WaitingWork> = {
    key: "order",
    isShort: true,
    title: t("column.order"),
    cell: ({ work }) => mayOrder(work) && <GroupOrder work={work} poolId={pool.id} />,
  };
  const canOrder = queue.waiting.some(({ work }) => mayOrder(work));
  return [
    {
      key: "position",
      isShort: true,
      title: t("column.position"),
      value: ({ position }) => position ?? null,
      cell: ({ position }) => <span className="num">{position ?? "–"}</span>,
    },
    {
      key: "work",
      title: t("column.work"),
      value: ({ work }) => work.name ?? null,
      cell: ({ work }) => (
        <span className={styles.who}>
          <GlimpseName work={work} />
          <span className={`second ${styles.who}`}>{whose(work)}</span>
        </span>
      ),
    },
    {
      key: "request",
      isShort: true,
      title: t("column.request"),
      value: ({ work }) => devices(work),
      cell: ({ work }) => <WaitingSize work={work} slicesPerCard={pool.slices_per_card} />,
    },
    {
      key: "submitted",
      isShort: true,
      title: t("column.submitted"),
      value: ({ submitted_at }) => submitted_at,
      cell: ({ submitted_at }) => <Elapsed since={submitted_at} isCoarse />,
    },
    {
      key: "start",
      isShort: true,
      title: t("column.start"),
      isMoment: true,
      value: ({ expected_start }) => expected_start?.earliest ?? null,
      cell: ({ expected_start }) => (expected_start ? <Start range={expected_start} /> : "–"),
    },
    {
      key: "reason",
      title: t("column.reason"),
      value: ({ work, reasons: [first] }) => (work.id && first ? first.code : null),
      cell: ({ work, reasons: [first] }) =>
        work.id && first ? <ReasonChip reason={first} of={work} onOpen={onOpen} /> : "–",
    },
    ...(canOrder ? [order] : []),
    {
      // The last: it lies below the axis.
      key: "schedule",
      title: t("column.schedule"),
      cell: (row) => {
        const bar = startBar(row, queue.reservations);
        return bar && <Lane bar={bar} axis={axis} />;
      },
    },
  ];
}

/** How much it asks for: little cells, and in words. */
function WaitingSize({ work, slicesPerCard }: { work: WorkGlimpse; slicesPerCard: number }) {
  const { t } = useTranslation("queue");
  const devices = useDeviceWords();
  const { filled, total } = sizeCells(work, slicesPerCard);
  return (
    <>
      <span className={styles.size} aria-hidden>
        {Array.from({ length: total }, (_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: cells are their places
          <span key={at} data-filled={at < filled || undefined} />
        ))}
      </span>
      <span className="second num">
        {[devices(work), work.preemptible && t("preemptible")].filter(Boolean).join(" · ")}
      </span>
    </>
  );
}

/** The expected start by the clock, and how often such estimates came true. */
function Start({ range }: { range: StartRange }) {
  const { t } = useTranslation(["queue", "workload"]);
  const language = useLanguage();
  const now = useNow();
  const sure = useSureWords();
  const span = spanOf(range, now);
  const say = (moment: Date) => formatWhen(moment, now, language);
  const words = () => {
    if (span.form === "about") return t("at.about", { at: say(span.at) });
    if (span.form === "by") return t("at.by", { at: say(span.to) });
    return t("at.between", { from: say(span.from), to: say(span.to) });
  };
  return (
    <Hinted title={`${t(`workload:expected.basis.${range.basis}`)} · ${sure(range)}`}>
      <span>
        <span className="num">{words()}</span>
        {range.sure_percent !== null && (
          <span className={styles.sure} aria-hidden>
            <span style={{ width: `${range.sure_percent}%` }} />
          </span>
        )}
      </span>
    </Hinted>
  );
}

interface ReasonChipProps {
  reason: Reason;
  of: WorkGlimpse;
  onOpen: (work: WorkGlimpse) => void;
}

/** Why it waits, in a few words; the sentence on hover and focus, holders and ways out at a press. */
function ReasonChip({ reason, of, onOpen }: ReasonChipProps) {
  const sentence = useReasonSentence();
  const brief = useBriefReason();
  return (
    <Hinted title={sentence(reason)}>
      <button type="button" className={styles.chip} onClick={() => onOpen(of)}>
        {brief(reason)}
      </button>
    </Hinted>
  );
}

/** `quota 6/6`, `min run time 8 min`: the reason with the numbers that prove it, where it has some. */
function useBriefReason(): (reason: Reason) => string {
  const coded = useCodedText();
  const language = useLanguage();
  return ({ code, params }) => {
    const words = readableParams(params, {
      language,
      now: new Date(),
      say: (_resource, { amount }) => amount,
      pool: undefined,
    });
    return coded(`queue:chip.${code}`, words) ?? coded(`queue:why.${code}`) ?? code;
  };
}

type QueueSearch = QueueFilter & { pool?: string | undefined };

/** What the list is narrowed to, and a way back to all of it. */
export function ChosenFilter({ filter: { reason, team } }: { filter: QueueFilter }) {
  const language = useLanguage();
  const { t } = useTranslation("queue");
  const coded = useCodedText();
  const groups = useGroups(Boolean(team)).data ?? [];
  if (!reason && !team) return null;
  const words = [
    reason && t("only.reason", { reason: coded(`queue:why.${reason}`) ?? reason }),
    team &&
      t("only.team", {
        group: titleIn(groups, team, language) ?? "…",
      }),
  ];
  return (
    <p className={styles.only}>
      <strong>{t("only.label")}</strong> {words.filter(Boolean).join(" · ")}{" "}
      <Link to="." search={({ reason: _reason, team: _team, ...rest }: QueueSearch) => rest}>
        {t("only.clear")}
      </Link>
    </p>
  );
}
