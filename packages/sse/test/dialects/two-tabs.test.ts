import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { asp, coach, metrics, trainer } from "../../src/dialects.ts";
import type { Dialect } from "../../src/index.ts";
import { handModel } from "../support/hand-model.ts";
import { serve } from "../support/served.ts";

interface Way {
  dialect: Dialect;
  message(sessionId: string | undefined, text: string, id: string): object;
  answer(sessionId: string): object;
}

const plain: Pick<Way, "message"> = {
  message: (sessionId, message, clientMessageId) => ({ sessionId, message, clientMessageId }),
};
const yes = { yes: true };
const answers = (sessionId: string) => ({ sessionId, answers: [{ callId: "c1", value: yes }] });

/** How the pages of each dialect put things. */
const ways: Record<string, Way> = {
  coach: {
    ...plain,
    dialect: coach(),
    answer: (sessionId) => ({ sessionId, toolResults: [{ toolUseId: "c1", result: yes }] }),
  },
  trainer: { ...plain, dialect: trainer(), answer: answers },
  metrics: { ...plain, dialect: metrics(), answer: answers },
  asp: {
    dialect: asp(),
    message: (session_id, message, client_message_id) => ({ session_id, message, client_message_id }),
    answer: (session_id) => ({ session_id, tool_results: [{ tool_use_id: "c1", content: yes }] }),
  },
};

const idOf = (response: Response) => response.headers.get("x-pawl-session") ?? "";

/** The stream's text for a page that shows its pieces as one text. */
async function shown(response: Response): Promise<string> {
  const frames = (await response.text()).split("\n\n").filter((frame) => frame.startsWith("data: {"));
  const events = frames.map((frame) => JSON.parse(frame.slice(6)) as { text?: string });
  return [events.map(({ text = "" }) => text).join(""), JSON.stringify(events.at(-1))].join(" ");
}

describe.each(Object.entries(ways))(
  "K3 two tabs on one session (%s)",
  (name, { dialect, message, answer }) => {
    const words = name === "trainer" ? "" : "Hello Ada.";

    it("get the same stream if both send one message, also while it is answered", async () => {
      const model = handModel();
      const served = await serve(model, { dialect });
      const first = await served.ask("/runs", { json: message(undefined, "Hi", "m1") });
      const turn = await model.turn();
      turn.say("Hello ");
      const second = await served.ask("/runs", { json: message(idOf(first), "Hi", "m1") });
      expect(idOf(second)).toBe(idOf(first));
      const both = Promise.all([shown(first), shown(second)]);
      turn.say("Ada.");
      turn.end();
      const [one, two] = await both;
      expect(one).toBe(two);
      expect(one.startsWith(words)).toBe(true);
      const log = await Array.fromAsync(served.store.read(idOf(first), { types: ["user_message"] }));
      expect(log).toHaveLength(1);
    });

    it("may not send different messages at once, and the refused one disturbs nothing", async () => {
      const model = handModel();
      const served = await serve(model, { dialect });
      const first = await served.ask("/runs", { json: message(undefined, "Hi", "m1") });
      const turn = await model.turn();
      turn.say("Hello ");
      const second = await served.ask("/runs", { json: message(idOf(first), "Me too", "m2") });
      expect([second.status, await second.text()]).toEqual([409, expect.stringContaining("session_busy")]);
      turn.say("Ada.");
      turn.end();
      expect((await shown(first)).startsWith(words)).toBe(true);
    });

    it("answer a question once", async () => {
      const question = { tools: [{ id: "c1", name: "confirm", input: { question: "Sure?" } }] };
      for (let round = 0; round < 5; round += 1) {
        const model = scriptedModel([question, { text: "Hello Ada." }]);
        const served = await serve(model, { dialect });
        const asked = await served.ask("/runs", { json: message(undefined, "Hi", "m1") });
        await asked.text();
        const tabs = await Promise.all([1, 2].map(() => served.ask("/runs", { json: answer(idOf(asked)) })));
        expect(tabs.map(({ status }) => status).sort()).toEqual([200, 409]);
        for (const tab of tabs) {
          if (tab.status === 200) expect((await shown(tab)).startsWith(words)).toBe(true);
          else expect(await tab.text()).toContain("already_answered");
        }
        expect(model.requests).toHaveLength(2);
      }
    });
  },
);
