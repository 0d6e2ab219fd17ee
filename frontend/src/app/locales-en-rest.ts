export const englishRest = import.meta.glob<object>(
  [
    "/src/{shared,features}/*/locales/en.json",
    "!/src/shared/{api,cluster,ui,workload}/locales/en.json",
    "!/src/features/{auth,inbox,nodes,operations,overview,queue,welcome}/locales/en.json",
  ],
  { eager: true, import: "default" },
);
