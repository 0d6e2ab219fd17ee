import { CaretDownOutlined, CaretRightOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { Fragment, type KeyboardEvent, memo, type ReactNode, useState } from "react";
import type { Group, Me } from "@/shared/api/types";
import { formatAmount } from "@/shared/cluster/model/quotas";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { isHeadOf, isPlatformAdmin } from "@/shared/session/roles";
import {
  type CellFault,
  type Draft,
  type Drafts,
  draftedLimits,
  type EditorRow,
  FIELDS,
  faultsOf,
  isOutdated,
  isOverParent,
  type Promised,
  type QuotaField,
  type Refusal,
  type Refusals,
  rebased,
  type ScopeSums,
  shownText,
  textOf,
  without,
  withRemoval,
  withText,
} from "../model/drafts";
import { unitOf, WEIGHTS } from "../model/quotas";
import styles from "./quota-editor.module.css";
import { QuotaHelp } from "./quota-help";
import { useQuotaLimitWords, useScopeWords } from "./quota-words";

const NO_REFUSALS: readonly Refusal[] = [];

type ChangeDrafts = (next: (drafts: Drafts) => Drafts) => void;

interface EditorTableProps {
  rows: readonly EditorRow[];
  drafts: Drafts;
  sums: readonly ScopeSums[];
  refusals: Refusals;
  me: Me;
  groups: readonly Group[];
  onDraft: ChangeDrafts;
  /** The lines of its members. */
  below: (row: EditorRow) => ReactNode;
}

/** Groups as a tree, a line of cells for each of their quotas. */
export function EditorTable(props: EditorTableProps) {
  const { rows, drafts, sums, refusals, me, groups, onDraft, below } = props;
  const { t } = useTranslation("quotas");
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const parents = new Map(groups.map(({ id, parent }) => [id, parent]));
  const belowOf = (row: EditorRow) =>
    sums.find(({ pool, resource }) => pool === row.pool && resource === row.resource)?.below[
      row.group
    ];
  const fold = (group: string) =>
    setFolded((before) => {
      const next = new Set(before);
      if (!next.delete(group)) next.add(group);
      return next;
    });
  const shown = rows.filter(({ above }) => !above.some((group) => folded.has(group)));
  return (
    <div className={styles.scroll}>
      <table aria-label={t("editor.title")} className={styles.table} onKeyDown={moveByKeys}>
        <thead>
          <tr>
            <th scope="col">{t("column.group")}</th>
            <th scope="col">{t("editor.quota")}</th>
            {FIELDS.map((field) => {
              const name = field === "weight" ? t("weight") : t(`limit.${field}`);
              return (
                <th key={field} scope="col" aria-label={name}>
                  {name} <QuotaHelp what={name} term={field} />
                </th>
              );
            })}
            <th scope="col">{t("editor.used")}</th>
            <th scope="col">{t("column.action")}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <Fragment key={row.key}>
              <Row
                row={row}
                draft={drafts[row.key]}
                sum={row.model === "" ? belowOf(row) : undefined}
                refusals={refusals[row.key] ?? NO_REFUSALS}
                isFolded={folded.has(row.group)}
                rights={rightsOver(me, parents.get(row.group) ?? null)}
                onFold={fold}
                onDraft={onDraft}
              />
              {below(row)}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What the reader may set: administrators all, the head of the group above its ceiling. */
function rightsOver(me: Me, parent: string | null): "all" | "ceiling" | "none" {
  if (isPlatformAdmin(me)) return "all";
  return parent !== null && isHeadOf(me, parent) ? "ceiling" : "none";
}

/** Enter goes down the column, Shift-Enter up; Tab goes along the line by itself. */
function moveByKeys(event: KeyboardEvent<HTMLTableElement>) {
  const cell = event.target;
  if (event.key !== "Enter" || !(cell instanceof HTMLElement) || !cell.dataset.field) return;
  event.preventDefault();
  const column = [
    ...event.currentTarget.querySelectorAll<HTMLElement>(
      `[data-field="${cell.dataset.field}"]:not(:disabled)`,
    ),
  ];
  const next = column[column.indexOf(cell) + (event.shiftKey ? -1 : 1)];
  next?.focus();
  if (next instanceof HTMLInputElement) next.select();
}

interface RowProps {
  row: EditorRow;
  draft: Draft | undefined;
  sum: Promised | undefined;
  refusals: readonly Refusal[];
  isFolded: boolean;
  rights: "all" | "ceiling" | "none";
  onFold: (group: string) => void;
  onDraft: ChangeDrafts;
}

const Row = memo(function Row(props: RowProps) {
  const { row, draft, sum, refusals, isFolded, rights, onFold, onDraft } = props;
  const { t } = useTranslation("quotas");
  const language = useLanguage();
  const words = useScopeWords();
  const faults = faultsOf(row, draft);
  const refusal = refusals.find(({ field }) => field === undefined)?.detail;
  if (row.isEmpty) {
    return (
      <tr>
        <GroupCell row={row} isFolded={isFolded} onFold={onFold} />
        <td colSpan={FIELDS.length + 3} className="quiet">
          {t("noQuota")}
        </td>
      </tr>
    );
  }
  const isEditable = (field: QuotaField) =>
    !draft?.isRemoved &&
    ((rights === "all" && !(row.model && (field === "guarantee" || field === "deserved"))) ||
      (rights === "ceiling" && field === "ceiling" && row.saved?.ceiling !== null));
  const label = `${row.title} · ${words(row)}`;
  return (
    <>
      <tr data-quota={label} data-removed={draft?.isRemoved}>
        <GroupCell row={row} isFolded={isFolded} onFold={onFold} />
        <td className={styles.scope}>{words(row)}</td>
        {FIELDS.map((field) => (
          <td key={field} data-label={field === "weight" ? t("weight") : t(`limit.${field}`)}>
            <LimitCell
              row={row}
              draft={draft}
              field={field}
              fault={faults[field]}
              refusal={refusals.find((refusal) => refusal.field === field)?.detail}
              label={`${field === "weight" ? t("weight") : t(`limit.${field}`)}, ${label}`}
              isEditable={isEditable(field)}
              onDraft={onDraft}
            />
            {sum && (field === "guarantee" || field === "deserved") && sum[field] > 0 && (
              <BelowSum row={row} draft={draft} sum={sum} field={field} />
            )}
          </td>
        ))}
        <td className="num" data-label={t("editor.used")}>
          {formatAmount(row.resource, row.used, language)}
        </td>
        <td>
          {rights === "all" && (
            <RemovalButton row={row} draft={draft} label={label} onDraft={onDraft} />
          )}
        </td>
      </tr>
      {(refusal || isOutdated(row, draft)) && (
        <tr>
          <td colSpan={FIELDS.length + 4} className={styles.said}>
            <RowNote row={row} draft={draft} refusal={refusal} label={label} onDraft={onDraft} />
          </td>
        </tr>
      )}
    </>
  );
});

type RemovalButtonProps = Pick<RowProps, "row" | "draft" | "onDraft"> & { label: string };

/** Marks a quota as removed, which the preview and the save then do; or keeps it after all. */
function RemovalButton({ row, draft, label, onDraft }: RemovalButtonProps) {
  const { t } = useTranslation("quotas");
  const words = draft?.isRemoved ? t("editor.keep") : t("editor.remove");
  const act = (drafts: Drafts) =>
    draft?.isRemoved ? without(drafts, row.key) : withRemoval(drafts, row);
  return (
    <Button size="small" aria-label={`${words}: ${label}`} onClick={() => onDraft(act)}>
      {words}
    </Button>
  );
}

function GroupCell({ row, isFolded, onFold }: Pick<RowProps, "row" | "isFolded" | "onFold">) {
  const { t } = useTranslation("quotas");
  return (
    <th scope="row" className={styles.group}>
      <span
        className={row.isFirst ? styles.place : "repeated"}
        style={{ paddingInlineStart: row.depth * 18 }}
      >
        {row.isFirst && row.isParent && (
          <Button
            type="text"
            size="small"
            aria-expanded={!isFolded}
            aria-label={t("editor.groupsBelow", { group: row.title })}
            icon={isFolded ? <CaretRightOutlined /> : <CaretDownOutlined />}
            onClick={() => onFold(row.group)}
          />
        )}
        <span>
          {row.title}
          <span className="second">{row.name}</span>
        </span>
      </span>
    </th>
  );
}

interface CellProps {
  row: EditorRow;
  draft: Draft | undefined;
  field: QuotaField;
  fault: CellFault | undefined;
  /** What the server said of this cell. */
  refusal: string | undefined;
  label: string;
  isEditable: boolean;
  onDraft: ChangeDrafts;
}

/** One limit: its text while it is typed, marked when it is not what was saved. */
function LimitCell(props: CellProps) {
  const { row, draft, field, fault, refusal, label, isEditable, onDraft } = props;
  const { t } = useTranslation(["quotas", "cluster"]);
  const say = useQuotaLimitWords();
  const text = shownText(row, draft, field);
  const isChanged = draft?.texts[field] !== undefined;
  const type = (typed: string) => onDraft((drafts) => withText(drafts, row, field, typed));
  const reset = () =>
    draft && type(draft.before ? textOf(row.resource, field, draft.before) : text);
  if (!isEditable) {
    return (
      <span className="num quiet">
        {row.model && field !== "ceiling" && field !== "user_ceiling"
          ? "–"
          : say(row.resource, field, draftedLimits(row, draft))}
      </span>
    );
  }
  const about = {
    "aria-label": label,
    "data-field": field,
    "data-changed": isChanged,
    className: styles.cell,
    onKeyDown: (event: KeyboardEvent) => event.key === "Escape" && isChanged && reset(),
  };
  if (field === "weight") {
    return (
      <select {...about} value={text} onChange={({ target }) => type(target.value)}>
        {WEIGHTS.map((weight) => (
          <option key={weight} value={weight}>
            {t(`cluster:quota.weight.${weight}`)}
          </option>
        ))}
      </select>
    );
  }
  const isCeiling = field === "ceiling" || field === "user_ceiling";
  return (
    <>
      <input
        {...about}
        inputMode="decimal"
        autoComplete="off"
        maxLength={16}
        value={text}
        placeholder={isCeiling ? t("unlimited") : ""}
        aria-invalid={fault !== undefined || refusal !== undefined}
        onChange={({ target }) => type(target.value)}
      />
      <CellNote row={row} draft={draft} field={field} fault={fault} refusal={refusal} />
    </>
  );
}

type CellNoteProps = Pick<CellProps, "row" | "draft" | "field" | "fault" | "refusal">;

/** Under a cell: what is wrong with it, else what it was. */
function CellNote({ row, draft, field, fault, refusal }: CellNoteProps) {
  const { t } = useTranslation("quotas");
  const say = useQuotaLimitWords();
  const faultWords = () =>
    fault?.kind === "order"
      ? t("atLeast", { least: fault.least / unitOf(row.resource) })
      : t("editor.noAmount");
  const wrong = fault ? faultWords() : refusal;
  if (wrong) {
    return (
      <span className={styles.fault} role="alert">
        {wrong}
      </span>
    );
  }
  if (!draft?.before || draft.texts[field] === undefined) return null;
  return (
    <span className={styles.was}>
      {t("editor.was", { amount: say(row.resource, field, draft.before) })}
    </span>
  );
}

interface BelowSumProps {
  row: EditorRow;
  draft: Draft | undefined;
  sum: Promised;
  field: keyof Promised;
}

function BelowSum({ row, draft, sum, field }: BelowSumProps) {
  const { t } = useTranslation("quotas");
  const language = useLanguage();
  const isOver = isOverParent(draftedLimits(row, draft), sum, field);
  return (
    <span className={isOver ? styles.over : styles.was}>
      {t(isOver ? "editor.belowOver" : "editor.below", {
        amount: formatAmount(row.resource, sum[field], language),
      })}
    </span>
  );
}

interface RowNoteProps {
  row: EditorRow;
  draft: Draft | undefined;
  refusal: string | undefined;
  label: string;
  onDraft: ChangeDrafts;
}

/** What the server refused, or that someone else has changed the quota meanwhile: whose is kept? */
function RowNote({ row, draft, refusal, label, onDraft }: RowNoteProps) {
  const { t } = useTranslation("quotas");
  const say = useQuotaLimitWords();
  if (!isOutdated(row, draft)) return <span role="alert">{refusal}</span>;
  const now = FIELDS.filter(
    (field) => row.saved && row.saved[field] !== draft?.before?.[field],
  ).map((field) => {
    const name = field === "weight" ? t("weight") : t(`limit.${field}`);
    return `${name} ${say(row.resource, field, row.saved)}`;
  });
  return (
    <>
      <span role="alert">
        {row.saved ? t("editor.outdated", { now: now.join(", ") }) : t("editor.gone")}
      </span>{" "}
      <Button
        size="small"
        aria-label={`${t("editor.keepMine")}: ${label}`}
        onClick={() => onDraft((drafts) => rebased(drafts, row))}
      >
        {t("editor.keepMine")}
      </Button>{" "}
      <Button
        size="small"
        aria-label={`${t("editor.takeTheirs")}: ${label}`}
        onClick={() => onDraft((drafts) => without(drafts, row.key))}
      >
        {t("editor.takeTheirs")}
      </Button>
    </>
  );
}
