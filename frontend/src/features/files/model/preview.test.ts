import { expect, it } from "vitest";
import { decodeText, readNotebook, readTable } from "./preview";

const bytes = (...values: number[]) => new Uint8Array(values);

it("reads UTF-8 and GB 18030, also where the part ends inside a character", () => {
  expect(decodeText(new TextEncoder().encode("报告"))).toBe("报告");
  expect(decodeText(new TextEncoder().encode("报告").slice(0, 5))).toBe("报");
  expect(decodeText(bytes(0xb1, 0xa8, 0xb8, 0xe6))).toBe("报告");
  expect(decodeText(bytes())).toBe("");
  expect(decodeText(bytes(1, 0, 2))).toBeNull();
});

it("reads the rows of a table, and says when it is not all of it", () => {
  expect(readTable('a,b\n1,"x, y"\n', true)).toEqual({
    head: ["a", "b"],
    rows: [["1", "x, y"]],
    isCut: false,
  });
  const part = readTable("a,b\n1,2\n3,", false);
  expect([part.rows, part.isCut]).toEqual([[["1", "2"]], true]);
  expect(readTable(`a\n${"1\n".repeat(1000)}`, true).isCut).toBe(true);
  expect(readTable("", true).rows).toEqual([]);
});

it("reads the cells of a notebook, without anything that could run", () => {
  const cells = readNotebook(
    JSON.stringify({
      cells: [
        { cell_type: "markdown", source: ["# Title\n", "text"] },
        {
          cell_type: "code",
          execution_count: 3,
          source: "plot()",
          outputs: [
            { output_type: "stream", name: "stdout", text: ["one\n", "\u001b[31mtwo\u001b[0m"] },
            { output_type: "display_data", data: { "image/png": "iVBO\nRw==" } },
            {
              output_type: "execute_result",
              data: { "text/html": "<script>alert(1)</script>", "text/plain": "table" },
            },
            { output_type: "error", evalue: "no", traceback: ["a", "b"] },
          ],
        },
      ],
    }),
  );
  expect(cells?.map(({ kind, source, count }) => [kind, source, count])).toEqual([
    ["markdown", "# Title\ntext", null],
    ["code", "plot()", 3],
  ]);
  expect(cells?.[1]?.outputs).toEqual([
    { text: "one\ntwo", isError: false },
    { image: "data:image/png;base64,iVBORw==", isError: false },
    { text: "table", isError: false },
    { text: "a\nb", isError: true },
  ]);
});

it.each(["", "{}", "[]", "null", '"x"', '{"cells": 1}', '{"cells": [', '{"worksheets": {}}'])(
  "takes %s for no notebook",
  (wrong) => {
    expect(readNotebook(wrong)).toBeNull();
  },
);

const outputsOf = (...outputs: unknown[]) =>
  readNotebook(JSON.stringify({ cells: [{ cell_type: "code", outputs }] }))?.[0]?.outputs;

it("reads a notebook of nbformat 3", () => {
  const cells = readNotebook(
    JSON.stringify({
      nbformat: 3,
      worksheets: [
        {
          cells: [
            { cell_type: "heading", level: 2, source: ["Results"] },
            { cell_type: "heading", level: 1e9, source: "deep" },
            {
              cell_type: "code",
              input: ["a\n", "b"],
              prompt_number: 7,
              outputs: [
                { output_type: "stream", stream: "stderr", text: "w" },
                { output_type: "pyout", text: ["1"], html: ["<b>1</b>"] },
                { output_type: "display_data", png: "iVBORw==\n", text: "figure" },
                { output_type: "pyerr", ename: "E", evalue: "no", traceback: ["t"] },
              ],
            },
          ],
        },
        { cells: [{ cell_type: "markdown", source: "end" }] },
        null,
      ],
    }),
  );
  expect(cells?.map(({ kind, source, count }) => [kind, source, count])).toEqual([
    ["markdown", "## Results", null],
    ["markdown", "###### deep", null],
    ["code", "a\nb", 7],
    ["markdown", "end", null],
  ]);
  expect(cells?.[2]?.outputs).toEqual([
    { text: "w", isError: true },
    { text: "1", isError: false },
    { image: "data:image/png;base64,iVBORw==", isError: false },
    { text: "t", isError: true },
  ]);
});

it("shows of an output the best that is no program, and names what is left out", () => {
  const svg = "<svg onload='alert(1)'>\ud800</svg>";
  expect(
    outputsOf(
      { output_type: "display_data", data: { "image/svg+xml": [svg], "text/plain": "figure" } },
      { output_type: "display_data", data: { "text/markdown": "**b**", "text/plain": "<M>" } },
      { output_type: "display_data", data: { "text/html": "<b>", "application/json": {} } },
      { output_type: "display_data", data: { "image/png": { a: 1 }, "text/plain": "t" } },
      { output_type: "display_data", data: "x" },
      null,
    ),
  ).toEqual([
    {
      image: `data:image/svg+xml,${encodeURIComponent("<svg onload='alert(1)'></svg>")}`,
      isError: false,
    },
    { markdown: "**b**", isError: false },
    { hidden: "text/html, application/json", isError: false },
    { text: "t", isError: false },
    { text: "", isError: false },
    { text: "", isError: false },
  ]);
});

it("shows of streams what a terminal would, without its colours", () => {
  const stream = (text: string) => ({ output_type: "stream", name: "stdout", text });
  expect(
    outputsOf(
      stream("1%\r50%\r\u001b[1;32m100%\u001b[0m\r\ndone\r"),
      stream("\u001b]8;;https://x\u0007link\u001b]8;;\u0007\u001b[2K"),
    )?.map(({ text }) => text),
  ).toEqual(["100%\ndone", "link"]);
});

it("reads the images that a cell brings along, and nothing else of them", () => {
  const attachments = {
    "a.png": { "image/png": "iVBORw==" },
    "b.html": { "text/html": "<script>" },
    c: null,
  };
  const text = JSON.stringify({ cells: [{ cell_type: "markdown", source: "", attachments }, 5] });
  const [cell, odd] = readNotebook(text) ?? [];
  expect([...(cell?.attachments ?? [])]).toEqual([["a.png", "data:image/png;base64,iVBORw=="]]);
  expect(odd).toMatchObject({ kind: "raw", source: "", outputs: [] });
});

it("reads a cell of millions of letters in no time", () => {
  const text = `${"x".repeat(4_000_000)}\u001b]${"\u001b[".repeat(200_000)}`;
  expect(outputsOf({ output_type: "stream", text })?.[0]?.text).toHaveLength(4_400_000);
});
