import { expect, it } from "vitest";
import { formatValue } from "./alarms";

it("names units as the language does", () => {
  expect(formatValue(120, "minutes", "en")).toBe("120 min");
  expect(formatValue(120, "minutes", "zh-CN")).toBe("120 分钟");
  expect(formatValue(5, "percent", "zh-CN")).toBe("5 %");
});
