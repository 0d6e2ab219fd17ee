import { render } from "@testing-library/react";
import { expect, it } from "vitest";
import { decodedLink } from "./links";
import { Markdown } from "./markdown";

const PIXEL = "data:image/png;base64,iVBORw==";

/** Where a link of the folder `docs` leads; null is elsewhere. */
function inDocs(target: string): string | null {
  const isElsewhere = /^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(target);
  if (isElsewhere) return null;
  const path = decodedLink(new URL(target, "file:///docs/").pathname).slice(1);
  return /\p{Cc}/u.test(path) ? null : path;
}

/** A text of the folder `docs`, as it is shown. */
function shown(text: string, attachments = new Map<string, string>()) {
  const { container } = render(
    <Markdown
      text={text}
      attachments={attachments}
      link={(target, words) => {
        const path = inDocs(target);
        return path && <a href={`#${path}`}>{words}</a>;
      }}
      image={(target, alt) => <var title={inDocs(target) ?? ""}>{alt}</var>}
    />,
  );
  return container;
}

function partsOf(text: string, selector: string) {
  return [...shown(text).querySelectorAll(selector)].map((part) => part.textContent);
}

it.each([
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "text <svg onload=alert(1)></svg> text",
  "[a](javascript:alert(1))",
  "[a](JaVaScRiPt&colon;alert(1))",
  "[a](&#x6a;avascript:alert(1))",
  "[a](<java\tscript:alert(1)>)",
  "[a](vbscript:x) [b](data:text/html;base64,PHNjcmlwdD4=) [c](blob:https://x/y) [d](file:///etc)",
  "<javascript:alert(1)>",
  "![a](javascript:alert(1)) ![b](data:image/svg+xml;base64,PHN2Zz4=)",
  "[a][r]\n\n[r]: javascript:alert(1)",
  "[a](//elsewhere.example/x) [c](ftp://elsewhere.example)",
  '[a](x "\\" onclick=alert(1)") ![b](x.png "\\" onerror=alert(1)")',
  "| <b onmouseover=alert(1)> |\n|:---|\n| <iframe src=x> |",
  '``` <b>"onclick=x\n<b>code</b>\n```',
])("makes of %s nothing that could run, or that leads out unasked", (text) => {
  for (const part of shown(text).querySelectorAll("*")) {
    expect("div p a var code pre table thead tbody tr th td".split(" ")).toContain(part.localName);
    for (const { name, value } of part.attributes) {
      expect(["class", "href", "title", "style", "tabindex"]).toContain(name);
      if (name === "href") expect(value).toBe("#docs/x");
      if (name === "style") expect(value).toBe("text-align: left;");
    }
  }
});

it("fetches no image from elsewhere, and says what it would have shown", () => {
  const page = shown("![loss](https://elsewhere.example/x.png) ![](plots/b.png)");
  expect([...page.querySelectorAll("var")].map(({ title }) => title)).toEqual([
    "",
    "docs/plots/b.png",
  ]);
  expect(page.querySelector("img")).toBeNull();
  expect(page.textContent).toContain("loss");
});

it("asks for the first forty images only", () => {
  expect(partsOf("![i](i.png) ".repeat(45), "var")).toHaveLength(40);
});

it("draws what the text or its notebook has with it", () => {
  const page = shown(
    `![one](${PIXEL}) ![two](attachment:图%201.png) ![gone](attachment:constructor)`,
    new Map([["图 1.png", "data:image/png;base64,iVBOR2=="]]),
  );
  expect([...page.querySelectorAll("img")].map(({ alt, src }) => [alt, src])).toEqual([
    ["one", PIXEL],
    ["two", "data:image/png;base64,iVBOR2=="],
  ]);
  expect(page.textContent).toContain("gone");
});

it("leads to addresses of the web and to files of the volume", () => {
  const page = shown(
    "[web](https://a.example/) [mail](mailto:a@b) [file](../run%201/a.md#x) README.md",
  );
  const links = [...page.querySelectorAll("a")];
  expect(links.map((link) => link.getAttribute("href"))).toEqual([
    "https://a.example/",
    "mailto:a@b",
    "#run 1/a.md",
  ]);
  expect(links.map(({ rel }) => rel)).toEqual(["noopener noreferrer", "noopener noreferrer", ""]);
});

it("keeps headings below the page's, and lists, tables and code as they are meant", () => {
  const page = shown(
    "# A\n###### B\n\n3. c\n4. d\n\n| e | f |\n|:-:|--:|\n| 1 | ~~2~~ |\n\n~~~py\ng < 1\n~~~",
  );
  expect(page.querySelector("h1")).toBeNull();
  expect(page.querySelector("h2")?.textContent).toBe("A");
  expect(page.querySelector("h6")?.textContent).toBe("B");
  expect(page.querySelector("ol")?.start).toBe(3);
  expect([...page.querySelectorAll("td")].map(({ style }) => style.textAlign)).toEqual([
    "center",
    "right",
  ]);
  expect(page.querySelector("s")?.textContent).toBe("2");
  expect(page.querySelector("pre")?.textContent).toBe("g < 1\n");
});

it.each([
  ["so $a_{1}*b_1*c \\{$ holds", ["$a_{1}*b_1*c \\{$"]],
  ["$$x *a* \\\\ y$$", ["$$x *a* \\\\ y$$"]],
  ["text\n$$\nx\n\n- y \\\\\n$$\ntext", ["$$\nx\n\n- y \\\\\n$$"]],
  [
    "\\begin{align}\na &= b \\\\\n* c\n\\end{align}",
    ["\\begin{align}\na &= b \\\\\n* c\n\\end{align}"],
  ],
  ["costs $5 and $6", []],
  ["`$a$`", ["$a$"]],
  ["$$\nnever closed", []],
])("leaves the LaTeX of %j as it is written", (text, formulas) => {
  expect(partsOf(text, "code")).toEqual(formulas);
});

it("bears lists and quotes that are nested without end, and much that is never closed", () => {
  const deep = Array.from({ length: 2_000 }, (_, level) => `${"  ".repeat(level)}- x`).join("\n");
  const nested = [deep.slice(0, 60_000), ">".repeat(20_000), "[".repeat(20_000)];
  const open = ["*a **b ", "$$ a ", "\\begin{a} ", "$$\n", "\\begin{a}\n"];
  for (const text of [...nested, ...open.map((part) => part.repeat(5_000))])
    expect(shown(`${text}\n\nend`).textContent).toMatch(/end$/);
});
