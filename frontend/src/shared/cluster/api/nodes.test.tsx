import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Node } from "@/shared/api/types";
import { LiveSocket } from "@/shared/live/socket";
import { aNode } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { useClusterUpdates, useNodes } from "./nodes";

const LIST = "GET /api/v1/nodes";

function Names() {
  useClusterUpdates();
  const nodes = useNodes().data ?? [];
  return (
    <p>
      {nodes
        .map(({ name, state }) => `${name} ${state}`)
        .toSorted()
        .join(", ")}
    </p>
  );
}

function node(number: number, state: Node["state"] = "ready"): Node {
  return aNode({ id: `id-${number}`, name: `n${number}`, state });
}

/** Shows the names of the nodes with a socket that rings when told. */
function show(answer: (query: URLSearchParams) => readonly Node[]) {
  const link = { onopen: () => {}, onmessage: (_: { data: string }) => {}, send() {}, close() {} };
  const socket = new LiveSocket({ open: () => link as never, later: () => () => {} });
  const asked = serve({
    [LIST]: ({ url }: { url: string }) => {
      const query = new URL(url).searchParams;
      const cursor = query.has("ids") ? undefined : query.get("cursor");
      const next =
        !query.has("ids") && !cursor ? `${location.origin}/api/v1/nodes?cursor=c2` : null;
      return { next, previous: null, results: answer(query) };
    },
    "GET /api/v1/pools": { next: null, previous: null, results: [] },
  });
  renderPart(<Names />, undefined, socket);
  link.onopen();
  const ring = (more: object) =>
    link.onmessage({ data: JSON.stringify({ op: "ring", topic: "nodes", seq: 0, ...more }) });
  const queries = () =>
    asked
      .filter(({ route }) => route === LIST)
      .map(({ url }) => decodeURIComponent(new URL(url).search));
  return { ring, queries };
}

it("reads all pages of nodes, and then only those that changed", async () => {
  const { ring, queries } = show((query) => {
    if (query.get("ids")) return [node(2, "cordoned"), node(4)];
    return query.get("cursor") ? [node(3)] : [node(1), node(2)];
  });
  await screen.findByText("n1 ready, n2 ready, n3 ready");
  expect(queries()).toEqual(["", "?cursor=c2"]);
  ring({ rows: ["id-2"] });
  ring({ rows: ["id-4", "id-3"] });
  await screen.findByText("n1 ready, n2 cordoned, n4 ready");
  expect(queries().slice(2)).toEqual(["?ids=id-2,id-4,id-3"]);
});

it("reads all again when it is not known which changed, or when these cannot be read", async () => {
  const { ring, queries } = show((query) => {
    if (query.get("ids")) throw new TypeError("no network");
    return query.get("cursor") ? [] : [node(1)];
  });
  await screen.findByText("n1 ready");
  ring({});
  await waitFor(() => expect(queries()).toEqual(["", "?cursor=c2", "", "?cursor=c2"]));
  ring({ rows: ["id-1"] });
  await waitFor(() => expect(queries().slice(4)).toEqual(["?ids=id-1", "", "?cursor=c2"]));
});
