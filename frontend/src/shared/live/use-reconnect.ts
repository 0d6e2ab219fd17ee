import { use, useEffect } from "react";
import { LiveContext } from "./live-context";

/** Try again at once when the reader comes back to the page or the network returns. */
export function useReconnect(): void {
  const socket = use(LiveContext);
  useEffect(() => {
    const retry = () => {
      if (document.visibilityState === "visible" && socket.state === "down") socket.connect();
    };
    document.addEventListener("visibilitychange", retry);
    window.addEventListener("online", retry);
    return () => {
      document.removeEventListener("visibilitychange", retry);
      window.removeEventListener("online", retry);
    };
  }, [socket]);
}
