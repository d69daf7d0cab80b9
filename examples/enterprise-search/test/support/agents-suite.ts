import type { Database } from "@pawl/postgres";
import { expect, it } from "vitest";
import {
  type AgentDraft,
  type AgentOutcome,
  type AgentStore,
  agentStore,
  type StoredAgent,
} from "../../src/index.ts";

const chen = { workspaceId: "harborline", email: "alex.chen@harborline.example" };
const rivera = { workspaceId: "harborline", email: "alex.rivera@harborline.example" };
const moreau = { workspaceId: "lumen", email: "alex.moreau@lumen.example" };
const draft: AgentDraft = {
  name: "Contract finder",
  description: "Finds contracts.",
  instructions: "Search files for contracts.",
  sources: ["drive"],
};

function ok<T>(outcome: AgentOutcome<T>): T {
  if (outcome.status === "error") throw new Error(JSON.stringify(outcome.error));
  return outcome.agent;
}
const codeOf = (outcome: AgentOutcome<unknown>) => (outcome.status === "error" ? outcome.error.code : "ok");

/** What the stored agents promise, over any database that has the company. */
export function agentsSuite(open: () => Database): void {
  const idsFor = async (store: AgentStore, caller = chen) =>
    (await store.list(caller)).map(({ id }: StoredAgent) => id);

  it("X4 F17 has public agents for everyone in a directory, and others for those they are shared with", async () => {
    const store = agentStore(open());
    const everyone = ["finance-briefing", "meeting-prep"];
    expect(await idsFor(store, chen)).toEqual(["board-notes", ...everyone, "pipeline-watch"]);
    expect(await idsFor(store, rivera)).toEqual(["pipeline-watch", ...everyone]);
    expect(await idsFor(store, moreau)).toEqual(everyone);
    const strangers = [
      { ...chen, workspaceId: "lumen" },
      { ...chen, email: "nobody@harborline.example" },
      { workspaceId: "", email: "" },
      { workspaceId: "harborline' OR ''='", email: chen.email },
      { workspaceId: "harborline\0", email: chen.email },
    ];
    for (const stranger of strangers) {
      expect(await store.list(stranger)).toEqual([]);
      expect(codeOf(await store.create(stranger, draft))).toBe("forbidden");
    }
  });

  it("X4 are made, changed, shared and deleted by their owner, and by nobody else", async () => {
    const store = agentStore(open());
    const made = ok(await store.create(chen, draft));
    expect(made).toEqual({
      ...{ ...draft, id: expect.stringMatching(/^contract-finder-[0-9a-f]{12}$/) },
      ...{ workspaceId: "harborline", owner: chen.email, sharedWith: [] },
    });
    expect((await store.list(chen))[0]).toEqual(made);
    expect(await idsFor(store, rivera)).not.toContain(made.id);

    // Who is not the owner learns nothing, also if the agent is shared.
    const refusals = async (caller: typeof chen, id: string) => [
      await store.update(caller, id, draft),
      await store.remove(caller, id),
    ];
    const missing = await refusals(rivera, "contract-finder-000000000000");
    expect(missing.map(codeOf)).toEqual(["not_found", "not_found"]);
    expect(await refusals(rivera, made.id)).toEqual(missing);
    const shared = [rivera.email, "alex.chen@harborline.example"];
    const changed = ok(await store.update(chen, made.id, { ...draft, sharedWith: shared }));
    expect(changed).toEqual({ ...made, sharedWith: shared });
    // Nobody but the owner reads with whom else it is shared.
    const seen = (await store.list(rivera)).find(({ id }) => id === made.id);
    expect(seen).toEqual({ ...made, sharedWith: [rivera.email] });
    for (const [caller, id] of [
      [rivera, made.id],
      [{ ...chen, workspaceId: "lumen" }, made.id],
      [moreau, made.id],
      [chen, "finance-briefing"],
      [chen, "pipeline-watch"],
      [chen, "%"],
      [chen, "x".repeat(10_000)],
    ] as const)
      expect(await refusals(caller, id)).toEqual(missing);

    ok(await store.update(chen, made.id, { ...draft, sharedWith: "workspace" }));
    const others = (await store.list(rivera)).filter(({ id }) => id === made.id);
    expect(others.map(({ sharedWith }) => sharedWith)).toEqual(["workspace"]);
    expect(await idsFor(store, moreau)).not.toContain(made.id);
    ok(await store.update(chen, made.id, { ...draft, sharedWith: [] }));
    expect(await idsFor(store, rivera)).not.toContain(made.id);
    expect(ok(await store.remove(chen, made.id))).toEqual({ id: made.id });
    expect(await idsFor(store)).not.toContain(made.id);
    expect(await store.remove(chen, made.id)).toEqual(missing[1]);
  });

  it("X4 U6 are checked before they are stored, with a reason for each mistake", async () => {
    const store = agentStore(open());
    const wrong: [object, string][] = [
      [{ name: "" }, "name"],
      [{ name: " \n " }, "name"],
      [{ name: "a\nb" }, "name"],
      [{ name: "x".repeat(81) }, "name"],
      [{ description: "x".repeat(501) }, "description"],
      [{ instructions: "x".repeat(8_001) }, "instructions"],
      [{ instructions: 1 }, "instructions"],
      [{ sources: [] }, "sources"],
      [{ sources: ["people"] }, "sources"],
      [{ sources: ["drive", "drive"] }, "sources"],
      [{ sharedWith: "everyone" }, "sharedWith"],
      [{ sharedWith: Array.from({ length: 51 }, (_, at) => `${at}@x`) }, "sharedWith"],
      [{ id: "finance-briefing" }, "id"],
      [{ owner: rivera.email, workspaceId: "lumen" }, "owner"],
    ];
    const before = await idsFor(store);
    for (const [change, field] of wrong) {
      const outcome = await store.create(chen, { ...draft, ...change });
      expect([change, outcome]).toMatchObject([{}, { status: "error", error: { code: "invalid" } }]);
      expect(JSON.stringify(outcome)).toContain(field);
      expect(codeOf(await store.update(chen, "board-notes", { ...draft, ...change }))).toBe("invalid");
    }
    for (const odd of [undefined, null, 1, "x", []])
      expect(codeOf(await store.create(chen, odd as never))).toBe("invalid");
    const abroad = await store.create(chen, { ...draft, sharedWith: [moreau.email, rivera.email] });
    expect(abroad).toMatchObject({
      error: { code: "unknown_people", message: expect.stringMatching(/: alex\.moreau@lumen\.example\.$/) },
    });
    expect(await idsFor(store)).toEqual(before);
    const texts = { name: "  \uD800 – 会議 ", description: "a\0b", instructions: "x".repeat(8_000) };
    const odd = ok(
      await store.create(chen, { ...draft, ...texts, sharedWith: [" Alex.Rivera@Harborline.example"] }),
    );
    expect(odd).toMatchObject({ name: "\uFFFD – 会議", description: "a\uFFFDb", sharedWith: [rivera.email] });
    expect(odd.id).toMatch(/^agent-[0-9a-f]{12}$/);
    ok(await store.remove(chen, odd.id));
  });

  it("X4 are 50 for one person at most, even with concurrent requests", async () => {
    const store = agentStore(open());
    const made = await Promise.all(
      Array.from(
        { length: 60 },
        async (_, at) => await store.create(moreau, { ...draft, name: `Agent ${at}` }),
      ),
    );
    const codes = made.map(codeOf);
    expect(codes.filter((code) => code === "ok")).toHaveLength(50);
    expect(new Set(codes)).toEqual(new Set(["ok", "too_many"]));
    for (const outcome of made) if (outcome.status === "ok") ok(await store.remove(moreau, outcome.agent.id));
    expect(await idsFor(store, moreau)).toEqual(["finance-briefing", "meeting-prep"]);
  });
}
