/** Buttons that ask once before they act. */
import { Button, type PopconfirmProps } from "antd";
import {
  cloneElement,
  type MouseEvent,
  type ReactElement,
  useDeferredValue,
  useState,
} from "react";
import { useTranslation } from "@/shared/i18n/language";
import { later } from "./opening";
import { useProblemMessage } from "./query-states";

const loadQuestion = () => import("./opened-question");
const LaterQuestion = later(async () => (await loadQuestion()).OpenedQuestion);

interface ConfirmProps extends Omit<PopconfirmProps, "children"> {
  /** Opens the question. */
  children: ReactElement<{
    onClick?: (event: MouseEvent) => void;
    onPointerEnter?: () => void;
    onFocus?: () => void;
  }>;
}

/**
 * A question beside its button, drawn at the first click: a list has hundreds of them. What draws it is
 * loaded once a reader comes near.
 */
export function Confirm({ children, ...question }: ConfirmProps) {
  const [target, setTarget] = useState<Element | null>(null);
  // A press is answered before the question is drawn.
  const shown = useDeferredValue(target);
  const open = ({ currentTarget }: MouseEvent) => setTarget(currentTarget);
  return (
    <>
      {cloneElement(children, {
        onClick: open,
        onPointerEnter: () => void loadQuestion(),
        onFocus: () => void loadQuestion(),
      })}
      {shown && <LaterQuestion question={question} target={shown} />}
    </>
  );
}

interface ConfirmButtonProps<Input> {
  /** On the button, and on the one that confirms. */
  action: string;
  /** For people who cannot see beside what the button stands. */
  label: string;
  /** What happens then. */
  question: string;
  isDangerous?: boolean;
  mutation: {
    mutate: (input: Input, options: { onError: (error: Error) => void }) => void;
    isPending: boolean;
  };
  input: Input;
}

/** Runs a mutation after a confirmation, which alone is red; shows a refusal as a passing message. */
export function ConfirmButton<Input>(props: ConfirmButtonProps<Input>) {
  const { action, label, question, isDangerous = false, mutation, input } = props;
  const { t } = useTranslation("ui");
  const showProblem = useProblemMessage();
  const act = () => mutation.mutate(input, { onError: showProblem });
  return (
    <Confirm
      title={action}
      description={<div style={{ maxWidth: 320 }}>{question}</div>}
      okText={action}
      okButtonProps={{ danger: isDangerous }}
      cancelText={t("cancel")}
      onConfirm={act}
    >
      <Button size="small" aria-label={label} loading={mutation.isPending}>
        {action}
      </Button>
    </Confirm>
  );
}

interface RemoveButtonProps {
  /** For people who cannot see beside what the button stands. */
  label: string;
  question: string;
  mutation: {
    mutate: (id: string, options: { onError: (error: Error) => void }) => void;
    isPending: boolean;
  };
  id: string;
}

/** Removes one entity after a confirmation. */
export function RemoveButton({ label, question, mutation, id }: RemoveButtonProps) {
  const { t } = useTranslation("ui");
  const showProblem = useProblemMessage();
  const remove = () => mutation.mutate(id, { onError: showProblem });
  return (
    <Confirm
      title={question}
      okText={t("remove")}
      okButtonProps={{ danger: true }}
      cancelText={t("cancel")}
      onConfirm={remove}
    >
      <Button size="small" aria-label={label} loading={mutation.isPending}>
        {t("remove")}
      </Button>
    </Confirm>
  );
}
