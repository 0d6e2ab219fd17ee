import { Button, Tag } from "antd";
import { useState } from "react";
import type { Policy, PolicyRuleChange, Pool, SavedPolicyChange } from "@/shared/api/types";
import { usePools } from "@/shared/cluster/api/cluster";
import { formatMoment } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListOfQuery, moreOf } from "@/shared/lists/components/list-table";
import { useMe } from "@/shared/session/me";
import { isOperator } from "@/shared/session/roles";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { Panel } from "@/shared/ui/page";
import { Moment } from "@/shared/ui/time";
import { loadAllPolicyHistory, usePolicyHistory, useUndoPolicyChange } from "../api/policy";
import { knobAt, knobValue } from "../model/knobs";
import { PolicyReasonField, useKnobWords } from "./knob-field";

interface HistoryProps {
  pool: Pool;
  defaults: Policy;
}

/** Who changed which rules of a pool, when and why; those who set them take a change back from here. */
export function PolicyHistoryPanel({ pool, defaults }: HistoryProps) {
  const { t } = useTranslation("policy");
  const language = useLanguage();
  const history = usePolicyHistory(pool.id);
  const columns = usePolicyHistoryColumns({ pool, defaults });
  const [chosen, setChosen] = useState<SavedPolicyChange | null>(null);
  const undoColumn: ListColumn<SavedPolicyChange> = {
    key: "undo",
    title: t("history.action"),
    cell: (change) =>
      !change.undone_by && (
        <Button
          size="small"
          aria-label={t("history.undoOf", { at: formatMoment(new Date(change.at), language) })}
          onClick={() => setChosen(change)}
        >
          {t("history.undo")}
        </Button>
      ),
  };
  return (
    <Panel title={t("history.title")} testId="policy-history">
      <ListOfQuery
        id="policy-history"
        query={history}
        serverSorts={[]}
        loadAll={() => loadAllPolicyHistory(pool.id)}
        onMore={moreOf(history)}
        isLoadingMore={history.isFetchingNextPage}
        moreLabel={t("history.older")}
        label={t("history.title")}
        columns={isOperator(useMe()) ? [...columns, undoColumn] : columns}
        rowKey={({ id }) => id}
        empty={<p className="quiet">{t("history.none")}</p>}
      />
      {chosen && (
        <UndoDialog
          pool={pool}
          defaults={defaults}
          change={chosen}
          onClose={() => setChosen(null)}
        />
      )}
    </Panel>
  );
}

interface UndoProps extends HistoryProps {
  change: SavedPolicyChange;
  onClose: () => void;
}

/** Says what comes back, and asks why. */
function UndoDialog({ change, onClose, ...of }: UndoProps) {
  const { t } = useTranslation("policy");
  const back = change.rules.map(({ pointer, before, after }) => ({
    pointer,
    before: after,
    after: before,
  }));
  return (
    <EntityDialog<{ reason?: string }, { id: string; reason: string }>
      title={t("history.question")}
      action={t("history.undo")}
      initial={{}}
      save={useUndoPolicyChange(of.pool.id)}
      bodyOf={({ reason = "" }) => ({ id: change.id, reason })}
      onClose={onClose}
    >
      <p>{t("history.back")}</p>
      <RuleChanges rules={back} {...of} />
      <PolicyReasonField />
    </EntityDialog>
  );
}

function usePolicyHistoryColumns(of: HistoryProps): ListColumn<SavedPolicyChange>[] {
  const { t } = useTranslation("policy");
  const words = useRuleChangeWords(of);
  const who = ({ actor, actor_name }: SavedPolicyChange) =>
    actor?.display_name || actor_name || "–";
  return [
    {
      key: "at",
      title: t("history.at"),
      isShort: true,
      value: ({ at }) => at,
      isMoment: true,
      cell: ({ at }) => <Moment at={at} />,
    },
    { key: "who", title: t("history.who"), value: who, cell: who },
    {
      key: "what",
      title: t("history.what"),
      value: ({ rules }) => rules.map((rule) => words(rule).join(": ")).join("; "),
      cell: ({ rules, undoes, undone_by }) => (
        <>
          {undoes && <Tag>{t("history.isUndo")}</Tag>}
          {undone_by && <Tag>{t("history.undone")}</Tag>}
          <RuleChanges rules={rules} {...of} />
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

function RuleChanges({ rules, ...of }: HistoryProps & { rules: readonly PolicyRuleChange[] }) {
  const words = useRuleChangeWords(of);
  return rules.map((rule) => {
    const [title, values] = words(rule);
    return (
      <div key={rule.pointer}>
        {title}
        <span className="second num">{values}</span>
      </div>
    );
  });
}

/** A rule as its field names it, and its values: `Grace period`, `60 s (default) → 30 s`. */
function useRuleChangeWords({
  pool,
  defaults,
}: HistoryProps): (rule: PolicyRuleChange) => [string, string] {
  const { t } = useTranslation("policy");
  const say = useKnobWords(usePools().data?.filter(({ id }) => id !== pool.id) ?? []);
  return ({ pointer, before, after }) => {
    const knob = knobAt(pointer);
    // A rule of an earlier version of the product.
    if (!knob) return [pointer, `${JSON.stringify(before)} → ${JSON.stringify(after)}`];
    const value = (given: unknown) =>
      given === null
        ? t("history.standard", { value: say(knob, knobValue(defaults, knob)) })
        : say(knob, given);
    return [t(`knob.${knob.name}.title`), `${value(before)} → ${value(after)}`];
  };
}
