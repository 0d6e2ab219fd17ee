import { useNavigate } from "@tanstack/react-router";
import { Input, Modal } from "antd";
import { type KeyboardEvent, useId, useState } from "react";
import type { Hit, WorkloadState } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { StateTag } from "@/shared/workload/components/tags";
import { useHits } from "../api/search";
import { entriesFor, HIT_GROUPS, pageOf, type QuickEntry } from "../model/entries";
import styles from "./palette.module.css";

interface CommandPaletteProps {
  entries: readonly QuickEntry[];
  onClose: () => void;
}

interface Found {
  to: string;
  label: string;
  group: QuickEntry["group"] | (typeof HIT_GROUPS)[Hit["kind"]];
  hit?: Hit;
}

/** Leads to any page, begins work, and finds work, people and things by name; all of it by keys. */
export function CommandPalette({ entries, onClose }: CommandPaletteProps) {
  const { t } = useTranslation("palette");
  const navigate = useNavigate();
  const id = useId();
  const [text, setText] = useState("");
  const [marked, setMarked] = useState(0);
  const hits = useHits(text);
  const mayManagePeople = isPlatformAdmin(useMe());
  const found: Found[] = [
    ...entriesFor(entries, text),
    ...hits.map((hit) => ({
      to: pageOf(hit, mayManagePeople),
      label: hit.name,
      group: HIT_GROUPS[hit.kind],
      hit,
    })),
  ];
  const at = Math.min(marked, found.length - 1);
  const go = (entry: Found | undefined) => {
    if (!entry) return;
    onClose();
    void navigate({ href: entry.to });
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
        aria-controls={id}
        aria-activedescendant={found.length > 0 ? `${id}${at}` : undefined}
        placeholder={t("search")}
        autoComplete="off"
        spellCheck={false}
        maxLength={100}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setMarked(0);
        }}
        onKeyDown={press}
      />
      <div id={id} role="listbox" aria-label={t("found")} className={styles.found}>
        {found.map((entry, index) => (
          <div key={`${entry.group} ${entry.hit?.id ?? entry.to}`} role="presentation">
            {entry.group !== found[index - 1]?.group && (
              <div className={styles.group} role="presentation">
                {t(`group.${entry.group}`)}
              </div>
            )}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and the keys */}
            <div
              id={`${id}${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              className={styles.entry}
              ref={(element) => {
                if (index === at) element?.scrollIntoView({ block: "nearest" });
              }}
              onMouseMove={() => setMarked(index)}
              onClick={() => go(entry)}
            >
              <span className={styles.label}>{entry.label}</span>
              {entry.hit && <span className="second">{entry.hit.detail}</span>}
              {entry.group === "work" && entry.hit && (
                <StateTag state={entry.hit.state as WorkloadState} />
              )}
            </div>
          </div>
        ))}
      </div>
      {found.length === 0 && (
        <p className="quiet" role="status">
          {t("nothing", { text })}
        </p>
      )}
      <p className="second">{t("help")}</p>
    </Modal>
  );
}
