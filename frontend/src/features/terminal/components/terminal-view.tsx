import { FitAddon } from "@xterm/addon-fit";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { type Ref, useEffect, useImperativeHandle, useRef } from "react";
import type { WorkKind } from "@/shared/api/kinds.gen";
import { useTranslation } from "@/shared/i18n/language";
import { useIsDark } from "@/shared/theme/preference";
import { MONO } from "@/shared/theme/tokens";
import { TerminalLink } from "../api/terminal-link";
import { CONTRAST_MIN, palette } from "../model/palette";
import type { TerminalState } from "../model/state";
import styles from "./terminal-view.module.css";

const SCROLLBACK = 5_000;

export interface TerminalHandle {
  connect: () => void;
  end: () => void;
}

interface TerminalViewProps {
  kind: WorkKind;
  id: string;
  rank: number;
  /** Speaks what is printed, at the cost of some speed. */
  isSpoken: boolean;
  onState: (state: TerminalState) => void;
  ref: Ref<TerminalHandle>;
}

/** A shell in a container, as wide and high as its box. */
export function TerminalView({ kind, id, rank, isSpoken, onState, ref }: TerminalViewProps) {
  const { t } = useTranslation("terminal");
  const isDark = useIsDark();
  const box = useRef<HTMLDivElement>(null);
  const terminal = useRef<Terminal>(null);
  const link = useRef<TerminalLink>(null);

  useEffect(() => {
    if (!box.current) return;
    const screen = new Terminal({
      scrollback: SCROLLBACK,
      fontFamily: MONO,
      fontSize: 13,
      minimumContrastRatio: CONTRAST_MIN,
      cursorBlink: false,
    });
    const fit = new FitAddon();
    screen.loadAddon(fit);
    screen.loadAddon(new WebLinksAddon());
    screen.open(box.current);
    fit.fit();
    const size = () => ({ columns: screen.cols, rows: screen.rows });
    const connection = new TerminalLink({ kind, id, rank }, size(), {
      clear: () => screen.reset(),
      show: (bytes) => screen.write(bytes),
      enter: onState,
    });
    const encoder = new TextEncoder();
    screen.onData((text) => connection.type(encoder.encode(text)));
    screen.onBinary((text) => connection.type(Uint8Array.from(text, (c) => c.charCodeAt(0))));
    screen.onResize(() => connection.resize(size()));
    const observer = new ResizeObserver(() => fit.fit());
    observer.observe(box.current);
    terminal.current = screen;
    link.current = connection;
    connection.connect();
    screen.focus();
    return () => {
      observer.disconnect();
      connection.leave();
      screen.dispose();
    };
  }, [kind, id, rank, onState]);

  useEffect(() => {
    if (terminal.current) terminal.current.options.theme = palette(isDark);
  }, [isDark]);

  useEffect(() => {
    if (terminal.current) terminal.current.options.screenReaderMode = isSpoken;
  }, [isSpoken]);

  useImperativeHandle(ref, () => ({
    connect: () => link.current?.connect(),
    end: () => link.current?.end(),
  }));

  return (
    <section className={styles.frame} aria-label={t("title")}>
      <div ref={box} className={styles.box} />
    </section>
  );
}
