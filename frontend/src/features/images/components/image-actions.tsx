import { App, Button, Flex, Popconfirm } from "antd";
import { useTranslation } from "react-i18next";
import { problemOf } from "@/shared/api/problem";
import type { Image } from "@/shared/api/types";
import { useProblemText } from "@/shared/ui/query-states";
import { useChangeImage } from "../api/use-images-admin";

/** What an administrator may do to an image; nobody deletes one, for past work names it. */
export function ImageActions({ image, onEdit }: { image: Image; onEdit: () => void }) {
  const { t } = useTranslation(["images", "ui"]);
  const { message } = App.useApp();
  const describe = useProblemText();
  const change = useChangeImage(image.id);
  const { name, is_active: isOffered } = image;
  const turn = () =>
    change.mutate(
      { is_active: !isOffered },
      { onError: (error) => void message.error(describe(problemOf(error))) },
    );
  return (
    <Flex gap={8} wrap>
      <Button size="small" aria-label={t("editTitle", { name })} onClick={onEdit}>
        {t("edit")}
      </Button>
      <Popconfirm
        title={t(isOffered ? "withdrawQuestion" : "offerQuestion")}
        okText={t(isOffered ? "withdrawYes" : "offerYes")}
        okButtonProps={{ danger: isOffered }}
        cancelText={t("ui:cancel")}
        onConfirm={turn}
      >
        <Button
          size="small"
          danger={isOffered}
          aria-label={t(isOffered ? "withdrawTitle" : "offerTitle", { name })}
          loading={change.isPending}
        >
          {t(isOffered ? "withdraw" : "offer")}
        </Button>
      </Popconfirm>
    </Flex>
  );
}
