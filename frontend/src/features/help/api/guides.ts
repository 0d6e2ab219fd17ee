/** The guides, which are files of the build. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { useLanguage } from "@/shared/i18n/language";
import { fileOf, isGuide, splitGuide } from "../model/guides";

/** A guide in the reader's language; null if there is none of this name. */
export function useGuide(guide: string) {
  const language = useLanguage();
  return useSuspenseQuery({
    queryKey: ["guides", guide, language],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      if (!isGuide(guide)) return null;
      const answer = await fetch(fileOf(guide, language), { signal });
      // Of what there is not, the server answers with the document of all pages.
      const isThere = answer.ok && !answer.headers.get("Content-Type")?.includes("html");
      return isThere ? splitGuide(await answer.text()) : null;
    },
  }).data;
}
