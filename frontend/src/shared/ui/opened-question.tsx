import { Popconfirm, type PopconfirmProps } from "antd";
import { StandIn } from "./opened-hint";

interface OpenedQuestionProps {
  question: PopconfirmProps;
  target: Element;
}

/** A question beside the button that was pressed. */
export function OpenedQuestion({ question, target }: OpenedQuestionProps) {
  return (
    <Popconfirm {...question} defaultOpen>
      <StandIn target={target} />
    </Popconfirm>
  );
}
