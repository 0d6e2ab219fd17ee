import { ArrowDownOutlined } from "@ant-design/icons";
import { Button, Select } from "antd";
import { memo, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { WorkloadDetail } from "@/shared/api/types";
import { isTerminal } from "@/shared/workload/model/lifecycle";
import { useLog } from "../api/log";
import { finalText, type LogLines, segmentsOf } from "../model/log";
import styles from "./jobs.module.css";

/** The log of one rank of a job, as it is written. */
export function LogView({ job: { id, epoch, state, replicas } }: { job: WorkloadDetail }) {
  const { t } = useTranslation("jobs");
  const [rank, setRank] = useState(0);
  const isOver = isTerminal(state);
  const log = useLog({ jobId: id, rank, epoch, isOver });
  return (
    <div className={styles.view}>
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
      <LogBox log={log} emptyText={t(isOver ? "log.none" : "log.notYet")} />
    </div>
  );
}

/** A growing log: stays at its end until the reader scrolls up. */
function LogBox({ log, emptyText }: { log: LogLines; emptyText: string }) {
  const { t } = useTranslation("jobs");
  const { box, isFollowing, follow } = useTail(log);
  const { lines, open, count } = log;
  const omitted = count - lines.length;
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
      >
        {count === 0 && !open && <p className={styles.empty}>{emptyText}</p>}
        {omitted > 0 && <p className={styles.empty}>{t("log.dropped", { count: omitted })}</p>}
        {lines.map(({ number, text }) => (
          <LogLine key={number} text={text} />
        ))}
        {open && <LogLine text={finalText(open)} />}
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

/** One line with its colours. */
const LogLine = memo(function LogLine({ text }: { text: string }) {
  return (
    <div className={styles.line}>
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
