/** A question that names every row before anything happens, and says of every row what happened. */
import { Modal } from "antd";
import { useState } from "react";
import { problemOf } from "@/shared/api/problem";
import { useTranslation } from "@/shared/i18n/language";
import { useProblemText } from "@/shared/ui/query-states";
import { runEach } from "../model/table";
import type { ChosenRows } from "./bulk-bar";
import styles from "./lists.module.css";

/** Calls of an action at the same time. */
const CALLS = 4;

interface BulkDialogProps {
  chosen: ChosenRows<unknown>;
  nameOf: (row: unknown) => string;
  onBack: () => void;
  /** After the last call. */
  onDone: () => void;
  onClose: () => void;
}

type RunStep = "asked" | "runs" | "done";

export function BulkDialog(props: BulkDialogProps) {
  const { chosen, nameOf, onBack, onDone, onClose } = props;
  const { action, rows, leftOut } = chosen;
  const { t } = useTranslation("lists");
  const [step, setStep] = useState<RunStep>("asked");
  const [ended, setEnded] = useState<ReadonlyMap<unknown, unknown>>(new Map());
  const run = async () => {
    setStep("runs");
    await runEach(rows, action.run, CALLS, (row, error) =>
      setEnded((before) => new Map(before).set(row, error)),
    );
    setStep("done");
    onDone();
  };
  const isDone = step === "done";
  return (
    <Modal
      open
      title={t("bulk.title", { action: action.label, count: rows.length })}
      okText={isDone ? t("bulk.close") : action.label}
      okButtonProps={{ danger: !isDone && (action.isDangerous ?? false) }}
      cancelText={t("bulk.back")}
      cancelButtonProps={{ style: step === "asked" ? {} : { display: "none" } }}
      closable={step === "asked"}
      mask={{ closable: false }}
      keyboard={step !== "runs"}
      confirmLoading={step === "runs"}
      onOk={isDone ? onClose : () => void run()}
      onCancel={isDone ? onClose : onBack}
    >
      <p>{action.about}</p>
      {leftOut > 0 && <p>{t("bulk.leftOut", { count: leftOut })}</p>}
      <ul className={styles.results}>
        {rows.map((row, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows stay as they were asked about
          <li key={place}>
            <span>{nameOf(row)}</span>
            {ended.has(row) && <Result error={ended.get(row)} />}
          </li>
        ))}
      </ul>
      <p role="status">{step !== "asked" && <Summary rows={rows} ended={ended} />}</p>
    </Modal>
  );
}

function Result({ error }: { error: unknown }) {
  const { t } = useTranslation("lists");
  const describe = useProblemText();
  if (error === null) return <span className={styles.done}>{t("bulk.done")}</span>;
  return (
    <span className={styles.refused}>{t("bulk.refused", { why: describe(problemOf(error)) })}</span>
  );
}

interface SummaryProps {
  rows: readonly unknown[];
  ended: ReadonlyMap<unknown, unknown>;
}

function Summary({ rows, ended }: SummaryProps) {
  const { t } = useTranslation("lists");
  const done = [...ended.values()].filter((error) => error === null).length;
  const refused = ended.size - done;
  const words = [
    t("bulk.sumDone", { done, count: rows.length }),
    refused > 0 && t("bulk.sumRefused", { count: refused }),
  ];
  return words.filter(Boolean).join(" ");
}
