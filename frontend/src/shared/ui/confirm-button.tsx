/** Buttons that ask once before they act. */
import { Button, Popconfirm } from "antd";
import { useTranslation } from "react-i18next";
import { useProblemMessage } from "./query-states";

interface ConfirmButtonProps<Input> {
  /** On the button, and on the one that confirms. */
  action: string;
  /** For people who cannot see beside what the button stands. */
  label: string;
  /** What happens then. */
  question: string;
  isDangerous?: boolean;
  asked: {
    mutate: (input: Input, options: { onError: (error: Error) => void }) => void;
    isPending: boolean;
  };
  input: Input;
}

/** Does one thing after one question; a refusal is said in passing. */
export function ConfirmButton<Input>(props: ConfirmButtonProps<Input>) {
  const { action, label, question, isDangerous = false, asked, input } = props;
  const { t } = useTranslation("ui");
  const showProblem = useProblemMessage();
  const act = () => asked.mutate(input, { onError: showProblem });
  return (
    <Popconfirm
      title={action}
      description={<div style={{ maxWidth: 320 }}>{question}</div>}
      okText={action}
      okButtonProps={{ danger: isDangerous }}
      cancelText={t("cancel")}
      onConfirm={act}
    >
      <Button size="small" danger={isDangerous} aria-label={label} loading={asked.isPending}>
        {action}
      </Button>
    </Popconfirm>
  );
}

interface RemoveButtonProps {
  /** For people who cannot see beside what the button stands. */
  label: string;
  question: string;
  remover: {
    mutate: (id: string, options: { onError: (error: Error) => void }) => void;
    isPending: boolean;
  };
  id: string;
}

/** Removes one thing after one question. */
export function RemoveButton({ label, question, remover, id }: RemoveButtonProps) {
  const { t } = useTranslation("ui");
  const showProblem = useProblemMessage();
  const remove = () => remover.mutate(id, { onError: showProblem });
  return (
    <Popconfirm
      title={question}
      okText={t("remove")}
      okButtonProps={{ danger: true }}
      cancelText={t("cancel")}
      onConfirm={remove}
    >
      <Button size="small" danger aria-label={label} loading={remover.isPending}>
        {t("remove")}
      </Button>
    </Popconfirm>
  );
}
