import { ArrowDownOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useTranslation } from "react-i18next";
import { finalText, type LogLines } from "../model/log-lines";
import { LogLine } from "./log-line";
import styles from "./log-view.module.css";
import { useTail } from "./use-tail";

/** A growing log: stays at its end until the reader scrolls up. */
export function LogBox({ log, emptyText }: { log: LogLines; emptyText: string }) {
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
