import { claude } from "@pawl/anthropic";
import {
  agent,
  type ModelClient,
  memoryStore,
  PawlError,
  runtime,
  type StoredEvent,
  tool,
  withRetry,
} from "@pawl/core";
import { openai } from "@pawl/openai";
import { type HttpApi, messagesApi, openaiApi } from "@pawl/testing";
import { expect, it } from "vitest";
import * as z from "zod";
import { assertSoundLog } from "./support/invariants.ts";
import { mutations } from "./support/mutated.ts";

type Send = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** An event or a chunk, of any shape. */
type Part = unknown;

/** An API whose answers are changed. */
interface Api {
  simulated(): Promise<HttpApi>;
  path: string;
  model(fetch: Send): ModelClient;
  /** Returns the line with which the API names an event. */
  name(part: Part): string;
  /** The last line of an answer. */
  end: string;
  /** Returns the text that the parts of an answer contain, by the rules of the API. */
  textIn(parts: readonly Part[]): string;
}

const call = { name: "look", id: "toolu_0123456789", input: { at: "the sky" } };
const AFTER = "It is blue.";

const apis: [string, Api][] = [
  [
    "the Messages API",
    {
      simulated: () =>
        messagesApi({ script: [{ thinking: "Hm.", text: "One moment.", tools: [call] }, { text: AFTER }] }),
      path: "/v1/messages",
      model: (fetch) => claude("claude-sonnet-5-5", { apiKey: "k", baseURL: "http://gateway.test", fetch }),
      name: (part) =>
        `event: ${JSON.stringify(field(part, "type") ?? "odd")
          .replaceAll('"', "")
          .slice(0, 40)}\n`,
      end: "",
      textIn(parts) {
        const blocks = parts
          .filter((part) => field(part, "type") === "content_block_start")
          .map((part) => field(part, "content_block"));
        const isText = (block: unknown) => field(block, "type") === "text";
        const pieces = parts
          .filter((part) => field(part, "type") === "content_block_delta")
          .filter((part) => isText(blocks[Number(field(part, "index"))]))
          .map((part) => field(part, "delta"))
          .filter((delta) => field(delta, "type") === "text_delta");
        return [...blocks.filter(isText), ...pieces].map((one) => field(one, "text") ?? "").join("");
      },
    },
  ],
  [
    "Chat Completions",
    {
      simulated: () => openaiApi({ script: [{ text: "One moment.", tools: [call] }, { text: AFTER }] }),
      path: "/chat/completions",
      model: (fetch) => openai("gpt-5.4-mini", { apiKey: "k", baseURL: "http://gateway.test/v1", fetch }),
      name: () => "",
      end: "data: [DONE]\n\n",
      textIn(parts) {
        const choices = parts.flatMap((part) => [field(part, "choices")].flat());
        const first = choices.filter((choice) => Number(field(choice, "index") ?? 0) === 0);
        const deltas = first.map((choice) => field(choice, "delta"));
        return deltas.map((delta) => field(delta, "content") ?? "").join("");
      },
    },
  ],
];

/** Every so many changes are tried. It shares no factor with the number of kinds. */
const STEP = 5;

it.each(apis)(
  "L12 U5 ends a run well or with a typed error where one part of an answer of %s is odd",
  async (_, api) => {
    const [answer, last] = await recorded(api);
    const expected = { stop: "end_turn", text: `One moment.\n\n${AFTER}` };
    const counts = { odd: 0, errors: 0, reported: 0, retried: 0 };
    for (const [n, { title, value }] of mutations(answer).entries()) {
      if (n % STEP !== 0) continue;
      const odd = value as readonly Part[];
      const { stop, text, errors, log } = await ran(api.model(streaming(api, [odd, last])));
      counts.odd += 1;
      counts.errors += stop === "error" ? 1 : 0;
      counts.reported += errors.length;
      assertSoundLog(log);
      expect({ title, reported: errors.length }).toEqual({ title, reported: stop === "error" ? 1 : 0 });
      if (stop !== "end_turn" && stop !== "error") expect(title).toMatch(/huge|refusal/);
      else if (stop !== "error")
        expect({ title, text }).toEqual({ title, text: `${api.textIn(odd)}\n\n${AFTER}`.trim() });
      for (const error of errors) {
        expect(PawlError.is(error, "model_error"), `${title}: ${error}`).toBe(true);
        expect(String(error), title).toMatch(/^PawlError: The model/);
        if ((error as PawlError).details.type === "malformed_answer")
          expect(String(error), title).toMatch(
            /: (?!reading it failed with "(?!The value is nested)).*\. Check that gateway\.test serves the API/,
          );
        if ((error as PawlError).details.retryable !== true) continue;
        counts.retried += 1;
        const again = withRetry(api.model(streaming(api, [odd, answer, last])), { baseMs: 0 });
        const { stop, text } = await ran(again);
        expect({ title, stop, text }).toEqual({ title, ...expected });
      }
    }
    expect(counts.reported).toBe(counts.errors);
    expect(counts.retried).toBeGreaterThan(50);
    expect(counts.odd - counts.errors).toBeGreaterThan(50);
  },
);

it("L12 U5 F14 shows no source of another shape where one part of an answer with a search is odd", async () => {
  const [, api] = apis[0] as [string, Api];
  const start = (index: number, content_block: object) => ({
    type: "content_block_start",
    index,
    content_block,
  });
  const stop = (index: number) => ({ type: "content_block_stop", index });
  const delta = (piece: object) => ({ type: "content_block_delta", index: 2, delta: piece });
  const source = { type: "web_search_result", url: "https://example.com/", title: "Sky", page_age: null };
  const citation = { type: "web_search_result_location", url: source.url, title: "Sky", cited_text: "Blue." };
  const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "sky" } };
  const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [source] };
  const answer = [
    { type: "message_start", message: { id: "m", model: "m", usage: { input_tokens: 1, output_tokens: 1 } } },
    ...[start(0, search), stop(0), start(1, found), stop(1)],
    start(2, { type: "text", text: "", citations: [{ ...citation, start_page_number: 2 }] }),
    delta({ type: "text_delta", text: AFTER }),
    delta({ type: "citations_delta", citation }),
    stop(2),
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } },
    { type: "message_stop" },
  ];
  expect((await ran(api.model(streaming(api, [answer])))).shown).toContain("https://example.com/");
  for (const [n, { title, value }] of mutations(answer).entries()) {
    if (n % STEP !== 0) continue;
    const { stop, errors, shown } = await ran(api.model(streaming(api, [value as Part[]])));
    expect({ title, reported: errors.length }).toEqual({ title, reported: stop === "error" ? 1 : 0 });
    expect(shown, title).not.toMatch(/"(text|title|source|url|id)":(?!null|")/);
  }
});

it.each(apis)("L12 U5 the failure of %s may be of any shape, too", async (_, api) => {
  const failure = {
    error: { type: "not_found_error", message: "No.", code: "x", details: { error_code: "x" } },
  };
  for (const status of [200, 401, 404, 500])
    for (const { title, value } of mutations(failure)) {
      const body = JSON.stringify(value);
      const send: Send = async () =>
        status === 200
          ? new Response(`event: error\ndata: ${body}\n\n`, {
              headers: { "content-type": "text/event-stream" },
            })
          : new Response(body, { status, headers: { "content-type": "application/json" } });
      const { stop, errors } = await ran(api.model(send));
      expect({ title, stop, reported: errors.length }).toEqual({ title, stop: "error", reported: 1 });
      const [error] = errors as PawlError[];
      expect(PawlError.is(error, "model_error"), `${title}: ${error}`).toBe(true);
      if (status === 200) continue;
      expect(error?.details).toMatchObject({ status, retryable: status === 500 });
      if (status === 401) expect(error?.message, title).toMatch(/Check [A-Z]+_API_KEY, or `apiKey` of/);
      if (status === 404) expect(error?.message, title).toContain("Check the model's id");
    }
});

/** Returns the two answers of a run that goes well, as lists of their events. */
async function recorded(api: Api): Promise<[Part[], Part[]]> {
  const server = await api.simulated();
  const answers: Part[][] = [];
  const send: Send = async (_, init) => {
    const text = await (await fetch(`${server.url}${api.path}`, init)).text();
    const lines = text.split("\n").filter((line) => line.startsWith("data: {"));
    answers.push(lines.map((line) => JSON.parse(line.slice("data: ".length))));
    return new Response(text, { headers: { "content-type": "text/event-stream" } });
  };
  const { text } = await ran(api.model(send));
  await server.close();
  expect(text).toBe(`One moment.\n\n${AFTER}`);
  return answers as [Part[], Part[]];
}

/** Has one run with this model. */
async function ran(model: ModelClient) {
  const errors: unknown[] = [];
  const store = memoryStore();
  const agents = [agent({ name: "tester", instructions: "You are a test.", model, tools: [look] })];
  // An odd usage may have unknown fields. The run goes on, and they are reported.
  const onError = (error: unknown) =>
    `${error}`.includes("has the unknown field") ? undefined : errors.push(error);
  const pawl = runtime({ agents, store, onError });
  const { sessionId, stop, text } = await pawl.run("tester", { userId: "u1", input: "Go" }).result;
  const log: StoredEvent[] = await Array.fromAsync(store.read(sessionId));
  const { messages } = await pawl.view(sessionId, { userId: "u1" });
  return { stop: stop.type, text, errors, log, shown: JSON.stringify(messages) };
}

const look = tool({
  name: "look",
  description: "Looks.",
  input: z.object({ at: z.string() }),
  execute: () => "blue",
});

/** Sends these answers, one for each request. */
function streaming({ name, end }: Api, answers: readonly (readonly Part[])[]): Send {
  const left = [...answers];
  return async () => {
    const lines = (left.shift() ?? []).map((part) => `${name(part)}data: ${JSON.stringify(part)}\n\n`);
    return new Response(lines.join("") + end, { headers: { "content-type": "text/event-stream" } });
  };
}

function field(value: unknown, name: string): unknown {
  return Object.hasOwn(Object(value), name) ? Object(value)[name] : undefined;
}
