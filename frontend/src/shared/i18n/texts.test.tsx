import { act, render } from "@testing-library/react";
import i18next from "i18next";
import { expect, it } from "vitest";
import { type CodedText, useCodedText, useLanguage, useTranslation } from "./language";
import { libraryLocale, switchLanguage, withTexts } from "./texts";

/** The texts of a hook as they are when this is drawn. */
function textsNow() {
  let said = (() => "") as (key: string, params?: object) => string;
  let coded: CodedText = () => null;
  function Part() {
    said = useTranslation("workload").t as typeof said;
    coded = useCodedText();
    return null;
  }
  render(<Part />);
  return { said, coded };
}

const CHINESE = {
  none: "无人排队", // locale-check: expected texts
  three: "3 个在排队", // locale-check:
  one: "1 张卡", // locale-check:
  eight: "8 张卡", // locale-check:
  copy: "复制", // locale-check:
  lost: "失联", // locale-check:
};
const ENGLISH = {
  none: "none waiting",
  three: "3 waiting",
  one: "1 GPU",
  eight: "8 GPUs",
  copy: "Copy ",
  lost: "Lost",
};

it.each([
  ["en", ENGLISH],
  ["zh-CN", CHINESE],
] as const)("says amounts, what is missing and codes in %s", async (language, words) => {
  await switchLanguage(language);
  const { said, coded } = textsNow();
  expect(said("queue:waitingCount", { count: 0 })).toBe(words.none);
  expect(said("queue:waitingCount", { count: 3 })).toBe(words.three);
  expect(said("request.gpus", { count: 1 })).toBe(words.one);
  expect(said("request.gpus", { count: 8 })).toBe(words.eight);
  expect(said("ui:copy", { what: "<b> & $t(x)" })).toBe(`${words.copy}<b> & $t(x)`);
  expect(said("ui:copy")).toBe(`${words.copy}–`);
  expect(said("ui:copy", { what: undefined })).toBe(`${words.copy}–`);
  expect(said("ui:copy", { what: null })).toBe(words.copy);
  expect(coded("cluster:nodeState.lost")).toBe(words.lost);
  expect(coded("request.gpus", { count: 1 })).toBeNull();
  for (const code of ["nowhere", "constructor.name", "two words: a. b", ""]) {
    expect(coded(`cluster:nodeState.${code}`)).toBeNull();
  }
  expect(coded("cluster:nodeState")).toBeNull();
  expect(coded("nowhere:state")).toBeNull();
});

it("shows everything in the other language at once, with what was asked for meanwhile", async () => {
  i18next.removeResourceBundle("zh-CN", "jobs");
  const drawn = new Set<string>();
  function Words() {
    const { t } = useTranslation(["ui", "queue"]);
    const coded = useCodedText();
    const library = libraryLocale(useLanguage())?.Empty?.description;
    drawn.add([t("cancel"), t("queue:title"), coded("jobs:title"), library].join());
    return null;
  }
  render(<Words />);
  await act(async () => {
    const switched = switchLanguage("zh-CN");
    expect(await withTexts(Promise.resolve("code"), ["jobs"])).toBe("code");
    await switched;
  });
  const chinese = "取消,队列,训练任务,暂无数据"; // locale-check: expected texts
  expect([...drawn]).toEqual(["Cancel,Queue,Jobs,No data", chinese]);
  expect(document.documentElement.lang).toBe("zh-CN");
});
