import { Alert, Button, Flex, Form, Input, Modal, QRCode, Tag } from "antd";
import { useState } from "react";
import { useTranslation } from "@/shared/i18n/language";
import { canUsePasskeys } from "@/shared/session/passkeys";
import { CodeBlock } from "@/shared/ui/code-block";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { PageHeader, Panel } from "@/shared/ui/page";
import { QueryBoundary } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import {
  type AppSecret,
  type Authenticator,
  type BrowserSession,
  startApp,
  useAddPasskey,
  useAuthenticators,
  useEndSessions,
  useEnrolApp,
  useRemoveApp,
  useRemovePasskey,
  useRenewRecoveryCodes,
  useSessions,
} from "../api/security";
import { describeUserAgent } from "../model/user-agent";
import { type Guard, usePasswordGuard } from "./password-guard";

interface SecurityPanelProps {
  authenticators: readonly Authenticator[];
  guard: Guard;
  /** Shows new recovery codes, if there are any. */
  onCodes: (codes: readonly string[]) => void;
}

/** How I prove who I am, and where I am signed in. */
export function SecurityPage() {
  const { t } = useTranslation("account");
  const authenticators = useAuthenticators();
  const guard = usePasswordGuard();
  const [codes, setCodes] = useState<readonly string[]>([]);
  return (
    <>
      <PageHeader title={t("security.title")} about={t("security.about")} />
      <QueryBoundary query={authenticators}>
        {(found) => (
          <div className="stack">
            <AppPanel authenticators={found} guard={guard} onCodes={setCodes} />
            <PasskeyPanel authenticators={found} guard={guard} onCodes={setCodes} />
            <RecoveryPanel authenticators={found} guard={guard} onCodes={setCodes} />
            <SessionPanel guard={guard} />
          </div>
        )}
      </QueryBoundary>
      {guard.question}
      {codes.length > 0 && <CodesOnce codes={codes} onClose={() => setCodes([])} />}
    </>
  );
}

function momentOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

/** A code of an app on the phone, after the password. */
function AppPanel({ authenticators, guard, onCodes }: SecurityPanelProps) {
  const { t } = useTranslation("account");
  const app = authenticators.find(({ type }) => type === "totp");
  const remove = useRemoveApp();
  const [secret, setSecret] = useState<AppSecret | null>(null);
  const start = () => guard.runConfirmed(async () => setSecret(await startApp()));
  return (
    <Panel
      title={t("app.title")}
      extra={
        app ? (
          <Button
            size="small"
            danger
            loading={remove.isPending}
            onClick={() => guard.run(() => remove.mutateAsync(undefined))}
          >
            {t("app.remove")}
          </Button>
        ) : (
          <Button size="small" type="primary" onClick={start}>
            {t("app.add")}
          </Button>
        )
      }
    >
      {app ? (
        <p>
          <Tag color="success">{t("app.on")}</Tag> {t("used")} <Age at={usedAt(app)} />
        </p>
      ) : (
        <p>{t("app.about")}</p>
      )}
      {secret && (
        <EnrolApp
          secret={secret}
          guard={guard}
          onEnrolled={(codes) => {
            setSecret(null);
            onCodes(codes);
          }}
          onCancel={() => setSecret(null)}
        />
      )}
    </Panel>
  );
}

function usedAt({ last_used_at }: Authenticator): string | null {
  return last_used_at === null ? null : momentOf(last_used_at);
}

interface EnrolAppProps {
  secret: AppSecret;
  guard: Guard;
  onEnrolled: (codes: readonly string[]) => void;
  onCancel: () => void;
}

/** The QR code for the app, and the first code that proves that it was scanned. */
function EnrolApp({ secret: { secret, address }, guard, onEnrolled, onCancel }: EnrolAppProps) {
  const { t } = useTranslation(["account", "auth", "ui"]);
  const [form] = Form.useForm<{ code: string }>();
  const enrol = useEnrolApp();
  return (
    <Modal
      open
      title={t("app.add")}
      okText={t("app.confirm")}
      cancelText={t("ui:cancel")}
      confirmLoading={enrol.isPending}
      mask={{ closable: false }}
      onOk={() => form.submit()}
      onCancel={onCancel}
    >
      <Form
        form={form}
        layout="vertical"
        requiredMark={false}
        onFinish={({ code }) =>
          guard.run(async () => onEnrolled(await enrol.mutateAsync(code.trim())))
        }
      >
        <p>{t("app.scan")}</p>
        <Flex justify="center">
          <QRCode type="svg" value={address} bordered={false} aria-label={t("app.qr")} />
        </Flex>
        <p>{t("app.typed")}</p>
        <CodeBlock label={t("app.secret")} text={secret} />
        <Form.Item
          name="code"
          label={t("app.code")}
          rules={[{ required: true, whitespace: true, message: t("auth:second.codeMissing") }]}
        >
          <Input autoComplete="one-time-code" inputMode="numeric" maxLength={8} />
        </Form.Item>
      </Form>
    </Modal>
  );
}

/** Keys that a device keeps: instead of password and code. */
function PasskeyPanel({ authenticators, guard, onCodes }: SecurityPanelProps) {
  const { t } = useTranslation("account");
  const keys = authenticators.filter(({ type }) => type === "webauthn");
  const add = useAddPasskey();
  const remove = useRemovePasskey();
  const name = describeUserAgent(navigator.userAgent);
  const columns: Column<Authenticator>[] = [
    { key: "name", title: t("passkey.name"), cell: (key) => key.name ?? "–" },
    {
      key: "added",
      title: t("passkey.added"),
      cell: (key) => <Age at={momentOf(key.created_at)} />,
    },
    { key: "used", title: t("used"), cell: (key) => <Age at={usedAt(key)} /> },
    {
      key: "action",
      title: t("action"),
      cell: ({ id = 0, name: label }) => (
        <Button
          size="small"
          aria-label={t("passkey.removeOf", { name: label })}
          onClick={() => guard.run(() => remove.mutateAsync(id))}
        >
          {t("passkey.remove")}
        </Button>
      ),
    },
  ];
  return (
    <Panel
      title={t("passkey.title")}
      extra={
        canUsePasskeys() && (
          <Button
            size="small"
            loading={add.isPending}
            onClick={() => guard.run(async () => onCodes(await add.mutateAsync(name)))}
          >
            {t("passkey.add")}
          </Button>
        )
      }
    >
      <DataTable
        label={t("passkey.title")}
        columns={columns}
        rows={keys}
        rowKey={({ id = 0 }) => id}
        empty={<p>{t(canUsePasskeys() ? "passkey.about" : "passkey.unavailable")}</p>}
      />
    </Panel>
  );
}

/** Codes on paper for the day the phone is lost; only beside another second factor. */
function RecoveryPanel({ authenticators, guard, onCodes }: SecurityPanelProps) {
  const { t } = useTranslation("account");
  const renew = useRenewRecoveryCodes();
  const kept = authenticators.find(({ type }) => type === "recovery_codes");
  if (authenticators.length === 0) return null;
  const left = kept?.unused_code_count ?? 0;
  return (
    <Panel
      title={t("recovery.title")}
      extra={
        <Button
          size="small"
          loading={renew.isPending}
          onClick={() => guard.run(async () => onCodes(await renew.mutateAsync(undefined)))}
        >
          {t("recovery.renew")}
        </Button>
      }
    >
      <p>{t("recovery.left", { left, total: kept?.total_code_count ?? 0 })}</p>
    </Panel>
  );
}

interface CodesOnceProps {
  codes: readonly string[];
  onClose: () => void;
}

/** Recovery codes, shown this once; a click beside the dialog does not lose them. */
function CodesOnce({ codes, onClose }: CodesOnceProps) {
  const { t } = useTranslation("account");
  return (
    <Modal
      open
      title={t("recovery.title")}
      mask={{ closable: false }}
      onCancel={onClose}
      footer={
        <Button type="primary" onClick={onClose}>
          {t("recovery.kept")}
        </Button>
      }
    >
      <div className="stack">
        <Alert type="warning" showIcon title={t("recovery.once")} />
        <CodeBlock label={t("recovery.title")} text={codes.join("\n")} />
      </div>
    </Modal>
  );
}

/** Where I am signed in; another place is signed out at once. */
function SessionPanel({ guard }: { guard: Guard }) {
  const { t } = useTranslation("account");
  const sessions = useSessions();
  const end = useEndSessions();
  const others = (sessions.data ?? []).filter(({ is_current }) => !is_current);
  const endAll = (ids: number[]) => guard.run(() => end.mutateAsync(ids));
  const columns: Column<BrowserSession>[] = [
    {
      key: "browser",
      title: t("session.browser"),
      cell: (row) => describeUserAgent(row.user_agent),
    },
    { key: "address", title: t("session.address"), cell: ({ ip }) => <code>{ip}</code> },
    {
      key: "since",
      title: t("session.since"),
      cell: (row) => <Age at={momentOf(row.created_at)} />,
    },
    {
      key: "action",
      title: t("action"),
      cell: ({ id, is_current, ip }) =>
        is_current ? (
          <Tag>{t("session.current")}</Tag>
        ) : (
          <Button
            size="small"
            aria-label={t("session.endOf", { address: ip })}
            onClick={() => endAll([id])}
          >
            {t("session.end")}
          </Button>
        ),
    },
  ];
  return (
    <Panel
      title={t("session.title")}
      extra={
        others.length > 1 && (
          <Button size="small" danger onClick={() => endAll(others.map(({ id }) => id))}>
            {t("session.endOthers")}
          </Button>
        )
      }
    >
      <QueryBoundary query={sessions}>
        {(rows) => (
          <DataTable
            label={t("session.title")}
            columns={columns}
            rows={rows}
            rowKey={({ id }) => id}
          />
        )}
      </QueryBoundary>
    </Panel>
  );
}
