import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useSyncExternalStore } from "react";
import type { CardMap } from "@/shared/api/types";
import { useCardMap, useCardUpdates, useCardValues } from "@/shared/cluster/api/nodes";
import { BerthLegend, looksWith } from "@/shared/cluster/components/berth-strip";
import { cardsOf, type MapCard } from "@/shared/cluster/model/board";
import { SCALE, unheldUse } from "@/shared/cluster/model/cells";
import { formatDuration, formatGpus, formatNumber } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useConfig } from "@/shared/session/me";
import { NativeSelect, Segments } from "@/shared/ui/controls";
import { later } from "@/shared/ui/opening";
import { PageHeader, Panel } from "@/shared/ui/page";
import { EmptyState, QueryBoundary } from "@/shared/ui/query-states";
import { useNow } from "@/shared/ui/time";
import { SimulatedBadge } from "@/shared/workload/components/tags";
import { colouringOf, isMeasure, type MapColouring } from "../model/card-paint";
import {
  CARD_COLOURS,
  CARD_STATES,
  type CardSearch,
  IDLE_MINUTES,
  readCardSearch,
} from "../model/card-search";
import { chosenCards, holdersIn, sumsOf } from "../model/cards";
import { CardCanvas } from "./card-canvas";
import styles from "./card-map.module.css";
import { CardTable } from "./card-words";

const LaterCardDrawer = later(async () => (await import("./node-dialogs")).CardDrawer);

/** Absent values are taken out of the address. */
type SearchChange = { [Name in keyof CardSearch]: CardSearch[Name] | undefined };

interface SearchProps {
  search: CardSearch;
  onSearch: (change: SearchChange) => void;
}

/** Every GPU of the cluster by pool and node. */
export function CardMapPage() {
  const { t } = useTranslation("nodes");
  const isSimulated = useConfig()?.is_simulated;
  const raw: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (next: SearchChange) =>
    void navigate({
      to: "/nodes/map",
      search: (old) => readCardSearch({ ...old, ...next }),
      replace: true,
    });
  return (
    <>
      <PageHeader
        title={t("map.title")}
        about={
          <>
            {t("map.about")} <Link to="/nodes">{t("map.nodes")}</Link>{" "}
            {isSimulated && <SimulatedBadge />}
          </>
        }
      />
      <CardMapPanel search={readCardSearch(raw)} onSearch={change} />
    </>
  );
}

/** The map or the table with its filters. */
export function CardMapPanel({ search, onSearch }: SearchProps) {
  return (
    <QueryBoundary query={useCardMap()} rows={12}>
      {(map) => <MapOfCards map={map} search={search} onSearch={onSearch} />}
    </QueryBoundary>
  );
}

function MapOfCards({ map, search, onSearch }: SearchProps & { map: CardMap }) {
  const { t } = useTranslation("nodes");
  useCardUpdates();
  const isWide = useSyncExternalStore(watchMapWidth, () => forMap().matches);
  const cards = useMemo(() => cardsOf(map), [map]);
  // To the minute: the map is placed again when this changes what is chosen.
  const minute = Math.floor(useNow().getTime() / 60_000) * 60_000;
  const chosen = useMemo(() => chosenCards(cards, search, minute), [cards, search, minute]);
  const view = search.view ?? (isWide ? "map" : "table");
  const open = (card: MapCard) => onSearch({ card: card.id });
  const opened = cards.find(({ id }) => id === search.card);
  if (cards.length === 0) return <EmptyState title={t("empty.title")} text={t("empty.text")} />;
  return (
    <div className="stack">
      <CardFilters map={map} cards={cards} search={search} onSearch={onSearch} view={view} />
      <Panel title={t("map.cards")} extra={<Sums cards={chosen} all={cards} search={search} />}>
        {map.cards_total > cards.length && (
          <p>{t("map.cut", { count: map.cards_total - cards.length })}</p>
        )}
        {chosen.length === 0 ? (
          <EmptyState title={t("map.none.title")} text={t("map.none.text")} />
        ) : view === "table" ? (
          <CardTable map={map} cards={chosen} onOpen={open} />
        ) : (
          <ColouredMap map={map} cards={cards} chosen={chosen} search={search} onOpen={open} />
        )}
      </Panel>
      {opened && (
        <LaterCardDrawer map={map} card={opened} onClose={() => onSearch({ card: undefined })} />
      )}
    </div>
  );
}

interface ColouredMapProps {
  map: CardMap;
  cards: readonly MapCard[];
  chosen: readonly MapCard[];
  search: CardSearch;
  onOpen: (card: MapCard) => void;
}

function ColouredMap({ map, cards, chosen, search, onOpen }: ColouredMapProps) {
  const colour = search.colour ?? "state";
  const values = useCardValues().data;
  const power = colour === "power" ? values?.power_w : undefined;
  const colouring = useMemo(() => colouringOf(colour, cards, power ?? []), [colour, cards, power]);
  return (
    <>
      <CardLegend colouring={colouring} cards={cards} />
      <CardCanvas map={map} cards={chosen} colouring={colouring} onOpen={onOpen} />
    </>
  );
}

/** What the colours mean. */
function CardLegend({ colouring, cards }: { colouring: MapColouring; cards: readonly MapCard[] }) {
  const { t } = useTranslation("nodes");
  const language = useLanguage();
  const { colour, range, hueOf } = colouring;
  if (isMeasure(colour)) {
    const unit = (value: number) =>
      t(`map.scale.${colour}`, { value: formatNumber(value, language) });
    return (
      <div className={styles.scale}>
        <span className="num">{unit(range[0])}</span>
        <span
          className={styles.ramp}
          style={{ background: `linear-gradient(90deg, ${SCALE.join(", ")})` }}
          aria-hidden
        />
        <span className="num">{unit(range[1])}</span>
        <span className="quiet">{t("map.scale.none")}</span>
      </div>
    );
  }
  if (colour === "team") {
    const titles = new Map(
      holdersIn(cards, language).teams.map(({ value, label }) => [value, label]),
    );
    return (
      <ul className={styles.legend} aria-label={t("map.legend")}>
        {[...hueOf].map(([id, hue]) => (
          <li key={id}>
            <span className={styles.swatch} data-hue={hue} aria-hidden />
            {titles.get(id)}
          </li>
        ))}
        <li>
          <span className={styles.swatch} data-hue="other" aria-hidden />
          {t("map.otherTeams")}
        </li>
      </ul>
    );
  }
  return (
    <div className={styles.legends}>
      <BerthLegend uses={looksWith(cards.map(({ state, node }) => unheldUse(state, node.state)))} />
      <ul className={styles.legend}>
        <li>
          <span className={styles.swatch} data-hue="idle" aria-hidden />
          {t("map.state.idle")}
        </li>
      </ul>
    </div>
  );
}

interface SumsProps {
  cards: readonly MapCard[];
  all: readonly MapCard[];
  search: CardSearch;
}

/** What the chosen cards add up to; the overview counts the same. */
function Sums({ cards, all, search }: SumsProps) {
  const { t } = useTranslation("nodes");
  const language = useLanguage();
  const { held, free, out, faulty, lost, idle_milli } = sumsOf(cards, search);
  const count = (value: number) => formatNumber(value, language);
  return (
    <span className="second num" data-testid="card-sums">
      {[
        t("map.sum.shown", {
          count: cards.length,
          shown: count(cards.length),
          total: count(all.length),
        }),
        t("map.sum.held", { amount: count(held) }),
        t("map.sum.idle", { amount: formatGpus(idle_milli, language) }),
        t("map.sum.free", { amount: count(free) }),
        t("map.sum.out", { amount: count(out) }),
        faulty > 0 && t("map.sum.faulty", { amount: count(faulty) }),
        lost > 0 && t("map.sum.lost", { amount: count(lost) }),
      ]
        .filter(Boolean)
        .join(" · ")}
    </span>
  );
}

interface CardFiltersProps extends SearchProps {
  map: CardMap;
  cards: readonly MapCard[];
  view: "map" | "table";
}

/** Which cards, and what their colours say. */
function CardFilters({ map, cards, search, onSearch, view }: CardFiltersProps) {
  const { t } = useTranslation("nodes");
  const language = useLanguage();
  const { people, teams } = useMemo(() => holdersIn(cards, language), [cards, language]);
  const idle = [...new Set([...IDLE_MINUTES, ...(search.idle ? [search.idle] : [])])];
  return (
    <div className={styles.filters}>
      <CardFilter
        label={t("map.column.pool")}
        value={search.pool}
        options={map.pools.map((pool) => ({ value: pool.name, label: titleOf(pool, language) }))}
        onChange={(pool) => onSearch({ pool })}
      />
      <CardFilter
        label={t("map.model")}
        value={search.model}
        options={map.models.map((model) => ({ value: model, label: model }))}
        onChange={(model) => onSearch({ model })}
      />
      <CardFilter
        label={t("map.column.state")}
        value={search.state}
        options={CARD_STATES.map((state) => ({ value: state, label: t(`map.state.${state}`) }))}
        onChange={(state) => onSearch({ state })}
      />
      <CardFilter
        label={t("map.team")}
        value={search.team}
        options={withChosen(teams, search.team, t("map.holdsNothing"))}
        onChange={(team) => onSearch({ team })}
      />
      <CardFilter
        label={t("map.owner")}
        value={search.owner}
        options={withChosen(people, search.owner, t("map.holdsNothing"))}
        onChange={(owner) => onSearch({ owner })}
      />
      <CardFilter
        label={t("map.idleFor")}
        value={search.idle}
        options={idle.map((minutes) => ({
          value: minutes,
          label: t("map.longerThan", { time: formatDuration(minutes * 60, language) }),
        }))}
        onChange={(minutes) => onSearch({ idle: minutes })}
      />
      {view === "map" && (
        <NativeSelect
          label={t("map.colourBy")}
          value={search.colour ?? "state"}
          options={CARD_COLOURS.map((colour) => ({
            value: colour,
            label: t("map.colouredBy", { what: t(`map.colour.${colour}`) }),
          }))}
          onChoose={(colour) => onSearch({ colour: colour === "state" ? undefined : colour })}
        />
      )}
      <Segments
        label={t("map.view")}
        value={view}
        options={[
          { value: "map", label: t("map.asMap") },
          { value: "table", label: t("map.asTable") },
        ]}
        onChoose={(chosen) => onSearch({ view: chosen })}
      />
    </div>
  );
}

/** The options, also for whoever stands in the address and holds nothing any more. */
function withChosen(
  options: { value: string; label: string }[],
  chosen: string | undefined,
  label: string,
) {
  if (!chosen || options.some(({ value }) => value === chosen)) return options;
  return [{ value: chosen, label }, ...options];
}

interface CardFilterProps<Value extends string | number> {
  label: string;
  value: Value | undefined;
  options: { value: Value; label: string }[];
  onChange: (value: Value | undefined) => void;
}

function CardFilter<Value extends string | number>(props: CardFilterProps<Value>) {
  const { label, value, options, onChange } = props;
  return (
    <NativeSelect
      label={label}
      value={value === undefined ? "" : String(value)}
      options={[
        { value: "", label },
        ...options.map((each) => ({ ...each, value: String(each.value) })),
      ]}
      onChoose={(chosen) => onChange(options.find((each) => String(each.value) === chosen)?.value)}
    />
  );
}

/** Below this a map of thousands is too small for fingers: a list stands there. */
function forMap(): MediaQueryList {
  return matchMedia("(min-width: 768px)");
}

function watchMapWidth(listener: () => void): () => void {
  const query = forMap();
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}
