import { useTranslation } from "react-i18next";
import type { Study } from "@/shared/api/types";
import { useChangeWords } from "./use-change-words";

/** What people call a question; without a title, what it changes. */
export function useStudyTitle(): (study: Study) => string {
  const { t } = useTranslation("studies");
  const words = useChangeWords();
  return ({ title, change }) => title || words(change).join(t("and")) || t("unchanged");
}
