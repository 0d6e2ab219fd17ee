import { Button, Flex, Switch } from "antd";
import { useState } from "react";
import type { AlarmKindTerms, AlarmRule, AlarmRules } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { formatDuration } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListTable } from "@/shared/lists/components/list-table";
import { useMe } from "@/shared/session/me";
import { isGroupAdmin, isPlatformAdmin, isStaff } from "@/shared/session/roles";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { asSavedNow, later } from "@/shared/ui/opening";
import { EmptyState, QueryBoundary, useProblemMessage } from "@/shared/ui/query-states";
import { useAlarmRules, useRemoveRule, useSwitchRule } from "../api/alarms";
import { dayClock, formatValue } from "../model/alarms";
import { SeverityTag, useRuleName } from "./alarm-words";

const LaterRuleDialog = later(async () => (await import("./rule-dialog")).RuleDialog);

/** The rules: staff reads them, administrators change them, group admins those of their groups. */
export function RulesPanel() {
  return (
    <QueryBoundary query={useAlarmRules()} rows={8}>
      {(found) => <Rules found={found} />}
    </QueryBoundary>
  );
}

function Rules({ found: { rules, kinds } }: { found: AlarmRules }) {
  const { t } = useTranslation("alarms");
  const rights = useRuleRights();
  const [edited, setEdited] = useState<AlarmRule | "new" | null>(null);
  const columns = useRuleColumns(kinds, rights.edit, setEdited);
  return (
    <div className="stack">
      {rights.add && (
        <div>
          <Button type="primary" onClick={() => setEdited("new")}>
            {t("addRule")}
          </Button>
        </div>
      )}
      <ListTable
        id="alarm-rules"
        label={t("tab.rules")}
        columns={columns}
        rows={rules}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            title={t("empty.rules.title")}
            text={t(rights.areOwn ? "empty.rules.ofGroup" : "empty.rules.text")}
          />
        }
      />
      {edited && (
        <LaterRuleDialog
          rule={asSavedNow(edited, rules)}
          kinds={kinds}
          onClose={() => setEdited(null)}
        />
      )}
    </div>
  );
}

/** Platform admins change every rule, admins of a group those that it has made. */
function useRuleRights() {
  const me = useMe();
  const groups = useGroups().data ?? [];
  const own = new Set(groups.filter(({ role }) => role === "group_admin").map(({ id }) => id));
  return {
    add: isPlatformAdmin(me) || isGroupAdmin(me),
    areOwn: !isStaff(me),
    edit: ({ by_group, group }: AlarmRule) =>
      isPlatformAdmin(me) || (by_group && group !== null && own.has(group.id)),
  };
}

function useRuleColumns(
  kinds: readonly AlarmKindTerms[],
  mayEdit: (rule: AlarmRule) => boolean,
  edit: (rule: AlarmRule) => void,
): ListColumn<AlarmRule>[] {
  const { t } = useTranslation("alarms");
  const ruleName = useRuleName();
  const condition = useConditionWords(kinds);
  const scope = useRuleScopeWords();
  return [
    {
      key: "enabled",
      title: t("column.enabled"),
      isShort: true,
      value: ({ enabled }) => enabled,
      cell: (rule) => <RuleSwitch rule={rule} mayEdit={mayEdit(rule)} />,
    },
    {
      key: "rule",
      title: t("rule"),
      value: ruleName,
      cell: (rule) => (
        <>
          {ruleName(rule)} <SeverityTag severity={rule.severity} />
          {rule.name && <div className="second">{t(`kind.${rule.kind}`)}</div>}
          {rule.by_group && <div className="second">{t("madeByGroup")}</div>}
        </>
      ),
    },
    {
      key: "condition",
      title: t("column.condition"),
      value: condition,
      cell: (rule) => <span className="num">{condition(rule)}</span>,
    },
    { key: "scope", title: t("column.scope"), value: scope, cell: scope },
    { key: "does", title: t("column.does"), cell: (rule) => <DeedWords rule={rule} /> },
    {
      key: "action",
      title: t("column.action"),
      cell: (rule) => mayEdit(rule) && <RuleActions rule={rule} edit={edit} />,
    },
  ];
}

function RuleSwitch({ rule, mayEdit }: { rule: AlarmRule; mayEdit: boolean }) {
  const { t } = useTranslation("alarms");
  const name = useRuleName()(rule);
  const showProblem = useProblemMessage();
  const turn = useSwitchRule();
  return (
    <Switch
      size="small"
      aria-label={t("enabledOf", { name })}
      checked={rule.enabled}
      disabled={!mayEdit}
      loading={turn.isPending}
      onChange={(enabled) => turn.mutate({ id: rule.id, enabled }, { onError: showProblem })}
    />
  );
}

/** `at least 88 °C for 5 min`. */
function useConditionWords(kinds: readonly AlarmKindTerms[]): (rule: AlarmRule) => string {
  const { t } = useTranslation("alarms");
  const language = useLanguage();
  return ({ kind, threshold, duration_s }) => {
    const terms = kinds.find((each) => each.kind === kind);
    if (!terms) return "";
    const time = formatDuration(duration_s, language);
    const value = formatValue(threshold, terms.unit, language);
    return [
      terms.unit !== "none" && t(terms.is_below ? "atMost" : "atLeast", { value }),
      duration_s > 0 ? t("forTime", { time }) : terms.unit === "none" && t("atOnce"),
    ]
      .filter(Boolean)
      .join(" ");
  };
}

function useRuleScopeWords(): (rule: AlarmRule) => string {
  const { t } = useTranslation("alarms");
  const language = useLanguage();
  return ({ pool, group }) =>
    [pool, group].flatMap((each) => (each ? [titleOf(each, language)] : [])).join(" · ") ||
    t("everything");
}

/** Whom it notifies, where, what it does, and when it is quiet. */
function DeedWords({ rule }: { rule: AlarmRule }) {
  const { t } = useTranslation("alarms");
  const { audience, channels, act, quiet_from: from, quiet_until: until } = rule;
  const notified = [...audience.map((who) => t(`audience.${who}`)), ...channels.map((c) => c.name)];
  return (
    <>
      {notified.length > 0 ? notified.join(", ") : t("nobody")}
      {act && <div>{t(`act.${act}`)}</div>}
      {from !== null && until !== null && (
        <div className="second">{t("quiet", { from: dayClock(from), until: dayClock(until) })}</div>
      )}
    </>
  );
}

function RuleActions({ rule, edit }: { rule: AlarmRule; edit: (rule: AlarmRule) => void }) {
  const { t } = useTranslation("alarms");
  const name = useRuleName()(rule);
  const remove = useRemoveRule();
  return (
    <Flex gap={8} wrap>
      <Button size="small" aria-label={t("editOf", { name })} onClick={() => edit(rule)}>
        {t("edit")}
      </Button>
      {!rule.is_shipped && (
        <RemoveButton
          label={t("removeOf", { name })}
          question={t("removeRuleQuestion")}
          mutation={remove}
          id={rule.id}
        />
      )}
    </Flex>
  );
}
