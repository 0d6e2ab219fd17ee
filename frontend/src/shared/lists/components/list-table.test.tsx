import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { flushSync } from "react-dom";
import { beforeEach, expect, it } from "vitest";
import { ProblemError, readProblem } from "@/shared/api/problem";
import { aMe } from "@/testing/factories";
import { type Asked, serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { type SortState, useAddress, useOwnSort } from "../api/address";
import type { Bulk } from "./bulk-bar";
import { FilterChips } from "./filter-chips";
import { type ListColumn, ListTable } from "./list-table";

interface Ship {
  name: string;
  tons: number | null;
}

const SHIPS: Ship[] = [
  { name: "b", tons: 3 },
  { name: "a", tons: null },
  { name: "c", tons: 20 },
];
const COLUMNS: ListColumn<Ship>[] = [
  { key: "name", title: "Name", cell: ({ name }) => name, value: ({ name }) => name },
  { key: "tons", title: "Tons", cell: ({ tons }) => tons ?? "–", value: ({ tons }) => tons },
  { key: "flag", title: "Flag", cell: () => "⚑" },
];

interface ShipsProps {
  bulk?: Bulk<Ship> | undefined;
  order?: SortState;
}

function Ships({ bulk, order }: ShipsProps) {
  return (
    <ListTable
      id="ships"
      label="Ships"
      columns={COLUMNS}
      rows={SHIPS}
      rowKey={({ name }) => name}
      views="jobs"
      {...(bulk && { bulk })}
      {...(order && { order })}
    />
  );
}

function show(bulk?: Bulk<Ship>) {
  return renderPart(<Ships bulk={bulk} />);
}

const names = () =>
  screen
    .getAllByRole("row")
    .slice(1)
    .map((row) => within(row).getAllByRole("cell").at(0)?.textContent);

beforeEach(() => {
  localStorage.clear();
  serveViews();
});

it("is sorted by its titles, and says so to screen readers", async () => {
  const user = userEvent.setup();
  show();
  const head = await screen.findByRole("columnheader", { name: /Tons/ });
  expect(head.getAttribute("aria-sort")).toBe("none");
  expect(screen.getByRole("columnheader", { name: "Flag" }).hasAttribute("aria-sort")).toBe(false);
  expect(screen.getAllByRole("status")[0]?.textContent).toBe("3 rows");
  await user.click(within(head).getByRole("button"));
  await waitFor(() => expect(names()).toEqual(["b", "c", "a"]));
  expect(screen.getByRole("columnheader", { name: /Tons/ }).getAttribute("aria-sort")).toBe(
    "ascending",
  );
  await user.click(screen.getByRole("button", { name: /Tons/ }));
  await waitFor(() => expect(names()).toEqual(["c", "b", "a"]));
  await user.click(screen.getByRole("button", { name: /Tons/ }));
  await waitFor(() => expect(names()).toEqual(["b", "a", "c"]));
});

it("keeps the order of a table in a drawer out of the address", async () => {
  function InDrawer() {
    const { search } = useAddress();
    return (
      <>
        <ListTable
          id="drawer"
          order={useOwnSort()}
          label="Ships"
          columns={COLUMNS}
          rows={SHIPS}
          rowKey={({ name }) => name}
        />
        <output>{JSON.stringify(search)}</output>
      </>
    );
  }
  renderPart(<InDrawer />);
  await userEvent.click(await screen.findByRole("button", { name: /Tons/ }));
  await waitFor(() => expect(names()).toEqual(["b", "c", "a"]));
  expect(screen.getByText("{}")).toBeTruthy();
});

const VIEW = {
  id: "v1",
  list: "jobs",
  name: "by name",
  search: { sort: "name" },
  hidden: ["flag"],
  shown: [],
  owner: { id: aMe().id, username: "li.wei", display_name: "" },
  group: null,
  is_opening: false,
  may_change: true,
  may_remove: true,
};

/** A server that keeps views. */
function serveViews(...views: object[]) {
  return serve({
    "GET /api/v1/saved-views": () => ({ results: views, next: null }),
    "POST /api/v1/saved-views": ({ body }: Asked) => {
      const made = { ...VIEW, ...(body as object) };
      views.push(made);
      return made;
    },
    "PATCH /api/v1/saved-views/v1": ({ body }: Asked) => ({ ...VIEW, ...(body as object) }),
    "PUT /api/v1/saved-views/opening": () => new Response(null, { status: 204 }),
    "DELETE /api/v1/saved-views/v1": () => {
      views.length = 0;
      return new Response(null, { status: 204 });
    },
  });
}

it("remembers which columns its reader wants", async () => {
  const user = userEvent.setup();
  const first = show();
  await user.click(await screen.findByRole("button", { name: /Columns/ }));
  await user.click(screen.getByRole("checkbox", { name: "Flag" }));
  expect(screen.getByRole("checkbox", { name: "Name" }).hasAttribute("disabled")).toBe(true);
  first.unmount();
  show();
  await screen.findByRole("columnheader", { name: /Tons/ });
  expect(screen.queryByRole("columnheader", { name: "Flag" })).toBeNull();
});

it("keeps order and columns as a view on the server, and shows it in another browser", async () => {
  const user = userEvent.setup();
  const asked = serveViews();
  const first = show();
  await user.click(await screen.findByRole("button", { name: /Name/ }));
  await user.click(screen.getByRole("button", { name: /Views/ }));
  await user.type(await screen.findByRole("textbox", { name: "Name of the view" }), "by name");
  await user.click(screen.getByRole("button", { name: "Save" }));
  await screen.findByRole("button", { name: "by name" });
  const sent = asked.find(({ route }) => route.startsWith("POST"));
  const expected = {
    list: "jobs",
    name: "by name",
    search: { sort: "name" },
    hidden: [],
    shown: [],
  };
  expect(sent?.body).toEqual({ ...expected, group: null });
  first.unmount();
  localStorage.clear();
  serveViews(VIEW);
  show();
  await user.click(await screen.findByRole("button", { name: /Views/ }));
  await user.click(await screen.findByRole("button", { name: "by name" }));
  await waitFor(() => expect(names()).toEqual(["a", "b", "c"]));
  expect(screen.queryByRole("columnheader", { name: "Flag" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Remove the view by name" }));
  await waitFor(() => expect(screen.queryByRole("button", { name: "by name" })).toBeNull());
});

it("says whose a shared view is, and opens with the one that its reader chooses", async () => {
  const user = userEvent.setup();
  const other = { id: "u2", username: "wang.fang", display_name: "Wang Fang" };
  const group = { id: "g1", name: "vision", title_en: "Vision", title_zh: "视觉" };
  const asked = serveViews({ ...VIEW, owner: other, group, may_remove: false });
  show();
  await user.click(await screen.findByRole("button", { name: /Views/ }));
  await screen.findByText("Vision · Wang Fang");
  expect(screen.queryByRole("button", { name: "Remove the view by name" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Open this list with by name" }));
  await waitFor(() => expect(asked.at(-2)?.body).toEqual({ list: "jobs", view: "v1" }));
});

it("does it to what allows it, says to which before, and of each what became of it", async () => {
  const user = userEvent.setup();
  const asked: string[] = [];
  let isOver = false;
  show({
    nameOf: ({ name }) => name,
    allowed: ({ name }) => (name === "c" ? [] : name === "b" ? ["sink", "sail"] : ["sink"]),
    actions: [
      { key: "sail", label: "Sail", about: "They leave.", run: async () => {} },
      {
        key: "sink",
        label: "Sink",
        about: "They are gone then.",
        isDangerous: true,
        run: async ({ name }) => {
          asked.push(name);
          const body = { code: "aground", detail: "It lies aground." };
          if (name === "a") throw new ProblemError(readProblem(409, body, ""));
        },
      },
    ],
    onDone: () => {
      isOver = true;
    },
  });
  await screen.findByRole("checkbox", { name: "Select b" });
  expect(screen.queryByRole("checkbox", { name: "Select c" })).toBeNull();
  await user.click(screen.getByRole("checkbox", { name: "Select all listed" }));
  screen.getByText("2 selected");
  screen.getByRole("button", { name: "Sail (1)" });
  await user.click(screen.getByRole("button", { name: "Sink (2)" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual(["b", "a"]);
  dialog.getByText("Sink: 2 rows");
  expect(asked).toEqual([]);
  await user.click(dialog.getByRole("button", { name: "Sink" }));
  await dialog.findByText("1 of 2 done. 1 refused.");
  expect(dialog.getByText("b").parentElement?.textContent).toBe("bDone");
  expect(dialog.getByText("a").parentElement?.textContent).toBe("aRefused: It lies aground.");
  expect(isOver).toBe(true);
  await user.click(await dialog.findByRole("button", { name: "Close" }));
  expect(screen.queryByText("2 selected")).toBeNull();
});

it("answers a press on a head, or on a mark, before rows are drawn anew", async () => {
  function Own() {
    const act = () => {};
    const bulk = {
      ...{ nameOf: ({ name }: Ship) => name, allowed: () => ["sail"], onDone: act },
      actions: [{ key: "sail", label: "Sail", act }],
    };
    return <Ships bulk={bulk} order={useOwnSort()} />;
  }
  renderPart(<Own />);
  const head = await screen.findByRole("button", { name: /^Name/ });
  flushSync(() => head.click());
  expect(head.closest("th")?.getAttribute("aria-sort")).toBe("ascending");
  const mark = screen.getByRole<HTMLInputElement>("checkbox", { name: "Select b" });
  flushSync(() => mark.click());
  expect(mark.checked).toBe(true);
  screen.getByText("1 selected");
  const listed = () =>
    screen.getAllByRole("checkbox").map((each) => each.getAttribute("aria-label"));
  expect(listed().slice(-3)).toEqual(["Select b", "Select a", "Select c"]);
  await waitFor(() => expect(listed().slice(-3)).toEqual(["Select a", "Select b", "Select c"]));
  expect(mark.checked).toBe(true);
});

it("selects all rows between two clicks with Shift, in the order in which they are shown", async () => {
  const user = userEvent.setup();
  const acted: string[][] = [];
  const act = (rows: readonly Ship[]) => acted.push(rows.map(({ name }) => name));
  show({
    nameOf: ({ name }) => name,
    allowed: () => ["name"],
    actions: [{ key: "name", label: "Name them", act }],
    onDone: () => {},
  });
  await user.click(await screen.findByRole("button", { name: /^Name/ }));
  await waitFor(() =>
    expect(screen.getByRole("columnheader", { name: /^Name/ }).getAttribute("aria-sort")).toBe(
      "ascending",
    ),
  );
  await user.click(screen.getByRole("checkbox", { name: "Select a" }));
  await user.keyboard("{Shift>}");
  await user.click(screen.getByRole("checkbox", { name: "Select c" }));
  await user.keyboard("{/Shift}");
  await user.click(screen.getByRole("button", { name: "Name them (3)" }));
  expect(acted.map((each) => each.toSorted())).toEqual([["a", "b", "c"]]);
  await user.click(screen.getByRole("checkbox", { name: "Select b" }));
  screen.getByText("2 selected");
  expect(screen.queryByRole("dialog")).toBeNull();
});

it("does it to all in one request when what it asks for is said, and says what became of each", async () => {
  const user = userEvent.setup();
  const aground = new ProblemError(readProblem(409, { code: "aground", detail: "It lies." }, ""));
  const asked: string[][] = [];
  function Fleet() {
    const [port, setPort] = useState("");
    const bulk: Bulk<Ship> = {
      nameOf: ({ name }) => name,
      allowed: () => ["send"],
      rowsMax: 2,
      actions: [
        {
          key: "send",
          label: "Send",
          about: <input aria-label="Port" onChange={({ target }) => setPort(target.value)} />,
          isReady: port !== "",
          runAll: async (rows) => {
            asked.push([port, ...rows.map(({ name }) => name)]);
            return [null, aground];
          },
        },
      ],
      onDone: () => {},
    };
    return <Ships bulk={bulk} />;
  }
  renderPart(<Fleet />);
  await user.click(await screen.findByRole("checkbox", { name: "Select all listed" }));
  await user.click(screen.getByRole("button", { name: "Send (3)" }));
  const dialog = within(await screen.findByRole("dialog"));
  dialog.getByText(/or it is beyond 2 rows/);
  expect(dialog.getByRole("button", { name: "Send" }).hasAttribute("disabled")).toBe(true);
  await user.type(dialog.getByRole("textbox", { name: "Port" }), "X");
  await user.click(dialog.getByRole("button", { name: "Send" }));
  await dialog.findByText("1 of 2 done. 1 refused.");
  expect(asked).toEqual([["X", "b", "a"]]);
  expect(dialog.getByText("a").parentElement?.textContent).toBe("aRefused: It lies.");
});

it("takes filters away one by one or all at once, out of the address", async () => {
  const user = userEvent.setup();
  function Chips() {
    const { search, change } = useAddress();
    const chips = ["state", "q"].flatMap((name) =>
      search[name] ? [{ name, label: name, value: String(search[name]) }] : [],
    );
    return (
      <>
        <button type="button" onClick={() => change({ state: "running", q: "vit" })}>
          Filter
        </button>
        <FilterChips chips={chips} />
      </>
    );
  }
  renderPart(<Chips />);
  await user.click(await screen.findByRole("button", { name: "Filter" }));
  await user.click(await screen.findByRole("button", { name: "Remove the filter state: running" }));
  await waitFor(() => expect(screen.getAllByRole("listitem")).toHaveLength(2));
  await user.click(screen.getByRole("button", { name: "Clear all" }));
  await waitFor(() => expect(screen.queryAllByRole("listitem")).toHaveLength(0));
});

it("comes to show each of many rows", async () => {
  const rows = Array.from({ length: 130 }, (_, tons) => ({ name: `ship ${tons}`, tons }));
  renderPart(
    <ListTable
      id="fleet"
      label="Fleet"
      columns={COLUMNS}
      rows={rows}
      rowKey={({ name }) => name}
    />,
  );
  const shown = within(await screen.findByRole("table"));
  await waitFor(() => expect(shown.getAllByText(/^ship/)).toHaveLength(130));
});
