import { switchLanguage } from "@/app/i18n";
import type { Language } from "@/shared/i18n/language";

/** Show everything in this language; every test begins in English. */
export async function speak(language: Language): Promise<void> {
  await switchLanguage(language);
}
