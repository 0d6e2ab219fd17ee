/**
 * Markdown as elements of the page. Only the elements that are named here are made, from tokens:
 * nothing that a file says becomes HTML by itself. Apart, because its parser is larger than most pages.
 */
import MarkdownIt, { type Token } from "markdown-it";
import { createElement, Fragment, type ReactElement, type ReactNode, useMemo } from "react";
import { decodedLink } from "./links";
import styles from "./markdown.module.css";

export interface MarkdownProps {
  text: string;
  /** Images that the text brings along, as data addresses. */
  attachments?: ReadonlyMap<string, string>;
  /** An image, and a link, to where only its place knows; null if it leads nowhere. */
  image: (target: string, alt: string) => ReactNode;
  link: (target: string, shown: ReactNode) => ReactNode;
}

/** Headings of a file stand below the one of its page. */
export function Markdown({ text, ...place }: MarkdownProps) {
  const tokens = useMemo(() => parser.parse(text, {}), [text]);
  // The parser leaves out whatever is after such a depth.
  const isTooDeep = tokens.some(({ level }) => level >= DEPTH_MAX - 1);
  return (
    <div className={styles.markdown}>
      {isTooDeep ? blockOf(text) : nodesOf(tokens, { ...place, images: 0 })}
    </div>
  );
}

type Place = Omit<MarkdownProps, "text"> & { images: number };

/** Of lists and quotes in each other. */
const DEPTH_MAX = 100;
/** Each may be a request. */
const IMAGES_MAX = 40;
const BLOCKS = new Set(
  ["p", "ul", "li", "blockquote", "em", "strong", "s"].concat(["table", "thead", "tbody", "tr"]),
);
const DRAWN = /^data:image\/(?:png|jpeg|gif|webp);base64,/i;
const ALIGNMENT = /^text-align:(left|center|right)$/;
const ATTACHED = "attachment:";

function nodesOf(tokens: readonly Token[], place: Place): ReactNode[] {
  const top: ReactNode[] = [];
  const open: { token: Token; inside: ReactNode[] }[] = [];
  const add = (node: ReactNode) => {
    const inside = open.at(-1)?.inside ?? top;
    // Tokens are never moved.
    inside.push(<Fragment key={inside.length}>{node}</Fragment>);
  };
  for (const token of tokens) {
    const closed = token.nesting === -1 ? open.pop() : undefined;
    if (closed) add(elementOf(closed, place));
    else if (token.nesting === 1) open.push({ token, inside: [] });
    else add(leafOf(token, place));
  }
  return top;
}

function elementOf({ token, inside }: { token: Token; inside: ReactNode[] }, place: Place) {
  const { tag, hidden } = token;
  if (hidden) return inside;
  if (/^h[1-6]$/.test(tag)) return createElement(`h${Math.min(Number(tag[1]) + 1, 6)}`, {}, inside);
  if (tag === "a") return linkTo(String(token.attrGet("href")), inside, place);
  if (tag === "ol") return <ol start={Number(token.attrGet("start") ?? 1)}>{inside}</ol>;
  if (tag === "th" || tag === "td") return cellOf(token, inside);
  return BLOCKS.has(tag) ? createElement(tag, {}, inside) : inside;
}

function cellOf(token: Token, inside: ReactNode[]): ReactElement {
  const [, textAlign] = ALIGNMENT.exec(String(token.attrGet("style"))) ?? [];
  return createElement(token.tag, textAlign ? { style: { textAlign } } : {}, inside);
}

function leafOf(token: Token, place: Place): ReactNode {
  const make = LEAVES[token.type];
  return make ? make(token, place) : token.content;
}

const LEAVES: Record<string, (token: Token, place: Place) => ReactNode> = {
  inline: ({ children }, place) => nodesOf(children ?? [], place),
  softbreak: () => "\n",
  hardbreak: () => <br />,
  hr: () => <hr />,
  code_inline: ({ content }) => <code>{content}</code>,
  code_block: ({ content }) => blockOf(content),
  fence: ({ content }) => blockOf(content),
  formula: ({ content, block }) => (block ? blockOf(content) : <code>{content}</code>),
  image: imageOf,
};

function blockOf(content: string): ReactElement {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls what has its focus
    <pre tabIndex={0}>
      <code>{content}</code>
    </pre>
  );
}

function linkTo(target: string, shown: ReactNode, { link }: Place): ReactNode {
  if (!/^(?:https?|mailto):/i.test(target)) return link(target, shown) ?? shown;
  return (
    <a href={target} target="_blank" rel="noopener noreferrer">
      {shown}
    </a>
  );
}

/** What lies elsewhere is not asked for: its words stand in its place. */
function imageOf(token: Token, place: Place): ReactNode {
  const target = String(token.attrGet("src"));
  const alt = token.content;
  const drawn = target.startsWith(ATTACHED)
    ? place.attachments?.get(decodedLink(target.slice(ATTACHED.length)))
    : DRAWN.test(target) && target;
  if (drawn) return <img src={drawn} alt={alt} className={styles.image} />;
  place.images += 1;
  return (place.images <= IMAGES_MAX && place.image(target, alt)) || alt || target;
}

// LaTeX stays as it is written: stars, underscores and backslashes mean other things in it.

/** Letters, and lines, of one formula: what is never closed is not looked through to the end. */
const FORMULA =
  /\$\$[^$]{1,4000}\$\$|\\begin\{(\w+\*?)\}[\s\S]{0,4000}?\\end\{\1\}|\$(?![\s$])[^$\n]{0,400}(?<![\s\\])\$(?!\d)/y;
const FORMULA_LINES = 100;
const FENCE = /^(?:\$\$|\\begin\{(\w+\*?)\})$/;

const parser = new MarkdownIt({ linkify: true, maxNesting: DEPTH_MAX });
// Names of files look like those of hosts: README.md.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
parser.inline.ruler.before("escape", "formula", (state, isSilent) => {
  FORMULA.lastIndex = state.pos;
  const [formula] = FORMULA.exec(state.src) ?? [];
  if (!formula) return false;
  if (!isSilent) state.push("formula", "", 0).content = formula;
  state.pos += formula.length;
  return true;
});
parser.block.ruler.before(
  "fence",
  "formula",
  (state, first, end, isSilent) => {
    const lineAt = (at: number) =>
      state.src.slice((state.bMarks[at] ?? 0) + (state.tShift[at] ?? 0), state.eMarks[at]).trim();
    const [opened, name] = FENCE.exec(lineAt(first)) ?? [];
    if (!opened) return false;
    const close = name ? `\\end{${name}}` : opened;
    const most = Math.min(end, first + FORMULA_LINES);
    const isInside = (at: number) => at < most && (state.sCount[at] ?? 0) >= state.blkIndent;
    let last = first + 1;
    while (isInside(last) && !lineAt(last).endsWith(close)) last += 1;
    if (!isInside(last)) return false;
    if (isSilent) return true;
    const token = state.push("formula", "", 0);
    token.block = true;
    token.content = state.getLines(first, last + 1, state.blkIndent, false);
    state.line = last + 1;
    return true;
  },
  { alt: ["paragraph", "reference", "blockquote", "list"] },
);
