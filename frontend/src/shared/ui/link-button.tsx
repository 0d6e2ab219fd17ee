import { createLink } from "@tanstack/react-router";
import { Button, type ButtonProps } from "antd";
import type { Ref } from "react";

type LookProps = Omit<ButtonProps, "type" | "ref"> & {
  ref?: Ref<HTMLAnchorElement>;
  /** A page has one primary action; others say false. */
  isPrimary?: boolean;
};

/** A link that looks like a button. */
export const LinkButton = createLink(({ ref, isPrimary = true, ...props }: LookProps) => (
  <Button
    type={isPrimary ? "primary" : "default"}
    {...props}
    ref={ref as Ref<HTMLButtonElement & HTMLAnchorElement>}
  />
));
