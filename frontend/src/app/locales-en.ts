import { byNamespace } from "./namespaces";

export const texts = byNamespace(
  import.meta.glob<object>("/src/**/locales/en.json", { eager: true, import: "default" }),
);
