import { Button, Flex } from "antd";
import { useState } from "react";
import type { Image } from "@/shared/api/types";
import { useImages } from "@/shared/cluster/api/cluster";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useAddress } from "@/shared/lists/api/address";
import { useArrival } from "@/shared/lists/api/views";
import {
  chipsOf,
  FilterChips,
  FilterChoice,
  FilterSearch,
} from "@/shared/lists/components/filter-chips";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { Fold } from "@/shared/lists/components/list-tools";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { isOfPlatform } from "@/shared/submission/model/submission";
import { CopyButton } from "@/shared/ui/code-block";
import { Confirm } from "@/shared/ui/confirm-button";
import { asSavedNow, later } from "@/shared/ui/opening";
import { PageHeader, Panel } from "@/shared/ui/page";
import { EmptyState, useProblemMessage } from "@/shared/ui/query-states";
import { useOfferImage } from "../api/images";
import {
  chosenImages,
  FIND_MAX,
  IMAGE_STATES,
  IMAGE_USES,
  type ImageFilters,
  readImageFilters,
} from "../model/image";
import { RetentionPanel } from "./retention-panel";
import { ImageBuilds, NodesButton, SavedImages, ScanButton } from "./saved-images";

const LaterImageNodes = later(async () => (await import("./image-nodes")).ImageNodesDrawer);
const LaterImageScan = later(async () => (await import("./image-scan")).ImageScanDrawer);
const LaterRegistries = later(async () => (await import("./registries-panel")).RegistriesPanel);
const LaterImageDialog = later(async () => (await import("./image-dialog")).ImageDialog);

/** The images that work may run in: those that people saved, and those of the platform. */
export function ImagesPage() {
  const { t } = useTranslation("images");
  const isManager = isPlatformAdmin(useMe());
  const [edited, setEdited] = useState<Image | "new" | null>(null);
  const { search, change } = useAddress();
  const images = useImages().data;
  const opened = images?.find(({ id }) => id === search.image);
  const open = ({ id }: { id: string }) => change({ image: id });
  const add = (
    <Button type="primary" onClick={() => setEdited("new")}>
      {t("add")}
    </Button>
  );
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} actions={isManager && add} />
      <div className="stack">
        <Panel title={t("saved.title")}>
          <ImageBuilds />
          <SavedImages />
        </Panel>
        <RetentionPanel />
        <Panel title={t("platformTitle")}>
          <ImageTable isManager={isManager} onEdit={setEdited} onNodes={open} />
        </Panel>
        {isManager && <LaterRegistries />}
      </div>
      {opened && (
        <LaterImageNodes
          image={opened}
          about={<ImageTitle image={opened} />}
          onClose={() => change({ image: undefined })}
        />
      )}
      {edited && (
        <LaterImageDialog image={asSavedNow(edited, images)} onClose={() => setEdited(null)} />
      )}
    </>
  );
}

interface ImageTableProps {
  isManager: boolean;
  onEdit: (image: Image) => void;
  onNodes: (image: Image) => void;
}

function ImageTable({ isManager, onEdit, onNodes }: ImageTableProps) {
  const { t } = useTranslation("images");
  useArrival("images");
  const filters = readImageFilters(useAddress().search);
  const images = useImages(isOfPlatform);
  const chosen = images.data && chosenImages(images.data, filters);
  const isNarrow = (images.data?.length ?? 0) > 0;
  const reading = useImageColumns();
  const [scanned, setScanned] = useState<Image | null>(null);
  const managing = useImageAdminColumns(onEdit);
  const nodes: ListColumn<Image> = {
    key: "nodes",
    title: t("column.details"),
    cell: (image) => (
      <Flex gap={8} wrap>
        <NodesButton name={image.name} onOpen={() => onNodes(image)} />
        <ScanButton name={image.name} onOpen={() => setScanned(image)} />
      </Flex>
    ),
  };
  return (
    <div className="stack">
      {isNarrow && <ImageFilterFields filters={filters} isManager={isManager} />}
      <ListOfQuery
        id="images"
        query={{ ...images, data: chosen } as typeof images}
        canRetry={false}
        views="images"
        label={t("platformTitle")}
        columns={isManager ? [...reading, nodes, ...managing] : [...reading, nodes]}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            title={t(isNarrow ? "filtered.title" : "empty.title")}
            text={t(isNarrow ? "filtered.text" : isManager ? "empty.textManager" : "empty.text")}
          />
        }
      />
      {scanned && <LaterImageScan image={scanned} onClose={() => setScanned(null)} />}
    </div>
  );
}

interface ImageFilterFieldsProps {
  filters: ImageFilters;
  isManager: boolean;
}

function ImageFilterFields({ filters, isManager }: ImageFilterFieldsProps) {
  const { t } = useTranslation(["images", "lists"]);
  const { change } = useAddress();
  const { find, use, state } = filters;
  const chips = chipsOf([
    ["find", t("find"), find],
    ["use", t("useFor"), use && t(`column.${use}`)],
    ["state", t("column.state"), state && t(state)],
  ]);
  return (
    <>
      <Flex component="search" gap={12} wrap align="center">
        <FilterSearch name="find" label={t("find")} value={find} most={FIND_MAX} />
        <Fold label={t("lists:filters.label")}>
          <FilterChoice
            label={t("useFor")}
            value={use}
            options={IMAGE_USES.map((value) => ({ value, label: t(`column.${value}`) }))}
            onChoose={(chosen) => change({ use: chosen })}
          />
          {isManager && (
            <FilterChoice
              label={t("column.state")}
              value={state}
              options={IMAGE_STATES.map((value) => ({ value, label: t(value) }))}
              onChoose={(chosen) => change({ state: chosen })}
            />
          )}
        </Fold>
      </Flex>
      <FilterChips chips={chips} />
    </>
  );
}

function useImageColumns(): ListColumn<Image>[] {
  const { t } = useTranslation("images");
  const language = useLanguage();
  const mark = (is: boolean) => t(is ? "yes" : "no");
  return [
    {
      key: "title",
      title: t("column.image"),
      value: (image) => titleOf(image, language),
      cell: (image) => <ImageTitle image={image} />,
    },
    {
      key: "notebooks",
      title: t("column.notebooks"),
      value: ({ for_environments }) => mark(for_environments),
      isShort: true,
      cell: ({ for_environments }) => mark(for_environments),
    },
    {
      key: "jobs",
      title: t("column.jobs"),
      value: ({ for_training }) => mark(for_training),
      isShort: true,
      cell: ({ for_training }) => mark(for_training),
    },
  ];
}

function useImageAdminColumns(onEdit: (image: Image) => void): ListColumn<Image>[] {
  const { t } = useTranslation("images");
  return [
    {
      key: "reference",
      title: t("column.reference"),
      value: ({ reference }) => reference ?? null,
      cell: ({ reference }) =>
        reference && (
          <Flex component="span" align="flex-start" gap={4} style={{ maxWidth: "44ch" }}>
            <code className="mono" style={{ overflowWrap: "anywhere" }}>
              {reference}
            </code>
            <CopyButton text={reference} what={t("column.reference")} />
          </Flex>
        ),
    },
    {
      key: "state",
      title: t("column.state"),
      value: ({ is_active }) => t(is_active ? "offered" : "withdrawn"),
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

function ImageTitle({ image }: { image: Image }) {
  const language = useLanguage();
  return (
    <div>
      <strong>{titleOf(image, language)}</strong>
      <p className="second note">
        <code className="mono">{image.name}</code>
      </p>
      <p className="second note">
        {language === "zh-CN" ? image.description_zh : image.description_en}
      </p>
    </div>
  );
}

/** What an administrator may do to an image. It cannot be deleted, because past work names it. */
function ImageActions({ image, onEdit }: { image: Image; onEdit: () => void }) {
  const { t } = useTranslation(["images", "ui"]);
  const showProblem = useProblemMessage();
  const offer = useOfferImage(image.id);
  const { name, is_active: isOffered } = image;
  const turn = () => offer.mutate(!isOffered, { onError: showProblem });
  return (
    <Flex gap={8} wrap>
      <Button size="small" aria-label={t("editTitle", { name })} onClick={onEdit}>
        {t("edit")}
      </Button>
      <Confirm
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
          loading={offer.isPending}
        >
          {t(isOffered ? "withdraw" : "offer")}
        </Button>
      </Confirm>
    </Flex>
  );
}
