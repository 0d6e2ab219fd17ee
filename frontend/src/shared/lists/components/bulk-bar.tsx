/** Selected rows, and what is done to all of them: asked once, a few at a time, each with its result. */
import { Button } from "antd";
import { type Key, type ReactNode, useRef, useState } from "react";
import { useTranslation } from "@/shared/i18n/language";
import { later } from "@/shared/ui/opening";
import styles from "./lists.module.css";

const LaterDialog = later(async () => (await import("./bulk-dialog")).BulkDialog);

/** Rows of one bulk action. */
const ROWS_MAX = 100;

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

export type QuestionAction<Row> = EachAction<Row> | TogetherAction<Row>;
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
    keys,
    select,
    /** Selects one row or, as with Shift, all from the last one to it. */
    mark: (key: Key, is: boolean, isRange: boolean) => {
      const placeOf = (sought: Key | null) => selectable.findIndex((row) => keyOf(row) === sought);
      const to = placeOf(key);
      const from = isRange ? placeOf(last.current) : -1;
      const [first, end] = from < 0 ? [to, to] : [Math.min(from, to), Math.max(from, to)];
      last.current = key;
      if (to >= 0) select(selectable.slice(first, end + 1), is);
    },
    clear: () => setKeys(new Set()),
  };
}

interface BulkBarProps<Row> {
  bulk: Bulk<Row>;
  selection: ReturnType<typeof useSelection<Row>>;
}

/** What is asked about. */
export interface ChosenRows<Row> {
  rows: readonly Row[];
  leftOut: number;
}

/** How many rows are selected, and a button for each action that some of them allow. */
export function BulkBar<Row>({ bulk, selection }: BulkBarProps<Row>) {
  const { t } = useTranslation("lists");
  const [asked, setAsked] = useState<(ChosenRows<Row> & { key: string }) | null>(null);
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
        <LaterDialog
          rows={asked.rows}
          leftOut={asked.leftOut}
          rowsMax={rowsMax}
          action={action as QuestionAction<unknown>}
          bulk={bulk as Bulk<unknown>}
          onBack={() => setAsked(null)}
          onClose={close}
        />
      )}
    </>
  );
}
