import type { PGlite } from "@electric-sql/pglite";
import { memoryStore, runtime } from "@pawl/core";
import { recordOf } from "@pawl/planning";
import { strictModel } from "@pawl/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { COMPANY_NOW, companySearch, type SearchDeps, searchAgent, searchRules } from "../src/index.ts";
import { chen } from "./support/agent-world.ts";
import { companyPglite } from "./support/company-database.ts";

let db: PGlite;
beforeAll(async () => {
  db = await companyPglite();
}, 120_000);
afterAll(() => db.close());

/** A session of the simulated agent. `isDown` says which sources are down. */
function simulated(isDown: (source: string) => boolean = () => false) {
  const model = strictModel({ rules: searchRules({ speed: Number.POSITIVE_INFINITY }) });
  const search = companySearch(db, { now: () => COMPANY_NOW });
  const down: SearchDeps["search"] = {
    ...search,
    search: async (caller, query) => {
      if (query.sources?.some(isDown)) throw new Error("The disk is broken.");
      return await search.search(caller, query);
    },
  };
  const store = memoryStore();
  const agents = [searchAgent({ model, now: () => COMPANY_NOW })];
  const pawl = runtime<SearchDeps>({ agents, store, deps: () => ({ search: down }) });
  let sessionId: string | undefined;
  let callId = "";
  const run = async (given: object) => {
    const options = { userId: chen.email, caller: chen, sessionId, ...given };
    const result = await pawl.run("enterprise-search", options as never).result;
    expect(model.rejected).toEqual([]);
    sessionId = result.sessionId;
    callId = result.pending[0]?.callId ?? "";
    return result;
  };
  return {
    say: (input: string) => run({ input }),
    answer: (value: object) => run({ answers: [{ callId, value }] }),
    record: async () => recordOf(await Array.fromAsync(store.read(sessionId ?? ""))),
  };
}

const asked = ({ pending }: { pending: { payload?: unknown }[] }) => pending[0]?.payload;

it("X4 M2 a new message leaves an open question", async () => {
  const { say } = simulated();
  expect(asked(await say("What does Alex say about Q4?"))).toMatchObject({ about: "Alex" });
  const { stop, text } = await say("What do we know about Norvik Marine?");
  expect(stop.type).toBe("end_turn");
  expect(text).toContain("Norvik Marine");
});

it("X4 M2 an answer in the user's own words chooses by role, team, department or name", async () => {
  for (const [text, name] of [
    ["the one in sales", "Alex Rivera"],
    ["The director", "Alex Chen"],
    ["Rivera", "Alex Rivera"],
  ]) {
    const { say, answer, record } = simulated();
    await say("What does Alex say about Q4?");
    expect((await answer({ text })).stop.type).toBe("end_turn");
    const { calls } = await record();
    expect(calls.map((call) => call.arguments)).toMatchObject([{ owner: name }, { owner: name }]);
  }
  const { say, answer, record } = simulated();
  await say("What does Alex say about Q4?");
  expect((await answer({ text: "both" })).stop.type).toBe("end_turn");
  expect((await record()).calls[0]?.arguments).not.toHaveProperty("owner");
});

it("X4 M2 asks for more details after `none` and after words that fit nobody, and then ends in words", async () => {
  const { say, answer } = simulated();
  await say("What does Alex say about Q4?");
  const more = await answer({ none: true });
  expect(asked(more)).toMatchObject({
    ...{ question: expect.stringContaining("I know nobody else called Alex."), choices: [], attempt: 2 },
  });
  const again = await answer({ text: "the tall one" });
  expect(asked(again)).toMatchObject({ question: expect.stringContaining("I cannot tell which Alex") });
  const { stop } = await answer({ none: true });
  expect(stop).toMatchObject({ type: "blocked", message: expect.stringContaining("3 times") });
});

it("X4 says that nobody has a full name, as for a person of another workspace", async () => {
  const { say } = simulated();
  const { stop } = await say("What did Alex Moreau write about the budget?");
  expect(stop).toEqual({
    type: "blocked",
    message:
      "Nobody in your directory is called Alex Moreau. People called Alex: Alex Chen, Alex Rivera. Please ask about one of them, or leave the name out.",
  });
  expect((await say("What did Alex Chen write about the budget?")).stop.type).toBe("end_turn");
});

it("X4 an answer says which searches have failed", async () => {
  const input = "What does Alex Rivera say about Q4?";
  const none = await simulated(() => true).say(input);
  expect(none.text).toBe("I could not search gmail and slack, so I cannot answer. Please try again later.");
  const part = simulated((source) => source === "gmail");
  expect((await part.say("What does the mail say about Xylophonquaster on slack?")).text).toBe(
    "I have found nothing about this that you may see. I could not search gmail. Please try again later.",
  );
});

it("X4 a review names no result as an answer", async () => {
  const { say, record } = simulated();
  const { text } = await say("How much do mail and chat say about Norvik Marine?");
  expect(text).toBe("I have found nothing about this that you may see.");
  const { reviews } = await record();
  expect(reviews.map(({ notes }) => notes)).toEqual([
    expect.stringMatching(/^The searches have found \d+ documents\. Say so if none of them answers the/),
  ]);
});

it("X4 a quotation ends after a word", async () => {
  const found = { id: "gmail-1", title: "Pipeline", owner: "Ada <ada@x>", at: "2026-11-01T00:00:00Z" };
  const text = JSON.stringify({ status: "ok", results: [{ ...found, text: "pipeline ".repeat(40) }] });
  const messages = [
    { role: "user", content: "What about the pipeline?" },
    { role: "assistant", content: [{ type: "tool_use", id: "1", name: "search_gmail", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: text }] },
  ];
  const request = { model: "m", messages, tools: [{ name: "write_plan" }, { name: "search_gmail" }] };
  const reply = await searchRules()(request as never, {} as never);
  expect(JSON.stringify(reply)).toMatch(/pipeline pipeline… \[gmail-1\]/);
});
