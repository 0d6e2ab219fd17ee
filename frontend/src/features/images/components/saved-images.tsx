import { Button, Flex } from "antd";
import { useState } from "react";
import type { SavedImage } from "@/shared/api/types";
import { formatMemory } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListOfQuery, moreOf } from "@/shared/lists/components/list-table";
import { useCanSubmit, useMe } from "@/shared/session/me";
import { CopyButton } from "@/shared/ui/code-block";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { later } from "@/shared/ui/opening";
import { EmptyState, QueryBoundary, useProblemMessage } from "@/shared/ui/query-states";
import { Age, Deadline } from "@/shared/ui/time";
import {
  loadAllSavedImages,
  useChangeSavedImage,
  useImageBuilding,
  useRemoveSavedImage,
  useSavedImages,
} from "../api/saved-images";
import { mibOf } from "../model/image";
import { FoundCounts, SaveBlocker } from "./image-save-panel";

const LaterBuild = later(async () => (await import("./image-builds")).BuildDialog);
const LaterSavedImage = later(async () => (await import("./saved-image-fields")).SavedImageDialog);
const LaterSavedNodes = later(async () => (await import("./image-nodes")).ImageNodesDrawer);
const LaterSavedScan = later(async () => (await import("./image-scan")).ImageScanDrawer);

/** The images that people saved from notebooks, as far as the reader may use them. */
export function SavedImages() {
  const { t } = useTranslation("images");
  const [edited, setEdited] = useState<SavedImage | null>(null);
  const [shown, setShown] = useState<SavedImage | null>(null);
  const [scanned, setScanned] = useState<SavedImage | null>(null);
  const images = useSavedImages();
  return (
    <>
      <ListOfQuery
        id="saved-images"
        query={images}
        canRetry={false}
        serverSorts={[]}
        loadAll={loadAllSavedImages}
        onMore={moreOf(images)}
        isLoadingMore={images.isFetchingNextPage}
        label={t("saved.title")}
        columns={useSavedImageColumns(setEdited, setShown, setScanned)}
        rowKey={({ id }) => id}
        empty={<EmptyState title={t("saved.empty.title")} text={t("saved.empty.text")} />}
      />
      {shown && <LaterSavedNodes image={shown} onClose={() => setShown(null)} />}
      {scanned && <LaterSavedScan image={scanned} onClose={() => setScanned(null)} />}
      {edited && <LaterSavedImage image={edited} onClose={() => setEdited(null)} />}
    </>
  );
}

function useSavedImageColumns(
  onEdit: (image: SavedImage) => void,
  onNodes: (image: SavedImage) => void,
  onScan: (image: SavedImage) => void,
): ListColumn<SavedImage>[] {
  const { t } = useTranslation("images");
  const language = useLanguage();
  const me = useMe();
  const usedBy = ({ owner, is_shared, group }: SavedImage) => {
    if (is_shared) return t("saved.group", { group: titleOf(group, language) });
    return owner.id === me.id ? t("saved.onlyMe") : owner.display_name || owner.username;
  };
  return [
    {
      key: "name",
      title: t("column.image"),
      value: ({ name }) => name,
      cell: ({ name, note, digest }) => (
        <>
          <strong className="mono">{name}</strong>
          {note && <p className="second note">{note}</p>}
          <Flex component="span" align="center" gap={4} className="second">
            <code className="mono" title={digest}>
              {digest.slice(0, 19)}…
            </code>
            <CopyButton text={digest} what={t("saved.digest")} />
          </Flex>
        </>
      ),
    },
    {
      key: "from",
      title: t("saved.from"),
      value: ({ workload_name }) => workload_name,
      cell: ({ workload_name, base, created_at }) => (
        <>
          {workload_name}
          <p className="second note">{titleOf(base, language)}</p>
          <p className="second note">
            <Age at={created_at} />
          </p>
        </>
      ),
    },
    {
      key: "size",
      title: t("saved.size"),
      isShort: true,
      value: ({ size_bytes }) => formatMemory(mibOf(size_bytes), language),
      cell: ({ size_bytes, vulnerabilities }) => (
        <>
          <span className="num">{formatMemory(mibOf(size_bytes), language)}</span>
          {vulnerabilities && (
            <p className="second note">
              <FoundCounts counts={vulnerabilities} />
            </p>
          )}
        </>
      ),
    },
    {
      key: "usedBy",
      title: t("saved.usedBy"),
      value: usedBy,
      cell: usedBy,
    },
    {
      key: "stays",
      title: t("saved.stays"),
      value: ({ leaves_at, kept_by }) => leaves_at ?? (kept_by && t(`saved.keptBy.${kept_by}`)),
      cell: ({ leaves_at, kept_by, last_used_at }) => (
        <>
          {leaves_at ? (
            <>
              {t("saved.leaves")} <Deadline at={leaves_at} />
            </>
          ) : (
            kept_by && t(`saved.keptBy.${kept_by}`)
          )}
          <p className="second note">
            {t("saved.used")} <Age at={last_used_at} />
          </p>
        </>
      ),
    },
    {
      key: "action",
      title: t("column.action"),
      cell: (image) => (
        <Flex gap={8} wrap>
          <NodesButton name={image.name} onOpen={() => onNodes(image)} />
          <ScanButton name={image.name} onOpen={() => onScan(image)} />
          {image.may_manage && <SavedImageActions image={image} onEdit={() => onEdit(image)} />}
        </Flex>
      ),
    },
  ];
}

function SavedImageActions({ image, onEdit }: { image: SavedImage; onEdit: () => void }) {
  const { t } = useTranslation("images");
  const showProblem = useProblemMessage();
  const { id, name, is_pinned } = image;
  const change = useChangeSavedImage(id);
  const turn = () => change.mutate({ is_pinned: !is_pinned }, { onError: showProblem });
  return (
    <>
      <Button
        size="small"
        aria-label={t(is_pinned ? "saved.unpinTitle" : "saved.pinTitle", { name })}
        loading={change.isPending}
        onClick={turn}
      >
        {t(is_pinned ? "saved.unpin" : "saved.pin")}
      </Button>
      <Button size="small" aria-label={t("editTitle", { name })} onClick={onEdit}>
        {t("edit")}
      </Button>
      <RemoveButton
        id={id}
        label={t("saved.removeTitle", { name })}
        question={t("saved.removeQuestion")}
        mutation={useRemoveSavedImage()}
      />
    </>
  );
}

/** Building an image of one's own: whether that is possible, and what it is built from. */
export function ImageBuilds() {
  const { t } = useTranslation("images");
  const [isOpen, setOpen] = useState(false);
  const building = useImageBuilding();
  if (!useCanSubmit()) return null;
  return (
    <QueryBoundary query={building} rows={1} canRetry={false}>
      {({ blocker, size_mib_max }) =>
        blocker ? (
          <SaveBlocker code={blocker.code} params={blocker.params} />
        ) : (
          <>
            <p className="quiet">{t("build.about")}</p>
            <Flex style={{ marginBlock: 12 }}>
              <Button onClick={() => setOpen(true)}>{t("build.open")}</Button>
            </Flex>
            {isOpen && <LaterBuild sizeMibMax={size_mib_max} onClose={() => setOpen(false)} />}
          </>
        )
      }
    </QueryBoundary>
  );
}

/** Opens the list of nodes that have an image. */
export function NodesButton({ name, onOpen }: { name: string; onOpen: () => void }) {
  const { t } = useTranslation("images");
  return (
    <Button size="small" aria-label={t("nodes.openTitle", { name })} onClick={onOpen}>
      {t("nodes.open")}
    </Button>
  );
}

/** Opens what a scanner has found in an image. */
export function ScanButton({ name, onOpen }: { name: string; onOpen: () => void }) {
  const { t } = useTranslation("images");
  return (
    <Button size="small" aria-label={t("scan.openTitle", { name })} onClick={onOpen}>
      {t("scan.open")}
    </Button>
  );
}
