import { expect, it } from "vitest";
import { formatValue } from "./alarms";

it("names units as the language does", () => {
  expect(formatValue(720, "minutes", "en")).toBe("12 h");
  expect(formatValue(90, "minutes", "zh-CN")).toBe("1小时 30分钟");
  expect(formatValue(5, "percent", "zh-CN")).toBe("5 %");
});
