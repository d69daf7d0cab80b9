import type { ModelRequest } from "@pawl/core";
import { type Reply, scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { pause } from "../../../test/support/pause.ts";
import type { AgentClient, AgentState } from "../src/index.ts";
import { clientOf, expectSame, isIdle, lastText, type Served, serve, when } from "./support/clients.ts";

it("K1 W4 a discarded answer leaves nothing on the page", async () => {
  const slow = { deltas: 20, delayPerEventMs: 10 };
  const thinking = "Let me think about this for a good while.";
  const model = scriptedModel([{ thinking, text: "One.", ...slow }, { text: "Two." }]);
  const served = await serve(model, { whenBusy: "interrupt" });
  const client = clientOf(served);
  await client.send("one");
  const isThinking = ({ messages }: AgentState) => messages.at(-1)?.parts[0]?.type === "thinking";
  await when(client, isThinking);
  expect(await client.send("two")).toBe(true);
  const { messages } = await when(client, (state) => isIdle(state) && lastText(state) === "Two.");
  expect(messages.map(({ text }) => text)).toEqual(["one", "two", "Two."]);
  await expectSame(served, client);
});

const WORDS = (name: string) => Array.from({ length: 12 }, (_, index) => `${name}${index}`).join(" ");
const CONFIRM = { name: "confirm", id: "c1", input: { question: "Sure?" } };

/** Asks in the first turn, and answers the second message with a turn of its own. */
function reply({ messages }: ModelRequest): Reply {
  const said = JSON.stringify(messages);
  const slow = { deltas: 12, delayPerEventMs: 1 };
  if (said.includes('"second"')) return { text: WORDS("last"), ...slow };
  if (said.includes("tool_result")) return { text: WORDS("after"), ...slow };
  return { text: WORDS("before"), tools: [CONFIRM], ...slow };
}

/** A page's client. It names messages by their place, so that one that another page sends again is the same. */
function page(served: Served, sessionId?: string): AgentClient {
  let next = sessionId === undefined ? 1 : 2;
  const newId = () => `m${next++}`;
  return clientOf(served, { newId, ...(sessionId !== undefined && { sessionId }) });
}

/** Every word that is shown is shown once. */
function checkWords({ messages }: AgentState): void {
  const words = messages.flatMap(({ role, text }) => (role === "assistant" ? text.split(/\s+/) : []));
  // The last one may be half of a word.
  expect(new Set(words.slice(0, -1)).size).toBe(words.slice(0, -1).length);
}

/** Also where the page is told that an answer which it sent had been sent before. */
const isOver = (state: AgentState) => !state.run?.open && lastText(state) === WORDS("last");

/** Answers what is asked, and sends the second message while the answer is being written, until the page is gone. */
async function use(client: AgentClient, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { pending, messages, phase } = client.getState();
    const [question] = pending;
    const isSent = messages.some(({ text }) => text === "second");
    if (question !== undefined && phase === "suspended") await client.answer(question.callId, { yes: true });
    else if (!isSent && messages.some(({ text }) => text.includes("after3"))) await client.send("second");
    await pause(1, "between two looks at the page");
  }
}

/** One conversation whose page is loaded anew after so many milliseconds, each time. */
async function reloaded(served: Served, moments: readonly number[]): Promise<void> {
  let client = page(served);
  await client.send("first");
  const { sessionId = "" } = await when(client, (state) => state.sessionId !== undefined);
  for (const moment of [...moments, undefined]) {
    const shown = client;
    shown.subscribe(() => checkWords(shown.getState()));
    const gone = new AbortController();
    const using = use(shown, gone.signal);
    if (moment === undefined) await when(shown, isOver);
    else await pause(moment, "the page is loaded anew at some moment");
    gone.abort();
    if (moment !== undefined) shown.close();
    await using;
    if (moment !== undefined) client = page(served, sessionId);
  }
  expect(client.getState().messages.map(({ text }) => text)).toEqual([
    "first",
    `${WORDS("before")}\n\n${WORDS("after")}`,
    "second",
    WORDS("last"),
  ]);
  await expectSame(served, client);
}

it("W4 K6 a page that is reloaded at any of 200 moments loses no word and shows none twice", async () => {
  const served = await serve(scriptedModel(reply), { whenBusy: "queue" });
  const numbers = Array.from({ length: 100 }, (_, index) => index);
  // Two moments to a conversation, spread over all that happens in it, ten conversations at once.
  for (const first of numbers.filter((n) => n % 10 === 0)) {
    const some = numbers.slice(first, first + 10);
    await Promise.all(some.map((n) => reloaded(served, [(n * 37) % 101, (n * 53) % 61])));
  }
  expect(served.errors).toEqual([]);
}, 60_000);

it("K3 P4 two tabs in which everything is done at once show the same, and each action happens once", async () => {
  const served = await serve(scriptedModel(reply), { whenBusy: "queue" });
  for (let round = 0; round < 10; round += 1) {
    const one = page(served);
    await one.send("first");
    const { sessionId = "" } = await when(one, (state) => state.sessionId !== undefined);
    const tabs = [one, page(served, sessionId)];
    const gone = new AbortController();
    const using = tabs.map((tab) => use(tab, gone.signal));
    await Promise.all(tabs.map((tab) => when(tab, isOver)));
    gone.abort();
    await Promise.all(using);
    expect(one.getState().messages.filter(({ role }) => role === "user")).toHaveLength(2);
    await expectSame(served, ...tabs);
  }
}, 60_000);
