import { message } from "antd";
import { useEffect, useRef } from "react";
import type { Message } from "./messages";

/** Shows each message once, for a few seconds. */
export function MessageStack({ messages }: { messages: readonly Message[] }) {
  const [shown, holder] = message.useMessage();
  const newest = useRef(0);
  useEffect(() => {
    for (const { id, kind, text } of messages) {
      if (id > newest.current) void shown[kind](text);
      newest.current = Math.max(newest.current, id);
    }
  }, [messages, shown]);
  return holder;
}
