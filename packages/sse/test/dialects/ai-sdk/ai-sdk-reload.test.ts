import type { ModelClient } from "@pawl/core";
import type { ModelEvent } from "@pawl/core/model";
import { describe, expect, it } from "vitest";
import { pause } from "../../../../../test/support/pause.ts";
import { soak } from "../../../../../test/support/soak.ts";
import { aiSdk } from "../../../src/index.ts";
import { type Chat, chat, eventually, history, textOf } from "../../support/chat.ts";
import { type Served, serve } from "../../support/served.ts";

const MOMENTS = soak(40, 200);
const AT_ONCE = 20;
const WORDS = 8;

const wordsOf = (turn: number) => Array.from({ length: WORDS }, (_, at) => `t${turn}w${at} `).join("");
const TALK = ["One", [0, 1, 2].map(wordsOf).join("|"), "Two", wordsOf(3)];
const CALLS = [
  { id: "l", name: "look", input: { what: "it" } },
  { id: "c", name: "confirm", input: { question: "Sure?" } },
];

/** Says `t<n>w0 t<n>w1 …` in its n-th turn, a word a millisecond; looks something up in the first, and asks in the second. */
const model: ModelClient = {
  id: "by-turns",
  async *stream({ messages }) {
    const turn = messages.filter(({ role }) => role === "assistant").length;
    const call = CALLS[turn];
    yield { type: "message_start", message: { id: "m", model: "by-turns", usage: { input_tokens: 1 } } };
    yield { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
    for (const word of wordsOf(turn).match(/\S+ /g) ?? []) {
      await pause(1, "a word a millisecond, so that pages are loaded between any two of them");
      yield { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: word } };
    }
    yield { type: "content_block_stop", index: 0 };
    if (call !== undefined) yield* callEvents(call);
    const stop_reason = call === undefined ? "end_turn" : "tool_use";
    yield { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 1 } };
    yield { type: "message_stop" };
  },
};

function* callEvents({ id, name, input }: (typeof CALLS)[number]): Generator<ModelEvent> {
  yield {
    type: "content_block_start",
    index: 1,
    content_block: { type: "tool_use", id, name, input: {} },
  };
  const partial_json = JSON.stringify(input);
  yield { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json } };
  yield { type: "content_block_stop", index: 1 };
}

/** Numbers from 0 to 1, the same for the same seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** One conversation whose page is reloaded at a moment; resolves to what the page shows in the end. */
async function reloadedAt(version: 6 | 7, served: Served, as: string, moments: readonly [number, number]) {
  const [at, gap] = moments;
  const open = (messages?: Chat["messages"]) =>
    chat(version, served, { id: "c", as, ...(messages && { messages }) });
  const said = ["One"];
  const isStored = async () => {
    const messages = await history(served, "c", as);
    return said.every((text) => messages?.some((message) => textOf(message) === text));
  };
  let page = open();
  let leaving = false;
  let over = false;
  const say = (text: string) => void page.sendMessage({ text }).catch(() => undefined);
  const reload = async (gapMs: number) => {
    leaving = true;
    // What has not arrived when a page is left is lost with it.
    await eventually(isStored);
    await page.stop();
    const messages = await history(served, "c", as);
    await pause(gapMs, "a page takes a while to load");
    page = open(messages);
    leaving = false;
    await page.resumeStream();
  };
  const act = async () => {
    while (!over) {
      const parts = page.messages.at(-1)?.parts ?? [];
      const question = parts.find(
        ({ type, state }) => type === "tool-confirm" && state === "input-available",
      );
      if (question !== undefined && page.status === "ready") {
        await page.addToolOutput({ tool: "confirm", toolCallId: "c", output: { yes: true } });
      } else if (!leaving && said.length === 1 && parts.some(({ text }) => text?.includes("t2w2"))) {
        said.push("Two");
        say("Two");
      } else if (page.status === "error") await reload(0);
      await pause(1, "between two looks at the page");
    }
  };
  say("One");
  const acting = act();
  await pause(at, "the page is reloaded at a random moment");
  await reload(gap);
  await eventually(
    () =>
      page.status === "ready" &&
      page.messages.length === TALK.length &&
      textOf(page.messages.at(-1)) === TALK[3],
    () => [moments, page.status, page.error?.message, page.messages.map(textOf)],
  );
  over = true;
  await acting;
  return { page: page.messages.map(textOf), stored: (await history(served, "c", as)).map(textOf) };
}

describe.each([6, 7] as const)("K6 W4 a page of the AI SDK %i, reloaded at any moment", (version) => {
  it(`loses and repeats no word of a run with tools, a question and a queue: ${MOMENTS} moments`, async () => {
    const served = await serve(model, { dialect: aiSdk(), whenBusy: "queue" });
    const random = numbers(16 + version);
    const moments = Array.from({ length: MOMENTS }, () => [random() * 120, random() * 15] as const);
    const each = moments.map((moment, at) => async () => {
      const { page, stored } = await reloadedAt(version, served, `user-${at}`, moment);
      expect([page, stored]).toEqual([TALK, TALK]);
    });
    const workers = Array.from({ length: AT_ONCE }, async () => {
      for (let next = each.shift(); next !== undefined; next = each.shift()) await next();
    });
    await Promise.all(workers);
  }, 60_000);
});
