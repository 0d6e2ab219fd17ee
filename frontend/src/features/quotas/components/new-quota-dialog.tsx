import { Form, Select } from "antd";
import { useTranslation } from "react-i18next";
import type { NewQuota } from "@/shared/api/types";
import { RESOURCES } from "@/shared/cluster/model/quotas";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useAddQuota } from "../api/use-quotas-admin";
import { ALL_POOLS, type NewQuotaForm, newQuotaOf } from "../model/limits";
import { LimitFields } from "./limit-fields";
import { PlaceFields } from "./place-fields";

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
        guarantee: 0,
        deserved: 0,
        ceiling: null,
        user_ceiling: null,
        weight: "medium",
      }}
      sender={add}
      bodyOf={newQuotaOf}
      onClose={onClose}
    >
      <PlaceFields />
      <Form.Item name="resource" label={t("resource")} extra={t("resourceAbout")}>
        <Select
          options={RESOURCES.map((value) => ({
            value,
            label: t(`cluster:quota.resource.${value}`),
          }))}
        />
      </Form.Item>
      <LimitFields />
    </EntityDialog>
  );
}
