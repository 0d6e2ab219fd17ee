import { useTranslation } from "react-i18next";

/** A text whose key holds a code of the server; null where the catalogue does not know the code. */
export type CodedText = (key: string, params?: Record<string, unknown>) => string | null;

/** The one door for keys that the compiler cannot check: `namespace:group.code`. */
export function useCodedText(): CodedText {
  const { t, i18n } = useTranslation();
  const say: (key: string, params: Record<string, unknown>) => string = t as never;
  return (key, params = {}) => (i18n.exists(key, params) ? say(key, params) : null);
}
