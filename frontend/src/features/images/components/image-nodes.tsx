import { Drawer, Flex } from "antd";
import type { ReactNode } from "react";
import type { ImageNodes } from "@/shared/api/types";
import { NodeChoice } from "@/shared/cluster/components/node-choice";
import { formatMemory, formatNumber } from "@/shared/i18n/format";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useOwnSort } from "@/shared/lists/api/address";
import { type ListColumn, ListTable } from "@/shared/lists/components/list-table";
import { CopyButton } from "@/shared/ui/code-block";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { ProgressBar } from "@/shared/ui/controls";
import { QueryBoundary, useProblemMessage } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useCancelPulls, useImageNodes, usePullImage } from "../api/images";
import { isPulling, mibOf } from "../model/image";

type ImageNode = ImageNodes["nodes"][number];

interface ImageNodesDrawerProps {
  image: { id: string; name: string };
  /** What stands above the nodes. */
  about?: ReactNode;
  onClose: () => void;
}

/** On which nodes an image is, and, for operators, pulling it to others now. */
export function ImageNodesDrawer({ image, about, onClose }: ImageNodesDrawerProps) {
  const { t } = useTranslation("images");
  return (
    <Drawer open size={960} title={t("nodes.openTitle", { name: image.name })} onClose={onClose}>
      <div className="stack">
        {about}
        <QueryBoundary query={useImageNodes(image.id)} rows={4} canRetry={false}>
          {(found) => <NodesOfImage imageId={image.id} found={found} />}
        </QueryBoundary>
      </div>
    </Drawer>
  );
}

function NodesOfImage({ imageId, found }: { imageId: string; found: ImageNodes }) {
  const { t } = useTranslation("images");
  const language = useLanguage();
  const columns = useNodeColumns();
  const sorting = useOwnSort();
  const cancel = useCancelPulls(imageId);
  const { nodes, may_pull } = found;
  if (nodes.length === 0) return <p className="quiet">{t("nodes.none")}</p>;
  const here = nodes.filter(({ cached }) => cached).length;
  return (
    <div className="stack">
      <p>
        {t("nodes.count", {
          here: formatNumber(here, language),
          all: formatNumber(nodes.length, language),
        })}
      </p>
      {may_pull && <PullForm imageId={imageId} nodes={nodes} />}
      <ListTable
        id="image-nodes"
        order={sorting}
        label={t("nodes.open")}
        columns={columns}
        rows={nodes}
        rowKey={({ id }) => id}
      />
      {may_pull && nodes.some(isPulling) && (
        <Flex>
          <ConfirmButton
            action={t("nodes.cancel")}
            label={t("nodes.cancel")}
            question={t("nodes.cancelQuestion")}
            mutation={cancel}
            input={undefined}
          />
        </Flex>
      )}
    </div>
  );
}

function PullForm({ imageId, nodes }: { imageId: string; nodes: ImageNode[] }) {
  const { t } = useTranslation("images");
  const showProblem = useProblemMessage();
  const pull = usePullImage(imageId);
  return (
    <NodeChoice
      action={t("nodes.pull")}
      about={t("nodes.pullAbout")}
      nodes={nodes}
      lacking={nodes.filter(({ cached, reported_at }) => !cached && reported_at)}
      isPending={pull.isPending}
      onChoose={(where, onDone) => pull.mutate(where, { onSuccess: onDone, onError: showProblem })}
    />
  );
}

function useNodeColumns(): ListColumn<ImageNode>[] {
  const { t } = useTranslation("images");
  const language = useLanguage();
  return [
    {
      key: "node",
      title: t("nodes.node"),
      value: ({ name }) => name,
      cell: ({ name, pool }) => (
        <>
          {name}
          <p className="second note">{titleOf(pool, language)}</p>
        </>
      ),
    },
    {
      key: "copy",
      title: t("nodes.copy"),
      value: ({ cached }) => cached && mibOf(cached.size_bytes),
      cell: (node) => <NodeCopy node={node} />,
    },
    {
      key: "since",
      title: t("nodes.since"),
      value: ({ cached }) => cached?.since ?? null,
      cell: ({ cached }) =>
        cached && (cached.since ? <Age at={cached.since} /> : t("nodes.notKnown")),
    },
    {
      key: "used",
      title: t("nodes.used"),
      value: ({ cached }) => cached?.used_at ?? null,
      cell: ({ cached }) =>
        cached && (cached.used_at ? <Age at={cached.used_at} /> : t("nodes.notKnown")),
    },
    { key: "pull", title: t("nodes.pull"), cell: ({ pull }) => <LastPull pull={pull} /> },
  ];
}

function NodeCopy({ node: { cached, reported_at } }: { node: ImageNode }) {
  const { t } = useTranslation("images");
  const language = useLanguage();
  if (!cached) {
    return <span className="second">{t(reported_at ? "nodes.absent" : "nodes.unknown")}</span>;
  }
  const { digest, layers, size_bytes } = cached;
  return (
    <>
      {t("nodes.layers", {
        size: formatMemory(mibOf(size_bytes), language),
        layers: formatNumber(layers, language),
      })}
      {digest && (
        <Flex component="span" align="center" gap={4} className="second">
          <code className="mono" title={digest}>
            {digest.slice(0, 19)}…
          </code>
          <CopyButton text={digest} what={t("saved.digest")} />
        </Flex>
      )}
    </>
  );
}

function LastPull({ pull }: { pull: ImageNode["pull"] }) {
  const { t } = useTranslation("images");
  const coded = useCodedText();
  if (!pull) return null;
  const [code = "", ...rest] = pull.detail.split(": ");
  return (
    <>
      {t(`nodes.state.${pull.state}`)}
      {pull.state === "pulling" && <ProgressBar percent={pull.progress_pct} />}
      {pull.state === "failed" && (
        <p className="second note">
          {coded(`images:failure.${code}`, { detail: rest.join(": ") }) ?? pull.detail}
        </p>
      )}
      <p className="second note">
        <Age at={pull.ended_at ?? pull.created_at} />
      </p>
    </>
  );
}
