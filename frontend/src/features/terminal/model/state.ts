/** What a terminal's connection is doing, and the frames that say so. Pure. */
import { KINDS, type WorkKind } from "@/shared/api/kinds.gen";
import type { TerminalFrame } from "@/shared/api/types";

export type TerminalState =
  | { name: "connecting" }
  | { name: "open" }
  /** Cut off; it comes back by itself. */
  | { name: "lost" }
  | { name: "exited"; code: number | null }
  | { name: "closed"; code: string; params: Record<string, unknown> };

export interface TerminalSize {
  columns: number;
  rows: number;
}

export interface TerminalPlace {
  kind: WorkKind;
  id: string;
  rank: number;
}

/** The largest window that the portal takes. */
const SIDE_MAX = 1_000;

export function terminalPath(
  { kind, id, rank }: TerminalPlace,
  size: TerminalSize,
  session: string,
): string {
  const query = new URLSearchParams({
    rank: String(rank),
    columns: String(side(size.columns)),
    rows: String(side(size.rows)),
    session,
  });
  return `/api/v1/${KINDS[kind].plural}/${id}/terminal?${query}`;
}

export function readFrame(text: string): TerminalFrame | null {
  try {
    const frame: unknown = JSON.parse(text);
    const isFrame = typeof frame === "object" && frame !== null && "type" in frame;
    return isFrame ? (frame as TerminalFrame) : null;
  } catch {
    return null;
  }
}

export function side(length: number): number {
  return Math.min(SIDE_MAX, Math.max(1, Math.trunc(length)));
}
