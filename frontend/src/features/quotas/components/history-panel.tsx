import { Button, Tag } from "antd";
import type { SavedQuotaChange } from "@/shared/api/types";
import { formatMoment } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { type Column, EntityTable } from "@/shared/ui/data-table";
import { Panel } from "@/shared/ui/page";
import { ProblemAlert } from "@/shared/ui/query-states";
import { usePreviewQuotaChange, useQuotaHistory } from "../api/quota-changes";
import { MemberChange } from "./member-change";
import { PreviewDialog } from "./preview-dialog";
import { useQuotaChangeWords, useScopeWords } from "./quota-words";

/** Who changed which quotas, when and why; administrators take a change back from here. */
export function HistoryPanel() {
  const { t } = useTranslation("quotas");
  const history = useQuotaHistory();
  const undo = usePreviewQuotaChange();
  const me = useMe();
  const language = useLanguage();
  const columns = useHistoryColumns();
  const undoColumn: Column<SavedQuotaChange> = {
    key: "undo",
    title: t("column.action"),
    cell: (change) =>
      !change.undone_by && (
        <Button
          size="small"
          loading={
            undo.isPending && undo.variables !== undefined && isUndoOf(undo.variables, change)
          }
          aria-label={t("history.undoOf", { at: formatMoment(new Date(change.at), language) })}
          onClick={() => undo.mutate({ undo: change.id })}
        >
          {t("history.undo")}
        </Button>
      ),
  };
  return (
    <Panel title={t("history.title")} testId="quota-history">
      {undo.error && <ProblemAlert error={undo.error} />}
      <EntityTable
        query={history}
        label={t("history.title")}
        columns={isPlatformAdmin(me) ? [...columns, undoColumn] : columns}
        rowKey={({ id }) => id}
        empty={<p className="quiet">{t("history.none")}</p>}
      />
      {history.hasNextPage && (
        <Button onClick={() => void history.fetchNextPage()} loading={history.isFetchingNextPage}>
          {t("history.older")}
        </Button>
      )}
      {undo.data && undo.variables && (
        <PreviewDialog
          preview={undo.data}
          asked={undo.variables}
          onClose={() => undo.reset()}
          onSaved={() => undo.reset()}
        />
      )}
    </Panel>
  );
}

function isUndoOf(asked: object, { id }: SavedQuotaChange): boolean {
  return "undo" in asked && asked.undo === id;
}

function useHistoryColumns(): Column<SavedQuotaChange>[] {
  const { t } = useTranslation("quotas");
  const language = useLanguage();
  const scope = useScopeWords();
  const words = useQuotaChangeWords();
  return [
    {
      key: "at",
      title: t("history.at"),
      isShort: true,
      cell: ({ at }) => <span className="num">{formatMoment(new Date(at), language)}</span>,
    },
    {
      key: "who",
      title: t("history.who"),
      cell: ({ actor, actor_name }) => actor?.display_name || actor_name || "–",
    },
    {
      key: "what",
      title: t("history.what"),
      cell: ({ items, members, undoes, undone_by }) => (
        <>
          {undoes && <Tag>{t("history.isUndo")}</Tag>}
          {undone_by && <Tag>{t("history.undone")}</Tag>}
          {items.map(({ group, pool, resource, model, before, after }) => (
            <div key={`${group.id} ${pool?.id} ${resource} ${model}`}>
              {`${titleOf(group, language)} · ${scope({ pool: pool?.id ?? null, resource, model })}`}
              <span className="second num">{words({ resource, before, after })}</span>
            </div>
          ))}
          {members.map(({ group, pool, ...edit }) => (
            <div key={`${edit.user.id} ${group.id} ${pool?.id} ${edit.resource} ${edit.model}`}>
              <MemberChange {...edit} pool={pool?.id ?? null} group={titleOf(group, language)} />
            </div>
          ))}
        </>
      ),
    },
    { key: "why", title: t("history.why"), cell: ({ reason }) => reason || "–" },
  ];
}
