import { Button, Tag } from "antd";
import type { SavedQuotaChange } from "@/shared/api/types";
import { formatMoment } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListOfQuery, moreOf } from "@/shared/lists/components/list-table";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { Panel } from "@/shared/ui/page";
import { ProblemAlert } from "@/shared/ui/query-states";
import { Moment } from "@/shared/ui/time";
import { loadAllQuotaHistory, usePreviewQuotaChange, useQuotaHistory } from "../api/quota-changes";
import { MemberChange, PreviewDialog } from "./preview-dialog";
import { useCeilingWords, useQuotaChangeWords, useScopeWords } from "./quota-words";

/** Who changed which quotas, when and why; administrators take a change back from here. */
export function HistoryPanel() {
  const { t } = useTranslation("quotas");
  const history = useQuotaHistory();
  const undo = usePreviewQuotaChange();
  const me = useMe();
  const language = useLanguage();
  const columns = useHistoryColumns();
  const undoColumn: ListColumn<SavedQuotaChange> = {
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
      <ListOfQuery
        id="quota-history"
        query={history}
        serverSorts={[]}
        loadAll={loadAllQuotaHistory}
        onMore={moreOf(history)}
        isLoadingMore={history.isFetchingNextPage}
        moreLabel={t("history.older")}
        label={t("history.title")}
        columns={isPlatformAdmin(me) ? [...columns, undoColumn] : columns}
        rowKey={({ id }) => id}
        empty={<p className="quiet">{t("history.none")}</p>}
      />
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

type ChangedScope = Pick<
  SavedQuotaChange["members"][number],
  "group" | "pool" | "resource" | "model"
>;

function useHistoryColumns(): ListColumn<SavedQuotaChange>[] {
  const { t } = useTranslation("quotas");
  const language = useLanguage();
  const scope = useScopeWords();
  const words = useQuotaChangeWords();
  const say = useCeilingWords();
  const who = ({ actor, actor_name }: SavedQuotaChange) => actor?.display_name || actor_name || "–";
  const scopeOf = ({ group, pool, resource, model }: ChangedScope) =>
    `${titleOf(group, language)} · ${scope({ pool: pool?.id ?? null, resource, model })}`;
  const itemWords = (item: SavedQuotaChange["items"][number]) => `${scopeOf(item)}: ${words(item)}`;
  const memberWords = (edit: SavedQuotaChange["members"][number]) =>
    `${edit.user.username} · ${scopeOf(edit)}: ${say(edit.resource, edit.before)} → ${say(edit.resource, edit.after)}`;
  return [
    {
      key: "at",
      title: t("history.at"),
      isShort: true,
      value: ({ at }) => at,
      isMoment: true,
      cell: ({ at }) => <Moment at={at} />,
    },
    {
      key: "who",
      title: t("history.who"),
      value: who,
      cell: who,
    },
    {
      key: "what",
      title: t("history.what"),
      value: ({ items, members }) =>
        [...items.map(itemWords), ...members.map(memberWords)].join("; "),
      cell: ({ items, members, undoes, undone_by }) => (
        <>
          {undoes && <Tag>{t("history.isUndo")}</Tag>}
          {undone_by && <Tag>{t("history.undone")}</Tag>}
          {items.map((item) => (
            <div key={`${item.group.id} ${item.pool?.id} ${item.resource} ${item.model}`}>
              {scopeOf(item)}
              <span className="second num">{words(item)}</span>
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
    {
      key: "why",
      title: t("history.why"),
      value: ({ reason }) => reason,
      cell: ({ reason }) => reason || "–",
    },
  ];
}
