import { Button, Tag } from "antd";
import { useState } from "react";
import type { AdvanceReservation } from "@/shared/api/types";
import { formatDay, formatSpan } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListTable } from "@/shared/lists/components/list-table";
import { useMe } from "@/shared/session/me";
import { isGroupAdmin, isOperator } from "@/shared/session/roles";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { later } from "@/shared/ui/opening";
import { PageHeader, Panel } from "@/shared/ui/page";
import { EmptyState, QueryBoundary } from "@/shared/ui/query-states";
import { useNow } from "@/shared/ui/time";
import { useCancelReservation, useReservations } from "../api/reservations";
import { CALENDAR_DAYS, DAY_MS, midnight, nextWindow, windowBars } from "../model/reservations";
import styles from "../reservations.module.css";

const LaterReservationDialog = later(
  async () => (await import("./reservation-dialog")).ReservationDialog,
);

/** Advance reservations: those of one's groups with all facts, of others that they exist. */
export function ReservationsPage() {
  const { t } = useTranslation("reservations");
  const me = useMe();
  const canReserve = isOperator(me) || isGroupAdmin(me);
  const [isAdding, setAdding] = useState(false);
  const columns = useReservationColumns(canReserve);
  const add = (
    <Button type="primary" onClick={() => setAdding(true)}>
      {t("add")}
    </Button>
  );
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} actions={canReserve && add} />
      <QueryBoundary query={useReservations()} rows={5}>
        {(rows) => (
          <div className="stack">
            <ReservationCalendar rows={rows} />
            <Panel title={t("list")}>
              <ListTable
                id="reservations"
                label={t("title")}
                columns={columns}
                rows={rows}
                rowKey={({ id }) => id}
                empty={
                  <EmptyState
                    title={t("empty.title")}
                    text={t(canReserve ? "empty.textOperator" : "empty.text")}
                  />
                }
              />
            </Panel>
          </div>
        )}
      </QueryBoundary>
      {isAdding && <LaterReservationDialog onClose={() => setAdding(false)} />}
    </>
  );
}

function useReservationColumns(canCancel: boolean): ListColumn<AdvanceReservation>[] {
  const { t } = useTranslation("reservations");
  const language = useLanguage();
  const now = useNow();
  const poolOf = ({ pool }: AdvanceReservation) => titleOf(pool, language);
  const columns: ListColumn<AdvanceReservation>[] = [
    {
      key: "name",
      title: t("column.name"),
      value: ({ name }) => name || t("ofOthers"),
      cell: (row) => <Name row={row} />,
    },
    {
      key: "group",
      title: t("column.group"),
      value: ({ group }) => group && titleOf(group, language),
      cell: (row) => <ForWhom row={row} />,
    },
    { key: "pool", title: t("column.pool"), value: poolOf, cell: poolOf },
    {
      key: "amount",
      title: t("amount"),
      isShort: true,
      value: ({ gpus, slices }) => gpus || slices,
      cell: ({ gpus, slices }) =>
        gpus > 0 ? t("gpuCount", { count: gpus }) : t("sliceCount", { count: slices }),
    },
    {
      key: "when",
      title: t("column.when"),
      value: ({ windows }) => nextWindow(windows, now)?.starts_at ?? null,
      cell: (row) => <When row={row} />,
    },
  ];
  if (!canCancel) return columns;
  return [
    ...columns,
    {
      key: "action",
      title: t("column.action"),
      cell: (row) => row.may_cancel && <CancelReservation row={row} />,
    },
  ];
}

function Name({ row }: { row: AdvanceReservation }) {
  const { t } = useTranslation("reservations");
  return (
    <>
      <strong>{row.name || t("ofOthers")}</strong> {row.is_open && <Tag>{t("isOpen")}</Tag>}
      {row.missing > 0 && <Tag color="error">{t("missing", { count: row.missing })}</Tag>}
      {row.at_risk > 0 && !row.missing && (
        <Tag color="warning">{t("atRisk", { count: row.at_risk })}</Tag>
      )}
    </>
  );
}

function ForWhom({ row: { group, users } }: { row: AdvanceReservation }) {
  const language = useLanguage();
  const { t } = useTranslation("reservations");
  if (!group) return t("hidden");
  return (
    <>
      {titleOf(group, language)}
      {users.length > 0 && (
        <p className="second note">{users.map(({ display_name }) => display_name).join(", ")}</p>
      )}
    </>
  );
}

function When({ row: { windows } }: { row: AdvanceReservation }) {
  const { t } = useTranslation("reservations");
  const language = useLanguage();
  const now = useNow();
  const next = nextWindow(windows, now);
  if (!next) return t("over");
  const later = windows.filter(({ starts_at }) => starts_at > next.starts_at).length;
  return (
    <>
      {formatSpan(new Date(next.starts_at), new Date(next.ends_at), language)}
      {later > 0 && <p className="second note">{t("later", { count: later })}</p>}
    </>
  );
}

function CancelReservation({ row }: { row: AdvanceReservation }) {
  const { t } = useTranslation("reservations");
  return (
    <ConfirmButton
      action={t("cancel")}
      label={t("cancelOf", { name: row.name })}
      question={t("cancelQuestion")}
      isDangerous
      mutation={useCancelReservation()}
      input={row.id}
    />
  );
}

/** The next two weeks: a line for each reservation, a bar for each of its windows. */
function ReservationCalendar({ rows }: { rows: readonly AdvanceReservation[] }) {
  const { t } = useTranslation("reservations");
  const language = useLanguage();
  const now = useNow();
  const first = midnight(now);
  const days = Array.from(
    { length: CALENDAR_DAYS },
    (_, day) => new Date(first.getTime() + day * DAY_MS),
  );
  const shown = rows.filter(({ windows }) => windowBars(windows, first).length > 0);
  if (shown.length === 0) return null;
  return (
    <Panel title={t("calendar")}>
      <div className={styles.calendar}>
        <div className={styles.days} aria-hidden="true">
          {days.map((day) => (
            <span key={day.toISOString()}>{formatDay(day, language)}</span>
          ))}
        </div>
        {shown.map((row) => (
          <div key={row.id} className={styles.line}>
            <span className={styles.name}>
              {row.name || t("ofOthers")} · {titleOf(row.pool, language)}
            </span>
            <div className={styles.track}>
              {windowBars(row.windows, first).map(({ key, left, width, window }) => (
                <span
                  key={key}
                  className={styles.bar}
                  data-others={!row.name}
                  style={{ left: `${left}%`, width: `${width}%` }}
                  title={formatSpan(new Date(window.starts_at), new Date(window.ends_at), language)}
                />
              ))}
            </div>
          </div>
        ))}
      </div>
    </Panel>
  );
}
