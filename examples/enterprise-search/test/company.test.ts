import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { COMPANY_START, chatter, subjects } from "../src/company/index.ts";
import {
  COMPANY_NOW,
  type Company,
  drawCompany,
  drawQuestions,
  questionKinds,
  sources,
} from "../src/index.ts";
import { synonymsOf } from "../src/search/synonyms.ts";
import { oracle } from "./support/company-database.ts";

let company: Company;
beforeAll(() => {
  company = drawCompany({ documents: 3_000 });
});

const page = readFileSync(new URL("../DATA.md", import.meta.url), "utf8");

describe("X4 the made-up company", () => {
  it("X4 is equal for equal options, and different for others", () => {
    const again = drawCompany({ documents: 3_000 });
    // As text, because comparing values one by one takes seconds.
    expect(JSON.stringify(again) === JSON.stringify(company)).toBe(true);
    const other = drawCompany({ documents: 3_000, seed: "other" });
    expect(other.documents[20]?.body).not.toBe(company.documents[20]?.body);
    expect(other.documents[20]?.id).not.toBe(company.documents[20]?.id);
  });

  it("X4 has 300 people in two workspaces, and the shares of sources that DATA.md names", () => {
    expect(company.workspaces.map(({ id, people }) => [id, people.length])).toEqual([
      ["harborline", 250],
      ["lumen", 50],
    ]);
    expect(company.documents.length).toBe(3_000);
    expect(company.documents.filter(({ workspace }) => workspace === "lumen").length).toBe(300);
    const share = (source: string) =>
      company.documents.filter((document) => document.source === source).length / company.documents.length;
    for (const source of sources) {
      const stated = Number(new RegExp(`\\| ${source} \\| (\\d+)% \\|`, "i").exec(page)?.[1]) / 100;
      expect(Math.abs(share(source) - stated), source).toBeLessThan(0.04);
    }
  });

  it("X4 has two people called Alex in one workspace, and another one in the other", () => {
    const alexes = company.workspaces.map(({ people }) =>
      people.filter(({ first }) => first === "Alex").map(({ last, team }) => `${last}, ${team}`),
    );
    expect(alexes).toEqual([["Chen, Planning", "Rivera, Enterprise"], ["Moreau, Planning"]]);
    const [harborline] = company.workspaces;
    const about = company.documents.filter(
      ({ workspace, title, body }) => workspace === harborline?.id && /\bQ4\b/.test(`${title} ${body}`),
    );
    const owners = new Set(about.map(({ owner }) => owner));
    expect(owners).toEqual(new Set([harborline?.people[0]?.id, harborline?.people[1]?.id]));
    expect(new Set(about.map(({ source }) => source)).size).toBeGreaterThan(2);
  });

  it("X4 refers only to people, groups and documents of the same workspace", () => {
    const homes = new Map(company.documents.map(({ id, workspace }) => [id, workspace]));
    expect(homes.size).toBe(company.documents.length);
    const people = new Map(company.workspaces.flatMap((one) => one.people.map(({ id }) => [id, one.id])));
    const groups = new Map(company.workspaces.flatMap((one) => one.groups.map(({ id }) => [id, one.id])));
    let links = 0;
    for (const document of company.documents) {
      const { workspace } = document;
      expect(document.acl.length).toBeGreaterThan(0);
      for (const id of [document.owner, ...document.participants]) expect(people.get(id)).toBe(workspace);
      for (const id of document.acl) expect(groups.get(id)).toBe(workspace);
      for (const id of document.links) expect(homes.get(id) ?? workspace).toBe(workspace);
      links += document.links.filter((id) => homes.has(id)).length;
      if (document.source !== "calendar") expect(document.at).toBeLessThanOrEqual(COMPANY_NOW);
      expect(document.at).toBeGreaterThan(COMPANY_START - 7 * 86_400_000);
    }
    expect(links).toBeGreaterThan(1_000);
  });

  it("X4 shows each document to its owner, most to few others, and some to all", () => {
    const { sees, people } = oracle(company);
    const byId = new Map(people.map((person) => [person.id, person]));
    const counts = company.documents.map(
      (document) => people.filter((person) => sees(person, document)).length,
    );
    for (const document of company.documents) expect(sees(byId.get(document.owner)!, document)).toBe(true);
    const median = counts.toSorted((a, b) => a - b)[counts.length >> 1] as number;
    expect(median).toBeLessThan(25);
    expect(counts.filter((count) => count === 250).length).toBeGreaterThan(100);
  });

  it("X4 states each fact in the documents that it names, and rivals only under other names", () => {
    const byId = new Map(company.documents.map((document) => [document.id, document]));
    expect(company.facts.length).toBeGreaterThan(250);
    for (const { stated, speaker, project, subject, value } of company.facts) {
      expect(stated.length).toBeGreaterThan(0);
      for (const id of stated) {
        const document = byId.get(id);
        expect(document?.owner).toBe(speaker.id);
        for (const word of [project.name, value, ...subject.name.split(" ")])
          expect(document?.body.toLowerCase()).toContain(word.toLowerCase());
      }
    }
    const single = company.facts.filter(({ rivals }) => rivals === 1);
    expect(new Set(single.map(({ project, subject }) => `${project.id} ${subject.name}`)).size).toBe(
      single.length,
    );
  });

  it("X4 asks questions of five kinds, each about another fact, and others for another seed", () => {
    const questions = drawQuestions(company, { seed: "a", count: 200 });
    for (const kind of questionKinds)
      expect(questions.filter((question) => question.kind === kind).length).toBe(40);
    expect(new Set(questions.map(({ answers }) => answers[0])).size).toBe(200);
    const texts = new Set(questions.map(({ text }) => text));
    const others = drawQuestions(company, { seed: "b", count: 200 });
    expect(others.filter(({ text }) => texts.has(text)).length).toBeLessThan(60);
    expect(drawQuestions(company, { seed: "a", count: 200 })).toEqual(questions);
  });

  it("X4 asks in other words without the words of the answer, and its small talk has no subject's name", () => {
    for (const { name, asks, says } of subjects) {
      for (const ask of asks)
        for (const word of name.split(" ")) expect(ask.toLowerCase().split(/\W+/), name).not.toContain(word);
      for (const sentence of says)
        for (const word of name.split(" ")) expect(sentence.toLowerCase()).toContain(word);
      for (const line of chatter) expect(line.toLowerCase()).not.toContain(name);
    }
    expect(synonymsOf("supplier")).toContain("vendor");
    expect(synonymsOf("marigold")).toEqual([]);
  });
});
