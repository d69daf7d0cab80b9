import type { PGlite } from "@electric-sql/pglite";
import { memoryStore, runtime } from "@pawl/core";
import { recordOf } from "@pawl/planning";
import { strictModel } from "@pawl/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  agentStore,
  COMPANY_NOW,
  companySearch,
  type SearchAgentOptions,
  type SearchDeps,
  searchAgent,
  searchRules,
} from "../src/index.ts";
import { chen, rivera } from "./support/agent-world.ts";
import { companyPglite } from "./support/company-database.ts";
import { tickets } from "./support/tickets-server.ts";

let db: PGlite;
beforeAll(async () => {
  db = await companyPglite();
}, 120_000);
afterAll(() => db.close());

function simulated(turns = 10, options: Partial<SearchAgentOptions> = {}) {
  const model = strictModel({ rules: searchRules({ speed: Number.POSITIVE_INFINITY }) });
  const search = companySearch(db, { now: () => COMPANY_NOW });
  const store = memoryStore();
  const agents = [searchAgent({ model, turns, now: () => COMPANY_NOW, ...options })];
  const pawl = runtime<SearchDeps>({ agents, store, deps: () => ({ search }) });
  const user = { userId: chen.email, caller: chen };
  return {
    model,
    store,
    run: async (given: object) => await pawl.run("enterprise-search", { ...user, ...given } as never).result,
  };
}

it("X4 X5 plays the story of the two Alexes without a key, and a second question in the same session", async () => {
  const { model, store, run } = simulated();
  const { sessionId, pending } = await run({ input: "What does Alex say about Q4?" });
  expect(pending[0]?.payload).toMatchObject({ question: "Which Alex do you mean?", about: "Alex" });
  const answers = [{ callId: pending[0]?.callId, value: { choice: rivera.email } }];
  const { text, stop } = await run({ sessionId, answers });
  expect([stop.type, model.rejected]).toEqual(["end_turn", []]);
  expect(text).toMatch(/\*\*Where the Q4 pipeline stands\*\*, Alex Rivera, \d+ Nov 2026: .* \[gmail-\w+\]/);
  expect(text).toMatch(/\*\*#sales\*\*, Alex Rivera, .* \[slack-\w+\]/);
  expect(text).not.toContain("Alex Chen");

  const later = await run({ sessionId, input: "How much is the Q4 revenue forecast?" });
  expect([later.stop.type, model.rejected]).toEqual(["end_turn", []]);
  expect(later.text).toContain("$18.4 million");
  const { plan, failures } = recordOf(await Array.fromAsync(store.read(sessionId)));
  expect(plan?.tasks.map(({ id, status }) => `${id} ${status}`)).toEqual(["drive done", "answer pending"]);
  expect(failures).toEqual([]);
});

it("X4 answers a greeting without a search, and says when nothing is found", async () => {
  const { run } = simulated();
  expect((await run({ input: "Hello!" })).text).toContain("Ask me what the company's mails");
  expect((await run({ input: "Xylophonquaster" })).text).toBe(
    "I have found nothing about this that you may see.",
  );
});

it("X4 answers a question for a number with a figure, or not at all", async () => {
  const { run } = simulated();
  const input = "How large is the Q4 bonus pool?";
  expect((await run({ input })).text).toMatch(/\*\*Q4 bonus pool, confidential\*\*.* \$1\.35 million/);
  // Another document, which everybody sees, has the same words and no figure.
  expect((await run({ input, caller: rivera })).text).toBe(
    "I have found nothing about this that you may see.",
  );
  const { text } = await run({ input: "What do we know about Norvik Marine?", caller: rivera });
  expect(text).toContain("Who has time for Norvik Marine?");
  expect(text).not.toContain("Norvik Energy");
});

it("X4 M6 quotes a plain search at the limit of turns", async () => {
  const { run } = simulated(1);
  const { stop, text } = await run({ input: "How much is the Q4 revenue forecast?" });
  expect(stop.type).toBe("turn_limit");
  expect(text).toContain("I could not finish my plan. A plain search has found this:");
  expect(text).toContain("$18.4 million");
});

it("X4 M2 T14 asks the custom agent or the connector that the user names", async () => {
  const { connector } = tickets();
  const { run, model, store } = simulated(10, { agents: agentStore(db), connectors: [connector] });
  const briefed = await run({ input: "Finance briefing: how much is the Q4 revenue forecast?" });
  expect([briefed.stop.type, model.rejected]).toEqual(["end_turn", []]);
  expect(briefed.text).toContain("$18.4 million");
  const { calls, plan, fragments } = recordOf(await Array.fromAsync(store.read(briefed.sessionId)));
  expect(calls.map(({ tool, agent }) => [tool, agent])).toEqual([
    ["run_custom_agent", "custom-finance-briefing"],
  ]);
  expect(plan?.tasks.map(({ id, status }) => `${id} ${status}`)).toEqual(["ask done", "answer pending"]);
  // What the agent cites can be opened.
  expect(fragments.length).toBeGreaterThan(1);
  for (const [, id = ""] of briefed.text.matchAll(/\[(\w+-\w+)\]/g)) expect(fragments).toContain(id);

  const asked = await run({ input: "What do the tickets say about the export?" });
  expect([asked.stop.type, model.rejected]).toEqual(["end_turn", []]);
  expect(asked.text).toContain("TICKET-7: What do the tickets say about the export? is slow since Monday.");
  await connector.server.close();
});
