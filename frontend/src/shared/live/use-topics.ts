import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { use, useEffect, useRef } from "react";
import { LiveContext } from "./live-context";

/** Rings within this time cause one fetch: a busy pool rings many times a second. */
const GATHER_MS = 100;

/** Fetch `keys` again whenever the server rings one of `topics`. */
export function useTopics(topics: readonly string[], keys: readonly QueryKey[]): void {
  const socket = use(LiveContext);
  const client = useQueryClient();
  const latestKeys = useRef(keys);
  useEffect(() => {
    latestKeys.current = keys;
  });
  const names = topics.toSorted().join(" ");
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const fetchAgain = () => {
      timer = undefined;
      for (const queryKey of latestKeys.current) void client.invalidateQueries({ queryKey });
    };
    const ring = () => {
      timer ??= setTimeout(fetchAgain, GATHER_MS);
    };
    const leave = names
      .split(" ")
      .flatMap((topic) => (topic ? [socket.subscribe(topic, ring)] : []));
    return () => {
      clearTimeout(timer);
      for (const stop of leave) stop();
    };
  }, [socket, client, names]);
}
