/** Selected rows, and what is done to all of them: asked once, a few at a time, each with its result. */
import { Button, Modal } from "antd";
import { type Key, type ReactNode, useRef, useState } from "react";
import { problemOf } from "@/shared/api/problem";
import { useTranslation } from "@/shared/i18n/language";
import { useProblemText } from "@/shared/ui/query-states";
import { runEach, runTogether } from "../model/table";
import styles from "./lists.module.css";

/** Rows of one bulk action, and calls of it at the same time. */
const ROWS_MAX = 100;
const CALLS = 4;

interface BulkButton {
  key: string;
  /** A verb, as on a button. */
  label: string;
  isDangerous?: boolean;
}

interface AskedAction extends BulkButton {
  /** What happens to each row then, and what else needs to be said for it. */
  about: ReactNode;
  /** Whether that has been said. */
  isReady?: boolean;
}

interface EachAction<Row> extends AskedAction {
  run: (row: Row) => Promise<unknown>;
}

interface TogetherAction<Row> extends AskedAction {
  /** Does it to all in one request: answers for each row with null, or why it was refused. */
  runAll: (rows: readonly Row[]) => Promise<readonly unknown[]>;
}

interface InstantAction<Row> extends BulkButton {
  /** Is done at once: it changes nothing. */
  act: (rows: readonly Row[]) => void;
}

type QuestionAction<Row> = EachAction<Row> | TogetherAction<Row>;
export type BulkAction<Row> = QuestionAction<Row> | InstantAction<Row>;

export interface Bulk<Row> {
  nameOf: (row: Row) => string;
  /** Keys of the actions that the server allows on a row now. */
  allowed: (row: Row) => readonly string[];
  actions: readonly BulkAction<Row>[];
  /** Rows of one action at most, where that is not the usual number. */
  rowsMax?: number;
  /** After the last of them: what is listed has changed. */
  onDone: () => void;
}

/** Which of the listed rows are selected; a row that leaves the list leaves the selection. */
export function useSelection<Row>(
  listed: readonly Row[],
  keyOf: (row: Row) => Key,
  bulk: Bulk<Row> | undefined,
) {
  const [keys, setKeys] = useState<ReadonlySet<Key>>(new Set());
  const last = useRef<Key | null>(null);
  const canSelect = (row: Row) => {
    const allowed = bulk?.allowed(row) ?? [];
    return bulk?.actions.some(({ key }) => allowed.includes(key)) ?? false;
  };
  const selectable = listed.filter(canSelect);
  const select = (rows: readonly Row[], is: boolean) => {
    const next = new Set(keys);
    for (const row of rows) is ? next.add(keyOf(row)) : next.delete(keyOf(row));
    setKeys(next);
  };
  return {
    rows: selectable.filter((row) => keys.has(keyOf(row))),
    selectable,
    some: selectable.length > 0,
    canSelect,
    isSelected: (row: Row) => keys.has(keyOf(row)),
    select,
    /** Selects one row or, as with Shift, all from the last one to it. */
    mark: (row: Row, is: boolean, isRange: boolean) => {
      const from = isRange ? selectable.findIndex((each) => keyOf(each) === last.current) : -1;
      const to = selectable.indexOf(row);
      last.current = keyOf(row);
      select(from < 0 ? [row] : selectable.slice(Math.min(from, to), Math.max(from, to) + 1), is);
    },
    clear: () => setKeys(new Set()),
  };
}

interface BulkBarProps<Row> {
  bulk: Bulk<Row>;
  selection: ReturnType<typeof useSelection<Row>>;
}

interface Chosen<Row> {
  rows: readonly Row[];
  leftOut: number;
}

/** How many rows are selected, and a button for each action that some of them allow. */
export function BulkBar<Row>({ bulk, selection }: BulkBarProps<Row>) {
  const { t } = useTranslation("lists");
  const [asked, setAsked] = useState<(Chosen<Row> & { key: string }) | null>(null);
  const { rows } = selection;
  const { rowsMax = ROWS_MAX } = bulk;
  const begin = (action: BulkAction<Row>) => {
    const able = rows.filter((row) => bulk.allowed(row).includes(action.key)).slice(0, rowsMax);
    if ("act" in action) action.act(able);
    else setAsked({ key: action.key, rows: able, leftOut: rows.length - able.length });
  };
  // What it says may change while it asks.
  const action = bulk.actions.find(({ key }) => key === asked?.key);
  const close = () => {
    setAsked(null);
    selection.clear();
  };
  return (
    <>
      {rows.length > 0 && (
        <section className={styles.bulk} aria-label={t("bulk.label")}>
          <strong role="status">{t("bulk.selected", { count: rows.length })}</strong>
          {bulk.actions.map((action) => {
            const count = rows.filter((row) => bulk.allowed(row).includes(action.key)).length;
            return (
              count > 0 && (
                <Button
                  key={action.key}
                  size="small"
                  danger={action.isDangerous ?? false}
                  onClick={() => begin(action)}
                >
                  {t("bulk.action", { action: action.label, count })}
                </Button>
              )
            );
          })}
          <Button size="small" type="text" onClick={selection.clear}>
            {t("bulk.clear")}
          </Button>
        </section>
      )}
      {asked && action && !("act" in action) && (
        <BulkDialog
          rows={asked.rows}
          leftOut={asked.leftOut}
          rowsMax={rowsMax}
          action={action}
          bulk={bulk}
          onBack={() => setAsked(null)}
          onClose={close}
        />
      )}
    </>
  );
}

interface BulkDialogProps<Row> extends Chosen<Row> {
  action: QuestionAction<Row>;
  bulk: Bulk<Row>;
  rowsMax: number;
  onBack: () => void;
  onClose: () => void;
}

type RunStep = "asked" | "runs" | "done";

/** Names every row before anything happens, and says of every row what happened. */
function BulkDialog<Row>(props: BulkDialogProps<Row>) {
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
