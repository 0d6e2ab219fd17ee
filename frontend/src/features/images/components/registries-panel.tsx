import { Button, Flex, Form, Input } from "antd";
import { useState } from "react";
import type { Registry, RegistryInput } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { EntityDialog, EntityName } from "@/shared/ui/entity-dialog";
import { Panel } from "@/shared/ui/page";
import { QueryBoundary } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useRegistries, useRemoveRegistry, useSaveRegistry } from "../api/images";

const LABEL = "[a-z0-9]([a-z0-9-]*[a-z0-9])?";
/** As the server takes it: a name with a dot, a port, or both. */
const HOST = new RegExp(`^((localhost|${LABEL}(\\.${LABEL})+)(:[0-9]{1,5})?|${LABEL}:[0-9]{1,5})$`);

/** The registries from which nodes pull with a login; for administrators. */
export function RegistriesPanel() {
  const { t } = useTranslation("images");
  const [edited, setEdited] = useState<Registry | "new" | null>(null);
  const columns = useRegistryColumns(setEdited);
  return (
    <Panel title={t("registries.title")}>
      <div className="stack">
        <p className="quiet">{t("registries.about")}</p>
        <QueryBoundary query={useRegistries()} rows={2} canRetry={false}>
          {(registries) => (
            <DataTable
              label={t("registries.title")}
              columns={columns}
              rows={registries}
              rowKey={({ id }) => id}
              empty={<span className="second">{t("registries.empty")}</span>}
            />
          )}
        </QueryBoundary>
        <Button style={{ justifySelf: "start" }} onClick={() => setEdited("new")}>
          {t("registries.add")}
        </Button>
      </div>
      {edited && (
        <RegistryDialog
          registry={edited === "new" ? undefined : edited}
          onClose={() => setEdited(null)}
        />
      )}
    </Panel>
  );
}

function useRegistryColumns(onEdit: (registry: Registry) => void): Column<Registry>[] {
  const { t } = useTranslation("images");
  return [
    {
      key: "host",
      title: t("registries.host"),
      cell: ({ host }) => <code className="mono">{host}</code>,
    },
    {
      key: "username",
      title: t("registries.username"),
      cell: ({ username }) => <span className="mono">{username}</span>,
    },
    {
      key: "changed",
      title: t("registries.changed"),
      cell: ({ changed_at, changed_by }) => (
        <>
          <Age at={changed_at} /> {changed_by && `· ${changed_by.display_name}`}
        </>
      ),
    },
    {
      key: "used",
      title: t("registries.used"),
      isShort: true,
      cell: ({ last_used_at }) =>
        last_used_at ? <Age at={last_used_at} /> : t("registries.never"),
    },
    {
      key: "action",
      title: t("column.action"),
      cell: (registry) => <RegistryActions registry={registry} onEdit={() => onEdit(registry)} />,
    },
  ];
}

function RegistryActions({ registry, onEdit }: { registry: Registry; onEdit: () => void }) {
  const { t } = useTranslation("images");
  const { id, host } = registry;
  return (
    <Flex gap={8} wrap>
      <Button size="small" aria-label={t("registries.changeTitle", { host })} onClick={onEdit}>
        {t("registries.change")}
      </Button>
      <RemoveButton
        id={id}
        label={t("registries.removeTitle", { host })}
        question={t("registries.removeQuestion")}
        mutation={useRemoveRegistry()}
      />
    </Flex>
  );
}

interface RegistryDialogProps {
  /** The one whose login is replaced; none adds another. */
  registry: Registry | undefined;
  onClose: () => void;
}

/** The password is asked for anew each time: the server never gives it back. */
function RegistryDialog({ registry, onClose }: RegistryDialogProps) {
  const { t } = useTranslation("images");
  return (
    <EntityDialog<RegistryInput, RegistryInput>
      title={
        registry ? t("registries.changeTitle", { host: registry.host }) : t("registries.addTitle")
      }
      action={t("registries.save")}
      initial={registry ? { host: registry.host, username: registry.username } : {}}
      save={useSaveRegistry(registry?.id)}
      bodyOf={(login) => login}
      onClose={onClose}
    >
      <EntityName
        name="host"
        label={t("registries.host")}
        about={t("registries.hostAbout")}
        pattern={HOST}
        message={t("registries.hostWrong")}
        isFixed={registry !== undefined}
      />
      <Form.Item
        name="username"
        label={t("registries.username")}
        rules={[{ required: true, message: t("registries.usernameMissing") }]}
      >
        <Input autoComplete="off" spellCheck={false} maxLength={200} />
      </Form.Item>
      <Form.Item
        name="password"
        label={t("registries.password")}
        extra={t("registries.passwordAbout")}
        rules={[{ required: true, message: t("registries.passwordMissing") }]}
      >
        <Input.Password autoComplete="new-password" maxLength={4096} />
      </Form.Item>
    </EntityDialog>
  );
}
