/** What parts of the overview say that come after its first paint. */
export const englishOverview = import.meta.glob<object>(
  "/src/features/{nodes,operations,queue,welcome}/locales/en.json",
  { eager: true, import: "default" },
);
