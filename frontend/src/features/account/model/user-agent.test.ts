import { expect, it } from "vitest";
import { describeUserAgent } from "./user-agent";

it("names browser and system, or what a program says of itself", () => {
  const chrome =
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
  expect(describeUserAgent(chrome)).toBe("Chrome · Windows");
  expect(describeUserAgent(`${chrome} Edg/140.0.0.0`)).toBe("Edge · Windows");
  expect(describeUserAgent("curl/8.5.0")).toBe("curl/8.5.0");
  expect(describeUserAgent("")).toBe("–");
});
