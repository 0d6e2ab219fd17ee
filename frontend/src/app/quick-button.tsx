import { SearchOutlined } from "@ant-design/icons";
import { HelpMenu } from "@/features/help/components/help-menu";
import { useTranslation } from "@/shared/i18n/language";
import { later } from "@/shared/ui/opening";
import { useQuickKeys } from "./quick-keys";
import styles from "./shell.module.css";

const LaterQuickAccess = later(async () => (await import("./quick")).QuickAccess);

/** The way to everything that looks like a field, and help; listens to the keys of every page. */
export function QuickButton() {
  const { t } = useTranslation("app");
  const [quick, setQuick] = useQuickKeys();
  const modifier = navigator.platform.startsWith("Mac") ? "⌘" : "Ctrl";
  return (
    <>
      <button
        type="button"
        className={styles.search}
        aria-haspopup="dialog"
        aria-label={t("search.label")}
        onClick={() => setQuick("search")}
      >
        <SearchOutlined aria-hidden />
        <span>{t("search.hint")}</span>
        <kbd aria-hidden>{modifier} K</kbd>
      </button>
      <HelpMenu onKeys={() => setQuick("keys")} />
      {quick && <LaterQuickAccess quick={quick} onClose={() => setQuick(null)} />}
    </>
  );
}
