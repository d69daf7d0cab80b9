import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { databaseOn, SERVERS } from "../../../test/support/servers.ts";
import { bodyOf, coaching, SERVICE_KEY, tokenOf } from "./support/coaching.ts";

describe.each(Object.entries(SERVERS))("X3 the coach's backend on a server by %s", (_name, server) => {
  const database = databaseOn(server);

  it("X3 E10 many tabs at once never reserve more than the budget, and lose nothing of it", async () => {
    const model = strictModel({ script: [] });
    const budgetOf = () => ({ tokens: 350_000, period: "p" });
    // Two backends, and each request is sent to both.
    const of = await Promise.all([1, 2].map(() => coaching({ db: database(), model, budgetOf })));
    const ask = async (at: number, tab: number) => {
      const body = { message: "Hi", request_id: `tab${tab}`, new_session_id: `s${tab}` };
      const response = await of[at]?.call("/chat/preflight", body, tokenOf("ada"));
      return { tab, status: response?.status, body: await bodyOf(response as Response) };
    };
    const tabs = Array.from({ length: 12 }, (_, tab) => tab);
    const answers = (await Promise.all(tabs.map((tab) => Promise.all([ask(0, tab), ask(1, tab)])))).flat();
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 402]));
    const granted = new Map(answers.filter(({ status }) => status === 200).map((one) => [one.tab, one.body]));
    const budget = await of[0]?.budget();
    expect(budget?.held).toBeGreaterThan(300_000);
    expect(budget?.held).toBeLessThanOrEqual(350_000);

    const messages = [{ role: "user", content_blocks: [{ type: "text", text: "Hi \u{1F680}\0 \ud800" }] }];
    const record = async (at: number, reservation_id: string) => {
      const body = { reservation_id, tokens_used: 1_000, messages };
      return (await of[at]?.call("/chat/record", body, SERVICE_KEY))?.status;
    };
    const ids = [...granted.values()].map(({ reservation_id }) => reservation_id);
    const recorded = await Promise.all(ids.flatMap((id) => [record(0, id), record(1, id), record(0, id)]));
    expect(new Set(recorded)).toEqual(new Set([200]));
    expect(await of[0]?.budget()).toMatchObject({ used: ids.length * 1_000, held: 0 });
    for (const [tab] of granted) {
      const read = await of[1]?.call(`/sessions/s${tab}/messages`, undefined, tokenOf("ada"));
      const stored = (await bodyOf(read as Response)).messages;
      expect(stored.map(({ content_text }) => content_text)).toEqual(["Hi \u{1F680}\uFFFD \uFFFD"]);
      expect(stored[0]?.content_blocks).toEqual([{ type: "text", text: "Hi \u{1F680}\uFFFD \uFFFD" }]);
    }
  });
});
