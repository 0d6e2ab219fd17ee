import { expect, test } from "vitest";
import { arePorts, portsOf } from "./ports";

test("only numbers of ports are ports", () => {
  expect(arePorts([])).toBe(true);
  expect(arePorts(["6006", "65535"])).toBe(true);
  for (const wrong of ["0", "65536", "-1", "6006/tcp", "1e3", ""])
    expect(arePorts([wrong])).toBe(false);
});

test("each port is asked for once, in order", () => {
  expect(portsOf(["8080", "6006", "08080"])).toEqual([6006, 8080]);
});
