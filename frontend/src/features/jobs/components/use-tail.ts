import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

const NEAR_PX = 24;

interface Tail {
  box: RefObject<HTMLDivElement | null>;
  isFollowing: boolean;
  follow: () => void;
}

/** Keep a scrolling box at its end while `content` grows, unless the reader has scrolled up. */
export function useTail(content: unknown): Tail {
  const box = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: growing content moves the end
  useLayoutEffect(() => {
    if (isFollowing && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [content, isFollowing]);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const look = () => {
      const below = element.scrollHeight - element.scrollTop - element.clientHeight;
      setFollowing(below < NEAR_PX);
    };
    element.addEventListener("scroll", look, { passive: true });
    return () => element.removeEventListener("scroll", look);
  }, []);
  return { box, isFollowing, follow: () => setFollowing(true) };
}
