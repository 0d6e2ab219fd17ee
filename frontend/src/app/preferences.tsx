import { BulbOutlined, TranslationOutlined } from "@ant-design/icons";
import { LANGUAGE_NAMES, LANGUAGES, useLanguage, useTranslation } from "@/shared/i18n/language";
import { switchLanguage } from "@/shared/i18n/texts";
import { chooseTheme, THEMES, useThemeName } from "@/shared/theme/preference";
import { MenuButton } from "@/shared/ui/opening";

/** Language and theme, wherever they can be chosen. */
export function Preferences() {
  const { t } = useTranslation("app");
  const language = useLanguage();
  const theme = useThemeName();
  return (
    <>
      <MenuButton
        label={t("language")}
        icon={<TranslationOutlined />}
        menu={{
          selectedKeys: [language],
          items: LANGUAGES.map((key) => ({ key, label: LANGUAGE_NAMES[key] })),
          onClick: ({ key }) => void switchLanguage(key as (typeof LANGUAGES)[number]),
        }}
      />
      <MenuButton
        label={t("theme")}
        icon={<BulbOutlined />}
        menu={{
          selectedKeys: [theme],
          items: THEMES.map((key) => ({ key, label: t(`themes.${key}`) })),
          onClick: ({ key }) => chooseTheme(key as (typeof THEMES)[number]),
        }}
      />
    </>
  );
}
