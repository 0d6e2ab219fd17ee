import { Checkbox, Form, Input, Select } from "antd";
import type { Directory } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { usePlaceOf } from "@/shared/session/me";
import { CodeBlock } from "@/shared/ui/code-block";
import { EntityDialog, EntityName, EntityTitle } from "@/shared/ui/entity-dialog";
import { type DirectoryBody, useSaveDirectory } from "../api/directories";
import {
  DIRECTORY_NAME,
  type DirectoryFields,
  directoryForm,
  directoryInput,
  SIGN_IN_WAYS,
  type SignInWay,
} from "../model/directory";
import { LdapFields } from "./ldap-fields";

interface DirectoryDialogProps {
  /** The one to change; none adds another. */
  directory: Directory | undefined;
  onClose: () => void;
}

/** What a directory is called, and by what its people sign in. */
export function DirectoryDialog({ directory, onClose }: DirectoryDialogProps) {
  const { t } = useTranslation("directories");
  return (
    <EntityDialog<DirectoryFields, DirectoryBody>
      action={t("save")}
      title={directory ? t("editOf", { title: directory.title }) : t("add")}
      initial={directoryForm(directory)}
      save={useSaveDirectory(directory?.id)}
      bodyOf={directoryInput}
      version={directory?.version}
      onClose={onClose}
    >
      {!directory && (
        <EntityName
          label={t("field.name")}
          about={t("field.nameAbout")}
          pattern={DIRECTORY_NAME}
          message={t("field.nameWrong")}
          maxLength={40}
        />
      )}
      <EntityTitle name="title" label={t("field.title")} message={t("field.titleMissing")} />
      <WayFields directory={directory} />
      <Form.Item
        name="links_existing"
        valuePropName="checked"
        extra={t("field.linksExistingAbout")}
      >
        <Checkbox>{t("field.linksExisting")}</Checkbox>
      </Form.Item>
    </EntityDialog>
  );
}

function WayFields({ directory }: { directory: Directory | undefined }) {
  const { t } = useTranslation("directories");
  const way: SignInWay | undefined = Form.useWatch("way");
  return (
    <>
      <Form.Item name="way" label={t("field.way")} extra={t(`wayAbout.${way ?? "none"}`)}>
        <Select options={SIGN_IN_WAYS.map((value) => ({ value, label: t(`way.${value}`) }))} />
      </Form.Item>
      {way === "oidc" && <OidcFields directory={directory} />}
      {way === "ldap" && <LdapFields directory={directory} />}
    </>
  );
}

/** A provider of OpenID Connect, and what is to be allowed there. */
function OidcFields({ directory }: { directory: Directory | undefined }) {
  const { t } = useTranslation("directories");
  const placeOf = usePlaceOf();
  const typed: string | undefined = Form.useWatch("name");
  const name = directory?.name ?? typed;
  const secret = directory?.has_client_secret ? t("field.secretKept") : t("field.secretAbout");
  return (
    <>
      <Form.Item
        name="issuer"
        label={t("field.issuer")}
        extra={t("field.issuerAbout")}
        rules={[{ required: true, whitespace: true, message: t("field.issuerMissing") }]}
      >
        <Input type="url" autoComplete="off" placeholder="https://login.example.org/tenant" />
      </Form.Item>
      <Form.Item
        name="client_id"
        label={t("field.clientId")}
        rules={[{ required: true, whitespace: true, message: t("field.clientIdMissing") }]}
      >
        <Input autoComplete="off" spellCheck={false} maxLength={200} />
      </Form.Item>
      <Form.Item name="client_secret" label={t("field.secret")} extra={secret}>
        <Input.Password autoComplete="new-password" maxLength={1000} />
      </Form.Item>
      <Form.Item
        name="subject_claim"
        label={t("field.subjectClaim")}
        extra={t("field.subjectClaimAbout")}
      >
        <Input autoComplete="off" spellCheck={false} maxLength={40} />
      </Form.Item>
      <Form.Item
        name="groups_claim"
        label={t("field.groupsClaim")}
        extra={t("field.groupsClaimAbout")}
      >
        <Input autoComplete="off" spellCheck={false} maxLength={100} />
      </Form.Item>
      {name && DIRECTORY_NAME.test(name) && (
        <Form.Item label={t("field.callback")} extra={t("field.callbackAbout")}>
          <CodeBlock
            label={t("field.callback")}
            text={directory?.callback_url ?? placeOf(`/sign-in/oidc/${name}/callback`)}
          />
        </Form.Item>
      )}
    </>
  );
}
