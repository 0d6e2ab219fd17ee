import { useEffect, useState } from "react";

/** A value once it has stayed the same for a while; compared by its JSON form. */
export function useSettled<T>(value: T, quietMs: number): T {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text) as T), quietMs);
    return () => clearTimeout(timer);
  }, [text, quietMs]);
  return settled;
}
