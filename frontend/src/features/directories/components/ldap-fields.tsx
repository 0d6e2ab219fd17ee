import { Checkbox, Form, Input, InputNumber, Select } from "antd";
import type { Directory, LdapSettings } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { LDAP_USUAL, type LdapKind } from "../model/directory";
import styles from "./directories.module.css";

const KINDS = ["ad", "openldap"] as const;
const CERTIFICATE_MAX = 20_000;

/** Where a directory is reached by LDAP, and under what it keeps people and groups. */
export function LdapFields({ directory }: { directory: Directory | undefined }) {
  const { t } = useTranslation("directories");
  const url: string | undefined = Form.useWatch(["ldap", "url"]);
  const password = t(directory?.has_bind_password ? "ldap.passwordKept" : "ldap.passwordAbout");
  return (
    <>
      <Address />
      {url?.startsWith("ldap:") && (
        <Form.Item name={["ldap", "is_plain"]} valuePropName="checked" extra={t("ldap.plainAbout")}>
          <Checkbox>{t("ldap.plain")}</Checkbox>
        </Form.Item>
      )}
      <Text name="bind_dn" isOptional />
      <Form.Item name="bind_password" label={t("ldap.password")} extra={password}>
        <Input.Password autoComplete="new-password" maxLength={1000} />
      </Form.Item>
      <Text name="people_base" />
      <Text name="groups_base" isOptional />
      <Usual />
      <Form.Item
        name={["ldap", "ca_certificate"]}
        label={t("ldap.ca_certificate")}
        extra={t("ldap.ca_certificateAbout")}
      >
        <Input.TextArea rows={3} className="mono" spellCheck={false} maxLength={CERTIFICATE_MAX} />
      </Form.Item>
      <Form.Item
        name={["ldap", "every_min"]}
        label={t("ldap.every_min")}
        extra={t("ldap.every_minAbout")}
        rules={[{ required: true, type: "number", min: 15, max: 1440 }]}
      >
        <InputNumber style={{ width: "100%" }} suffix={t("ldap.minutes")} />
      </Form.Item>
    </>
  );
}

function Address() {
  const { t } = useTranslation("directories");
  return (
    <Form.Item
      name={["ldap", "url"]}
      label={t("ldap.url")}
      extra={t("ldap.urlAbout")}
      rules={[{ required: true, pattern: /^ldaps?:\/\/[^/]+$/, message: t("ldap.urlWrong") }]}
    >
      <Input autoComplete="off" spellCheck={false} placeholder="ldaps://dc1.example.org" />
    </Form.Item>
  );
}

/** Filters and attributes, filled in at once with what is usual. */
function Usual() {
  const { t } = useTranslation("directories");
  const form = Form.useFormInstance();
  const fill = (kind: LdapKind) => {
    const present = form.getFieldValue("ldap") as LdapSettings;
    form.setFieldValue("ldap", { ...present, ...LDAP_USUAL[kind] });
  };
  return (
    <details className={styles.usual}>
      <summary>{t("ldap.attributes")}</summary>
      <Form.Item label={t("ldap.usual")}>
        <Select<LdapKind>
          placeholder={t("ldap.usualChoose")}
          options={KINDS.map((value) => ({ value, label: t(`ldap.kind.${value}`) }))}
          onChange={fill}
        />
      </Form.Item>
      <Text name="people_filter" />
      <Text name="groups_filter" />
      <Text name="id_attribute" />
      <Text name="name_attribute" />
      <Text name="display_attribute" />
      <Text name="email_attribute" />
      <Text name="group_name_attribute" />
    </details>
  );
}

type TextName =
  | "bind_dn"
  | "people_base"
  | "groups_base"
  | "people_filter"
  | "groups_filter"
  | "id_attribute"
  | "name_attribute"
  | "display_attribute"
  | "email_attribute"
  | "group_name_attribute";

function Text({ name, isOptional = false }: { name: TextName; isOptional?: boolean }) {
  const { t } = useTranslation("directories");
  return (
    <Form.Item
      name={["ldap", name]}
      label={t(`ldap.${name}`)}
      extra={t(`ldap.about.${name}`)}
      rules={isOptional ? [] : [{ required: true, whitespace: true, message: t("ldap.missing") }]}
    >
      <Input autoComplete="off" spellCheck={false} />
    </Form.Item>
  );
}
