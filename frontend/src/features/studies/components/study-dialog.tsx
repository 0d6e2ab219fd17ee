import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Form, Input, InputNumber, Radio, Select } from "antd";
import type { Quota, StudyInput } from "@/shared/api/types";
import { useCreateStudy, useGroups, usePools, useQuotas } from "@/shared/cluster/api/cluster";
import { useNodes } from "@/shared/cluster/api/nodes";
import { formatAmount } from "@/shared/cluster/model/quotas";
import {
  byLabel,
  titleOf,
  titleOptions,
  useCodedText,
  useLanguage,
  useTranslation,
} from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isOperator } from "@/shared/session/roles";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import {
  type ChangeFields,
  EVERY_POOL,
  idsWithin,
  RULES,
  type StudyForm,
  studyInput,
} from "../model/studies";
import styles from "./studies.module.css";

const DAYS = [7, 14, 31];
const NODES_MAX = 1000;
const GPUS_MAX = 100_000;
const CHANGES_MAX = 20;
const LIMITS = ["deserved", "ceiling"] as const;
const KINDS = ["nodes", "quota", "rule"] as const;
const FIRST: ChangeFields = { kind: "nodes", count: 1 };

/** A study of one or several changes, of everybody's work or a group's; all rules of a pool can be tried on its policy page. */
export function StudyDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("studies");
  const language = useLanguage();
  const ask = useCreateStudy();
  const isOfAll = isOperator(useMe());
  const groups = useGroups().data?.filter(({ role }) => isOfAll || role === "group_admin");
  const [own] = groups ?? [];
  return (
    <EntityDialog<StudyForm, StudyInput>
      title={t("ask")}
      action={t("tell")}
      initial={{ days: 14, changes: [FIRST], ...(!isOfAll && own && { group: own.id }) }}
      save={ask}
      bodyOf={studyInput}
      onClose={onClose}
    >
      <Form.Item name="title" label={t("column.question")} extra={t("titleAbout")}>
        <Input maxLength={100} autoComplete="off" />
      </Form.Item>
      <Form.Item
        name="group"
        label={t("ofGroup")}
        extra={t("ofGroupAbout")}
        rules={[{ required: !isOfAll, message: t("groupMissing") }]}
      >
        <Select
          allowClear={isOfAll}
          showSearch={{ optionFilterProp: "label" }}
          placeholder={isOfAll ? t("everyGroup") : undefined}
          options={titleOptions(groups ?? [], language)}
        />
      </Form.Item>
      <Form.Item name="days" label={t("column.days")}>
        <Radio.Group
          optionType="button"
          options={DAYS.map((days) => ({ value: days, label: t("lastDays", { count: days }) }))}
        />
      </Form.Item>
      <StudyChanges />
    </EntityDialog>
  );
}

/** The changes that are tried together. */
function StudyChanges() {
  const { t } = useTranslation("studies");
  const group: string | undefined = Form.useWatch("group");
  const kinds = group ? KINDS.filter((kind) => kind !== "rule") : KINDS;
  return (
    <Form.List name="changes">
      {(rows, { add, remove }) => (
        <>
          {rows.map(({ key, name }) => (
            <fieldset key={key} className={styles.row}>
              <legend>{t("changeNumber", { number: name + 1 })}</legend>
              <Form.Item name={[name, "kind"]} label={t("change")}>
                <Select options={kinds.map((value) => ({ value, label: t(`kind.${value}`) }))} />
              </Form.Item>
              <FieldsOfChange row={name} />
              {rows.length > 1 && (
                <Button
                  size="small"
                  icon={<DeleteOutlined aria-hidden />}
                  onClick={() => remove(name)}
                >
                  {t("removeChange", { number: name + 1 })}
                </Button>
              )}
            </fieldset>
          ))}
          <Button
            block
            type="dashed"
            icon={<PlusOutlined aria-hidden />}
            disabled={rows.length >= CHANGES_MAX}
            onClick={() => add(FIRST)}
          >
            {t("addChange")}
          </Button>
        </>
      )}
    </Form.List>
  );
}

function FieldsOfChange({ row }: { row: number }) {
  const kind: ChangeFields["kind"] = Form.useWatch(["changes", row, "kind"]) ?? "nodes";
  if (kind === "nodes") return <NodeFields row={row} />;
  return kind === "quota" ? <QuotaFields row={row} /> : <PoolRuleFields row={row} />;
}

function NodeFields({ row }: { row: number }) {
  const { t } = useTranslation("studies");
  const language = useLanguage();
  const nodes = useNodes().data ?? [];
  return (
    <>
      <Form.Item
        name={[row, "like"]}
        label={t("like")}
        rules={[{ required: true, message: t("likeMissing") }]}
      >
        <Select
          showSearch={{ optionFilterProp: "label" }}
          options={byLabel(
            nodes.map(({ id, name }) => ({ value: id, label: name })),
            language,
          )}
        />
      </Form.Item>
      <Form.Item name={[row, "count"]} label={t("count")} rules={[{ required: true }]}>
        <InputNumber min={1} max={NODES_MAX} precision={0} />
      </Form.Item>
    </>
  );
}

function QuotaFields({ row }: { row: number }) {
  const { t } = useTranslation(["studies", "quotas"]);
  const language = useLanguage();
  const all = useGroups().data ?? [];
  const top: string | undefined = Form.useWatch("group");
  const within = top && idsWithin(all, top);
  const groups = within ? all.filter(({ id }) => within.has(id)) : all;
  return (
    <>
      <Form.Item
        name={[row, "group"]}
        label={t("group")}
        rules={[{ required: true, message: t("groupMissing") }]}
      >
        <Select
          showSearch={{ optionFilterProp: "label" }}
          options={titleOptions(groups, language)}
        />
      </Form.Item>
      <Form.Item
        name={[row, "pool"]}
        label={t("pool")}
        initialValue={EVERY_POOL}
        extra={<PresentQuotas row={row} />}
      >
        <Select options={[{ value: EVERY_POOL, label: t("everyPool") }, ...usePoolOptions()]} />
      </Form.Item>
      {LIMITS.map((limit) => (
        <Form.Item
          key={limit}
          name={[row, limit]}
          label={t(`quotas:limit.${limit}`)}
          extra={t("gpusAbout")}
        >
          <InputNumber min={0} max={GPUS_MAX} />
        </Form.Item>
      ))}
    </>
  );
}

/** What the chosen group has now: the quota that the study replaces, and those that still bind beside it. */
function PresentQuotas({ row }: { row: number }) {
  const { t } = useTranslation("studies");
  const say = usePresentWords();
  const group: string | undefined = Form.useWatch(["changes", row, "group"]);
  const pool: string = Form.useWatch(["changes", row, "pool"]) ?? EVERY_POOL;
  const all = useQuotas(null).data;
  if (!group || !all) return null;
  const own = all.filter((quota) => quota.group.id === group && quota.resource === "gpu");
  const isChosen = (quota: Quota) => (quota.pool?.id ?? EVERY_POOL) === pool && !quota.model;
  const chosen = own.find(isChosen);
  const others = own.filter((quota) => !isChosen(quota));
  return (
    <>
      <div>{chosen ? t("present", { quota: say(chosen) }) : t("presentNone")}</div>
      {others.length > 0 && (
        <div>{t("presentOthers", { quotas: others.map(say).join(t("and")) })}</div>
      )}
    </>
  );
}

/** A quota of GPUs in one line: `all pools: deserved 4, ceiling 6`. */
function usePresentWords(): (quota: Quota) => string {
  const { t } = useTranslation("studies");
  const language = useLanguage();
  return ({ pool, model, deserved, ceiling }) => {
    const of = [pool ? titleOf(pool, language) : t("allPools"), model].filter(Boolean).join(" · ");
    const limits = [
      `${t("limit.deserved")} ${formatAmount("gpu", deserved, language)}`,
      ceiling === null
        ? t("limit.unlimited")
        : `${t("limit.ceiling")} ${formatAmount("gpu", ceiling, language)}`,
    ];
    return t("presentQuota", { of, limits: limits.join(t("comma")) });
  };
}

/** A rule of the queue of a pool, in the words of the page where it is set. */
function PoolRuleFields({ row }: { row: number }) {
  const { t } = useTranslation("studies");
  const coded = useCodedText();
  const options = RULES.map((value) => {
    const [name] = value.split(".");
    const title = coded(`policy:knob.${name}.title`);
    return { value, label: `${title}: ${coded(`policy:choice.${value}`)}` };
  });
  return (
    <>
      <Form.Item
        name={[row, "pool"]}
        label={t("pool")}
        rules={[{ required: true, message: t("poolMissing") }]}
      >
        <Select options={usePoolOptions()} />
      </Form.Item>
      <Form.Item
        name={[row, "rule"]}
        label={t("ruleOfPool")}
        extra={t("rulesElsewhere")}
        rules={[{ required: true, message: t("ruleMissing") }]}
      >
        <Select options={options} />
      </Form.Item>
    </>
  );
}

function usePoolOptions() {
  return titleOptions(usePools().data, useLanguage());
}
