/** A new revision, and a part of the requests for one. */
import { Form, InputNumber, Select } from "antd";
import type { ServiceChange, ServiceDetail } from "@/shared/api/types";
import { useImages } from "@/shared/cluster/api/cluster";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useServicePresets } from "../api/endpoint";
import { useChangeService, useSetCanary } from "../api/services";
import { type RevisionForm, revisionChange, revisionForm } from "../model/revision";
import { ProgramTexts } from "./program-texts";

interface RevisionDialogProps {
  service: ServiceDetail;
  onClose: () => void;
}

/** What its replicas shall run from now on; at once, or at first for a part of the requests. */
export function RevisionDialog({ service, onClose }: RevisionDialogProps) {
  const { t } = useTranslation("services");
  const language = useLanguage();
  const images = useImages().data ?? [];
  const presets = useServicePresets().data ?? [];
  const preset = presets.find(({ name }) => name === service.current.spec.preset);
  return (
    <EntityDialog<RevisionForm, ServiceChange>
      title={t("revision.changeTitle", { name: service.name })}
      action={t("revision.changeAction")}
      initial={revisionForm(service)}
      save={useChangeService(service.id)}
      bodyOf={revisionChange}
      version={service.version}
      onClose={onClose}
    >
      <Form.Item
        name="image"
        label={t("form.image")}
        rules={[{ required: true, message: t("form.imageMissing") }]}
      >
        <Select
          showSearch={{ optionFilterProp: "label" }}
          options={images.map((image) => ({ value: image.name, label: titleOf(image, language) }))}
        />
      </Form.Item>
      <ProgramTexts preset={preset} />
      <Form.Item
        name="canary_pct"
        label={t("revision.canaryLabel")}
        extra={t("revision.canaryAbout", { revision: service.revision })}
      >
        <InputNumber min={1} max={99} precision={0} suffix="%" style={{ width: "100%" }} />
      </Form.Item>
    </EntityDialog>
  );
}

interface CanaryDialogProps {
  service: ServiceDetail;
  revision: number;
  onClose: () => void;
}

const FIRST_PART = 10;

/** Which part of the requests goes to a revision beside the one that serves. */
export function CanaryDialog({ service, revision, onClose }: CanaryDialogProps) {
  const { t } = useTranslation("services");
  const { canary } = service;
  const percent = canary?.revision === revision ? canary.percent : FIRST_PART;
  return (
    <EntityDialog<{ percent: number }, { percent: number }>
      title={t("revision.weighTitle", { number: revision })}
      action={t("revision.weighAction")}
      initial={{ percent }}
      save={useSetCanary(service.id, revision)}
      bodyOf={(filled) => filled}
      onClose={onClose}
    >
      <Form.Item
        name="percent"
        label={t("revision.part")}
        extra={t("revision.canaryAbout", { revision: service.revision })}
        rules={[{ required: true, message: t("revision.partMissing") }]}
      >
        <InputNumber min={1} max={99} precision={0} suffix="%" style={{ width: "100%" }} />
      </Form.Item>
    </EntityDialog>
  );
}
