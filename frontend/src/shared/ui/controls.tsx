/** Small controls above and in lists, by the browser's own elements: a page of rows loads no library of fields. */
import { SearchOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { type ComponentProps, type FormEvent, type ReactNode, useId, useState } from "react";
import styles from "./ui.module.css";

interface TickProps {
  isOn: boolean;
  /** Some of what it stands for, not all. */
  isPartly?: boolean;
  isFixed?: boolean;
  /** Its name where no words stand beside it. */
  label?: string;
  /** `isRange`: with the Shift key, as for all from the last one. */
  onChange: (isOn: boolean, isRange: boolean) => void;
  children?: ReactNode;
}

/** A checkbox, with words or, as in rows, without. */
export function Tick({ isOn, isPartly = false, isFixed, label, onChange, children }: TickProps) {
  return (
    <label className={styles.tick}>
      <input
        type="checkbox"
        aria-label={label}
        checked={isOn}
        disabled={isFixed}
        ref={(box) => {
          if (box) box.indeterminate = isPartly;
        }}
        onChange={({ target, nativeEvent }) =>
          onChange(target.checked, "shiftKey" in nativeEvent && Boolean(nativeEvent.shiftKey))
        }
      />
      {children}
    </label>
  );
}

interface SegmentsProps<Value extends string> {
  label: string;
  value: Value | undefined;
  options: readonly { value: Value; label: string }[];
  onChoose: (value: Value) => void;
}

/** One of few, side by side. */
export function Segments<Value extends string>(props: SegmentsProps<Value>) {
  const { label, value, options, onChoose } = props;
  const name = useId();
  return (
    <div role="radiogroup" aria-label={label} className={styles.segments}>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChoose(option.value)}
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}

interface NativeSelectProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChoose: (value: Value) => void;
}

/** One of some words, in the way that the reader's system lets choose. */
export function NativeSelect<Value extends string>(props: NativeSelectProps<Value>) {
  const { label, value, options, onChoose } = props;
  return (
    <select
      className={styles.select}
      aria-label={label}
      value={value}
      onChange={({ target }) => onChoose(target.value as Value)}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

interface SearchFieldProps {
  label: string;
  value: string;
  /** Letters at most. */
  most?: number;
  onSearch: (text: string) => void;
}

/** Searches by Enter or the button; emptied, at once. */
export function SearchField({ label, value, most, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  if (shown !== value) {
    setShown(value);
    setText(value);
  }
  const write = (next: string) => {
    setText(next);
    if (!next && value) onSearch("");
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSearch(text.trim());
  };
  return (
    <form className={styles.searchField} onSubmit={submit}>
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        maxLength={most}
        value={text}
        onChange={({ target }) => write(target.value)}
      />
      <Button htmlType="submit" icon={<SearchOutlined aria-hidden />} aria-label={label} />
    </form>
  );
}

interface FieldInputProps extends Omit<ComponentProps<"input">, "value"> {
  value: string | undefined;
  /** By Enter, or on leaving the field; a day, once it is whole. */
  onEnter: (value: string | undefined) => void;
}

/** A line of text, or a day. */
export function FieldInput({ value = "", onEnter, ...props }: FieldInputProps) {
  const enter = (written: string) => {
    const next = written.trim();
    if (next !== value) onEnter(next || undefined);
  };
  return (
    <input
      {...props}
      key={value}
      className={styles.input}
      defaultValue={value}
      onKeyDown={({ key, currentTarget }) => key === "Enter" && enter(currentTarget.value)}
      onBlur={({ target }) => enter(target.value)}
      onChange={({ target }) => props.type === "date" && enter(target.value)}
    />
  );
}

/** How far something is, of a hundred. */
export function ProgressBar({ label, percent }: { label?: string; percent: number }) {
  return (
    <span className={styles.progress}>
      <progress aria-label={label} max={100} value={percent} />
      <span className="num">{percent}%</span>
    </span>
  );
}

interface SearchLineProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
}

/** Searches what is shown, with every letter. */
export function SearchLine({ label, value, onChange }: SearchLineProps) {
  return (
    <input
      type="search"
      className={styles.input}
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
