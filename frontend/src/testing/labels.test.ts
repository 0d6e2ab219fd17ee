/** Names of buttons hold the words on them, so that people who speak to the page can press them. */
import { expect, it } from "vitest";
import peopleEn from "@/features/people/locales/en.json";
import peopleZh from "@/features/people/locales/zh-CN.json";
import poolsEn from "@/features/pools/locales/en.json";
import poolsZh from "@/features/pools/locales/zh-CN.json";
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

it.each([
  ["en", pairs(peopleEn, poolsEn, uiEn.remove)],
  ["zh-CN", pairs(peopleZh as People, poolsZh as Pools, uiZh.remove)],
])("holds in %s", (_language, all) => {
  expect(all.filter(([words, label]) => !label.includes(words))).toEqual([]);
});
