import { Button, Form, Input, InputNumber, Modal, Select } from "antd";
import { useState } from "react";
import type { NewServiceKey, ServiceDetail } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { CodeBlock } from "@/shared/ui/code-block";
import { ProblemAlert } from "@/shared/ui/query-states";
import { useRefusal } from "@/shared/ui/refusal";
import { SecretDialog } from "@/shared/ui/secret-dialog";
import { useServiceOrigin, useServicePresets } from "../api/endpoint";
import { useIssueKey } from "../api/keys";
import { EXPIRY_DAYS, type KeyForm, keyInput } from "../model/keys";
import { addressOf, curlOfService } from "../model/service";

const CALLS_MAX = 1_000_000_000;

interface ServiceKeyDialogProps {
  service: ServiceDetail;
  onClose: () => void;
}

/** Asks, then shows the key once. */
export function ServiceKeyDialog({ service, onClose }: ServiceKeyDialogProps) {
  const { t } = useTranslation("services");
  const [issued, setIssued] = useState<NewServiceKey | null>(null);
  if (issued) return <KeySecret service={service} issued={issued} onClose={onClose} />;
  return (
    <Modal open title={t("keys.create")} footer={null} onCancel={onClose}>
      <KeyFields serviceId={service.id} onIssued={setIssued} />
    </Modal>
  );
}

interface KeyFieldsProps {
  serviceId: string;
  onIssued: (issued: NewServiceKey) => void;
}

/** For whom it is, and what it may. */
function KeyFields({ serviceId, onIssued }: KeyFieldsProps) {
  const { t } = useTranslation("services");
  const [form] = Form.useForm<KeyForm>();
  const issue = useIssueKey(serviceId);
  const refusal = useRefusal(form, issue);
  const submit = (filled: KeyForm) => {
    refusal.forget();
    issue.mutate(keyInput(filled, new Date()), {
      onSuccess: onIssued,
      onError: (error) => refusal.mark(error),
    });
  };
  return (
    <Form<KeyForm>
      form={form}
      layout="vertical"
      requiredMark={false}
      initialValues={{ days: 0 }}
      onValuesChange={refusal.forget}
      onFinish={submit}
    >
      <Form.Item
        name="name"
        label={t("column.name")}
        rules={[{ required: true, max: 63, message: t("keys.nameMissing") }]}
      >
        <Input autoComplete="off" placeholder={t("keys.namePlaceholder")} />
      </Form.Item>
      <Form.Item name="requests_per_min" label={t("keys.requests")} extra={t("keys.limitAbout")}>
        <InputNumber min={1} max={CALLS_MAX} precision={0} style={{ width: "100%" }} />
      </Form.Item>
      <Form.Item name="tokens_per_min" label={t("keys.tokens")} extra={t("keys.tokensAbout")}>
        <InputNumber min={1} max={CALLS_MAX} precision={0} style={{ width: "100%" }} />
      </Form.Item>
      <Form.Item name="days" label={t("keys.expires")}>
        <Select
          options={EXPIRY_DAYS.map((value) => ({
            value,
            label: value === 0 ? t("keys.never") : t("keys.days", { count: value }),
          }))}
        />
      </Form.Item>
      {refusal.error && <ProblemAlert error={refusal.error} form={form} />}
      <Button type="primary" htmlType="submit" loading={issue.isPending}>
        {t("keys.create")}
      </Button>
    </Form>
  );
}

interface KeySecretProps extends ServiceKeyDialogProps {
  issued: NewServiceKey;
}

/** The key, shown this once, with a first request that uses it. */
function KeySecret({ service, issued, onClose }: KeySecretProps) {
  const { t } = useTranslation("services");
  const presets = useServicePresets().data ?? [];
  const { preset, model } = service.current.spec;
  const speaksOpenai = presets.find(({ name }) => name === preset)?.speaks_openai ?? false;
  const address = addressOf(service, useServiceOrigin());
  const curl = curlOfService({ address, speaksOpenai, model });
  return (
    <SecretDialog title={t("keys.create")} warning={t("keys.once")} onClose={onClose}>
      <CodeBlock label={t("keys.secret")} text={issued.secret} />
      <CodeBlock
        label={t("address.curl")}
        text={`export BERTH_SERVICE_KEY=${issued.secret}\n${curl}`}
      />
    </SecretDialog>
  );
}
