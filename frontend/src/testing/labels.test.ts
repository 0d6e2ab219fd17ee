/** Names of buttons hold the words on them, so that people who speak to the page can press them. */
import { expect, it } from "vitest";
import accountEn from "@/features/account/locales/en.json";
import accountZh from "@/features/account/locales/zh-CN.json";
import datasetsEn from "@/features/datasets/locales/en.json";
import datasetsZh from "@/features/datasets/locales/zh-CN.json";
import peopleEn from "@/features/people/locales/en.json";
import peopleZh from "@/features/people/locales/zh-CN.json";
import poolsEn from "@/features/pools/locales/en.json";
import poolsZh from "@/features/pools/locales/zh-CN.json";
import usageEn from "@/features/usage/locales/en.json";
import usageZh from "@/features/usage/locales/zh-CN.json";
import volumesEn from "@/features/volumes/locales/en.json";
import volumesZh from "@/features/volumes/locales/zh-CN.json";
import uiEn from "@/shared/ui/locales/en.json";
import uiZh from "@/shared/ui/locales/zh-CN.json";

type People = typeof peopleEn;
type Pools = typeof poolsEn;

function pairs(people: People, pools: Pools, remove: string): [string, string][] {
  const { person, member, group } = people;
  return [
    [people.edit, person.editOf],
    [person.renew, person.renewOf],
    [person.secondFactors, person.secondFactorsOf],
    [person.deactivate, person.deactivateOf],
    [person.activate, person.activateOf],
    [people.members, member.of],
    [remove, member.removeOf],
    [group.add, group.addBelow],
    [group.rename, group.renameOf],
    [remove, group.removeOf],
    [pools.addNode, pools.addNodeTitle],
    [pools.edit, pools.editTitle],
    [pools.close, pools.closeTitle],
    [pools.reopen, pools.openTitle],
    [remove, pools.removeTitle],
    [pools.move, pools.moveTitle],
  ];
}

interface OtherTexts {
  account: Pick<typeof accountEn, "passkey" | "session">;
  datasets: Pick<typeof datasetsEn, "edit" | "editTitle" | "versionsOf">;
  usage: Pick<typeof usageEn, "prices">;
  volumes: Pick<typeof volumesEn, "change" | "changeNamed" | "trash" | "trashNamed" | "usersOf">;
}

function otherPairs({ account, datasets, usage, volumes }: OtherTexts): [string, string][] {
  return [
    [account.passkey.remove, account.passkey.removeOf],
    [account.session.end, account.session.endOf],
    [datasets.edit, datasets.editTitle],
    ["{{shown}}", datasets.versionsOf],
    [usage.prices.remove, usage.prices.removeOf],
    [volumes.change, volumes.changeNamed],
    [volumes.trash, volumes.trashNamed],
    ["{{uses}}", volumes.usersOf],
  ];
}

const OTHERS_EN = { account: accountEn, datasets: datasetsEn, usage: usageEn, volumes: volumesEn };
const OTHERS_ZH = { account: accountZh, datasets: datasetsZh, usage: usageZh, volumes: volumesZh };

it.each([
  ["en", [...pairs(peopleEn, poolsEn, uiEn.remove), ...otherPairs(OTHERS_EN)]],
  [
    "zh-CN",
    [...pairs(peopleZh as People, poolsZh as Pools, uiZh.remove), ...otherPairs(OTHERS_ZH)],
  ],
])("holds in %s", (_language, all) => {
  expect(all.filter(([words, label]) => !label.includes(words))).toEqual([]);
});
