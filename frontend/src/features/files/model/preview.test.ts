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
  for (const wrong of ["", "{}", "[]", '{"cells": 1}']) expect(readNotebook(wrong)).toBeNull();
});
