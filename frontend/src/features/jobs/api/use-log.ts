import { useEffect, useRef, useState } from "react";
import { appendText, EMPTY_LOG, type LogLines } from "../model/log-lines";
import { followLog } from "./log-stream";

const FLUSH_MS = 100;

interface LogOf {
  jobId: string;
  rank: number;
  /** A new attempt has a new log; 0 is before the first. */
  epoch: number;
  isOver: boolean;
}

/** The growing log of one rank's present attempt. */
export function useLog({ jobId, rank, epoch, isOver }: LogOf): LogLines {
  const [log, setLog] = useState(EMPTY_LOG);
  const over = useRef(isOver);
  useEffect(() => {
    over.current = isOver;
  });
  useEffect(() => {
    setLog(EMPTY_LOG);
    if (epoch === 0) return undefined;
    const abort = new AbortController();
    let waiting = "";
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = () => {
      const text = waiting;
      waiting = "";
      timer = undefined;
      setLog((lines) => appendText(lines, text));
    };
    const onText = (text: string) => {
      waiting += text;
      timer ??= setTimeout(flush, FLUSH_MS);
    };
    void followLog({ jobId, rank }, { onText, isOver: () => over.current, signal: abort.signal });
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [jobId, rank, epoch]);
  return log;
}
