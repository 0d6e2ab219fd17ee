import { Form, Select } from "antd";
import { useTranslation } from "react-i18next";
import { arePorts, PORTS_MAX } from "../model/ports";

/** Which ports of the work's own servers its owner wants to open in the browser. */
export function PortsField({ about }: { about: string }) {
  const { t } = useTranslation("submission");
  const check = (_: unknown, ports: readonly string[] = []) =>
    arePorts(ports) ? Promise.resolve() : Promise.reject(new Error(t("ports.wrong")));
  return (
    <Form.Item name="ports" label={t("ports.label")} extra={about} rules={[{ validator: check }]}>
      <Select
        mode="tags"
        open={false}
        suffixIcon={null}
        maxCount={PORTS_MAX}
        tokenSeparators={[",", " "]}
        placeholder="6006, 8080"
      />
    </Form.Item>
  );
}
