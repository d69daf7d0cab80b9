import { COMPANY_NOW, type Company, companySearch, storeCompany } from "@pawl/example-enterprise-search";
import { type Attack, brokenIf, type Given } from "../frame/attack.ts";

type Doc = Company["documents"][number];

export const attack: Attack = {
  id: "attacks-13",
  title: "Hidden documents of the enterprise search change what another user finds",
  state: "held",
  guard: {
    file: "examples/enterprise-search/test/non-interference.test.ts",
    title: "do not change the spelling of a word",
  },
  async attempt(given) {
    const without = await found(given, 0);
    if (!without.includes("alices-own")) throw new Error(`Without hidden words she finds ${without}.`);
    const counts: number[] = [];
    for (const count of [19, 20, 25]) {
      if ((await found(given, count)).join() !== without.join()) counts.push(count);
    }
    return brokenIf(counts.length > 0, `another answer with ${counts.join(" and ")} hidden words`);
  },
};

const person = (id: number, first: string) => ({
  ...{ id, first, workspace: "w", last: "X", email: `${first}@w` },
  ...{ department: "d", team: "t", role: "r" },
});
const group = (id: number, kind: string, members: number[]) => ({
  id,
  workspace: "w",
  name: kind,
  kind,
  members,
});
const workspace = {
  id: "w",
  people: [person(1, "alice"), person(2, "bob")],
  groups: [group(1, "everyone", [1, 2]), group(2, "person", [1]), group(3, "person", [2])],
};
const doc = (id: string, body: string, acl: number) => ({
  ...{ id, body, workspace: "w", source: "drive", thread: id, title: id, place: "/", kind: "document" },
  ...{ owner: acl === 3 ? 2 : 1, participants: [], at: COMPANY_NOW - 1_000, acl: [acl], links: [] },
});

/** Alice misspells a word of her document, while bob's has `count` words near it that she may not see. */
async function found({ database }: Given, count: number): Promise<string[]> {
  const hidden = [..."abcdefghijklmnopqrstuvwxy"].slice(0, count).map((letter) => `${letter}zante`);
  const documents = [
    ...Array.from({ length: 100 }, (_, at) => doc(`public-${at}`, "the company handbook", 1)),
    ...(count === 0 ? [] : [doc("bobs-own", hidden.join(" "), 3)]),
    doc("alices-own", "about zantez", 2),
  ] as unknown as Doc[];
  const company = { seed: "s", workspaces: [workspace], documents, facts: [] } as unknown as Company;
  const pool = (await database()).pool({ max: 2 });
  await storeCompany(pool, "c", () => company, { agents: async () => [] });
  const search = companySearch(pool, { now: () => COMPANY_NOW });
  const outcome = await search.search({ workspaceId: "w", email: "alice@w" }, { text: "zante" });
  return outcome.status === "ok" ? outcome.hits.map(({ id }) => id) : [];
}
