export const chinese = import.meta.glob<object>("/src/**/locales/zh-CN.json", {
  eager: true,
  import: "default",
});
