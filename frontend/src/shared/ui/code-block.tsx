import styles from "./code-block.module.css";
import { CopyButton } from "./copy-button";

/** Text to copy into a terminal or file; scrolls inside itself. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className={styles.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must take the keyboard */}
      <section tabIndex={0} className={styles.text}>
        <pre>{text}</pre>
      </section>
      <div className={styles.copy}>
        <CopyButton text={text} what={label} />
      </div>
    </div>
  );
}
