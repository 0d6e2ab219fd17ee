export const english = import.meta.glob<object>("/src/**/locales/en.json", {
  eager: true,
  import: "default",
});
