/** The guides, which are files of the build. */
import { queryOptions, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { type Language, useLanguage } from "@/shared/i18n/language";
import { ALL_GUIDES, fileOf, isGuide, splitGuide, titlesIn } from "../model/guides";

/** A guide in the reader's language; null if there is none of this name. */
export function useGuide(guide: string) {
  return useSuspenseQuery(guideQuery(guide, useLanguage())).data;
}

/** The guides with their titles, once the list of them has arrived. */
export function useGuideTitles() {
  return titlesIn(useQuery(guideQuery(ALL_GUIDES, useLanguage())).data?.text ?? "");
}

function guideQuery(guide: string, language: Language) {
  return queryOptions({
    queryKey: ["guides", guide, language],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      if (!isGuide(guide)) return null;
      const answer = await fetch(fileOf(guide, language), { signal });
      // Of what there is not, the server answers with the document of all pages.
      const isThere = answer.ok && !answer.headers.get("Content-Type")?.includes("html");
      return isThere ? splitGuide(await answer.text()) : null;
    },
  });
}
