import type { PGlite } from "@electric-sql/pglite";
import { checkToolDocs } from "@pawl/planning";
import { scriptedModel } from "@pawl/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMPANY_NOW, type CompanySearch, companySearch, searchAgent, toolDocs } from "../src/index.ts";
import { agentWorld, calls, chen, idsIn, plans, reviews, rivera } from "./support/agent-world.ts";
import { companyPglite } from "./support/company-database.ts";

let db: PGlite;
let search: CompanySearch;
beforeAll(async () => {
  db = await companyPglite();
  search = companySearch(db, { now: () => COMPANY_NOW });
}, 120_000);
afterAll(() => db.close());

const question = { text: "Which Alex do you mean?", about: "Alex" };
const unclear = plans({ status: "needs_clarification", question });
const both = (owner: string) =>
  calls(["search_gmail", { query: "Q4", owner }], ["search_slack", { query: "Q4", owner }]);

describe("the search agent", () => {
  it("X4 T9 has a description of each tool that fits the tool", async () => {
    const { tools } = searchAgent({ model: scriptedModel([]) });
    expect(await checkToolDocs(toolDocs, tools.values())).toEqual([]);
  });

  it("X4 M2 asks which Alex is meant, searches both sources, and answers with citations", async () => {
    const world = agentWorld(
      search,
      [unclear, plans(), reviews({ notes: "Both sources have answers." })],
      (answers, request) =>
        answers === 0
          ? both(rivera.email)
          : { text: `The pipeline is $7.2 million. [${idsIn(request).join("] [")}]` },
    );
    const asked = await world.say("What does Alex say about Q4?");
    expect(asked.pending).toMatchObject([
      {
        kind: "clarification",
        payload: {
          question: question.text,
          choices: [
            {
              ...{ id: chen.email, label: "Alex Chen" },
              detail: expect.stringMatching(
                /^Director, Planning \(Finance\), alex\.chen@harborline\.example · last wrote on \d+ Nov 2026$/,
              ),
              data: { initials: "AC", team: "Planning", last: { source: expect.any(String) } },
            },
            {
              ...{ id: rivera.email, label: "Alex Rivera" },
              detail: expect.stringContaining("Enterprise (Sales)"),
              data: { initials: "AR", team: "Enterprise" },
            },
          ],
        },
      },
    ]);
    // Nothing expensive has run before the answer.
    expect(world.model.requests).toEqual([]);
    const facts = String(world.planner.requests[0]?.messages[0]?.content[0]?.text);
    expect(facts).toContain(
      `People called "alex": Alex Chen <${chen.email}>, Director, Planning (Finance); Alex Rivera`,
    );

    const { text, stop, sessionId } = await world.answer(asked, { choice: rivera.email });
    expect(stop.type).toBe("end_turn");
    const { calls: made, plan, clarifications, fragments } = await world.record(sessionId);
    expect(clarifications).toMatchObject([{ status: "resolved", choice: { id: rivera.email } }]);
    expect(made.map(({ tool, status, connector }) => [tool, status, connector])).toEqual([
      ["search_gmail", "success", "gmail"],
      ["search_slack", "success", "slack"],
    ]);
    expect(plan?.tasks.map(({ id, status }) => `${id} ${status}`)).toEqual([
      "mail done",
      "chat done",
      "sum pending",
    ]);
    const cited = [...text.matchAll(/\[([\w-]+)\]/g)].map(([, id]) => id as string);
    expect(cited.length).toBeGreaterThan(1);
    expect(new Set(cited)).toEqual(new Set(fragments));
    const opened = await Promise.all(cited.map((id) => search.open(chen, { id })));
    expect(opened.map((one) => one?.title)).toEqual(
      expect.arrayContaining(["Where the Q4 pipeline stands", "#sales"]),
    );
    expect(JSON.stringify(world.model.requests[0]?.messages)).toContain(
      `Which Alex do you mean? → Alex Rivera (Manager, Enterprise (Sales), ${rivera.email}`,
    );
  });

  it("X4 M2 does not ask for a name that one person of the workspace has", async () => {
    const moreau = { workspaceId: "lumen", email: "alex.moreau@lumen.example" };
    const world = agentWorld(search, [unclear, plans({ tasks: [] })], () => ({ text: "A loss." }));
    const { text, sessionId } = await world.say("What does Alex say about Q4?", moreau);
    expect(text).toBe("A loss.");
    const { clarifications } = await world.record(sessionId);
    expect(clarifications).toMatchObject([{ status: "resolved", choice: { id: moreau.email } }]);
  });

  it("X4 M2 shows the planner's own choices, if any, when a question is not about a name", async () => {
    for (const about of ["Planning", "Alex and the budget", "%", "Q4"]) {
      const world = agentWorld(
        search,
        [
          plans({
            status: "needs_clarification",
            question: { text: "Which?", about, choices: ["2025", "2026"] },
          }),
        ],
        () => ({ text: "?" }),
      );
      const { pending } = await world.say("What is planned?");
      expect(pending[0]?.payload).toMatchObject({ choices: [{ label: "2025" }, { label: "2026" }] });
    }
  });

  it("X4 T13 T11 searches four sources in one turn, has dependent calls wait, and skips duplicates", async () => {
    const query = { query: "Q4 forecast" };
    const world = agentWorld(
      search,
      [plans(), reviews({ notes: "Open the mail." }), reviews({ notes: "Answer." })],
      (answers, request) => {
        const [id = ""] = idsIn(request);
        const turns = [
          calls(...["gmail", "slack", "calendar", "drive"].map((one) => [`search_${one}`, query] as const), [
            "open_document",
            { id: "gmail-0" },
          ]),
          calls(["open_document", { id }], ["search_people", { query: "Chen" }]),
          calls(["search_gmail", query]),
        ];
        return turns[answers] ?? { text: `$18.4 million. [${id}]` };
      },
    );
    const { sessionId, stop } = await world.say("What is the Q4 forecast?");
    expect(stop.type).toBe("end_turn");
    const { calls: made, reviews: done } = await world.record(sessionId);
    expect(made.map(({ tool, status, skipped }) => `${tool} ${skipped ?? status}`)).toEqual([
      "search_gmail success",
      "search_slack success",
      "search_calendar success",
      "search_drive success",
      "open_document waiting",
      "open_document success",
      "search_people success",
      "search_gmail duplicate",
    ]);
    expect(done.map(({ reason }) => reason)).toEqual(["batch", "batch"]);
  });

  it("X4 T12 M5 refuses a tool after three failures, and the reviewer changes the plan", async () => {
    let tried = 0;
    const broken: CompanySearch = {
      ...search,
      search: async (caller, query) => {
        if (query.sources?.[0] === "slack") {
          tried += 1;
          throw new Error("slack-db-7 is down");
        }
        return await search.search(caller, query);
      },
    };
    const files = { id: "files", title: "Search the files instead", tool: "search_drive" };
    const world = agentWorld(
      broken,
      [
        plans(),
        reviews({
          notes: "Slack is down.",
          tasks: [{ id: "chat", title: "Search the chat", tool: "search_slack", status: "blocked" }, files],
        }),
        reviews({ notes: "The file has it." }),
      ],
      (answers, request) => {
        if (answers < 3) return calls(["search_slack", { query: `Q4 ${answers}` }]);
        if (answers === 3)
          return calls(["search_slack", { query: "Q4 again" }], ["search_drive", { query: "Q4 forecast" }]);
        return { text: `$18.4 million [${idsIn(request)[0]}]. Slack could not be searched.` };
      },
    );
    const { sessionId, stop } = await world.say("What is said about Q4?");
    expect(stop.type).toBe("end_turn");
    const { failedTools, calls: made, plan, reviews: done } = await world.record(sessionId);
    expect(failedTools).toMatchObject([{ tool: "search_slack", count: expect.any(Number) }]);
    expect(made.map(({ tool, status }) => `${tool} ${status}`).slice(-2)).toEqual([
      expect.stringMatching(/^search_slack (error|skipped)$/),
      "search_drive success",
    ]);
    // The fourth call was answered without a search.
    expect(tried).toBe(3);
    expect(done[0]?.reason).toBe("failures");
    expect(plan?.tasks.map(({ id, status }) => `${id} ${status}`)).toEqual(["chat blocked", "files done"]);
    const last = JSON.stringify(world.model.requests.at(-1));
    expect(last).toContain("has failed 3 times in a row");
    expect((await world.everything()).includes("slack-db-7")).toBe(false);
  });

  it("X4 M6 ends a blocked request with a structured error and searches nothing", async () => {
    const blocked = "I cannot send mails. I can only search.";
    const world = agentWorld(search, [plans({ tasks: [], status: "blocked", blocked })], () => ({
      text: "?",
    }));
    const { stop, sessionId } = await world.say("Send a mail to Alex Chen");
    expect(stop).toMatchObject({ type: "blocked", message: blocked });
    expect(await world.of(sessionId, "planning.stopped")).toMatchObject([
      { code: "blocked", message: blocked },
    ]);
    expect(world.model.requests).toEqual([]);
  });

  it("X4 M6 M2 the plain search at a limit finds what the chosen person wrote, and nothing of the other", async () => {
    for (const owner of [chen, rivera]) {
      const world = agentWorld(
        search,
        [unclear, plans()],
        (answers) => (answers === 0 ? calls(["search_gmail", { query: "Q4" }]) : { text: "Half done." }),
        { turns: 2 },
      );
      const asked = await world.say("What does Alex say about Q4?");
      const { sessionId } = await world.answer(asked, { choice: owner.email });
      const { retrieved = "" } = await world.record(sessionId);
      const owners = [...retrieved.matchAll(/^\[[\w-]+\].*, (Alex \w+), \d+ /gm)].map(([, name]) => name);
      expect(new Set(owners)).toEqual(new Set([owner === chen ? "Alex Chen" : "Alex Rivera"]));
      expect(retrieved.match(/^\[/gm)).toHaveLength(owners.length);
    }
  });

  it("X4 M6 M7 answers at the turn limit from a plain search in the user's words, and says how far the plan has come", async () => {
    const world = agentWorld(
      search,
      [plans({ rewritten_query: "fourth quarter outlook" })],
      (answers, request) =>
        answers === 0
          ? calls(["search_gmail", { query: "Q4" }])
          : { text: `Half done. [${idsIn(request)[0]}]` },
      { turns: 2 },
    );
    const { stop, text, sessionId } = await world.say("Q4 forecast after the October close");
    expect(stop.type).toBe("turn_limit");
    expect(text).toContain("Half done.");
    const { retrieved } = await world.record(sessionId);
    expect(retrieved).toMatch(
      /^\[gmail-[\w-]+\] Q4 forecast after the October close, Alex Chen, \d+ Nov 2026\n/,
    );
    const last = JSON.stringify(world.model.requests.at(-1)?.messages.at(-1));
    expect(last).toContain("<Retrieved");
    expect(last).toContain("1 of 3 tasks of the plan are done. Not done: Search the chat; Summarise.");
  });
});
