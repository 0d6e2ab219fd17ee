import { App, Button, Popconfirm } from "antd";
import { useTranslation } from "react-i18next";
import { problemOf } from "@/shared/api/problem";
import { useProblemText } from "@/shared/api/use-problem-text";

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
  const { message } = App.useApp();
  const describe = useProblemText();
  const remove = () =>
    remover.mutate(id, { onError: (error) => void message.error(describe(problemOf(error))) });
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
