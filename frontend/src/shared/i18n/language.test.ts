import { describe, expect, it } from "vitest";
import { addTexts, said, titleOptions } from "./language";

addTexts("en", "harbour", {
  berth: "Berth {{name}}",
  ship_one: "{{count}} ship",
  ship_other: "{{count}} ships",
  ship_zero: "No ships",
  fault: { silted: "Silted up" },
});
addTexts("zh-CN", "harbour", { ship_other: "{{count}} 艘船" });

const say = (path: string, params?: object) => said("en", "harbour", path, { ...params });

describe("said", () => {
  it("fills in parameters; a dash stands for what is left out, nothing for what is empty", () => {
    expect(say("berth", { name: 7 })).toBe("Berth 7");
    expect(say("berth")).toBe("Berth –");
    expect(say("berth", { name: null })).toBe("Berth ");
  });

  it("takes the form for an amount, by the rules of the language", () => {
    expect(say("ship", { count: 1 })).toBe("1 ship");
    expect(say("ship", { count: 1.5 })).toBe("1.5 ships");
    expect(say("ship", { count: 0 })).toBe("No ships");
    expect(said("zh-CN", "harbour", "ship", { count: 0 })).toBe("0 艘船");
  });

  it("goes down by dots, and has nothing to say for a group or an unknown key", () => {
    expect(say("fault.silted")).toBe("Silted up");
    expect(say("fault")).toBeUndefined();
    expect(say("fault.constructor.name")).toBeUndefined();
    expect(said("en", "nowhere", "berth")).toBeUndefined();
  });
});

it("offers things in the order of their titles, and numbers as numbers", () => {
  const things = ["Lab 10", "lab 2", "Audio"].map((title) => ({
    id: title,
    name: title,
    title_en: title,
    title_zh: title,
  }));
  expect(titleOptions(things, "en").map(({ label }) => label)).toEqual([
    "Audio",
    "lab 2",
    "Lab 10",
  ]);
});
