/** A map of three cards on two nodes: one sliced, one free, one faulty. */
import type { CardMap } from "@/shared/api/types";

export const IDLE_SINCE = "2026-03-01T08:00:00Z";

const pool = (id: string, name: string, title_en: string) => ({
  id,
  name,
  title_en,
  title_zh: "池",
  waiting: 0,
});
const liWei = {
  id: "11111111-1111-1111-1111-111111111111",
  username: "li.wei",
  display_name: "Li Wei",
};
const vision = {
  id: "22222222-2222-2222-2222-222222222222",
  name: "vision",
  title_en: "Vision",
  title_zh: "Vision",
};

export function aCardMap(fields: Partial<CardMap> = {}): CardMap {
  return {
    order: "abc",
    cards_total: 3,
    pools: [pool("p1", "development", "Development"), pool("p2", "training", "Training")],
    nodes: [
      { id: "n1", name: "gpu-dev-1", pool: 0, state: "ready", hold: "" },
      { id: "n2", name: "gpu-train-1", pool: 1, state: "ready", hold: "" },
    ],
    models: ["H100"],
    cards: {
      id: ["c1", "c2", "c3"].map((id) => `33333333-3333-3333-3333-3333333333${id}`),
      node: [0, 1, 1],
      index: [0, 0, 1],
      model: [0, 0, 0],
      state: ["ok", "ok", "bad"],
      fault: ["", "", "xid_79"],
      slices: [8, 1, 1],
      memory_mib: [81_920, 81_920, 81_920],
    },
    people: [liWei],
    groups: [vision],
    holders: {
      mine: [false, false],
      kind: ["environment", "training"],
      workload: ["w1", null],
      name: ["ux lab", null],
      owner: [0, -1],
      group: [0, -1],
      idle_since: [IDLE_SINCE, null],
    },
    parts: {
      card: [0, 0, 0],
      slot: [0, 1, 4],
      gpu_milli: [125, 125, 125],
      holder: [0, 0, 1],
      is_lent: [false, false, false],
    },
    ...fields,
  };
}
