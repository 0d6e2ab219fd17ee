import { Select } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { WorkloadDetail } from "@/shared/api/types";
import { isTerminal } from "@/shared/workload/model/lifecycle";
import { useLog } from "../api/use-log";
import { LogBox } from "./log-box";
import styles from "./log-view.module.css";

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
