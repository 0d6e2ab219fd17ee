import library from "antd/locale/zh_CN";

/** What the sign-in page and the overview say. `locales-zh-rest` is what the other pages say. */
const texts = import.meta.glob<object>(
  [
    "/src/app/locales/zh-CN.json",
    "/src/shared/{api,cluster,ui,workload}/locales/zh-CN.json",
    "/src/features/{auth,inbox,overview}/locales/zh-CN.json",
  ],
  { eager: true, import: "default" },
);

/** With the words of the component library. */
export const chinese = { texts, library };
