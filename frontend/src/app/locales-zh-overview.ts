/** What parts of the overview say that come after its first paint. */
export const chineseOverview = import.meta.glob<object>(
  "/src/features/{nodes,operations,queue,welcome}/locales/zh-CN.json",
  { eager: true, import: "default" },
);
