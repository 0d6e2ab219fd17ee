import { useNavigate } from "@tanstack/react-router";
import { Alert, Button, Flex, Tabs } from "antd";
import { Suspense } from "react";
import type { ServiceDetail } from "@/shared/api/types";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { CodeBlock, CopyButton } from "@/shared/ui/code-block";
import { lazyWithRetry } from "@/shared/ui/opening";
import { PageHeader, Panel } from "@/shared/ui/page";
import { Loading } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useServiceOrigin, useServicePresets } from "../api/endpoint";

import { addressOf, curlOfService, SERVICE_TABS, type ServiceTab } from "../model/service";
import { ServiceActions } from "./service-actions";
import { ServiceStatusTag, usePromiseWords, useStatusReason } from "./service-marks";
import { ServiceOverview } from "./service-overview";

const LaterRevisions = lazyWithRetry(async () => (await import("./revisions-tab")).RevisionsTab);
const LaterKeys = lazyWithRetry(async () => (await import("./keys-tab")).KeysTab);
const LaterSettings = lazyWithRetry(async () => (await import("./settings-tab")).SettingsTab);

interface ServicePageProps {
  service: ServiceDetail;
  tab: ServiceTab;
  onTab: (tab: ServiceTab) => void;
}

/** One service: how it stands, where it answers, and in its tabs what it runs, who may call, what it promises. */
export function ServicePage({ service, tab, onTab }: ServicePageProps) {
  const { t } = useTranslation("services");
  const navigate = useNavigate();
  const panes = {
    overview: <ServiceOverview service={service} />,
    revisions: <LaterRevisions service={service} />,
    keys: <LaterKeys service={service} />,
    settings: <LaterSettings service={service} />,
  } satisfies Record<ServiceTab, unknown>;
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
        <AddressPanel service={service} onKeys={() => onTab("keys")} />
        <Tabs
          activeKey={tab}
          onChange={(key) => onTab(key as ServiceTab)}
          destroyOnHidden
          items={SERVICE_TABS.map((key) => ({
            key,
            label: t(`tab.${key}`),
            children: <Suspense fallback={<Loading />}>{panes[key]}</Suspense>,
          }))}
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

interface AddressPanelProps {
  service: ServiceDetail;
  onKeys: () => void;
}

/** Where it answers, and a first request. */
function AddressPanel({ service, onKeys }: AddressPanelProps) {
  const { t } = useTranslation("services");
  const presets = useServicePresets().data ?? [];
  const address = addressOf(service, useServiceOrigin());
  const { preset, model } = service.current.spec;
  const speaksOpenai = presets.find(({ name }) => name === preset)?.speaks_openai ?? false;
  return (
    <Panel
      title={t("column.address")}
      extra={
        <Button type="link" size="small" onClick={onKeys}>
          {t("address.keys")}
        </Button>
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
