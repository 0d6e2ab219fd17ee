/** The filters above a list of work; the address is their memory. */
import { useId } from "react";
import { useGroups, usePools } from "@/shared/cluster/api/cluster";
import {
  titleIn,
  titleOf,
  titleOptions,
  useLanguage,
  useTranslation,
} from "@/shared/i18n/language";
import {
  chipsOf,
  type FilterChip,
  FilterChips,
  FilterChoice,
  FilterField,
} from "@/shared/lists/components/filter-chips";
import { Fold } from "@/shared/lists/components/list-tools";
import { useMe } from "@/shared/session/me";
import { FieldInput, SearchField, Segments, Tick } from "@/shared/ui/controls";
import { type ListSearch, SHOWN, type Shown, WORK_STATES } from "../model/list-search";
import styles from "./workload.module.css";

interface ListFiltersProps {
  search: ListSearch;
  group: string | null;
  onChange: (search: ListSearch & { group?: string | undefined }) => void;
}

export function ListFilters(props: ListFiltersProps) {
  const { search, onChange } = props;
  const { t } = useTranslation(["workload", "lists"]);
  return (
    <>
      <search className={styles.filters}>
        <Segments<Shown>
          label={t("filter.show")}
          value={search.show ?? "active"}
          onChoose={(show) => onChange({ ...search, show })}
          options={SHOWN.map((value) => ({ value, label: t(`filter.${value}`) }))}
        />
        <Tick
          isOn={search.mine ?? false}
          onChange={(isOn) => onChange({ ...search, mine: isOn || undefined })}
        >
          {t("filter.mine")}
        </Tick>
        <SearchField
          label={t("filter.search")}
          value={search.q ?? ""}
          onSearch={(q) => onChange({ ...search, q: q || undefined })}
        />
        <Fold label={t("lists:filters.label")}>
          <MoreFilters {...props} />
        </Fold>
      </search>
      <FilterChips chips={useChips(search, props.group)} />
    </>
  );
}

function MoreFilters({ search, group, onChange }: ListFiltersProps) {
  const { t } = useTranslation(["lists", "workload"]);
  const language = useLanguage();
  const me = useMe();
  const people = useId();
  const pools = usePools().data ?? [];
  const groups = useGroups().data ?? [];
  const models = [...new Set(pools.flatMap((pool) => pool.models.map(({ name }) => name)))];
  const set = (patch: Partial<ListFiltersProps["search"]>) => onChange({ ...search, ...patch });
  return (
    <>
      <FilterChoice
        label={t("workload:column.state")}
        value={search.state}
        options={WORK_STATES.map((value) => ({ value, label: t(`workload:state.${value}`) }))}
        onChoose={(state) => set({ state })}
      />
      <FilterChoice
        label={t("workload:fact.pool")}
        value={search.pool}
        options={pools.map((pool) => ({ value: pool.id, label: titleOf(pool, language) }))}
        onChoose={(pool) => set({ pool })}
      />
      <FilterChoice
        label={t("workload:fact.group")}
        value={group ?? undefined}
        options={titleOptions(groups, language)}
        onChoose={(chosen) => onChange({ ...search, group: chosen })}
      />
      <FilterChoice
        label={t("filters.model")}
        value={search.model}
        options={models.map((name) => ({ value: name, label: name }))}
        onChoose={(model) => set({ model })}
      />
      <FilterField label={t("filters.owner")}>
        <FieldInput list={people} value={search.owner} onEnter={(owner) => set({ owner })} />
        <datalist id={people}>
          <option value={me.username} />
        </datalist>
      </FilterField>
      <Tick isOn={search.left ?? false} onChange={(isOn) => set({ left: isOn || undefined })}>
        {t("workload:filter.left")}
      </Tick>
      <FilterField label={t("filters.tag")}>
        <FieldInput maxLength={32} value={search.tag} onEnter={(tag) => set({ tag })} />
      </FilterField>
      <FilterField label={t("filters.since")}>
        <FieldInput type="date" value={search.since} onEnter={(since) => set({ since })} />
      </FilterField>
      <FilterField label={t("filters.until")}>
        <FieldInput type="date" value={search.until} onEnter={(until) => set({ until })} />
      </FilterField>
    </>
  );
}

/** In words what is filtered; what a list shows by default is no filter. */
function useChips(search: ListSearch, group: string | null): FilterChip[] {
  const { t } = useTranslation(["lists", "workload"]);
  const language = useLanguage();
  const pools = usePools().data ?? [];
  const groups = useGroups(group !== null).data ?? [];
  const pool = pools.find(({ id }) => id === search.pool);
  return chipsOf([
    ["show", t("workload:filter.show"), search.show && t(`workload:filter.${search.show}`)],
    ["mine", t("filters.owner"), search.mine && t("workload:filter.mine")],
    ["q", t("workload:column.name"), search.q],
    ["state", t("workload:column.state"), search.state && t(`workload:state.${search.state}`)],
    ["pool", t("workload:fact.pool"), search.pool && (pool ? titleOf(pool, language) : "…")],
    [
      "group",
      t("workload:fact.group"),
      group ? (titleIn(groups, group, language) ?? "…") : undefined,
    ],
    ["owner", t("filters.owner"), search.owner],
    ["left", t("filters.owner"), search.left && t("workload:filter.left")],
    ["model", t("filters.model"), search.model],
    ["tag", t("filters.tag"), search.tag],
    ["since", t("filters.since"), search.since],
    ["until", t("filters.until"), search.until],
  ]);
}
