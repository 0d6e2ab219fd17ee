import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Form } from "antd";
import { useTranslation } from "react-i18next";
import styles from "./policy.module.css";
import { WeekMoment } from "./week-moment";

/** Monday to Friday evening until the next morning: what most sites begin with. */
const NEW_WINDOW = { start: 20 * 60, end: 24 * 60 + 8 * 60 };

/** The stretches of the week in which everything that is idle is lent. */
export function WindowFields() {
  const { t } = useTranslation("policy");
  return (
    <Form.List name={["lending", "windows"]}>
      {(rows, { add, remove }) => (
        <>
          {rows.map(({ key, name }, index) => (
            <div key={key} className={styles.window}>
              <Form.Item name={[name, "start"]}>
                <WeekMoment label={t("windowStart", { number: index + 1 })} />
              </Form.Item>
              <span>{t("until")}</span>
              <Form.Item name={[name, "end"]}>
                <WeekMoment label={t("windowEnd", { number: index + 1 })} />
              </Form.Item>
              <Button
                type="text"
                icon={<DeleteOutlined />}
                aria-label={t("windowRemove", { number: index + 1 })}
                onClick={() => remove(name)}
              />
            </div>
          ))}
          <Button icon={<PlusOutlined aria-hidden />} onClick={() => add(NEW_WINDOW)}>
            {t("windowAdd")}
          </Button>
        </>
      )}
    </Form.List>
  );
}
