import { Alert, Form } from "antd";
import { useTranslation } from "react-i18next";
import type { Quota } from "@/shared/api/types";
import { titleOf, useCodedText, useLanguage } from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useChangeQuota } from "../api/use-change-quota";
import { changesOf, formOf, type LimitsForm, unitOf } from "../model/limits";
import { LimitFields } from "./limit-fields";

/** New limits of one quota; running work is never stopped by them. */
export function QuotaDialog({ quota, onClose }: { quota: Quota; onClose: () => void }) {
  const { t } = useTranslation(["quotas", "cluster"]);
  const coded = useCodedText();
  const language = useLanguage();
  const change = useChangeQuota(quota.id);
  const where = quota.pool ? titleOf(quota.pool, language) : t("allPools");
  const what = coded(`cluster:quota.resource.${quota.resource}`) ?? quota.resource;
  return (
    <EntityDialog<LimitsForm, ReturnType<typeof changesOf>>
      action={t("save")}
      title={`${quota.group.title} · ${what} · ${where}`}
      initial={formOf(quota)}
      sender={change}
      bodyOf={(filled) => changesOf(filled, quota)}
      onClose={onClose}
    >
      <LimitFields />
      <BelowUse quota={quota} />
    </EntityDialog>
  );
}

/** Says what a ceiling below the present use does, before it is saved. */
function BelowUse({ quota }: { quota: Quota }) {
  const { t } = useTranslation("quotas");
  const ceiling = Form.useWatch<number | null>("ceiling");
  const isBelow = typeof ceiling === "number" && ceiling * unitOf(quota.resource) < quota.used;
  return isBelow ? <Alert type="warning" showIcon title={t("belowUse")} /> : null;
}
