import { Button, Form, type FormInstance, Input, InputNumber, Select } from "antd";
import type { AlarmKindTerms, AlarmRule, AlarmRuleInput } from "@/shared/api/types";
import { useGroups, usePools } from "@/shared/cluster/api/cluster";
import { titleOf, titleOptions, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { ProblemAlert } from "@/shared/ui/query-states";
import { useAlarmChannels, useSaveRule, useTryRule } from "../api/alarms";
import {
  fieldsOf,
  type RuleFields,
  ruleBody,
  ruleDefaults,
  symbolOf,
  TAG,
  termsOfGroup,
} from "../model/alarms";
import { useAlarmWords, useRuleName } from "./alarm-words";

const SEVERITIES = ["info", "warning", "critical"] as const;
const MINUTES_MAX = 7 * 24 * 60;
const NAME_MAX = 63;

interface RuleDialogProps {
  /** The rule that is changed; none adds one. */
  rule: AlarmRule | undefined;
  kinds: readonly AlarmKindTerms[];
  onClose: () => void;
}

/** A rule: what it watches, whom it notifies and what it does, tried on the past before it is saved. */
export function RuleDialog({ rule, kinds: all, onClose }: RuleDialogProps) {
  const { t } = useTranslation("alarms");
  const ruleName = useRuleName();
  const isByStaff = isPlatformAdmin(useMe());
  const isOfGroup = rule ? rule.by_group : !isByStaff;
  const kinds = isOfGroup ? termsOfGroup(all) : all;
  const [first] = kinds;
  const termsOf = (kind: AlarmRule["kind"]) =>
    kinds.find((each) => each.kind === kind) as AlarmKindTerms;
  const save = useSaveRule(rule?.id);
  if (!first) return null;
  return (
    <EntityDialog<RuleFields, AlarmRuleInput>
      title={rule ? t("editOf", { name: ruleName(rule) }) : t("addRule")}
      action={t("save")}
      initial={rule ? fieldsOf(rule) : ruleDefaults(first)}
      save={save}
      version={rule?.version}
      bodyOf={(fields) => ruleBody(fields, termsOf(fields.kind))}
      onClose={onClose}
    >
      {(form) => <RuleFormFields form={form} rule={rule} kinds={kinds} isOfGroup={isOfGroup} />}
    </EntityDialog>
  );
}

interface RuleFormFieldsProps {
  form: FormInstance<RuleFields>;
  rule: AlarmRule | undefined;
  kinds: readonly AlarmKindTerms[];
  /** Made by admins of a group: about it, and heard within it. */
  isOfGroup: boolean;
}

function RuleFormFields({ form, rule, kinds, isOfGroup }: RuleFormFieldsProps) {
  const { t } = useTranslation("alarms");
  const chosen: RuleFields["kind"] | undefined = Form.useWatch("kind", form);
  const terms = kinds.find(({ kind }) => kind === (chosen ?? rule?.kind)) ?? kinds[0];
  if (!terms) return null;
  const begin = (kind: RuleFields["kind"]) => {
    const found = kinds.find((each) => each.kind === kind);
    if (found) form.setFieldsValue(ruleDefaults(found));
  };
  return (
    <>
      <Form.Item name="kind" label={t("watches")} extra={t(`kindAbout.${terms.kind}`)}>
        <Select
          disabled={rule !== undefined}
          onChange={begin}
          options={kinds.map(({ kind }) => ({ value: kind, label: t(`kind.${kind}`) }))}
        />
      </Form.Item>
      {!rule?.is_shipped && (
        <Form.Item
          name="name"
          label={t("name")}
          rules={[{ required: true, whitespace: true, message: t("nameMissing") }]}
        >
          <Input maxLength={NAME_MAX} autoComplete="off" />
        </Form.Item>
      )}
      <Form.Item name="severity" label={t("column.severity")}>
        <Select options={SEVERITIES.map((value) => ({ value, label: t(`severity.${value}`) }))} />
      </Form.Item>
      <ConditionFields terms={terms} />
      <RuleScopeFields terms={terms} isOfGroup={isOfGroup} />
      <AudienceFields terms={terms} isOfGroup={isOfGroup} />
      <DeedFields terms={terms} />
      <RuleTrial form={form} terms={terms} />
    </>
  );
}

function ConditionFields({ terms }: { terms: AlarmKindTerms }) {
  const { t } = useTranslation("alarms");
  const language = useLanguage();
  const { least: min, most: max } = terms;
  return (
    <>
      {terms.unit !== "none" && (
        <Form.Item
          name="threshold"
          label={t(terms.is_below ? "thresholdBelow" : "threshold")}
          rules={[
            { required: true, type: "number", min, max, message: t("outOfBounds", { min, max }) },
          ]}
        >
          <InputNumber
            precision={0}
            suffix={symbolOf(terms.unit, language)}
            style={{ width: "100%" }}
          />
        </Form.Item>
      )}
      <Form.Item
        name="minutes"
        label={t("duration")}
        extra={t("durationAbout")}
        rules={[{ required: true, message: t("outOfBounds", { min: 0, max: MINUTES_MAX }) }]}
      >
        <InputNumber
          min={0}
          max={MINUTES_MAX}
          suffix={symbolOf("minutes", language)}
          style={{ width: "100%" }}
        />
      </Form.Item>
    </>
  );
}

interface TermFieldsProps {
  terms: AlarmKindTerms;
  isOfGroup: boolean;
}

function RuleScopeFields({ terms, isOfGroup }: TermFieldsProps) {
  const { t } = useTranslation("alarms");
  const language = useLanguage();
  const pools = usePools().data ?? [];
  const isByStaff = isPlatformAdmin(useMe());
  const groups = useGroups().data?.filter(({ role }) => isByStaff || role === "group_admin");
  return (
    <>
      {terms.has_pool && (
        <Form.Item name="pool" label={t("pool")}>
          <Select
            allowClear
            placeholder={t("allPools")}
            options={pools.map((pool) => ({ value: pool.id, label: titleOf(pool, language) }))}
          />
        </Form.Item>
      )}
      {terms.has_group && (
        <Form.Item
          name="group"
          label={t("group")}
          extra={t("groupAbout")}
          rules={[{ required: isOfGroup, message: t("groupMissing") }]}
        >
          <Select
            allowClear={!isOfGroup}
            showSearch={{ optionFilterProp: "label" }}
            placeholder={isOfGroup ? undefined : t("allGroups")}
            options={titleOptions(groups ?? [], language)}
          />
        </Form.Item>
      )}
    </>
  );
}

/** Whom it notifies: of a rule of a group the people of it alone. */
function AudienceFields({ terms, isOfGroup }: TermFieldsProps) {
  const { t } = useTranslation("alarms");
  const channels = useAlarmChannels(!isOfGroup).data ?? [];
  const audiences = terms.has_group
    ? (["owner", "group_admins", ...(isOfGroup ? [] : (["staff"] as const))] as const)
    : (["staff"] as const);
  return (
    <>
      <Form.Item name="audience" label={t("notifies")} extra={t("notifiesAbout")}>
        <Select
          mode="multiple"
          options={audiences.map((value) => ({ value, label: t(`audience.${value}`) }))}
        />
      </Form.Item>
      {channels.length > 0 && (
        <Form.Item name="channels" label={t("tab.channels")}>
          <Select
            mode="multiple"
            options={channels.map(({ id, name }) => ({ value: id, label: name }))}
          />
        </Form.Item>
      )}
    </>
  );
}

function DeedFields({ terms }: { terms: AlarmKindTerms }) {
  const { t } = useTranslation("alarms");
  const acts = ["", ...terms.acts] as const;
  const act: RuleFields["act"] = Form.useWatch("act");
  return (
    <>
      {terms.acts.length > 0 && (
        <Form.Item name="act" label={t("column.does")} extra={t("actAbout")}>
          <Select
            options={acts.map((value) => ({ value, label: t(value ? `act.${value}` : "actNone") }))}
          />
        </Form.Item>
      )}
      {act === "tag_work" && (
        <Form.Item
          name="tag"
          label={t("tag")}
          extra={t("tagAbout")}
          rules={[{ required: true, pattern: TAG, message: t("tagMissing") }]}
        >
          <Input maxLength={32} autoComplete="off" />
        </Form.Item>
      )}
      <Form.Item label={t("quietHours")} extra={t("quietAbout")}>
        <div style={{ display: "flex", gap: 8, alignItems: "center" }}>
          <Form.Item name="quiet_from" noStyle>
            <Input type="time" aria-label={t("quietFrom")} />
          </Form.Item>
          –
          <Form.Item name="quiet_until" noStyle>
            <Input type="time" aria-label={t("quietUntil")} />
          </Form.Item>
        </div>
      </Form.Item>
    </>
  );
}

/** What the rule as it is filled in would find now, and how often it would have fired. */
function RuleTrial({ form, terms }: { form: FormInstance<RuleFields>; terms: AlarmKindTerms }) {
  const { t } = useTranslation("alarms");
  const trial = useTryRule();
  const words = useAlarmWords();
  const found = trial.data;
  const tried = trial.variables;
  const run = () => trial.mutate(ruleBody(form.getFieldsValue(true), terms));
  return (
    <div className="stack">
      <div>
        <Button onClick={run} loading={trial.isPending}>
          {t("try")}
        </Button>
      </div>
      <div role="status">
        {found && (
          <>
            <div>{t("trialNow", { count: found.count })}</div>
            {tried &&
              found.subjects
                .map((subject) => ({ ...subject, rule: tried }))
                .map((each) => (
                  <div key={each.subject_id} className="second">
                    {words.subject(each)}: {words.value(each)}
                  </div>
                ))}
            {tried?.tag && <div>{t("trialTag", { tag: tried.tag })}</div>}
            <div>
              {found.past
                ? t("trialPast", { count: found.past.count, days: found.past.days })
                : t("trialNoPast")}
            </div>
          </>
        )}
      </div>
      {trial.error && <ProblemAlert error={trial.error} />}
    </div>
  );
}
