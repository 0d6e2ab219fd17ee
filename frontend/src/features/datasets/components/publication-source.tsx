import { Form, Input, Radio, Select } from "antd";
import { useVolumes } from "@/shared/cluster/api/volumes";
import { useTranslation } from "@/shared/i18n/language";
import { useObjectStores } from "../api/datasets";
import type { SourceForm } from "../model/dataset";

/** Where the files lie: a folder of a volume or, where there are some for me, an object store. */
export function SourceFields() {
  const { t } = useTranslation("datasets");
  const stores = useObjectStores().data ?? [];
  const source: SourceForm["source"] = Form.useWatch("source") ?? "volume";
  return (
    <>
      <Form.Item
        name="source"
        label={t("publish.source")}
        initialValue="volume"
        hidden={stores.length === 0}
      >
        <Radio.Group
          options={[
            { value: "volume", label: t("publish.ofVolume") },
            { value: "store", label: t("publish.ofStore") },
          ]}
        />
      </Form.Item>
      {source === "store" ? <StoreFields /> : <VolumeFields />}
    </>
  );
}

function VolumeFields() {
  const { t } = useTranslation("datasets");
  const volumes = useVolumes().data ?? [];
  const readable = volumes.filter(
    ({ state, location, access }) =>
      state === "active" && location === "shared" && access !== "none",
  );
  return (
    <>
      <Form.Item
        name="volume"
        label={t("publish.volume")}
        rules={[{ required: true, message: t("publish.volumeMissing") }]}
      >
        <Select
          showSearch={{ optionFilterProp: "label" }}
          options={readable.map(({ id, folder_name }) => ({ value: id, label: folder_name }))}
        />
      </Form.Item>
      <Form.Item name="path" label={t("publish.path")} extra={t("publish.pathAbout")}>
        <Input autoComplete="off" className="mono" />
      </Form.Item>
    </>
  );
}

function StoreFields() {
  const { t } = useTranslation("datasets");
  const stores = useObjectStores().data ?? [];
  const chosen: string | undefined = Form.useWatch("store");
  const prefix = stores.find(({ name }) => name === chosen)?.prefix;
  return (
    <>
      <Form.Item
        name="store"
        label={t("publish.store")}
        initialValue={stores[0]?.name}
        rules={[{ required: true, message: t("publish.storeMissing") }]}
      >
        <Select
          options={stores.map(({ name, bucket }) => ({
            value: name,
            label: t("publish.storeName", { name, bucket }),
          }))}
        />
      </Form.Item>
      <Form.Item name="path" label={t("publish.prefix")} extra={t("publish.prefixAbout")}>
        <Input
          autoComplete="off"
          className="mono"
          prefix={<span className="quiet">{prefix}</span>}
        />
      </Form.Item>
    </>
  );
}
