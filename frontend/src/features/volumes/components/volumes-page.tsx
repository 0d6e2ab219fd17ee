import { Link } from "@tanstack/react-router";
import { Button, Flex, Tag } from "antd";
import { useState } from "react";
import type { Volume } from "@/shared/api/types";
import { useVolumes } from "@/shared/cluster/api/volumes";
import { formatMemory, formatNumber } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useAddress } from "@/shared/lists/api/address";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { useMe, usePlaceOf } from "@/shared/session/me";
import { isGroupAdmin, isPlatformAdmin } from "@/shared/session/roles";
import { CopyButton } from "@/shared/ui/code-block";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { Tick } from "@/shared/ui/controls";
import { Meter } from "@/shared/ui/meter";
import { MoreActions } from "@/shared/ui/more-actions";
import { later } from "@/shared/ui/opening";
import { PageHeader } from "@/shared/ui/page";
import { EmptyState } from "@/shared/ui/query-states";
import { Age, Deadline } from "@/shared/ui/time";
import { useRestoreVolume, useTrashVolume } from "../api/volumes";
import { inOrder } from "../model/volume";
import { GroupSpacePanel } from "./group-space-panel";

const LaterVolumeUsers = later(async () => (await import("./volume-dialog")).VolumeUsers);
const LaterVolumeDialog = later(async () => (await import("./volume-dialog")).VolumeDialog);

/** My home and the volumes of my groups: where they are mounted, how full, who may write. */
export function VolumesPage() {
  const { t } = useTranslation("volumes");
  const me = useMe();
  const [edited, setEdited] = useState<Volume | "new" | null>(null);
  const [asked, setAsked] = useState<Volume | null>(null);
  const columns = useVolumeColumns({ onEdit: setEdited, onUsers: setAsked });
  const volumes = useVolumes();
  const { search, change } = useAddress();
  const showsOthers = search.homes === "all";
  const isOthers = ({ owner }: Volume) => owner !== null && owner.id !== me.id;
  const others = volumes.data?.filter(isOthers).length ?? 0;
  const shown = volumes.data?.filter((volume) => showsOthers || !isOthers(volume));
  const mayCreate = isGroupAdmin(me) || isPlatformAdmin(me);
  return (
    <>
      <PageHeader
        title={t("title")}
        about={t("about")}
        actions={
          mayCreate && (
            <Button type="primary" onClick={() => setEdited("new")}>
              {t("create")}
            </Button>
          )
        }
      />
      <div className="stack">
        {others > 0 && (
          <Tick isOn={showsOthers} onChange={(isOn) => change({ homes: isOn ? "all" : undefined })}>
            {t("othersHomes", { count: others })}
          </Tick>
        )}
        <ListOfQuery
          id="volumes"
          query={{ ...volumes, data: shown && inOrder(shown, me.id) } as typeof volumes}
          label={t("title")}
          columns={columns}
          rowKey={({ id }) => id}
          empty={<EmptyState title={t("empty.title")} text={t("empty.text")} />}
        />
        {mayCreate && <GroupSpacePanel />}
      </div>
      {edited && (
        <LaterVolumeDialog
          volume={edited === "new" ? undefined : edited}
          onClose={() => setEdited(null)}
        />
      )}
      {asked && <LaterVolumeUsers volume={asked} onClose={() => setAsked(null)} />}
    </>
  );
}

interface VolumeActs {
  onEdit: (volume: Volume) => void;
  onUsers: (volume: Volume) => void;
}

function useVolumeColumns({ onEdit, onUsers }: VolumeActs): ListColumn<Volume>[] {
  const { t } = useTranslation("volumes");
  const language = useLanguage();
  const placeOf = usePlaceOf();
  return [
    {
      key: "name",
      title: t("column.name"),
      value: ({ name, owner }) => owner?.username ?? name,
      cell: (volume) => <VolumeName volume={volume} />,
    },
    {
      key: "mount",
      title: t("column.mount"),
      value: ({ mount_path }) => placeOf(mount_path),
      cell: ({ mount_path, access }) => (
        <>
          <Flex component="span" align="center" gap={4} style={{ display: "inline-flex" }}>
            <code className="mono">{placeOf(mount_path)}</code>
            <CopyButton text={placeOf(mount_path)} what={t("column.mount")} />
          </Flex>
          <p className="second note">{t(`access.${access}`)}</p>
        </>
      ),
    },
    {
      key: "size",
      title: t("column.size"),
      value: ({ used_mib }) => used_mib,
      cell: (volume) => <VolumeSize volume={volume} />,
    },
    {
      key: "place",
      title: t("column.place"),
      value: ({ location, node }) => (location === "node" ? node : t(`location.${location}`)),
      cell: (volume) => <VolumePlace volume={volume} />,
    },
    {
      key: "uses",
      title: t("column.uses"),
      value: ({ uses }) => uses,
      cell: (volume) =>
        volume.uses > 0 ? (
          <Button
            type="link"
            size="small"
            aria-label={t("usersOf", {
              uses: formatNumber(volume.uses, language),
              name: volume.owner?.username ?? volume.name,
            })}
            onClick={() => onUsers(volume)}
          >
            {formatNumber(volume.uses, language)}
          </Button>
        ) : (
          <span className="num">0</span>
        ),
    },
    {
      key: "action",
      title: t("column.action"),
      cell: (volume) =>
        volume.may_manage ? <VolumeActions volume={volume} onEdit={() => onEdit(volume)} /> : null,
    },
  ];
}

function VolumeName({ volume }: { volume: Volume }) {
  const language = useLanguage();
  const { t } = useTranslation("volumes");
  const me = useMe();
  const { id, name, description, owner, group, state, access, removed_at } = volume;
  const isMine = owner?.id === me.id;
  const title = isMine ? t("myHome") : name;
  return (
    <>
      {access === "none" ? (
        <strong>{title}</strong>
      ) : (
        <Link to="/files" search={{ volume: id }}>
          <strong>{title}</strong>
        </Link>
      )}{" "}
      {state === "trashed" && <Tag>{t("inTrash")}</Tag>}
      {!isMine && (
        <p className="second note">{(group && titleOf(group, language)) ?? owner?.display_name}</p>
      )}
      {description && <p className="second note">{description}</p>}
      {removed_at && (
        <p className="second note">
          {t("removedAt")} <Deadline at={removed_at} />
        </p>
      )}
    </>
  );
}

/** How full it is; a dash before it was measured. */
function VolumeSize({ volume }: { volume: Volume }) {
  const { t } = useTranslation("volumes");
  const language = useLanguage();
  const { used_mib, quota_mib, measured_at, is_full } = volume;
  const quota = quota_mib > 0 ? formatMemory(quota_mib, language) : t("unlimited");
  if (used_mib === null) return <span className="second">{t("notMeasured", { quota })}</span>;
  const used = formatMemory(used_mib, language);
  return (
    <div style={{ minWidth: 160 }}>
      <Meter
        label={is_full ? t("full") : t("used")}
        amount={t("amount", { used, quota })}
        used={used_mib}
        limit={quota_mib > 0 ? quota_mib : null}
      />
      <p className="second note">
        <Age at={measured_at} />
        {is_full && ` · ${t("fullAbout")}`}
      </p>
    </div>
  );
}

function VolumePlace({ volume: { location, node } }: { volume: Volume }) {
  const { t } = useTranslation("volumes");
  if (location !== "node") return <>{t(`location.${location}`)}</>;
  return (
    <>
      {node}
      <p className="second note">{t("location.node")}</p>
    </>
  );
}

function VolumeActions({ volume, onEdit }: { volume: Volume; onEdit: () => void }) {
  const { t } = useTranslation("volumes");
  const { id, state } = volume;
  // Homes have all the same name.
  const name = volume.owner?.username ?? volume.name;
  const trash = useTrashVolume();
  const restore = useRestoreVolume();
  if (state === "trashed") {
    return (
      <ConfirmButton
        action={t("restore")}
        label={t("restoreNamed", { name })}
        question={t("restoreQuestion")}
        mutation={restore}
        input={id}
      />
    );
  }
  return (
    <MoreActions label={t("moreOf", { name })}>
      <Button size="small" aria-label={t("changeNamed", { name })} onClick={onEdit}>
        {t("change")}
      </Button>
      <ConfirmButton
        action={t("trash")}
        label={t("trashNamed", { name })}
        question={t("trashQuestion")}
        isDangerous
        mutation={trash}
        input={id}
      />
    </MoreActions>
  );
}
