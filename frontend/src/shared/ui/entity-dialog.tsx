/** The one dialog that creates an entity or changes it, and the fields that most entities have. */
import { Form, type FormInstance, Input, Modal } from "antd";
import { type ReactNode, useDeferredValue, useState } from "react";
import { useTranslation } from "@/shared/i18n/language";
import { DiscardQuestion } from "./discard-dialog";
import { ProblemAlert } from "./query-states";
import { SavedMeanwhile, useRefusal } from "./refusal";

const TITLE_MAX = 100;

/** The part of a TanStack Query mutation that the dialog uses. */
interface SaveMutation<Body> {
  mutate: (body: Body, options: { onSuccess: () => void; onError: (error: Error) => void }) => void;
  isPending: boolean;
  error: Error | null;
  reset: () => void;
}

interface EntityDialogProps<Fields extends object, Body> {
  title: string;
  /** Name of the save button. */
  action: string;
  /** The entity as its form holds it, or what a new one begins with. */
  initial: Partial<Fields>;
  /** Creates the entity, or changes it when it exists. */
  save: SaveMutation<Body>;
  /** The request that the filled form stands for. */
  bodyOf: (fields: Fields) => Body;
  /** Of what exists already, where several people change it: what others save meanwhile is not lost. */
  version?: number | undefined;
  onClose: () => void;
  children: ReactNode | ((form: FormInstance<Fields>) => ReactNode);
}

/** Saved once; success closes it, faults that the server names are shown at their fields. */
export function EntityDialog<Fields extends object, Body>(props: EntityDialogProps<Fields, Body>) {
  // A press is answered before a whole form is drawn.
  const isDue = useDeferredValue(true, false);
  return isDue && <OpenedDialog {...props} />;
}

function OpenedDialog<Fields extends object, Body>(props: EntityDialogProps<Fields, Body>) {
  const { title, action, initial, save, bodyOf, version, onClose, children } = props;
  const { t } = useTranslation("ui");
  const [form] = Form.useForm<Fields>();
  const [seen, setSeen] = useState(version);
  const [isLeaving, setLeaving] = useState(false);
  const refusal = useRefusal(form, save);
  /** The library puts the focus on the dialog as a whole; who was faster keeps the own place. */
  const focusFirst = () => {
    if (document.activeElement?.matches("input, textarea")) return;
    const [first] = Object.keys(form.getFieldsValue() as object);
    form.getFieldInstance(first as never)?.focus?.();
  };
  const send = (filled: Fields) => {
    const body = bodyOf(filled);
    refusal.forget();
    // A body may be a path or a number: only one of something with versions is an object.
    save.mutate(seen === undefined ? body : { ...body, version: seen }, {
      onSuccess: onClose,
      onError: (error) => refusal.mark(error),
    });
  };
  const leave = () => (form.isFieldsTouched() ? setLeaving(true) : onClose());
  return (
    <Modal
      open
      title={title}
      okText={action}
      cancelText={t("cancel")}
      confirmLoading={save.isPending}
      onOk={() => form.submit()}
      onCancel={leave}
      afterOpenChange={(isOpen) => isOpen && focusFirst()}
    >
      {isLeaving && (
        <DiscardQuestion
          about={t("unsaved.inDialog")}
          onDiscard={onClose}
          onStay={() => setLeaving(false)}
        />
      )}
      <Form<Fields>
        form={form}
        name="dialog" // so that its fields have other ids than those of a form behind it
        layout="vertical"
        requiredMark={false}
        initialValues={initial}
        onValuesChange={refusal.forget}
        onFinish={send}
      >
        {typeof children === "function" ? children(form) : children}
        {save.error && <ProblemAlert error={save.error} form={form} />}
        {save.error && (
          <SavedMeanwhile
            error={save.error}
            form={form}
            isOutdated={version !== seen}
            onSeen={() => setSeen(version)}
          />
        )}
      </Form>
    </Modal>
  );
}

interface EntityNameProps {
  name?: string;
  label: string;
  about: string;
  /** Names that the server takes. */
  pattern: RegExp;
  /** Shown when the name does not match. */
  message: string;
  maxLength?: number;
  /** An entity keeps its name once it exists. */
  isFixed?: boolean;
}

/** The name by which the API and other entities refer to this one. */
export function EntityName({ name = "name", label, about, pattern, ...rest }: EntityNameProps) {
  const { message, isFixed = false, ...input } = rest;
  return (
    <Form.Item
      name={name}
      label={label}
      extra={about}
      rules={[{ required: true, pattern, message }]}
    >
      <Input autoComplete="off" spellCheck={false} disabled={isFixed} {...input} />
    </Form.Item>
  );
}

interface EntityTitleProps {
  name: string;
  label: string;
  /** Shown when the title is missing or too long. */
  message: string;
}

/** What people call the entity. */
export function EntityTitle({ name, label, message }: EntityTitleProps) {
  return (
    <Form.Item
      name={name}
      label={label}
      rules={[{ required: true, whitespace: true, max: TITLE_MAX, message }]}
    >
      <Input autoComplete="off" maxLength={TITLE_MAX} />
    </Form.Item>
  );
}
