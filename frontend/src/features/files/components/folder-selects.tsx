import { Select } from "antd";
import type { Volume } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { useSnapshots } from "../api/files";
import type { FileSearch, FileSort } from "../model/paths";

interface SnapshotSelectProps {
  volume: Volume;
  snapshot: string | undefined;
  /** Empty is the volume as it is now. */
  onSnapshot: (snapshot: string) => void;
}

/** As it is now, or as it was; nothing where the storage makes no snapshots. */
export function SnapshotSelect({ volume, snapshot = "", onSnapshot }: SnapshotSelectProps) {
  const { t } = useTranslation("files");
  const names = useSnapshots(volume.id).data?.map(({ name }) => name) ?? [];
  if (names.length === 0 && !snapshot) return null;
  const shown = snapshot && !names.includes(snapshot) ? [snapshot, ...names] : names;
  return (
    <Select
      aria-label={t("snapshot.label")}
      value={snapshot}
      style={{ minWidth: 170 }}
      showSearch={{ optionFilterProp: "label" }}
      options={[
        { value: "", label: t("snapshot.now") },
        ...shown.map((name) => ({ value: name, label: name })),
      ]}
      onChange={onSnapshot}
    />
  );
}

interface SortSelectProps {
  search: FileSearch;
  onSort: (order: Pick<FileSearch, "sort" | "descending">) => void;
}

/** By what the entries are sorted. */
export function SortSelect({ search, onSort }: SortSelectProps) {
  const { t } = useTranslation("files");
  const orders = [
    ["name", false],
    ["name", true],
    ["modified", true],
    ["modified", false],
    ["size", true],
    ["size", false],
  ] as const satisfies readonly (readonly [FileSort, boolean])[];
  return (
    <Select
      aria-label={t("sort.label")}
      value={`${search.sort ?? "name"}.${search.descending ?? false}`}
      style={{ minWidth: 170 }}
      options={orders.map(([sort, isDescending]) => ({
        value: `${sort}.${isDescending}`,
        label: t(`sort.${sort}${isDescending ? "Down" : "Up"}`),
      }))}
      onChange={(value: string) => {
        const [sort, isDescending] = value.split(".") as [FileSort, string];
        onSort({ sort, ...(isDescending === "true" && { descending: true }) });
      }}
    />
  );
}
