import { byNamespace } from "./namespaces";

export const texts = byNamespace(
  import.meta.glob<object>("/src/**/locales/zh-CN.json", { eager: true, import: "default" }),
);
