import { useState } from "react";
import { useGuideTitles } from "@/features/help/api/guides";
import { CommandPalette } from "@/features/palette/components/command-palette";
import { ShortcutsDialog } from "@/features/palette/components/shortcuts-dialog";
import type { QuickAct } from "@/features/palette/model/commands";
import type { QuickEntry } from "@/features/palette/model/entries";
import { useTranslation } from "@/shared/i18n/language";
import { useCanSubmit, useMe } from "@/shared/session/me";
import { later } from "@/shared/ui/opening";
import { useProblemMessage } from "@/shared/ui/query-states";
import { openInTab, ticketOf } from "@/shared/workload/api/workloads";
import { placesFor } from "./places";
import { JUMPS, type Quick } from "./quick-keys";

const LaterQuickQuestion = later(async () => (await import("./quick-questions")).QuickQuestion);

interface QuickAccessProps {
  quick: Quick;
  onClose: () => void;
}

/** What the keys of every page open; loaded with the first press. */
export function QuickAccess({ quick, onClose }: QuickAccessProps) {
  const { t } = useTranslation("app");
  const all = placesFor(useMe());
  if (quick === "search") return <Palette onClose={onClose} />;
  const jumps = Object.entries(JUMPS).map(([letter, to]) => {
    const place = all.find((each) => each.to === to);
    return { keys: ["g", letter], label: place ? t(`places.${place.key}`) : to };
  });
  return <ShortcutsDialog jumps={jumps} onClose={onClose} />;
}

/** The palette, then the question about what was chosen in it. */
function Palette({ onClose }: { onClose: () => void }) {
  const entries = useEntries();
  const showProblem = useProblemMessage();
  const [asked, setAsked] = useState<Exclude<QuickAct, { verb: "open" }> | null>(null);
  const act = (chosen: QuickAct) => {
    if (chosen.verb !== "open") return setAsked(chosen);
    const { id, kind } = chosen.work;
    openInTab(() => ticketOf(id, kind)).catch(showProblem);
    onClose();
  };
  if (asked) return <LaterQuickQuestion act={asked} onClose={onClose} />;
  return <CommandPalette entries={entries} onAct={act} onClose={onClose} />;
}

/** Everything that has a page, as far as the reader may see it, and what is begun most often. */
function useEntries(): QuickEntry[] {
  const { t } = useTranslation(["app", "overview"]);
  const me = useMe();
  const maySubmit = useCanSubmit();
  const guides = useGuideTitles();
  const places = placesFor(me).map(
    ({ to, key }): QuickEntry => ({ to, label: t(`places.${key}`), group: "pages" }),
  );
  const forms: QuickEntry[] = maySubmit
    ? [
        { to: "/notebooks/new", label: t("overview:createNotebook"), group: "acts" },
        { to: "/jobs/new", label: t("overview:submitJob"), group: "acts" },
      ]
    : [];
  const own: QuickEntry[] = [
    { to: "/profile", label: t("profile"), group: "pages" },
    { to: "/security", label: t("security"), group: "pages" },
    { to: "/ssh-keys", label: t("sshKeys"), group: "pages" },
  ];
  const help = guides.map(
    ({ guide, title }): QuickEntry => ({ to: `/help/${guide}`, label: title, group: "guides" }),
  );
  return [...forms, ...places, ...own, ...help];
}
