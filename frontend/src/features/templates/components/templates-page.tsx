import { Button, Flex } from "antd";
import { useState } from "react";
import type { Template } from "@/shared/api/types";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { useDeleteTemplate, useTemplates } from "@/shared/submission/api/templates";
import { useTermWords } from "@/shared/submission/components/term-words";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { useMessages } from "@/shared/ui/messages";
import { later } from "@/shared/ui/opening";
import { LinkButton, PageHeader } from "@/shared/ui/page";
import { PageTabs } from "@/shared/ui/page-tabs";
import { EmptyState } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { formRouteOf, SUBMITTED_KINDS, type SubmittedKind } from "@/shared/workload/model/kinds";

const LaterTemplateDialog = later(
  async () => (await import("@/shared/submission/components/template-dialog")).TemplateDialog,
);

/** The templates that I may use: mine, those of my groups and of the platform. */
export function TemplatesPage() {
  const { t } = useTranslation("templates");
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} />
      <PageTabs
        label={t("title")}
        word="kind"
        own={["sort"]}
        tabs={SUBMITTED_KINDS.map((key) => ({
          key,
          label: t(`kind.${key}`),
          content: <TemplateTable kind={key} />,
        }))}
      />
    </>
  );
}

function TemplateTable({ kind }: { kind: SubmittedKind }) {
  const language = useLanguage();
  const { t } = useTranslation("templates");
  const [edited, setEdited] = useState<Template | null>(null);
  const words = useTermWords();
  const ownerOf = ({ scope, group }: Template) =>
    (group && titleOf(group, language)) ?? t(scope === "user" ? "mine" : "platform");
  const termsOf = (template: Template) => words(template).join(" · ") || t("free");
  const columns: ListColumn<Template>[] = [
    {
      key: "name",
      title: t("name"),
      value: ({ name }) => name,
      cell: ({ name, description }) => (
        <>
          <div>{name}</div>
          <div className="second">{description}</div>
        </>
      ),
    },
    { key: "owner", title: t("owner"), value: ownerOf, cell: ownerOf },
    { key: "terms", title: t("terms"), value: termsOf, cell: termsOf },
    {
      key: "changed",
      title: t("changed"),
      value: ({ changed_at }) => changed_at,
      cell: ({ changed_at }) => <Age at={changed_at} />,
    },
    {
      key: "action",
      title: t("action"),
      cell: (template) => <Actions template={template} onEdit={() => setEdited(template)} />,
    },
  ];
  return (
    <>
      <ListOfQuery
        id="templates"
        query={useTemplates(kind)}
        label={t("title")}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            title={t("empty.title")}
            text={t("empty.text")}
            action={<LinkButton to={formRouteOf(kind)}>{t(`open.${kind}`)}</LinkButton>}
          />
        }
      />
      {edited && (
        <LaterTemplateDialog
          kind={kind}
          terms={edited}
          template={edited}
          onClose={() => setEdited(null)}
        />
      )}
    </>
  );
}

/** Opens the form with it, sends it to a colleague; its owner changes and removes it. */
function Actions({ template, onEdit }: { template: Template; onEdit: () => void }) {
  const { t } = useTranslation("templates");
  const messages = useMessages();
  const { id, kind, name, scope, may_change } = template;
  const remove = useDeleteTemplate(kind);
  const copy = async () => {
    const address = `${window.location.origin}${formRouteOf(kind)}?template=${id}`;
    await navigator.clipboard.writeText(address).then(
      () => messages.success(t("copied")),
      () => messages.error(address),
    );
  };
  return (
    <Flex gap={8} wrap>
      <LinkButton
        size="small"
        isPrimary={false}
        to={formRouteOf(kind)}
        search={{ template: id }}
        aria-label={t("useNamed", { name })}
      >
        {t("use")}
      </LinkButton>
      {scope !== "user" && (
        <Button size="small" aria-label={t("copyNamed", { name })} onClick={() => void copy()}>
          {t("copy")}
        </Button>
      )}
      {may_change && (
        <Button size="small" aria-label={t("editNamed", { name })} onClick={onEdit}>
          {t("edit")}
        </Button>
      )}
      {may_change && (
        <ConfirmButton
          action={t("remove")}
          label={t("removeNamed", { name })}
          question={t("removeQuestion")}
          isDangerous
          mutation={remove}
          input={id}
        />
      )}
    </Flex>
  );
}
