/** Views of a list: filters, order and columns under names, for oneself or for a group. */
import { StarFilled, StarOutlined } from "@ant-design/icons";
import { Button, Input, Select } from "antd";
import { useState } from "react";
import type { SavedView } from "@/shared/api/types";
import { titleOf, titleOptions, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { useProblemMessage } from "@/shared/ui/query-states";
import { useAddress } from "../api/address";
import { useOpenWith, useRemoveView, useSaveView, useViews } from "../api/views";
import type { KeptList } from "../model/kept";
import { isAsIn, type ListName, VIEW_NAME_MAX, VIEWS_MAX, wordsOf } from "../model/views";
import styles from "./lists.module.css";

const ONLY_ME = "";

interface ViewsProps {
  list: ListName;
  /** The columns that are shown now. */
  kept: KeptList;
}

/** The views that the reader may use, and a line to keep what is shown now as another. */
export function Views({ list, kept }: ViewsProps) {
  const { t } = useTranslation("lists");
  const me = useMe();
  const views = useViews(list).data ?? [];
  const own = views.filter(({ owner }) => owner.id === me.id);
  const others = views.filter(({ owner }) => owner.id !== me.id);
  return (
    <>
      {own.map((view) => (
        <ViewRow key={view.id} view={view} />
      ))}
      {others.length > 0 && (
        <section aria-label={t("views.others")}>
          <p className={styles.hint}>{t("views.others")}</p>
          {others.map((view) => (
            <ViewRow key={view.id} view={view} />
          ))}
        </section>
      )}
      <SaveLine list={list} kept={kept} own={own} />
      <p className={styles.hint}>{t("views.about", { max: VIEWS_MAX })}</p>
    </>
  );
}

function ViewRow({ view }: { view: SavedView }) {
  const { id, list, name, is_opening, may_remove } = view;
  const { t } = useTranslation("lists");
  const { search, replace } = useAddress();
  const showProblem = useProblemMessage();
  const opener = useOpenWith(list);
  const remover = useRemoveView();
  const isShown = search.view === id && isAsIn(view, search);
  return (
    <div className={styles.view}>
      <span className={styles.viewName}>
        <Button
          type="link"
          size="small"
          aria-current={isShown}
          onClick={() => replace({ ...view.search, view: id })}
        >
          {name}
        </Button>
        <Sharing view={view} />
      </span>
      <Button
        type="text"
        size="small"
        aria-pressed={is_opening}
        aria-label={t("views.opening", { name })}
        title={t("views.opening", { name })}
        icon={is_opening ? <StarFilled aria-hidden /> : <StarOutlined aria-hidden />}
        onClick={() => opener.mutate(is_opening ? null : id, { onError: showProblem })}
      />
      {may_remove && (
        <Button
          type="text"
          size="small"
          aria-label={t("views.remove", { name })}
          onClick={() => remover.mutate(id, { onError: showProblem })}
        >
          ×
        </Button>
      )}
    </div>
  );
}

/** Who else uses it, or whose it is. */
function Sharing({ view: { group, owner } }: { view: SavedView }) {
  const { t } = useTranslation("lists");
  const language = useLanguage();
  const me = useMe();
  if (!group) return null;
  const title = titleOf(group, language);
  const by = owner.display_name || owner.username;
  return (
    <span className={styles.hint}>
      {owner.id === me.id
        ? t("views.sharedWith", { group: title })
        : t("views.sharedBy", { group: title, owner: by })}
    </span>
  );
}

interface SaveLineProps extends ViewsProps {
  own: readonly SavedView[];
}

function SaveLine({ list, kept, own }: SaveLineProps) {
  const { t } = useTranslation("lists");
  const language = useLanguage();
  const me = useMe();
  const { search, replace } = useAddress();
  const showProblem = useProblemMessage();
  const [name, setName] = useState("");
  const [group, setGroup] = useState(ONLY_ME);
  const saver = useSaveView(own);
  const groups = me.memberships.map((membership) => membership.group);
  const save = () => {
    const words = wordsOf(search);
    const { hidden, shown } = kept;
    const body = { list, name: name.trim(), search: words, hidden, shown };
    saver.mutate(
      { ...body, group: group || null },
      {
        onError: showProblem,
        onSuccess: ({ id }) => {
          setName("");
          replace({ ...words, view: id });
        },
      },
    );
  };
  return (
    <>
      <div className={styles.view}>
        <Input
          size="small"
          aria-label={t("views.name")}
          placeholder={t("views.name")}
          maxLength={VIEW_NAME_MAX}
          value={name}
          onChange={({ target }) => setName(target.value)}
          onPressEnter={() => name.trim() && save()}
        />
        <Button size="small" loading={saver.isPending} disabled={!name.trim()} onClick={save}>
          {t("views.save")}
        </Button>
      </div>
      {groups.length > 0 && (
        <Select
          size="small"
          aria-label={t("views.who")}
          value={group}
          options={[
            { value: ONLY_ME, label: t("views.onlyMe") },
            ...titleOptions(groups, language),
          ]}
          onChange={setGroup}
        />
      )}
    </>
  );
}
