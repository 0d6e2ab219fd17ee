import { Tooltip } from "antd";
import { type Ref, useEffect, useImperativeHandle } from "react";

interface OpenedHintProps {
  title: string;
  target: Element;
}

/** Words beside an element, open from the beginning when its reader is still there. */
export function OpenedHint({ title, target }: OpenedHintProps) {
  return (
    <Tooltip
      title={title}
      trigger={["hover", "focus"]}
      defaultOpen={target.matches(":hover, :focus")}
    >
      <StandIn target={target} />
    </Tooltip>
  );
}

/** What the library asks of its child. */
interface StandInProps {
  target: Element;
  ref?: Ref<Element>;
  [asked: string]: unknown;
}

/** Stands for an element that is there already: it gets what the library gives its child. */
export function StandIn({ target, ref, ...asked }: StandInProps) {
  useImperativeHandle(ref, () => target, [target]);
  useEffect(() => {
    const listeners = Object.entries(asked).filter(
      (entry): entry is [string, EventListener] => typeof entry[1] === "function",
    );
    for (const [name, listener] of listeners) target.addEventListener(eventOf(name), listener);
    return () => {
      for (const [name, listener] of listeners) target.removeEventListener(eventOf(name), listener);
    };
  });
  const words = asked["aria-describedby"];
  useEffect(() => {
    if (typeof words !== "string") return undefined;
    target.setAttribute("aria-describedby", words);
    return () => target.removeAttribute("aria-describedby");
  }, [target, words]);
  return null;
}

/** `onMouseEnter` → `mouseenter`. */
function eventOf(name: string): string {
  return name.slice(2).toLowerCase();
}
