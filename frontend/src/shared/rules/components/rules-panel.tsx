/** The rules of a group or pool for what is submitted, as a table, and the dialog that changes them. */
import { Button, Flex, Form, Input, InputNumber, Segmented, Select } from "antd";
import { useState } from "react";
import type { FieldRule, Pool, SubmissionRules, SubmissionRulesInput } from "@/shared/api/types";
import { useGroups, useImages } from "@/shared/cluster/api/cluster";
import { formatDuration, formatMoment, formatNumber } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useOwnRules, useSetRules } from "@/shared/submission/api/templates";
import styles from "@/shared/submission/components/submission.module.css";
import {
  isNumber,
  isWord,
  KNOWN_WORDS,
  type RuledField,
  type RuleRows,
  type RulesOwner,
  ruleRows,
  rulesBody,
  scaleOf,
} from "@/shared/submission/model/templates";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { Panel } from "@/shared/ui/page";
import { QueryBoundary } from "@/shared/ui/query-states";
import { SUBMITTED_KINDS, type SubmittedKind } from "@/shared/workload/model/kinds";

interface RulesOfOwnerProps {
  owner: RulesOwner;
  /** Title of the group or pool. */
  name: string;
}

/** What one group or pool says about jobs and notebooks. */
function RulesOfOwner({ owner, name }: RulesOfOwnerProps) {
  const { t } = useTranslation("rules");
  const [kind, setKind] = useState(SUBMITTED_KINDS[0]);
  const [isEdited, setEdited] = useState(false);
  const query = useOwnRules(kind, owner);
  return (
    <div className="stack">
      <Segmented<SubmittedKind>
        value={kind}
        onChange={setKind}
        style={{ justifySelf: "start" }}
        options={SUBMITTED_KINDS.map((value) => ({ value, label: t(`kind.${value}`) }))}
      />
      <QueryBoundary query={query} rows={3}>
        {(rules) => <RulesTable rules={rules} onEdit={() => setEdited(true)} />}
      </QueryBoundary>
      {isEdited && query.data && (
        <RulesDialog
          key={kind}
          kind={kind}
          owner={owner}
          name={name}
          rules={query.data}
          onClose={() => setEdited(false)}
        />
      )}
    </div>
  );
}

/** One line for each field that has a rule: those from above first. */
interface RuleLine {
  key: string;
  rule: Omit<FieldRule, "sources">;
  from: string;
}

function RulesTable({ rules, onEdit }: { rules: SubmissionRules; onEdit: () => void }) {
  const { t } = useTranslation("rules");
  const language = useLanguage();
  const lines = useRuleLines(rules);
  const columns = useSubmissionRuleColumns();
  const { changed_at, changed_by } = rules;
  return (
    <div className="stack">
      <DataTable
        label={t("pool")}
        columns={columns}
        rows={lines}
        rowKey={({ key }) => key}
        empty={<span className="second">{t("empty")}</span>}
      />
      <Flex gap={16} align="center" wrap>
        {rules.may_change && <Button onClick={onEdit}>{t("edit")}</Button>}
        {changed_at && (
          <span className="second">
            {t("changed", {
              when: formatMoment(new Date(changed_at), language),
              who: changed_by?.display_name ?? t("somebody"),
            })}
          </span>
        )}
      </Flex>
    </div>
  );
}

function useRuleLines(rules: SubmissionRules): RuleLine[] {
  const { t } = useTranslation("rules");
  const language = useLanguage();
  const above = rules.above.map((rule) => ({
    key: `above-${rule.field}`,
    rule,
    from: rule.sources.map((source) => titleOf(source, language)).join(", "),
  }));
  const names = new Set([
    ...Object.keys({ ...rules.defaults, ...rules.ranges, ...rules.choices }),
    ...rules.required,
  ]);
  const own = [...names].map((field) => ({
    key: field,
    rule: {
      field,
      default: rules.defaults[field] ?? null,
      is_locked: rules.locked.includes(field),
      is_required: rules.required.includes(field),
      min: rules.ranges[field]?.min ?? null,
      max: rules.ranges[field]?.max ?? null,
      choices: rules.choices[field] ?? null,
    },
    from: t("here"),
  }));
  return [...above, ...own];
}

function useSubmissionRuleColumns(): Column<RuleLine>[] {
  const { t } = useTranslation(["rules", "submission"]);
  const language = useLanguage();
  const words = (field: string, value: unknown) => {
    if (typeof value === "boolean") return t(value ? "yes" : "no");
    if (typeof value !== "number") return String(value);
    if (field === "time_limit_s") return formatDuration(value, language);
    return formatNumber(value / scaleOf(field), language, 4);
  };
  const defaultWords = ({ field, default: value, is_locked, is_required }: RuleLine["rule"]) =>
    [
      value === null ? "" : words(field, value),
      is_locked ? t("mode.locked") : "",
      is_required ? t("mode.required") : "",
    ]
      .filter(Boolean)
      .join(" · ");
  const rangeWords = ({ field, min, max }: RuleLine["rule"]) => {
    if (min === null && max === null) return "";
    const [low, high] = [min, max].map((end) => (end === null ? "" : words(field, end)));
    return `${low} – ${high}`.trim();
  };
  return [
    {
      key: "field",
      title: t("column.field"),
      cell: ({ rule }) => t(`submission:template.field.${rule.field as RuledField}`),
    },
    { key: "default", title: t("column.default"), cell: ({ rule }) => defaultWords(rule) },
    { key: "range", title: t("column.range"), cell: ({ rule }) => rangeWords(rule) },
    { key: "choices", title: t("column.choices"), cell: ({ rule }) => rule.choices?.join(", ") },
    { key: "from", title: t("column.from"), cell: ({ from }) => from },
  ];
}

/** The rules of a pool, on its page. */
export function PoolRulesPanel({ pool }: { pool: Pool }) {
  const { t } = useTranslation("rules");
  const language = useLanguage();
  return (
    <Panel title={t("pool")}>
      <p>{t("about")}</p>
      <RulesOfOwner owner={{ scope: "pool", id: pool.id }} name={titleOf(pool, language)} />
    </Panel>
  );
}

/** The rules of the groups that one may see, one group at a time. */
export function GroupRulesPanel() {
  const { t } = useTranslation("rules");
  const language = useLanguage();
  const [chosen, setChosen] = useState<string>();
  return (
    <Panel title={t("groups")}>
      <p>
        {t("about")} {t("ofGroup")}
      </p>
      <QueryBoundary query={useGroups()} rows={3}>
        {(groups) => {
          const group = groups.find(({ id }) => id === chosen) ?? groups[0];
          if (!group) return null;
          return (
            <div className="stack">
              <Select
                aria-label={t("group")}
                value={group.id}
                onChange={setChosen}
                style={{ minWidth: 220, maxWidth: "100%" }}
                options={groups.map((one) => ({ value: one.id, label: titleOf(one, language) }))}
              />
              <RulesOfOwner
                key={group.id}
                owner={{ scope: "group", id: group.id }}
                name={titleOf(group, language)}
              />
            </div>
          );
        }}
      </QueryBoundary>
    </Panel>
  );
}

// The dialog, with one line for each field.

interface RulesDialogProps {
  kind: SubmittedKind;
  owner: RulesOwner;
  /** Title of the group or pool. */
  name: string;
  rules: SubmissionRules;
  onClose: () => void;
}

interface RulesForm {
  rows: RuleRows;
}

export function RulesDialog({ kind, owner, name, rules, onClose }: RulesDialogProps) {
  const { t } = useTranslation("rules");
  return (
    <EntityDialog<RulesForm, SubmissionRulesInput>
      title={t("title", { kind: t(`kind.${kind}`), owner: name })}
      action={t("save")}
      initial={{ rows: ruleRows(rules) }}
      save={useSetRules(kind, owner)}
      version={rules.version}
      bodyOf={({ rows }) => rulesBody(rows, rules)}
      onClose={onClose}
    >
      {rules.rule_fields.map((field) => (
        <RuleRowFields key={field} field={field as RuledField} />
      ))}
    </EntityDialog>
  );
}

/** How one field binds, its default, its range, and what it may be. */
function RuleRowFields({ field }: { field: RuledField }) {
  const { t } = useTranslation(["rules", "submission"]);
  const label = t(`submission:template.field.${field}`);
  return (
    <div className={styles.setting}>
      <span>{label}</span>
      <Form.Item name={["rows", field, "mode"]} noStyle>
        <Select
          size="small"
          aria-label={t("mode.label", { field: label })}
          options={(["open", "locked", "required"] as const).map((value) => ({
            value,
            label: t(`mode.${value}`),
          }))}
        />
      </Form.Item>
      <Flex gap={8} wrap>
        <Form.Item name={["rows", field, "value"]} noStyle>
          <DefaultInput field={field} label={t("defaultOf", { field: label })} />
        </Form.Item>
        {isNumber(field) &&
          (["min", "max"] as const).map((end) => (
            <Form.Item key={end} name={["rows", field, end]} noStyle>
              <InputNumber
                size="small"
                min={0}
                placeholder={t(`bound.${end}`)}
                aria-label={t(`bound.${end}Of`, { field: label })}
              />
            </Form.Item>
          ))}
        {isWord(field) && (
          <Form.Item name={["rows", field, "choices"]} noStyle>
            <ChoicesInput field={field} label={t("choicesOf", { field: label })} />
          </Form.Item>
        )}
      </Flex>
    </div>
  );
}

/** Value, change handler and id are given by the form. */
function DefaultInput({ field, label, ...given }: { field: RuledField; label: string }) {
  const { t } = useTranslation("rules");
  const offered = useOfferedWords(field);
  const look = {
    size: "small",
    placeholder: t("default"),
    "aria-label": label,
    style: { minWidth: 110 },
  } as const;
  if (isNumber(field)) return <InputNumber {...given} {...look} min={0} />;
  if (!isWord(field))
    return (
      <Select
        {...given}
        {...look}
        allowClear
        options={[true, false].map((value) => ({ value, label: t(value ? "yes" : "no") }))}
      />
    );
  if (offered.length === 0) return <Input {...given} {...look} />;
  return (
    <Select
      {...given}
      {...look}
      allowClear
      options={offered.map((value) => ({ value, label: value }))}
    />
  );
}

function ChoicesInput({ field, label, ...given }: { field: RuledField; label: string }) {
  const { t } = useTranslation("rules");
  return (
    <Select
      {...given}
      size="small"
      mode="tags"
      allowClear
      style={{ minWidth: 180 }}
      placeholder={t("choices")}
      aria-label={label}
      options={useOfferedWords(field).map((value) => ({ value, label: value }))}
    />
  );
}

/** The words that can stand in a field; none where they are not known. */
function useOfferedWords(field: RuledField): readonly string[] {
  const images = useImages().data ?? [];
  if (field === "image") return images.map(({ name }) => name);
  return (isWord(field) && KNOWN_WORDS[field]) || [];
}
