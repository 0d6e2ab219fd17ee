import library from "antd/locale/en_US";

/** What the sign-in page and the overview say. `locales-en-rest` is what the other pages say. */
const texts = import.meta.glob<object>(
  [
    "/src/app/locales/en.json",
    "/src/shared/{api,cluster,ui,workload}/locales/en.json",
    "/src/features/{auth,inbox,overview}/locales/en.json",
  ],
  { eager: true, import: "default" },
);

/** With the words of the component library. */
export const english = { texts, library };
