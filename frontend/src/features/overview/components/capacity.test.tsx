import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Pool } from "@/shared/api/types";
import { aCardMap } from "@/testing/card-map";
import { aPool } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import { Capacity } from "./capacity";

const page = (results: unknown[]) => ({ next: null, previous: null, results });

function show(pool: Pool) {
  const asked = serve({
    "GET /api/v1/pools": page([pool]),
    "GET /api/v1/card-map": aCardMap(),
  });
  renderPart(<Capacity />);
  return asked;
}

function aTrainingPool(gpus_total: number): Pool {
  const pool = aPool({ mode: "exclusive" });
  return { ...pool, capacity: { ...pool.capacity, gpus_total, gpus_free: 1 } };
}

it("counts the cells that it shows, whatever the other answer says", async () => {
  show({ ...aTrainingPool(2), id: "p2" });
  expect(await screen.findAllByRole("img", { name: /gpu-train-1/ })).toHaveLength(2);
  expect(screen.getByText("of 2 GPUs free").previousSibling?.textContent).toBe("1");
  expect(screen.getByRole("img", { name: "gpu-train-1, Card 1: 1 faulty" })).toBeTruthy();
  expect(screen.queryByRole("meter")).toBeNull();
});

it("shows the sum alone where there are thousands, and asks for no card", async () => {
  await speak("zh-CN");
  const asked = show(aTrainingPool(2_400));
  const meter = await screen.findByRole("meter", { name: "占用或停用" });
  expect(meter.getAttribute("aria-valuetext")).toBe("2,399 / 2,400");
  expect(screen.queryByRole("img")).toBeNull();
  expect(asked.map(({ route }) => route)).not.toContain("GET /api/v1/card-map");
});
