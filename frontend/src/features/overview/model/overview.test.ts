import { expect, it } from "vitest";
import { aWorkload } from "@/testing/factories";
import { glanceOf } from "./overview";

const queued = Array.from({ length: 60 }, (_, at) => aWorkload({ id: `q${at}`, state: "queued" }));
const running = aWorkload({ id: "r", state: "running" });

it("shows what runs before sixty jobs that wait, and one screen of all", () => {
  const { shown, hasMore } = glanceOf([running], [...queued, running]);
  expect(shown[0]?.id).toBe("r");
  expect(shown.filter(({ id }) => id === "r")).toHaveLength(1);
  expect(shown.length).toBeLessThan(10);
  expect(hasMore).toBe(true);
});

it("has no more to show when all is there", () => {
  expect(glanceOf([running], [running])).toEqual({ shown: [running], hasMore: false });
});
