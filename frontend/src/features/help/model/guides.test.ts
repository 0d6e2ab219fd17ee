import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ALL_GUIDES, fileOf, guideAt, guideFor, isGuide, pictureAt, splitGuide } from "./guides";

const DOCS = "../docs/";
const USERS = readdirSync(`${DOCS}users`);
const LINK = /\]\(([^)\s]+)\)/g;

const pathOf = (address: string) => address.replace("/guides/", DOCS);

describe("guides", () => {
  it("are there in both languages for every page that has one", () => {
    const pages = [
      "/jobs/new",
      "/jobs/1",
      "/notebooks",
      "/queue",
      "/usage/report",
      "/ssh-keys",
      "/x",
    ];
    for (const language of ["en", "zh-CN"] as const) {
      const files = pages.map((page) => pathOf(fileOf(guideFor(page), language)));
      expect(files.filter((file) => !existsSync(file))).toEqual([]);
    }
    expect(guideFor("/jobs/new")).toBe("users/first-job");
    expect(guideFor("/alarms")).toBe(ALL_GUIDES);
  });

  it.each(USERS)("%s leads to guides and pictures that are there", (name) => {
    const guide = `users/${name.replace(/(\.zh-CN)?\.md$/, "")}`;
    const { title, text } = splitGuide(readFileSync(`${DOCS}users/${name}`, "utf8"));
    expect(title).not.toBe("");
    const targets = [...text.matchAll(LINK)].map(([, target = ""]) => target);
    const inside = targets.filter((target) => !/^https?:/.test(target));
    for (const target of inside) {
      const picture = pictureAt(guide, target);
      const leads = guideAt(guide, target);
      const file = picture ?? (leads && fileOf(leads, name.includes("zh-CN") ? "zh-CN" : "en"));
      if (file) expect([target, existsSync(pathOf(file))]).toEqual([target, true]);
    }
    expect(text).not.toMatch(/^\[(?:中文|English)\]/m);
  });

  it("lead nowhere else", () => {
    for (const target of [
      "https://example.org/guides/users/x.md",
      "//e.org/a.md",
      "../admin/server.md",
    ]) {
      expect(guideAt("users/README", target)).toBeNull();
      expect(pictureAt("users/README", target)).toBeNull();
    }
    expect(["users/idle", "users/../site", "api/v1", ""].map(isGuide)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
