/** Words in passing, above the page. What shows them is loaded with the first: most pages need none. */
import { createContext, type ReactNode, Suspense, use, useState } from "react";
import { prefetched } from "./opening";

/** Something that a reader may do about what was said, for a while. */
export interface Offer {
  about: string;
  label: string;
  act: () => void;
}

export interface Message {
  id: number;
  kind: "success" | "error";
  text: string;
  offer?: Offer;
}

export interface Messages {
  success: (text: string, offer?: Offer) => void;
  error: (text: string) => void;
}

const NO_MESSAGES: Messages = { success: () => {}, error: () => {} };
const MessagesContext = createContext(NO_MESSAGES);
/** More of them at once are not readable. */
const KEPT_MAX = 10;

const LaterStack = prefetched(async () => (await import("./message-stack")).MessageStack);

/** Say that something was done, or why it was refused. */
export function useMessages(): Messages {
  return use(MessagesContext);
}

export function MessagesProvider({ children }: { children: ReactNode }) {
  const [kept, setKept] = useState<readonly Message[]>([]);
  const [messages] = useState(() => messagesInto(setKept));
  return (
    <MessagesContext value={messages}>
      {children}
      {kept.length > 0 && (
        <Suspense>
          <LaterStack messages={kept} />
        </Suspense>
      )}
    </MessagesContext>
  );
}

function messagesInto(
  change: (next: (kept: readonly Message[]) => readonly Message[]) => void,
): Messages {
  let last = 0;
  const say = (kind: Message["kind"]) => (text: string, offer?: Offer) => {
    last += 1;
    const added = { id: last, kind, text, ...(offer && { offer }) };
    change((kept) => [...kept, added].slice(-KEPT_MAX));
  };
  return { success: say("success"), error: say("error") };
}
