import { useNavigate } from "@tanstack/react-router";
import { Input, Modal } from "antd";
import { type KeyboardEvent, useId, useState } from "react";
import { useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isOperator, isPlatformAdmin } from "@/shared/session/roles";
import { useHits, useLiveWork } from "../api/search";
import { actsFor, isBegun, objectOf, type QuickAct, readCommand, VERBS } from "../model/commands";
import {
  entriesFor,
  type Found,
  lineOfAct,
  lineOfEntry,
  lineOfHit,
  lineOfVerb,
  type QuickEntry,
} from "../model/entries";
import { FoundList } from "./found-list";

interface CommandPaletteProps {
  entries: readonly QuickEntry[];
  /** Does what was chosen; what has an effect asks first. */
  onAct: (act: QuickAct) => void;
  onClose: () => void;
}

/** Leads to any page, begins and ends work, and finds work, people and things by name; all of it by keys. */
export function CommandPalette({ entries, onAct, onClose }: CommandPaletteProps) {
  const { t } = useTranslation("palette");
  const navigate = useNavigate();
  const id = useId();
  const [text, setText] = useState("");
  const [marked, setMarked] = useState(0);
  const found = useFound(text, entries);
  const at = Math.min(marked, found.length - 1);
  const type = (typed: string) => {
    setText(typed);
    setMarked(0);
  };
  const go = (chosen: Found | undefined) => {
    if (!chosen) return;
    const { leads } = chosen;
    if ("verb" in leads) return type(`${t(`verb.${leads.verb}`)} `);
    if ("act" in leads) return onAct(leads.act);
    onClose();
    void navigate({ href: leads.to });
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setMarked((at + step + found.length) % Math.max(found.length, 1));
    else if (event.key === "Enter" && !event.nativeEvent.isComposing) go(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Modal open footer={null} onCancel={onClose} title={t("title")} width={560}>
      <Input
        autoFocus
        role="combobox"
        aria-label={t("search")}
        aria-expanded
        aria-autocomplete="list"
        aria-controls={id}
        aria-activedescendant={found.length > 0 ? `${id}${at}` : undefined}
        placeholder={t("search")}
        autoComplete="off"
        spellCheck={false}
        maxLength={100}
        value={text}
        onChange={({ target }) => type(target.value)}
        onKeyDown={press}
      />
      <FoundList id={id} found={found} at={at} onMark={setMarked} onChoose={go} />
      {found.length === 0 && (
        <p className="quiet" role="status">
          {t("nothing", { text })}
        </p>
      )}
      <p className="second">{t("help")}</p>
    </Modal>
  );
}

/** What is meant by what was typed: what can be done comes first, then pages, then what is called so. */
function useFound(text: string, entries: readonly QuickEntry[]): Found[] {
  const { t } = useTranslation("palette");
  const me = useMe();
  const words = { open: t("verb.open"), stop: t("verb.stop"), drain: t("verb.drain") };
  const verbs = VERBS.filter((verb) => verb !== "drain" || isOperator(me));
  const command = readCommand(text, verbs, words);
  const hits = useHits(command.rest);
  const works = useLiveWork(command);
  const acts = actsFor(command, hits, works).map((act) => ({
    ...lineOfAct(act),
    label: t(`act.${act.verb}`, { name: objectOf(act) }),
  }));
  const ways = hits.map((hit) => lineOfHit(hit, isPlatformAdmin(me)));
  if (command.verb) return command.verb === "open" ? [...acts, ...ways] : acts;
  const begun = verbs
    .filter((verb) => isBegun(verb, text) || isBegun(words[verb], text))
    .map((verb) => lineOfVerb(verb, t(`begin.${verb}`)));
  const lines = entriesFor(entries, text).map(lineOfEntry);
  const isAct = ({ group }: Found) => group === "acts";
  return [...lines.filter(isAct), ...begun, ...lines.filter((line) => !isAct(line)), ...ways];
}
