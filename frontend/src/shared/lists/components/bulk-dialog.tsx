/** A question that names every row before anything happens, and says of every row what happened. */
import { Modal } from "antd";
import { useState } from "react";
import { problemOf } from "@/shared/api/problem";
import { useTranslation } from "@/shared/i18n/language";
import { useProblemText } from "@/shared/ui/query-states";
import { runEach, runTogether } from "../model/table";
import type { Bulk, ChosenRows, QuestionAction } from "./bulk-bar";
import styles from "./lists.module.css";

/** Calls of an action at the same time. */
const CALLS = 4;

interface BulkDialogProps<Row> extends ChosenRows<Row> {
  action: QuestionAction<Row>;
  bulk: Bulk<Row>;
  rowsMax: number;
  onBack: () => void;
  onClose: () => void;
}

type RunStep = "asked" | "runs" | "done";

export function BulkDialog<Row>(props: BulkDialogProps<Row>) {
  const { bulk, action, rows, leftOut, rowsMax, onBack, onClose } = props;
  const { t } = useTranslation("lists");
  const [step, setStep] = useState<RunStep>("asked");
  const [ended, setEnded] = useState<ReadonlyMap<Row, unknown>>(new Map());
  const run = async () => {
    setStep("runs");
    const end = (row: Row, error: unknown) => setEnded((before) => new Map(before).set(row, error));
    await ("run" in action
      ? runEach(rows, action.run, CALLS, end)
      : runTogether(rows, action.runAll, end));
    setStep("done");
    bulk.onDone();
  };
  const isDone = step === "done";
  return (
    <Modal
      open
      title={t("bulk.title", { action: action.label, count: rows.length })}
      okText={isDone ? t("bulk.close") : action.label}
      okButtonProps={{
        danger: !isDone && (action.isDangerous ?? false),
        disabled: step === "asked" && action.isReady === false,
      }}
      cancelText={t("bulk.back")}
      cancelButtonProps={{ style: step === "asked" ? {} : { display: "none" } }}
      closable={step === "asked"}
      mask={{ closable: false }}
      keyboard={step !== "runs"}
      confirmLoading={step === "runs"}
      onOk={isDone ? onClose : () => void run()}
      onCancel={isDone ? onClose : onBack}
    >
      {step === "asked" && <div style={{ marginBottom: 12 }}>{action.about}</div>}
      {leftOut > 0 && <p>{t("bulk.leftOut", { count: leftOut, max: rowsMax })}</p>}
      <ul className={styles.results}>
        {rows.map((row, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows stay as they were asked about
          <li key={place}>
            <span>{bulk.nameOf(row)}</span>
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

interface SummaryProps<Row> {
  rows: readonly Row[];
  ended: ReadonlyMap<Row, unknown>;
}

function Summary<Row>({ rows, ended }: SummaryProps<Row>) {
  const { t } = useTranslation("lists");
  const done = [...ended.values()].filter((error) => error === null).length;
  const refused = ended.size - done;
  const words = [
    t("bulk.sumDone", { done, count: rows.length }),
    refused > 0 && t("bulk.sumRefused", { count: refused }),
  ];
  return words.filter(Boolean).join(" ");
}
