import {
  ArrowDownOutlined,
  DownloadOutlined,
  SearchOutlined,
  WarningOutlined,
} from "@ant-design/icons";
import { Button, Checkbox, Flex, Input, Select } from "antd";
import { memo, type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { WorkloadDetail } from "@/shared/api/types";
import { isTerminal } from "@/shared/workload/model/lifecycle";
import { logAddress, useLog } from "../api/log";
import { finalText, firstErrorIn, type LogLines, linesWith, segmentsOf } from "../model/log";
import styles from "./jobs.module.css";

/** The log of one rank of a job, as it is written. */
export function LogView({
  job: { id, kind, name, epoch, state, replicas },
}: {
  job: WorkloadDetail;
}) {
  const { t } = useTranslation("jobs");
  const [rank, setRank] = useState(0);
  const [wanted, setWanted] = useState("");
  const [isWrapped, setWrapped] = useState(true);
  const [sought, setSought] = useState<SoughtLine | null>(null);
  const isOver = isTerminal(state);
  const log = useLog({ jobId: id, kind, rank, epoch, isOver });
  const error = useMemo(() => firstErrorIn(log), [log]);
  const seek = (number: number) => {
    setWanted("");
    setSought({ number });
  };
  return (
    <div className={styles.view}>
      <Flex gap={12} wrap align="center">
        {replicas > 1 && (
          <Select
            className={styles.rank ?? ""}
            aria-label={t("log.rank")}
            value={rank}
            onChange={setRank}
            options={Array.from({ length: replicas }, (_, value) => ({
              value,
              label: t("log.rankNumber", { rank: value }),
            }))}
          />
        )}
        <Input
          allowClear
          className={styles.find ?? ""}
          aria-label={t("log.find")}
          placeholder={t("log.find")}
          prefix={<SearchOutlined aria-hidden />}
          value={wanted}
          onChange={({ target }) => setWanted(target.value)}
        />
        <Checkbox checked={isWrapped} onChange={({ target }) => setWrapped(target.checked)}>
          {t("log.wrap")}
        </Checkbox>
        {error !== null && (
          <Button icon={<WarningOutlined aria-hidden />} onClick={() => seek(error)}>
            {t("log.firstError")}
          </Button>
        )}
        <Button
          icon={<DownloadOutlined aria-hidden />}
          href={logAddress({ jobId: id, kind, rank })}
          download={replicas > 1 ? `${name}.${rank}.log` : `${name}.log`}
        >
          {t("log.download")}
        </Button>
      </Flex>
      <LogBox
        log={log}
        wanted={wanted}
        isWrapped={isWrapped}
        sought={sought}
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
  /** The line that is brought into sight and marked. */
  sought: SoughtLine | null;
  emptyText: string;
}

/** A growing log: stays at its end until the reader scrolls up. */
function LogBox({ log, wanted, isWrapped, sought, emptyText }: LogBoxProps) {
  const { t } = useTranslation("jobs");
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
        {count === 0 && !open && <p className={styles.empty}>{emptyText}</p>}
        {omitted > 0 && <p className={styles.empty}>{t("log.dropped", { count: omitted })}</p>}
        {isSearched && (
          <p className={styles.empty} role="status">
            {t("log.found", { count: lines.length })}
          </p>
        )}
        {lines.map(({ number, text }) => (
          <LogLine key={number} text={text} number={number} isSought={number === sought?.number} />
        ))}
        {open && !isSearched && <LogLine text={finalText(open)} />}
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

interface LogLineProps {
  text: string;
  /** None while it is still being written. */
  number?: number;
  isSought?: boolean;
}

/** One line with its colours. */
const LogLine = memo(function LogLine({ text, number, isSought = false }: LogLineProps) {
  return (
    <div className={styles.line} data-line={number} data-sought={isSought || undefined}>
      {segmentsOf(text).map(({ start, text: part, colour, isBold }) => (
        <span key={start} data-colour={colour ?? undefined} data-bold={isBold || undefined}>
          {part}
        </span>
      ))}
    </div>
  );
});

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
