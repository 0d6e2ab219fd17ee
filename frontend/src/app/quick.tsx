import { CommandPalette } from "@/features/palette/components/command-palette";
import { ShortcutsDialog } from "@/features/palette/components/shortcuts-dialog";
import type { QuickEntry } from "@/features/palette/model/entries";
import { useTranslation } from "@/shared/i18n/language";
import { useCanSubmit, useMe } from "@/shared/session/me";
import { placesFor } from "./places";
import { JUMPS, type Quick } from "./quick-keys";

interface QuickAccessProps {
  quick: Quick;
  onClose: () => void;
}

/** What the keys of every page open; loaded with the first press. */
export function QuickAccess({ quick, onClose }: QuickAccessProps) {
  const { t } = useTranslation("app");
  const entries = useEntries();
  const all = placesFor(useMe());
  if (quick === "search") return <CommandPalette entries={entries} onClose={onClose} />;
  const jumps = Object.entries(JUMPS).map(([letter, to]) => {
    const place = all.find((each) => each.to === to);
    return { keys: ["g", letter], label: place ? t(`places.${place.key}`) : to };
  });
  return <ShortcutsDialog jumps={jumps} onClose={onClose} />;
}

/** Everything that has a page, as far as the reader may see it, and what is begun most often. */
function useEntries(): QuickEntry[] {
  const { t } = useTranslation(["app", "overview"]);
  const me = useMe();
  const maySubmit = useCanSubmit();
  const places = placesFor(me).map(
    ({ to, key }): QuickEntry => ({ to, label: t(`places.${key}`), group: "pages" }),
  );
  const acts: QuickEntry[] = maySubmit
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
  return [...acts, ...places, ...own];
}
