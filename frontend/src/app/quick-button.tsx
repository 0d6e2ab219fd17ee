import { SearchOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { HelpMenu } from "@/features/help/components/help-menu";
import { useTranslation } from "@/shared/i18n/language";
import { later } from "@/shared/ui/opening";
import { useQuickKeys } from "./quick-keys";

const LaterQuickAccess = later(async () => (await import("./quick")).QuickAccess);

/** Search and help, for those who press no keys; listens to the keys of every page. */
export function QuickButton() {
  const { t } = useTranslation("app");
  const [quick, setQuick] = useQuickKeys();
  return (
    <>
      <Button
        type="text"
        icon={<SearchOutlined />}
        aria-label={t("search")}
        title={t("search")}
        onClick={() => setQuick("search")}
      />
      <HelpMenu onKeys={() => setQuick("keys")} />
      {quick && <LaterQuickAccess quick={quick} onClose={() => setQuick(null)} />}
    </>
  );
}
