import { ArrowDownOutlined, DownloadOutlined, WarningOutlined } from "@ant-design/icons";
import { Button, Flex } from "antd";
import { memo, type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { WorkloadDetail } from "@/shared/api/types";
import { useClock, useLanguage, useTranslation } from "@/shared/i18n/language";
import { Fold } from "@/shared/lists/components/list-tools";
import { SearchLine, Tick } from "@/shared/ui/controls";
import { isTerminal } from "@/shared/workload/model/lifecycle";
import { logAddress, useLog } from "../api/log";
import {
  finalText,
  firstErrorIn,
  isLeavingOut,
  type LogLines,
  linesWith,
  segmentsOf,
  stampFormat,
} from "../model/log";
import styles from "./jobs.module.css";

/** The logs of a job's ranks as one, as they are written. */
export function LogView({
  job: { id, kind, name, epoch, state, replicas },
}: {
  job: WorkloadDetail;
}) {
  const { t } = useTranslation("jobs");
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const [wanted, setWanted] = useState("");
  const [isWrapped, setWrapped] = useState(true);
  const [hasTimes, setTimes] = useState(false);
  const [sought, setSought] = useState<SoughtLine | null>(null);
  const isOver = isTerminal(state);
  const all = Array.from({ length: replicas }, (_, rank) => rank);
  const ranks = chosen.length > 0 ? chosen : all;
  const named = (rank: number) => t("log.rankNumber", { rank });
  const show = (rank: number, isOn: boolean) =>
    setChosen(all.filter((each) => (each === rank ? isOn : chosen.includes(each))));
  const log = useLog({ jobId: id, kind, ranks, epoch, isOver });
  const error = useMemo(() => firstErrorIn(log), [log]);
  const seek = (number: number) => {
    setWanted("");
    setSought({ number });
  };
  const only = replicas > 1 && ranks.length === 1 ? `.${ranks[0]}` : "";
  return (
    <div className={styles.view}>
      <Flex gap={12} wrap align="center">
        {replicas > 1 && (
          <Fold
            label={
              chosen.length > 0
                ? chosen.map(named).join(", ")
                : t("log.allRanks", { count: replicas })
            }
          >
            {all.map((rank) => (
              <Tick key={rank} isOn={chosen.includes(rank)} onChange={(isOn) => show(rank, isOn)}>
                {named(rank)}
              </Tick>
            ))}
          </Fold>
        )}
        <SearchLine label={t("log.find")} value={wanted} onChange={setWanted} />
        <Tick isOn={hasTimes} onChange={setTimes}>
          {t("log.times")}
        </Tick>
        <Tick isOn={isWrapped} onChange={setWrapped}>
          {t("log.wrap")}
        </Tick>
        {error !== null && (
          <Button icon={<WarningOutlined aria-hidden />} onClick={() => seek(error)}>
            {t("log.firstError")}
          </Button>
        )}
        <Button
          icon={<DownloadOutlined aria-hidden />}
          href={logAddress({ jobId: id, kind, ranks }, hasTimes)}
          download={`${name}${only}.log`}
        >
          {t(hasTimes ? "log.downloadTimes" : "log.download")}
        </Button>
      </Flex>
      <LogBox
        log={log}
        wanted={wanted}
        isWrapped={isWrapped}
        hasTimes={hasTimes}
        hasRanks={ranks.length > 1}
        sought={sought}
        isLeavingOut={!isOver && isLeavingOut(log)}
        emptyText={t(isOver ? "log.none" : "log.notYet")}
      />
    </div>
  );
}

/** A new object each time, so that the same line can be sought again. */
interface SoughtLine {
  number: number;
}

interface LogBoxProps {
  log: LogLines;
  /** Only lines with this text are shown; all if it is empty. */
  wanted: string;
  isWrapped: boolean;
  /** What stands before each line. */
  hasTimes: boolean;
  hasRanks: boolean;
  /** The line that is brought into sight and marked. */
  sought: SoughtLine | null;
  /** The beginning is full, and the end follows when the work has ended. */
  isLeavingOut: boolean;
  emptyText: string;
}

/** A growing log: stays at its end until the reader scrolls up. */
function LogBox({ log, wanted, isWrapped, hasTimes, hasRanks, sought, ...said }: LogBoxProps) {
  const { t } = useTranslation("jobs");
  const stamps = useStamps(log);
  const heads = { stamps: hasTimes ? stamps : null, hasRank: hasRanks };
  const { box, isFollowing, follow } = useTail(log);
  const { open, count } = log;
  const lines = useMemo(() => linesWith(log, wanted), [log, wanted]);
  const omitted = count - log.lines.length;
  const isSearched = wanted.trim() !== "";
  useEffect(() => {
    const line = sought && box.current?.querySelector(`[data-line="${sought.number}"]`);
    line?.scrollIntoView({ block: "center" });
  }, [sought, box]);
  return (
    <div className={styles.frame}>
      <div
        ref={box}
        className={styles.log}
        role="log"
        aria-live="off"
        aria-label={t("tab.log")}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must take the keyboard
        tabIndex={0}
        data-testid="log"
        data-wrap={isWrapped}
      >
        {count === 0 && open.length === 0 && <p className={styles.empty}>{said.emptyText}</p>}
        {omitted > 0 && <p className={styles.empty}>{t("log.dropped", { count: omitted })}</p>}
        {log.isCut && <p className={styles.empty}>{t("log.cut")}</p>}
        {isSearched && (
          <p className={styles.empty} role="status">
            {t("log.found", { count: lines.length })}
          </p>
        )}
        {lines.map((line) => (
          <LogLine
            key={line.number}
            {...line}
            {...heads}
            isSought={line.number === sought?.number}
          />
        ))}
        {!isSearched &&
          open.map((line) => (
            <LogLine key={`open ${line.rank}`} {...line} {...heads} text={finalText(line.text)} />
          ))}
        {said.isLeavingOut && (
          <p className={styles.empty} role="status">
            {t("log.leavingOut")}
          </p>
        )}
      </div>
      {!isFollowing && (
        <Button
          className={styles.follow ?? ""}
          size="small"
          icon={<ArrowDownOutlined aria-hidden />}
          onClick={follow}
        >
          {t("log.follow")}
        </Button>
      )}
    </div>
  );
}

/** How the times of these lines are written, by the reader's clock. */
function useStamps({ lines }: LogLines): Intl.DateTimeFormat {
  const language = useLanguage();
  const clock = useClock();
  const first = lines.find(({ order }) => order > 0)?.order ?? 0;
  const hasDates = (lines.at(-1)?.order ?? 0) - first >= DAY_MS;
  return useMemo(() => stampFormat(hasDates, language, clock), [hasDates, language, clock]);
}

interface LogLineProps {
  text: string;
  rank: number;
  at: number | null;
  /** None is without the time. */
  stamps: Intl.DateTimeFormat | null;
  hasRank: boolean;
  /** None while it is still being written. */
  number?: number;
  isSought?: boolean;
}

/** One line with its colours, after its time and rank. */
const LogLine = memo(function LogLine({ text, number, isSought = false, ...head }: LogLineProps) {
  const { t } = useTranslation("jobs");
  const { rank, at, stamps, hasRank } = head;
  return (
    <div className={styles.line} data-line={number} data-sought={isSought || undefined}>
      {stamps && (
        <time className={styles.stamp} {...(at !== null && utcOf(at))}>
          {at === null ? t("log.noTime") : stamps.format(at)}
        </time>
      )}
      {hasRank && (
        <span className={styles.label} style={{ color: `var(--hue-${rank % HUES})` }}>
          {rank}
        </span>
      )}
      {segmentsOf(text).map(({ start, text: part, colour, isBold }) => (
        <span key={start} data-colour={colour ?? undefined} data-bold={isBold || undefined}>
          {part}
        </span>
      ))}
    </div>
  );
});

/** For machines, and for those who hover. */
function utcOf(at: number) {
  const utc = new Date(at).toISOString();
  return { dateTime: utc, title: utc };
}

const HUES = 8;
const DAY_MS = 24 * 3600 * 1000;
const NEAR_PX = 24;

interface Tail {
  box: RefObject<HTMLDivElement | null>;
  isFollowing: boolean;
  follow: () => void;
}

/** Keep a scrolling box at its end while `content` grows, unless the reader has scrolled up. */
function useTail(content: unknown): Tail {
  const box = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: growing content moves the end
  useLayoutEffect(() => {
    if (isFollowing && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [content, isFollowing]);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const look = () => {
      const below = element.scrollHeight - element.scrollTop - element.clientHeight;
      setFollowing(below < NEAR_PX);
    };
    element.addEventListener("scroll", look, { passive: true });
    return () => element.removeEventListener("scroll", look);
  }, []);
  return { box, isFollowing, follow: () => setFollowing(true) };
}
