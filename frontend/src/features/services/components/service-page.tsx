import { Link, useNavigate } from "@tanstack/react-router";
import { Alert, Flex } from "antd";
import type { ServiceDetail } from "@/shared/api/types";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { CodeBlock, CopyButton } from "@/shared/ui/code-block";
import { lazyWithRetry } from "@/shared/ui/opening";
import { PageHeader, Panel } from "@/shared/ui/page";
import { PageTabs } from "@/shared/ui/page-tabs";
import { Age } from "@/shared/ui/time";
import { useServiceOrigin, useServicePresets } from "../api/endpoint";

import { addressOf, curlOfService } from "../model/service";
import { ServiceActions } from "./service-actions";
import { ServiceStatusTag, usePromiseWords, useStatusReason } from "./service-marks";
import { ServiceOverview } from "./service-overview";

const LaterRevisions = lazyWithRetry(async () => (await import("./revisions-tab")).RevisionsTab);
const LaterKeys = lazyWithRetry(async () => (await import("./keys-tab")).KeysTab);
const LaterTry = lazyWithRetry(async () => (await import("./try-tab")).TryTab);
const LaterSettings = lazyWithRetry(async () => (await import("./settings-tab")).SettingsTab);

/** One service: how it stands, where it answers, and in its tabs what it runs, who may call, what it promises. */
export function ServicePage({ service }: { service: ServiceDetail }) {
  const { t } = useTranslation("services");
  const navigate = useNavigate();
  return (
    <>
      <PageHeader
        title={service.name}
        about={<StateWords service={service} />}
        actions={
          <ServiceActions
            size="middle"
            service={service}
            onDeleted={() => void navigate({ to: "/services" })}
          />
        }
      />
      <div className="stack">
        <StatusNotice service={service} />
        <AddressPanel service={service} />
        <PageTabs
          label={service.name}
          own={["replicas", "ended", "revisions", "keys"]}
          tabs={[
            {
              key: "overview",
              label: t("tab.overview"),
              content: <ServiceOverview service={service} />,
            },
            { key: "try", label: t("tab.try"), content: <LaterTry service={service} /> },
            {
              key: "revisions",
              label: t("tab.revisions"),
              content: <LaterRevisions service={service} />,
            },
            { key: "keys", label: t("tab.keys"), content: <LaterKeys service={service} /> },
            {
              key: "settings",
              label: t("tab.settings"),
              content: <LaterSettings service={service} />,
            },
          ]}
        />
      </div>
    </>
  );
}

function StateWords({ service }: { service: ServiceDetail }) {
  const { status, group, owner, created_at } = service;
  const language = useLanguage();
  const promise = usePromiseWords();
  return (
    <>
      <span aria-live="polite">
        <ServiceStatusTag status={status} />
      </span>
      <span>{promise(service)}</span>
      <span>{titleOf(group, language)}</span>
      <span>{owner.display_name || owner.username}</span>
      <Age at={created_at} />
    </>
  );
}

const TONES = { failed: "error", degraded: "warning" } as const;

/** Why it is not simply ready. */
function StatusNotice({ service }: { service: ServiceDetail }) {
  const reason = useStatusReason()(service);
  if (!reason) return null;
  const tone = service.refusal ? "warning" : TONES[service.status as keyof typeof TONES];
  return <Alert type={tone ?? "info"} showIcon role="status" title={reason} />;
}

/** Where it answers, and a first request. */
function AddressPanel({ service }: { service: ServiceDetail }) {
  const { t } = useTranslation("services");
  const presets = useServicePresets().data ?? [];
  const address = addressOf(service, useServiceOrigin());
  const { preset, model } = service.current.spec;
  const speaksOpenai = presets.find(({ name }) => name === preset)?.speaks_openai ?? false;
  return (
    <Panel
      title={t("column.address")}
      extra={
        <Link to="/services/$id" params={{ id: service.id }} search={{ tab: "keys" }}>
          {t("address.keys")}
        </Link>
      }
    >
      <Flex align="center" gap={4} style={{ marginBottom: 8 }}>
        <code className="mono" style={{ overflowWrap: "anywhere" }}>
          {address}
        </code>
        <CopyButton text={address} what={t("column.address")} />
      </Flex>
      <CodeBlock label={t("address.curl")} text={curlOfService({ address, speaksOpenai, model })} />
    </Panel>
  );
}
