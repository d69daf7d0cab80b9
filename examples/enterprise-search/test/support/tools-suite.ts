import { agent, memoryStore, runtime } from "@pawl/core";
import { callTool } from "@pawl/core/tools";
import { strictModel } from "@pawl/testing";
import { expect, it } from "vitest";
import {
  type Company,
  type CompanySearch,
  costOf,
  type OpenResult,
  type PeopleResult,
  type SearchDeps,
  type SearchResult,
  searchTools,
} from "../../src/index.ts";
import { oracle } from "./company-database.ts";

const chen = { workspaceId: "harborline", email: "alex.chen@harborline.example" };
const rivera = { workspaceId: "harborline", email: "alex.rivera@harborline.example" };

/** What the tools promise, over a search of the made-up company. */
export function toolsSuite(open: () => { search: CompanySearch; company: Company }): void {
  const call = async (name: string, input: object, caller: object = chen, search = open().search) => {
    const tool = searchTools.find((one) => one.name === name)!;
    return await callTool(tool, input, { userId: "u1", caller: caller as never, deps: { search } });
  };
  const result = async <T>(...given: Parameters<typeof call>): Promise<T> => {
    const outcome = await call(...given);
    if (!outcome.success) throw new Error(outcome.message);
    return outcome.result as T;
  };

  it("X4 T1 are six tools, described, and may all run again", () => {
    expect(searchTools.map(({ name }) => name)).toEqual([
      "search_gmail",
      "search_slack",
      "search_calendar",
      "search_drive",
      "search_people",
      "open_document",
    ]);
    for (const { spec, idempotent, timeoutMs, status } of searchTools) {
      expect(idempotent).toBe(true);
      expect(timeoutMs).toBeGreaterThan(0);
      expect(status.start && status.done).toBeTruthy();
      expect(spec.description?.length).toBeGreaterThan(60);
      expect(JSON.stringify(spec.input_schema)).not.toMatch(/workspace_?id|caller|user_?id/i);
      const { properties = {} } = spec.input_schema as {
        properties?: Record<string, { description?: string }>;
      };
      for (const field of Object.values(properties)) expect(field.description).toBeTruthy();
    }
  });

  it("X4 F22 search their own source only, and report connector, cost and what they found", async () => {
    for (const source of ["gmail", "slack", "calendar", "drive"]) {
      const outcome = await call(`search_${source}`, { query: "review of the plan", limit: 3 });
      if (!outcome.success) throw new Error(outcome.message);
      const found = outcome.result as unknown as SearchResult;
      expect(found).toMatchObject({ status: "ok", source, cost_usd: costOf(found.results.length) });
      expect(found.results.every((hit) => hit.source === source)).toBe(true);
      expect(outcome.report).toMatchObject({
        connector: source,
        costUsd: found.cost_usd,
        fragments: found.results.map(({ id }) => id),
        summary: expect.stringMatching(/^(\d of \d+\+?|Nothing found)$/),
      });
      expect(outcome.content).not.toContain('"marks"');
      for (const { id, fragment } of found.results) {
        expect(outcome.content).toContain(id);
        expect(outcome.content).toContain(JSON.stringify(fragment.text));
      }
    }
  });

  it("X4 return the people, and not an error, if several have the name", async () => {
    const found = await result<SearchResult>("search_gmail", { query: "Q4", owner: "Alex" });
    expect(found).toMatchObject({ status: "ambiguous_person", name: "Alex", results: [], total: 0 });
    expect(found.people?.map(({ email }) => email)).toEqual([chen.email, rivera.email]);
    const people = await result<PeopleResult>("search_people", { query: "Alex" });
    expect(people).toMatchObject({ status: "ok", total: 2 });
    const clear = await result<SearchResult>("search_gmail", {
      query: "Q4",
      owner: rivera.email,
      time_range: { from: "2026-11-14", to: "2026-11-14" },
      filters: { to: "Alex Chen" },
    });
    expect(clear.results.map(({ title }) => title)).toEqual(["Where the Q4 pipeline stands"]);
    const early = { query: "Q4", owner: rivera.email, time_range: { to: "2026-11-13" } };
    expect((await result<SearchResult>("search_gmail", early)).results).toEqual([]);
    expect(await result("search_slack", { query: "the" })).toMatchObject({ status: "nothing_to_search" });
  });

  it("X4 take a range that is open in the words of a model: from the first day of all, to the last", async () => {
    const all = await result<SearchResult>("search_gmail", { query: "Q4 forecast" });
    expect(all.results.length).toBeGreaterThan(0);
    for (const [from, to] of [
      ["0000-01-01", "9999-12-31"],
      ["0001-01-01", "9999-12-30"],
    ])
      expect(await result("search_gmail", { query: "Q4 forecast", time_range: { from, to } })).toEqual(all);
    for (const time_range of [{ to: "0000-01-01" }, { from: "9999-12-31" }])
      expect(await result("search_gmail", { query: "Q4 forecast", time_range })).toMatchObject({
        status: "ok",
        results: [],
      });
  });

  it("X4 F17 check again before they open a cited document, and do not reveal which documents exist", async () => {
    const { company } = open();
    const bonus = company.documents.find(({ title }) => title.startsWith("Q4 bonus pool"))!;
    expect(await result<OpenResult>("open_document", { id: bonus.id })).toMatchObject({
      status: "ok",
      source: "gmail",
      text: bonus.body,
      start: 0,
      length: bonus.body.length,
    });
    const hidden = await call("open_document", { id: bonus.id }, rivera);
    const missing = await call("open_document", { id: "gmail-0000000000000000" }, rivera);
    expect(hidden).toEqual(missing);
    expect(hidden).toMatchObject({ success: false, code: "not_found", report: { summary: "Not found" } });
    const far = await result<OpenResult>("open_document", { id: bonus.id, start: 30 });
    expect(far.text).toBe(bonus.body.slice(30));
  });

  it("X4 F17 take the caller from the run and never from the input, and refuse a run without one", async () => {
    const forged = { ...chen, caller: chen, workspace_id: "harborline", userId: "alex.chen" };
    const found = await result<SearchResult>("search_gmail", { query: "Q4 bonus pool", ...forged }, rivera);
    expect(found.results.map(({ title }) => title)).not.toContain("Q4 bonus pool, confidential");
    for (const caller of [{}, { workspaceId: "harborline" }, { workspaceId: 1, email: ["a"] }])
      for (const { name } of searchTools)
        expect(await call(name, { query: "Q4", id: "x" }, caller)).toMatchObject({
          success: false,
          code: "forbidden",
        });
  });

  it("X4 hide the texts of a database's errors", async () => {
    const failing = async () => {
      throw new Error('relation "secret" does not exist: SELECT body FROM documents');
    };
    const search: CompanySearch = { search: failing, open: failing, people: failing };
    for (const { name } of searchTools) {
      const outcome = await call(name, { query: "Q4", id: "x" }, chen, search);
      expect(outcome.success).toBe(false);
      expect(JSON.stringify(outcome)).not.toContain("SELECT");
    }
  });

  it("X4 F17 search in a run as the run's caller, and two sources in one turn", async () => {
    const { search, company } = open();
    const { seesId, people } = oracle(company);
    const model = strictModel({
      script: [
        {
          tools: [
            { name: "search_gmail", input: { query: "Q4", owner: "Alex Chen" } },
            { name: "search_slack", input: { query: "Q4", owner: "Alex Chen" } },
          ],
        },
        { text: "Done." },
      ],
    });
    const finder = agent<SearchDeps>({
      name: "finder",
      model,
      instructions: "You search.",
      tools: [...searchTools],
    });
    const store = memoryStore();
    const pawl = runtime<SearchDeps>({ agents: [finder], store, deps: () => ({ search }) });
    const { sessionId } = await pawl.run("finder", { userId: "u1", input: "Q4?", caller: rivera }).result;
    expect(model.rejected).toEqual([]);
    const events = await Array.fromAsync(store.read(sessionId, { types: ["tool_result"] }));
    const found = events.flatMap(({ type, data }) =>
      type === "tool_result" ? (data.result as unknown as SearchResult).results : [],
    );
    const person = people.find(({ email }) => email === rivera.email)!;
    expect(found.map(({ title }) => title)).toEqual(["Q4 forecast after the October close", "#finance"]);
    for (const { id } of found) expect(seesId(person, id)).toBe(true);
  });
}
