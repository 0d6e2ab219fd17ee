import { Form, type FormInstance, Modal } from "antd";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrorsOf, problemOf } from "@/shared/api/problem";
import { ProblemAlert } from "./query-states";

/** What a mutation of TanStack Query offers to whoever sends a form. */
interface SaveMutation<Body> {
  mutate: (body: Body, options: { onSuccess: () => void; onError: (error: Error) => void }) => void;
  isPending: boolean;
  error: Error | null;
}

interface EntityDialogProps<Fields extends object, Body> {
  title: string;
  /** Name of the button that sends it. */
  action: string;
  initial: Partial<Fields>;
  sender: SaveMutation<Body>;
  bodyOf: (fields: Fields) => Body;
  onClose: () => void;
  children: ReactNode | ((form: FormInstance<Fields>) => ReactNode);
}

/** A form in a dialog: sent once, closed by success, what the server refuses said at its field. */
export function EntityDialog<Fields extends object, Body>(props: EntityDialogProps<Fields, Body>) {
  const { title, action, initial, sender, bodyOf, onClose, children } = props;
  const { t } = useTranslation("ui");
  const [form] = Form.useForm<Fields>();
  const send = (filled: Fields) =>
    sender.mutate(bodyOf(filled), {
      onSuccess: onClose,
      onError: (error) => form.setFields(fieldErrorsOf(problemOf(error)) as never),
    });
  return (
    <Modal
      open
      title={title}
      okText={action}
      cancelText={t("cancel")}
      confirmLoading={sender.isPending}
      onOk={() => form.submit()}
      onCancel={onClose}
    >
      <Form<Fields>
        form={form}
        layout="vertical"
        requiredMark={false}
        initialValues={initial}
        onFinish={send}
      >
        {typeof children === "function" ? children(form) : children}
        {sender.error && <ProblemAlert error={sender.error} />}
      </Form>
    </Modal>
  );
}
