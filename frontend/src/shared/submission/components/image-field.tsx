import { Form, Radio } from "antd";
import { useTranslation } from "react-i18next";
import type { Image } from "@/shared/api/types";
import { titleOf, useLanguage } from "@/shared/i18n/language";
import styles from "./image-field.module.css";

/** The images to choose from, as a gallery. */
export function ImageField({ images }: { images: readonly Image[] }) {
  const { t } = useTranslation("submission");
  const language = useLanguage();
  return (
    <Form.Item name="image" label={t("image")} rules={[{ required: true }]}>
      <Radio.Group className={styles.gallery ?? ""} aria-label={t("image")}>
        {images.map((image) => (
          <Radio key={image.name} value={image.name} aria-label={titleOf(image, language)}>
            <span className={styles.title}>{titleOf(image, language)}</span>
            <span className={styles.about}>
              {language === "zh-CN" ? image.description_zh : image.description_en}
            </span>
          </Radio>
        ))}
      </Radio.Group>
    </Form.Item>
  );
}
