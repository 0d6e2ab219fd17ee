/** The template of a form: which fields it locks, and between which bounds numbers are. */
import { ConfigProvider } from "antd";
import { createContext, type ReactNode, use } from "react";
import type { Template } from "@/shared/api/types";
import { narrowed, settingBehind } from "../model/templates";

/** The template that the form around was opened with; null without one. */
export const TemplateContext = createContext<Template | null>(null);

/** Whether one of these fields of the API is locked. */
export function useIsLocked(...settings: string[]): boolean {
  const locked = use(TemplateContext)?.locked ?? [];
  return settings.some((name) => locked.includes(name));
}

/** Its inputs cannot be changed while the template locks one of these fields. */
export function Lockable({ settings, children }: { settings: string[]; children: ReactNode }) {
  const isLocked = useIsLocked(...settings);
  return <ConfigProvider {...(isLocked && { componentDisabled: true })}>{children}</ConfigProvider>;
}

/** Bounds of a number of the form, and whether it is locked. */
export function useNumberTerms(field: string, min: number, max: number) {
  const ranges = use(TemplateContext)?.ranges ?? {};
  const isLocked = useIsLocked(settingBehind(field));
  return { ...narrowed(field, { min, max }, ranges), isLocked };
}
