/** Selected rows, and what is done to all of them: asked once, a few at a time, each with its result. */
import { Button } from "antd";
import { type Key, lazy, Suspense, useState } from "react";
import { useTranslation } from "@/shared/i18n/language";
import styles from "./lists.module.css";

const LaterDialog = lazy(async () => ({ default: (await import("./bulk-dialog")).BulkDialog }));

/** Rows of one bulk action. */
const ROWS_MAX = 100;

export interface BulkAction<Row> {
  key: string;
  /** A verb, as on a button. */
  label: string;
  /** What happens to each row then. */
  about: string;
  isDangerous?: boolean;
  run: (row: Row) => Promise<unknown>;
}

export interface Bulk<Row> {
  nameOf: (row: Row) => string;
  /** Keys of the actions that the server allows on a row now. */
  allowed: (row: Row) => readonly string[];
  actions: readonly BulkAction<Row>[];
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
  const canSelect = (row: Row) => {
    const allowed = bulk?.allowed(row) ?? [];
    return bulk?.actions.some(({ key }) => allowed.includes(key)) ?? false;
  };
  const selectable = listed.filter(canSelect);
  return {
    rows: selectable.filter((row) => keys.has(keyOf(row))),
    selectable,
    some: selectable.length > 0,
    canSelect,
    isSelected: (row: Row) => keys.has(keyOf(row)),
    select: (rows: readonly Row[], is: boolean) => {
      const next = new Set(keys);
      for (const row of rows) is ? next.add(keyOf(row)) : next.delete(keyOf(row));
      setKeys(next);
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
  action: BulkAction<Row>;
  rows: readonly Row[];
  leftOut: number;
}

/** How many rows are selected, and a button for each action that some of them allow. */
export function BulkBar<Row>({ bulk, selection }: BulkBarProps<Row>) {
  const { t } = useTranslation("lists");
  const [asked, setAsked] = useState<ChosenRows<Row> | null>(null);
  const { rows } = selection;
  const ask = (action: BulkAction<Row>) => {
    const able = rows.filter((row) => bulk.allowed(row).includes(action.key)).slice(0, ROWS_MAX);
    setAsked({ action, rows: able, leftOut: rows.length - able.length });
  };
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
                  onClick={() => ask(action)}
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
      {asked && (
        <Suspense>
          <LaterDialog
            chosen={asked as ChosenRows<unknown>}
            nameOf={bulk.nameOf as (row: unknown) => string}
            onBack={() => setAsked(null)}
            onDone={bulk.onDone}
            onClose={close}
          />
        </Suspense>
      )}
    </>
  );
}
