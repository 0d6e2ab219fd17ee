import { Alert, Form, Input, InputNumber, Select } from "antd";
import type { ApprovalInput, NewQuota, Quota } from "@/shared/api/types";
import { COMMENT_MAX, useMakeRequest } from "@/shared/approvals/api/approvals";
import { useGroups, usePools } from "@/shared/cluster/api/cluster";
import { modelNames } from "@/shared/cluster/model/gpu-models";
import { RESOURCES } from "@/shared/cluster/model/quotas";
import {
  titleOf,
  titleOptions,
  useCodedText,
  useLanguage,
  useTranslation,
} from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useMessages } from "@/shared/ui/messages";
import { useAddQuota, useChangeQuota } from "../api/quotas";
import {
  ALL_POOLS,
  CEILINGS,
  isOfModel,
  LIMITS,
  type Limit,
  type LimitsForm,
  limitsForm,
  minimumOf,
  type NewQuotaForm,
  newQuota,
  quotaChanges,
  unitOf,
  WEIGHTS,
} from "../model/quotas";
import { type QuotaRaiseForm, quotaRaise } from "../model/raises";

const TWO_COLUMNS = {
  display: "grid",
  gridTemplateColumns: "repeat(2, minmax(0, 1fr))",
  gap: "0 16px",
} as const;

/** New limits of one quota; running work is never stopped by them. */
export function QuotaDialog({ quota, onClose }: { quota: Quota; onClose: () => void }) {
  const { t } = useTranslation(["quotas", "cluster"]);
  const coded = useCodedText();
  const language = useLanguage();
  const change = useChangeQuota(quota.id);
  const where = quota.pool ? titleOf(quota.pool, language) : t("allPools");
  const what = coded(`cluster:quota.resource.${quota.resource}`) ?? quota.resource;
  return (
    <EntityDialog<LimitsForm, ReturnType<typeof quotaChanges>>
      action={t("save")}
      title={[titleOf(quota.group, language), what, quota.model, where].filter(Boolean).join(" · ")}
      initial={limitsForm(quota)}
      save={change}
      bodyOf={(filled) => quotaChanges(filled, quota)}
      onClose={onClose}
    >
      <LimitFields isOfModel={quota.model !== ""} />
      <BelowUse quota={quota} />
    </EntityDialog>
  );
}

interface QuotaRaiseProps {
  quota: Quota;
  what: string;
  onClose: () => void;
}

/** The higher ceiling that is asked for, and why. */
export function QuotaRaiseDialog({ quota, what, onClose }: QuotaRaiseProps) {
  const language = useLanguage();
  const { t } = useTranslation("quotas");
  const messages = useMessages();
  const request = useMakeRequest();
  const present = (quota.ceiling ?? 0) / unitOf(quota.resource);
  const done = () => {
    messages.success(t("raise.sent"));
    onClose();
  };
  return (
    <EntityDialog<QuotaRaiseForm, ApprovalInput>
      action={t("raise.send")}
      title={`${titleOf(quota.group, language)} · ${what}`}
      initial={{ ceiling: present }}
      save={{
        ...request,
        mutate: (body, act) => request.mutate(body, { ...act, onSuccess: done }),
      }}
      bodyOf={(form) => quotaRaise(form, quota)}
      onClose={onClose}
    >
      <Form.Item
        name="ceiling"
        label={t("limit.ceiling")}
        extra={t("raise.quotaAbout", { present })}
        rules={[{ required: true, message: t("amountMissing") }]}
      >
        <InputNumber min={present} style={{ width: "100%" }} />
      </Form.Item>
      <Form.Item name="comment" label={t("raise.comment")}>
        <Input.TextArea rows={3} maxLength={COMMENT_MAX} />
      </Form.Item>
    </EntityDialog>
  );
}

/** Warns before a ceiling below the present use is saved. */
function BelowUse({ quota }: { quota: Quota }) {
  const { t } = useTranslation("quotas");
  const ceiling = Form.useWatch<number | null>("ceiling");
  const isBelow = typeof ceiling === "number" && ceiling * unitOf(quota.resource) < quota.used;
  return isBelow ? <Alert type="warning" showIcon title={t("belowUse")} /> : null;
}

/** A limit that the group does not have yet; what it holds already counts at once. */
export function NewQuotaDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(["quotas", "cluster"]);
  const add = useAddQuota();
  return (
    <EntityDialog<NewQuotaForm, NewQuota>
      action={t("save")}
      title={t("addQuota")}
      initial={{
        pool: ALL_POOLS,
        resource: "gpu",
        model: "",
        guarantee: 0,
        deserved: 0,
        ceiling: null,
        user_ceiling: null,
        weight: "medium",
      }}
      save={add}
      bodyOf={newQuota}
      onClose={onClose}
    >
      <QuotaSubjectFields />
      <NewLimitFields />
    </EntityDialog>
  );
}

/** What a new quota is about: a group, a pool, a resource, perhaps one model of GPUs. */
export function QuotaSubjectFields() {
  const { t } = useTranslation(["quotas", "cluster"]);
  const resource: string | undefined = Form.useWatch("resource");
  return (
    <>
      <GroupAndPoolFields />
      <Form.Item name="resource" label={t("resource")} extra={t("resourceAbout")}>
        <Select
          options={RESOURCES.map((value) => ({
            value,
            label: t(`cluster:quota.resource.${value}`),
          }))}
        />
      </Form.Item>
      {resource === "gpu" && <QuotaModelField />}
    </>
  );
}

/** The limits that such a quota can have. */
function NewLimitFields() {
  const resource: string | undefined = Form.useWatch("resource");
  const model: string | undefined = Form.useWatch("model");
  return <LimitFields isOfModel={isOfModel({ resource: resource ?? "", model: model ?? "" })} />;
}

function QuotaModelField() {
  const { t } = useTranslation("quotas");
  const pools = usePools().data ?? [];
  const chosen: string | undefined = Form.useWatch("pool");
  const names = modelNames(pools.filter(({ id }) => !chosen || id === chosen));
  return (
    <Form.Item name="model" label={t("model")} extra={t("modelAbout")}>
      <Select
        showSearch={{ optionFilterProp: "label" }}
        options={[
          { value: "", label: t("allModels") },
          ...names.map((name) => ({ value: name, label: name })),
        ]}
      />
    </Form.Item>
  );
}

/** Guarantee, deserved, ceilings and weight of one quota, in GPUs, cores or GiB. */
function LimitFields({ isOfModel }: { isOfModel: boolean }) {
  const { t } = useTranslation(["quotas", "cluster"]);
  return (
    <>
      <div style={TWO_COLUMNS}>
        {(isOfModel ? CEILINGS : LIMITS).map((limit) => (
          <LimitField key={limit} limit={limit} />
        ))}
      </div>
      <Form.Item name="weight" label={t("weight")} extra={t("weightAbout")} hidden={isOfModel}>
        <Select
          options={WEIGHTS.map((value) => ({
            value,
            label: t(`cluster:quota.weight.${value}`),
          }))}
        />
      </Form.Item>
    </>
  );
}

function LimitField({ limit }: { limit: Limit }) {
  const { t } = useTranslation("quotas");
  const form = Form.useFormInstance<LimitsForm>();
  const isOptional = limit === "ceiling" || limit === "user_ceiling";
  return (
    <Form.Item
      name={limit}
      label={t(`limit.${limit}`)}
      extra={t(`limitAbout.${limit}`)}
      dependencies={["guarantee", "deserved"]}
      rules={[
        ...(isOptional ? [] : [{ required: true, message: t("amountMissing") }]),
        {
          validator: (_rule, value: number | null) => {
            const least = minimumOf(limit, form.getFieldsValue());
            return typeof value === "number" && value < least
              ? Promise.reject(new Error(t("atLeast", { least })))
              : Promise.resolve();
          },
        },
      ]}
    >
      <InputNumber
        min={0}
        placeholder={isOptional ? t("unlimited") : ""}
        style={{ width: "100%" }}
      />
    </Form.Item>
  );
}

/** The group that a limit is for, of all or of those that the reader looks after, and its pool or all pools. */
export function GroupAndPoolFields({ areOwnOnly = false }: { areOwnOnly?: boolean }) {
  const { t } = useTranslation("quotas");
  const language = useLanguage();
  const groups = useGroups().data?.filter(({ role }) => !areOwnOnly || role === "group_admin");
  const pools = usePools();
  return (
    <>
      <Form.Item
        name="group"
        label={t("column.group")}
        rules={[{ required: true, message: t("groupMissing") }]}
      >
        <Select
          showSearch={{ optionFilterProp: "label" }}
          options={titleOptions(groups, language)}
        />
      </Form.Item>
      <Form.Item name="pool" label={t("pool")}>
        <Select
          options={[
            { value: ALL_POOLS, label: t("allPools") },
            ...(pools.data ?? []).map((pool) => ({
              value: pool.id,
              label: titleOf(pool, language),
            })),
          ]}
        />
      </Form.Item>
    </>
  );
}
