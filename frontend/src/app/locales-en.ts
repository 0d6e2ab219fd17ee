export const files = import.meta.glob<object>("/src/**/locales/en.json", {
  eager: true,
  import: "default",
});
