import { BulbOutlined, TranslationOutlined } from "@ant-design/icons";
import { Button, Dropdown } from "antd";
import { useTranslation } from "react-i18next";
import { LANGUAGE_NAMES, LANGUAGES, useLanguage } from "@/shared/i18n/language";
import { chooseTheme, THEMES, useThemeName } from "@/shared/theme/preference";
import { switchLanguage } from "./i18n";

/** Language and theme, wherever they can be chosen. */
export function Preferences() {
  const { t } = useTranslation("app");
  const language = useLanguage();
  const theme = useThemeName();
  return (
    <>
      <Dropdown
        trigger={["click"]}
        menu={{
          selectedKeys: [language],
          items: LANGUAGES.map((key) => ({ key, label: LANGUAGE_NAMES[key] })),
          onClick: ({ key }) => void switchLanguage(key as (typeof LANGUAGES)[number]),
        }}
      >
        <Button type="text" icon={<TranslationOutlined />} aria-label={t("language")} />
      </Dropdown>
      <Dropdown
        trigger={["click"]}
        menu={{
          selectedKeys: [theme],
          items: THEMES.map((key) => ({ key, label: t(`themes.${key}`) })),
          onClick: ({ key }) => chooseTheme(key as (typeof THEMES)[number]),
        }}
      >
        <Button type="text" icon={<BulbOutlined />} aria-label={t("theme")} />
      </Dropdown>
    </>
  );
}
