import { App, Button, Flex, Popconfirm } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { problemOf } from "@/shared/api/problem";
import type { Image } from "@/shared/api/types";
import { useImages } from "@/shared/cluster/api/cluster";
import { titleOf, useLanguage } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { CopyButton } from "@/shared/ui/code-block";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { PageHeader } from "@/shared/ui/page";
import { EmptyState, Loading, ProblemAlert, useProblemText } from "@/shared/ui/query-states";
import { useChangeImage } from "../api/images";
import { ImageDialog } from "./image-dialog";
import styles from "./images.module.css";

/** What work may run in: platform administrators say what that is, others may look. */
export function ImagesPage() {
  const { t } = useTranslation("images");
  const isManager = isPlatformAdmin(useMe());
  const [edited, setEdited] = useState<Image | "new" | null>(null);
  const add = (
    <Button type="primary" onClick={() => setEdited("new")}>
      {t("add")}
    </Button>
  );
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} actions={isManager && add} />
      <ImageTable isManager={isManager} onEdit={setEdited} />
      {edited && (
        <ImageDialog
          image={edited === "new" ? undefined : edited}
          onClose={() => setEdited(null)}
        />
      )}
    </>
  );
}

interface ImageTableProps {
  isManager: boolean;
  onEdit: (image: Image) => void;
}

function ImageTable({ isManager, onEdit }: ImageTableProps) {
  const { t } = useTranslation("images");
  const images = useImages();
  const reading = useImageColumns();
  const managing = useImageAdminColumns(onEdit);
  if (images.isPending) return <Loading rows={4} />;
  if (!images.data) return <ProblemAlert error={images.error} />;
  if (images.data.length === 0) {
    return (
      <EmptyState
        title={t("empty.title")}
        text={t(isManager ? "empty.textManager" : "empty.text")}
      />
    );
  }
  return (
    <DataTable
      label={t("title")}
      columns={isManager ? [...reading, ...managing] : reading}
      rows={images.data}
      rowKey={({ id }) => id}
    />
  );
}

function useImageColumns(): Column<Image>[] {
  const { t } = useTranslation("images");
  const language = useLanguage();
  const mark = (is: boolean) => t(is ? "yes" : "no");
  return [
    {
      key: "title",
      title: t("column.image"),
      cell: (image) => (
        <>
          <strong>{titleOf(image, language)}</strong>
          <p className={styles.second}>
            <code className="mono">{image.name}</code>
          </p>
          <p className={styles.second}>
            {language === "zh-CN" ? image.description_zh : image.description_en}
          </p>
        </>
      ),
    },
    {
      key: "notebooks",
      title: t("column.notebooks"),
      isShort: true,
      cell: ({ for_environments }) => mark(for_environments),
    },
    {
      key: "jobs",
      title: t("column.jobs"),
      isShort: true,
      cell: ({ for_training }) => mark(for_training),
    },
  ];
}

function useImageAdminColumns(onEdit: (image: Image) => void): Column<Image>[] {
  const { t } = useTranslation("images");
  return [
    {
      key: "reference",
      title: t("column.reference"),
      cell: ({ reference }) =>
        reference && (
          <span className={styles.reference}>
            <code className="mono">{reference}</code>
            <CopyButton text={reference} what={t("column.reference")} />
          </span>
        ),
    },
    {
      key: "state",
      title: t("column.state"),
      isShort: true,
      cell: ({ is_active }) => t(is_active ? "offered" : "withdrawn"),
    },
    {
      key: "action",
      title: t("column.action"),
      cell: (image) => <ImageActions image={image} onEdit={() => onEdit(image)} />,
    },
  ];
}

/** What an administrator may do to an image; nobody deletes one, for past work names it. */
function ImageActions({ image, onEdit }: { image: Image; onEdit: () => void }) {
  const { t } = useTranslation(["images", "ui"]);
  const { message } = App.useApp();
  const describe = useProblemText();
  const change = useChangeImage(image.id);
  const { name, is_active: isOffered } = image;
  const turn = () =>
    change.mutate(
      { is_active: !isOffered },
      { onError: (error) => void message.error(describe(problemOf(error))) },
    );
  return (
    <Flex gap={8} wrap>
      <Button size="small" aria-label={t("editTitle", { name })} onClick={onEdit}>
        {t("edit")}
      </Button>
      <Popconfirm
        title={t(isOffered ? "withdrawQuestion" : "offerQuestion")}
        okText={t(isOffered ? "withdrawYes" : "offerYes")}
        okButtonProps={{ danger: isOffered }}
        cancelText={t("ui:cancel")}
        onConfirm={turn}
      >
        <Button
          size="small"
          danger={isOffered}
          aria-label={t(isOffered ? "withdrawTitle" : "offerTitle", { name })}
          loading={change.isPending}
        >
          {t(isOffered ? "withdraw" : "offer")}
        </Button>
      </Popconfirm>
    </Flex>
  );
}
