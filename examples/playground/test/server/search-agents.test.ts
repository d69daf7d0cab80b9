import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { prepareCompany } from "../../../enterprise-search/test/support/prepared-company.ts";
import { servedSearch } from "../support/served-search.ts";

const CHEN = "alex.chen@harborline.example";
const RIVERA = "alex.rivera@harborline.example";
const draft = { name: "Contract finder", description: "Finds contracts.", instructions: "Search files." };

let dir: string;
let world: ReturnType<typeof servedSearch>;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "pawl-search-agents-"));
  await prepareCompany(dir);
  world = servedSearch(dir);
}, 120_000);
afterAll(async () => {
  await world.index.close();
  await rm(dir, { recursive: true, force: true });
});

/** A browser that searches as somebody, and sends requests about agents. */
async function visitor(email: string) {
  const { be, ask } = world.browser();
  await be(email);
  return async (method: string, id = "", body?: unknown, headers: Record<string, string> = {}) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const { status, text } = await ask(`search/agents${id && `/${id}`}`, { method, headers, ...sent });
    return { status, ...JSON.parse(text) };
  };
}

describe("the agents that people make in the playground", () => {
  it("X4 F17 are made, shared, changed and deleted by the person that the visitor searches as", async () => {
    const [chen, rivera] = [await visitor(CHEN), await visitor(RIVERA)];
    const made = await chen("POST", "", { ...draft, sharedWith: [RIVERA], owner: RIVERA });
    expect(made).toMatchObject({ status: 400, error: { code: "invalid" } });
    const { status, agent } = await chen("POST", "", { ...draft, sharedWith: [RIVERA] });
    expect([status, agent]).toMatchObject([201, { ...draft, owner: CHEN, sharedWith: [RIVERA] }]);
    const listed = async (who: typeof chen) =>
      ((await who("GET")).agents as { id: string; name: string }[]).find(({ id }) => id === agent.id)?.name;
    expect([await listed(chen), await listed(rivera)]).toEqual([draft.name, draft.name]);

    const missing = { status: 404, error: { code: "not_found" } };
    expect(await rivera("PUT", agent.id, draft)).toMatchObject(missing);
    expect(await rivera("DELETE", agent.id)).toMatchObject(missing);
    expect(await chen("PUT", agent.id, { ...draft, name: "Contracts" })).toMatchObject({ status: 200 });
    expect([await listed(chen), await listed(rivera)]).toEqual(["Contracts", undefined]);
    expect(await chen("DELETE", agent.id)).toEqual({ status: 200, agent: { id: agent.id } });
    expect(await listed(chen)).toBeUndefined();
    expect(await chen("DELETE", agent.id)).toMatchObject(missing);
  });

  it("X4 F17 are refused for another person than the page shows, and if they are not valid", async () => {
    const chen = await visitor(CHEN);
    const other = { "x-search-as": encodeURIComponent(RIVERA) };
    const conflict = { status: 409, error: { code: "other_person" } };
    expect(await chen("GET", "", undefined, other)).toMatchObject(conflict);
    expect(await chen("POST", "", draft, other)).toMatchObject(conflict);
    expect(await chen("DELETE", "board-notes", undefined, other)).toMatchObject(conflict);
    for (const [body, code] of [
      [undefined, "invalid"],
      ["x", "invalid"],
      [{ ...draft, name: "" }, "invalid"],
      [{ ...draft, sharedWith: ["alex.moreau@lumen.example"] }, "unknown_people"],
    ] as const)
      expect(await chen("POST", "", body)).toMatchObject({ status: 400, error: { code } });
    expect(await chen("POST", "", { ...draft, name: "x".repeat(200_000) })).toMatchObject({ status: 413 });
    expect(await chen("PUT", "%00", draft)).toMatchObject({ status: 404 });
  });
});
