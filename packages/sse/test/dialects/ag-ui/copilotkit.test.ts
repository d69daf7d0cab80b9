import { approval } from "@pawl/core";
import { type Reply, scriptedModel } from "@pawl/testing";
import { expect, it, vi } from "vitest";
import * as z from "zod";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { agUi } from "../../../src/index.ts";
import { talk } from "../../support/agents.ts";
import { eventually } from "../../support/chat.ts";
import { copilotKit } from "../../support/copilot-kit.ts";
import { handModel } from "../../support/hand-model.ts";
import { serve } from "../../support/served.ts";

// CopilotKit reports its use to its maker unless it is told not to, and says so when it is loaded.
vi.stubEnv("COPILOTKIT_TELEMETRY_DISABLED", "true");
vi.stubEnv("DO_NOT_TRACK", "1");
const page = await copilotKit();

const dialect = agUi();
const ask: Reply = { text: "May I?", tools: [{ id: "c1", name: "confirm", input: { question: "Sure?" } }] };

const confirming = (answer: () => Promise<unknown>) => ({
  name: "confirm",
  type: "human-in-the-loop",
  description: "Asks.",
  parameters: z.object({ question: z.string() }),
  handler: answer,
});

const answered = [
  "user Go",
  'assistant May I? confirm({"question":"Sure?"})',
  'tool {"yes":true}',
  "assistant Thank you.",
];

it("P1 CopilotKit's human-in-the-loop tool answers the question of the tool of its name", async () => {
  expectPrinted("pawl: AG-UI clients send frontend tools, which the agent cannot call");
  const served = await serve(scriptedModel([ask, { text: "Thank you." }, { text: "Yes?" }]), { dialect });
  const { shown, errors, say } = page(served, { tools: [confirming(async () => ({ yes: true }))] });
  await say("Go");
  expect(talk(shown)).toEqual(answered);
  await say("Hello?");
  expect(talk(shown).slice(-2)).toEqual(["user Hello?", "assistant Yes?"]);
  expect(errors).toEqual([]);
});

it("K6 the same on a page that is reloaded at the question", async () => {
  expectPrinted("pawl: AG-UI clients send frontend tools, which the agent cannot call");
  const served = await serve(scriptedModel([ask, { text: "Thank you." }]), { dialect });
  const first = page(served, { tools: [confirming(() => new Promise(() => undefined))] });
  void first.say("Go");
  await eventually(() => talk(first.shown).length === 2);
  const back = page(served, { tools: [confirming(async () => ({ yes: true }))] });
  await back.connect();
  await eventually(
    () => talk(back.shown).length === 4,
    () => talk(back.shown),
  );
  expect(talk(back.shown)).toEqual(answered);
  expect(back.errors).toEqual([]);
});

it("P1 an approval stays an interrupt, whatever tools the page has", async () => {
  expectPrinted("pawl: AG-UI clients send frontend tools, which the agent cannot call");
  const hooks = [approval({ when: ["look"] })];
  const look: Reply = { tools: [{ id: "l1", name: "look", input: {} }] };
  const served = await serve(scriptedModel([look, { text: "Looked." }]), { dialect, hooks });
  const { core, own, shown, say } = page(served, { tools: [confirming(async () => ({ yes: true }))] });
  await say("Go");
  const [question] = shown.pendingInterrupts;
  expect(question?.reason).toBe("confirmation");
  const resume = [{ interruptId: question?.id ?? "", status: "resolved", payload: { approved: true } }];
  await core.runAgent({ agent: own, resume: resume as never });
  expect(talk(shown).slice(-2)).toEqual(["tool found nothing", "assistant Looked."]);
});

it("W2 dynamic suggestions are refused: no session, no request to the model", async () => {
  const warnings: string[] = [];
  const model = scriptedModel([{ text: "Hello." }]);
  const served = await serve(model, { dialect, onWarning: (message) => warnings.push(message) });
  const { core, say } = page(served);
  await say("Go");
  core.addSuggestionsConfig({
    instructions: "Suggest.",
    consumerAgentId: "default",
    providerAgentId: "default",
  });
  const refused: string[] = [];
  const { fetch: real } = globalThis;
  vi.stubGlobal("fetch", async (...asked: Parameters<typeof fetch>) => {
    const response = await real(...asked);
    refused.push(await response.clone().text());
    return response;
  });
  core.reloadSuggestions("default");
  await eventually(() => refused.length === 1);
  vi.unstubAllGlobals();
  expect(refused[0]).toContain("Give CopilotKit a fixed list of suggestions instead.");
  expect(core.getSuggestions("default").suggestions).toEqual([]);
  expect(await served.store.sessions.list({ userId: "ada" })).toHaveLength(1);
  expect(model.requests).toHaveLength(1);
});

it("W2 the app is warned once about frontend tools, context and properties that are not read", async () => {
  const warnings: string[] = [];
  const served = await serve(scriptedModel([{ text: "Hello." }, { text: "Again." }]), {
    dialect,
    onWarning: (message) => warnings.push(message),
  });
  const { core, say } = page(served, {
    tools: [{ name: "paint", description: "Paints.", parameters: z.object({}), handler: async () => "" }],
  });
  core.addContext({ description: "The user's screen", value: "bed 3" });
  core.setProperties({ theme: "dark" });
  await say("Go");
  await say("On");
  expect(warnings.map((message) => /`?(tools|context|state|forwardedProps)`?/.exec(message)?.[1])).toEqual([
    "tools",
    "context",
    "forwardedProps",
  ]);
});

it("L10 its stop button stops the run, and the next message is answered", async () => {
  const model = handModel();
  const served = await serve(model, { dialect });
  const { core, own, shown, errors, say } = page(served);
  const saying = say("Write");
  (await model.turn()).say("Once upon");
  await eventually(() => talk(shown).at(-1) === "assistant Once upon");
  core.stopAgent({ agent: own });
  await saying;
  const [session] = await served.store.sessions.list({ userId: "ada" });
  const view = async () => await served.runtime.view(session?.id ?? "", { userId: "ada" });
  await eventually(async () => (await view()).run?.open === false);
  expect((await view()).run?.stop?.type).toBe("aborted");
  const next = say("Something else");
  const turn = await model.turn();
  turn.say("Hello.");
  turn.end();
  await next;
  expect(talk(shown).slice(-2)).toEqual(["user Something else", "assistant Hello."]);
  expect(errors).toEqual([]);
});

it("W2 running it again after an error answers anew", async () => {
  expectPrinted("pawl: invalid_request_error");
  const broken = {
    text: "Half of it",
    fault: { midStream: "invalid_request_error", afterEvents: 3 },
  } as Reply;
  const model = scriptedModel([broken, { text: "Now it works." }]);
  const served = await serve(model, { dialect });
  const { core, own, shown, errors, say } = page(served);
  await say("Hi");
  expect(errors).toHaveLength(1);
  await core.runAgent({ agent: own });
  expect(talk(shown)).toEqual(["user Hi", "assistant Now it works."]);
  expect(errors).toHaveLength(1);
});
