/** A node's words about an end: a code of a closed list, then what its engine said. */

interface NodeWords {
  code: string | null;
  words: string;
}

const CODED = /^([a-z]+(?:_[a-z]+)+)(?:: (.*))?$/s;

/** Takes the code off; words without one stay whole. */
export function nodeWords(detail: string): NodeWords {
  const [, code, words] = CODED.exec(detail) ?? [];
  return code ? { code, words: words ?? "" } : { code: null, words: detail };
}
