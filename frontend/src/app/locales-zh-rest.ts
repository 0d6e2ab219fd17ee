export const chineseRest = import.meta.glob<object>(
  [
    "/src/{shared,features}/*/locales/zh-CN.json",
    "!/src/shared/{api,cluster,ui,workload}/locales/zh-CN.json",
    "!/src/features/{auth,inbox,nodes,operations,overview,queue,welcome}/locales/zh-CN.json",
  ],
  { eager: true, import: "default" },
);
