import { claude } from "@pawl/anthropic";
import { memoryStore } from "@pawl/core";
import { messagesApi } from "@pawl/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { rocketLeagueRules } from "../src/index.ts";
import { aspEvents, type Coaching, tokenOf } from "./support/coaching.ts";
import { setUp } from "./support/set-up.ts";

const here = setUp("simulator");

const MODES = {
  "claude-opus-4-5": { type: "enabled", budget_tokens: 2_048 },
  "claude-sonnet-5-5": { type: "adaptive", display: "summarized" },
} as const;

async function simulated(ids: readonly (keyof typeof MODES)[]) {
  const api = await messagesApi({ rules: rocketLeagueRules({ speed: Number.POSITIVE_INFINITY }) });
  onTestFinished(() => api.close());
  const store = memoryStore();
  const of = await Promise.all(
    ids.map(async (id) => {
      const model = claude(id, { baseURL: api.url, apiKey: "simulator", thinking: MODES[id] });
      return await here.coach({ model, store });
    }),
  );
  return { api, of };
}

/** Says one thing after the other in one session, and returns the text of each answer. */
async function talk(fronts: readonly Coaching[], user: string, lines: readonly string[]) {
  let session_id: string | undefined;
  const texts: string[] = [];
  for (const [at, message] of lines.entries()) {
    const front = fronts[at % fronts.length] as Coaching;
    const response = await front.chat({ message, ...(session_id && { session_id }) }, tokenOf(user));
    session_id ??= decodeURIComponent(response.headers.get("x-pawl-session") ?? "");
    const events = await aspEvents(response);
    expect(events.at(-1), message).toEqual({ type: "message_stop", stop_reason: "end_turn" });
    expect(events.some(({ type }) => type === "thinking")).toBe(true);
    texts.push(events.flatMap(({ type, text }) => (type === "text" ? [String(text)] : [])).join(""));
  }
  return texts;
}

const LINES = [
  "Hi",
  "What do you think of my play?",
  "How is my boost?",
  "How do I rotate in 2v2?",
  "Am I getting better?",
  "My goal is Champion I, remember that",
  "How do I compare in duels?",
];

describe("X3 the coach without a key", () => {
  it.each(Object.keys(MODES) as (keyof typeof MODES)[])(
    "X3 C12 as %s thinks, calls its tools and answers from their results",
    async (id) => {
      const { api, of } = await simulated([id]);
      const texts = await talk(of, `sim${id.length}`, LINES);
      expect(api.rejected).toEqual([]);
      expect(texts[1]).toMatch(/\*\*.+\*\*: you are at \d/);
      expect(texts[2]).toMatch(/Over \d+ matches/);
      expect(texts[4]).toMatch(/went from .+ to .+: \w+/);
      expect(texts[5]).toContain("I have noted it");
      const used = (await of[0]?.budget(`sim${id.length}`))?.used ?? 0;
      expect(used).toBeGreaterThan(10_000);
    },
    60_000,
  );

  it("X3 C12 continues a session when the model is another one in its middle", async () => {
    const { api, of } = await simulated(["claude-opus-4-5", "claude-sonnet-5-5"]);
    await talk(of, "switch", LINES.slice(0, 5));
    expect(api.rejected).toEqual([]);
  }, 60_000);
});
