/** A box that calls the service as a program would, and shows the answer as it comes. */
import { Alert, Button, Checkbox, Flex, Form, Input, Segmented, Select } from "antd";
import type { ServiceDetail } from "@/shared/api/types";
import { formatNumber } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { canChange } from "@/shared/session/roles";
import { Panel } from "@/shared/ui/page";
import { ProblemAlert } from "@/shared/ui/query-states";
import { useServiceOrigin, useServicePresets } from "../api/endpoint";
import { type Tried, useTry } from "../api/try-it";
import { addressOf } from "../model/service";
import { TRY_METHODS, type TryForm } from "../model/try-request";
import { millisWords, useStatusReason } from "./service-marks";

interface TryValues extends TryForm {
  /** Whether a key is made for the try; otherwise `key` is used. */
  isNewKey: boolean;
  key: string;
}

const PROMPT_ROWS = { minRows: 3, maxRows: 12 };
const BODY_ROWS = { minRows: 2, maxRows: 12 };
const ANSWER_ROWS = { minRows: 3, maxRows: 20 };
const TEXT_MAX = 100_000;

export function TryTab({ service }: { service: ServiceDetail }) {
  const origin = useServiceOrigin();
  const presets = useServicePresets().data;
  if (!presets || origin === undefined) return null;
  const { preset } = service.current.spec;
  const speaksOpenai = presets.find(({ name }) => name === preset)?.speaks_openai ?? false;
  return (
    <TryBox
      service={service}
      address={addressOf(service, origin)}
      isChat={speaksOpenai}
      key={service.id}
    />
  );
}

interface TryBoxProps {
  service: ServiceDetail;
  address: string;
  /** Whether its server answers chats. */
  isChat: boolean;
}

function TryBox({ service, address, isChat }: TryBoxProps) {
  const { t } = useTranslation("services");
  const [form] = Form.useForm<TryValues>();
  const mayMakeKeys = canChange(useMe(), service);
  const { send, stop, ...tried } = useTry(service.id, address);
  const reason = useStatusReason()(service);
  const initial: TryValues = {
    ...{ kind: isChat ? "chat" : "request", model: service.current.spec.model, prompt: "" },
    ...{ stream: true, method: "GET", path: "/", body: "", isNewKey: mayMakeKeys, key: "" },
  };
  const watched: unknown = Form.useWatch([], form);
  const values: TryValues = { ...initial, ...(watched as Partial<TryValues> | undefined) };
  const submit = () => {
    const { isNewKey, key, ...filled } = values;
    void send(filled, isNewKey ? null : key.trim());
  };
  return (
    <Panel title={t("tab.try")}>
      <div className="stack">
        <p className="quiet">{t("try.about")}</p>
        {reason && <Alert type="info" showIcon title={reason} />}
        <Form<TryValues>
          form={form}
          layout="vertical"
          requiredMark={false}
          initialValues={initial}
          onFinish={submit}
        >
          {isChat && <KindField />}
          {values.kind === "chat" ? (
            <ChatFields />
          ) : (
            <PlainFields hasBody={values.method !== "GET"} />
          )}
          <TryKeyFields mayMakeKeys={mayMakeKeys} isNewKey={values.isNewKey} />
          <Flex gap={8}>
            <Button type="primary" htmlType="submit" loading={tried.isSending}>
              {t("try.send")}
            </Button>
            {tried.isSending && <Button onClick={stop}>{t("try.stop")}</Button>}
          </Flex>
        </Form>
        <TryResult tried={tried} />
      </div>
    </Panel>
  );
}

function KindField() {
  const { t } = useTranslation("services");
  const options = (["chat", "request"] as const).map((value) => ({
    value,
    label: t(`try.${value}`),
  }));
  return (
    <Form.Item name="kind">
      <Segmented options={options} aria-label={t("try.kind")} />
    </Form.Item>
  );
}

function ChatFields() {
  const { t } = useTranslation("services");
  return (
    <>
      <Form.Item name="model" label={t("form.model")} extra={t("try.modelAbout")}>
        <Input autoComplete="off" spellCheck={false} className="mono" />
      </Form.Item>
      <Form.Item
        name="prompt"
        label={t("try.prompt")}
        rules={[{ required: true, whitespace: true, message: t("try.promptMissing") }]}
      >
        <Input.TextArea autoSize={PROMPT_ROWS} maxLength={TEXT_MAX} />
      </Form.Item>
      <Form.Item name="stream" valuePropName="checked">
        <Checkbox>{t("try.stream")}</Checkbox>
      </Form.Item>
    </>
  );
}

function PlainFields({ hasBody }: { hasBody: boolean }) {
  const { t } = useTranslation("services");
  const options = TRY_METHODS.map((value) => ({ value, label: value }));
  return (
    <>
      <Flex gap={16}>
        <Form.Item name="method" label={t("try.method")}>
          <Select options={options} style={{ width: 110 }} />
        </Form.Item>
        <Form.Item name="path" label={t("try.path")} style={{ flex: 1 }}>
          <Input autoComplete="off" spellCheck={false} className="mono" />
        </Form.Item>
      </Flex>
      {hasBody && (
        <Form.Item name="body" label={t("try.body")}>
          <Input.TextArea
            autoSize={BODY_ROWS}
            maxLength={TEXT_MAX}
            spellCheck={false}
            className="mono"
          />
        </Form.Item>
      )}
    </>
  );
}

/** A key for this try, or one that the reader has: keys that exist are never shown again. */
function TryKeyFields({ mayMakeKeys, isNewKey }: { mayMakeKeys: boolean; isNewKey: boolean }) {
  const { t } = useTranslation("services");
  const options = [
    { value: true, label: t("try.newKey") },
    { value: false, label: t("try.ownKey") },
  ];
  return (
    <>
      {mayMakeKeys && (
        <Form.Item name="isNewKey" label={t("try.key")}>
          <Select options={options} />
        </Form.Item>
      )}
      {!isNewKey && (
        <Form.Item
          name="key"
          label={mayMakeKeys ? t("keys.secret") : t("try.key")}
          rules={[{ required: true, whitespace: true, message: t("try.keyMissing") }]}
        >
          <Input.Password autoComplete="off" visibilityToggle={false} />
        </Form.Item>
      )}
    </>
  );
}

/** The answer, as text whatever it is, and how long it took. */
function TryResult({ tried: { answer, error } }: { tried: Tried }) {
  const { t } = useTranslation("services");
  const language = useLanguage();
  if (error instanceof TypeError)
    return <Alert type="error" showIcon role="alert" title={t("try.noAnswer")} />;
  if (error) return <ProblemAlert error={error} />;
  if (!answer) return null;
  const { status, firstMs, totalMs, text } = answer;
  const words = (millis: number | null) => millis !== null && millisWords(millis, language);
  const [first, total] = [words(firstMs), words(totalMs)];
  return (
    <div>
      <p className="quiet num" aria-live="polite">
        {t("try.status", { status: formatNumber(status, "en", 0) })}
        {first && ` · ${t("try.first", { time: first })}`}
        {total && ` · ${t("try.total", { time: total })}`}
      </p>
      <Input.TextArea
        readOnly
        aria-label={t("try.answer")}
        value={text || (total ? t("try.empty") : "")}
        autoSize={ANSWER_ROWS}
      />
    </div>
  );
}
