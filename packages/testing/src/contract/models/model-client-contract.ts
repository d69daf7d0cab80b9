import assert from "node:assert/strict";
import type { Message, ModelClient, ModelRequest } from "@pawl/core";
import type { Dialect, DialectCase } from "../../dialects/base/dialect.ts";
import { dialects } from "../../dialects/corpus.ts";
import type { ContractCase } from "../base/case.ts";
import { type ReadOutcome, readOutcome } from "./read-outcome.ts";

/** What a model client under test gets. */
export interface ModelUnderTest {
  /** The `fetch` to send requests with. It plays one response of the corpus. */
  fetch(url: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** The id of the model, as the server names it. */
  model: string;
}

const object = { type: "object", properties: {} };
const REQUEST: ModelRequest = {
  system: [{ type: "text", text: "Be brief." }],
  tools: ["look", "find"].map((name) => ({ name, description: "Looks.", input_schema: object })),
  messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
  maxTokens: 1_000,
};

/** How the bytes of a response arrive: at once, or few at a time, so that packets end within characters. */
const PACKETS = { "in one packet": Number.POSITIVE_INFINITY, "in packets of seven bytes": 7 };

/**
 * Returns the contract of a `ModelClient` as cases for any test runner: the client makes of each answer in
 * the corpus what the corpus says, with one request, and sends back with a call what its server wants back.
 *
 * @param api the API that the client speaks. Only servers of this API are played.
 * @param make makes the client under test. It must not retry, and must send its requests by the `fetch`.
 *
 * @example
 * ```ts
 * import { openai } from "@pawl/openai";
 * import { modelClientContract } from "@pawl/testing/dialects";
 *
 * const cases = modelClientContract("chat", ({ fetch, model }) => openai(model, { apiKey: "any", fetch }));
 * for (const { run } of cases.slice(0, 3)) await run();
 * console.log(cases.at(-1)?.name.startsWith("others, legacyCall")); // true
 * ```
 */
export function modelClientContract(
  api: Dialect["api"],
  make: (underTest: ModelUnderTest) => ModelClient,
): ContractCase[] {
  return dialects
    .filter((dialect) => dialect.api === api)
    .flatMap((dialect) => casesOf(dialect).flatMap((one) => contractCases(dialect, one, make)));
}

function casesOf({ cases }: Dialect): { kind: string; one: DialectCase }[] {
  return Object.entries(cases).flatMap(([kind, list]) =>
    "absent" in list ? [] : list.map((one) => ({ kind, one })),
  );
}

function contractCases(
  { name, model }: Dialect,
  { kind, one }: { kind: string; one: DialectCase },
  make: (underTest: ModelUnderTest) => ModelClient,
): ContractCase[] {
  return Object.entries(PACKETS).map(([how, bytes]) => ({
    name: `${name}, ${kind}: ${one.title}; ${how}`,
    async run() {
      const bodies: unknown[] = [];
      const client = make({
        model,
        fetch: async (_url, init) => {
          bodies.push(await bodyOf(init));
          return responseOf(one, bytes);
        },
      });
      const { blocks, ...outcome } = await readOutcome(client, REQUEST);
      const { tokens: _, ...counted } = outcome;
      assert.deepEqual(one.expected.tokens === undefined ? counted : outcome, one.expected);
      assert.equal(bodies.length, 1, "the client must send one request, and not retry");
      if (one.wantsBack === undefined) return;
      await readOutcome(client, nextRequest(blocks));
      assert.ok(
        callsIn(bodies[1]).some((call) => includes(call, one.wantsBack)),
        `the next request must have ${JSON.stringify(one.wantsBack)} in the call; it has ${JSON.stringify(callsIn(bodies[1]))}`,
      );
    },
  }));
}

async function bodyOf(init: RequestInit | undefined): Promise<unknown> {
  const text = await new Response(init?.body ?? "{}").text();
  return JSON.parse(text);
}

function responseOf({ response }: DialectCase, bytes: number): Response {
  const all = new TextEncoder().encode(response.body);
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(out) {
      if (at >= all.length) return out.close();
      out.enqueue(all.slice(at, at + bytes));
      at += bytes;
    },
  });
  const { status = 200, headers = { "content-type": "text/event-stream" } } = response;
  return new Response(body, { status, headers });
}

/** Returns the request after an answer with calls: with the answer, and a result of each call. */
function nextRequest(blocks: ReadOutcome["blocks"]): ModelRequest {
  const results = blocks
    .filter(({ type }) => type === "tool_use")
    .map(({ id }) => ({ type: "tool_result" as const, tool_use_id: `${id}`, content: "rain" }));
  const answer = { role: "assistant", content: blocks as Message["content"] } as const;
  return { ...REQUEST, messages: [...REQUEST.messages, answer, { role: "user", content: results }] };
}

/** Returns the calls in the body of a request to Chat Completions. */
function callsIn(body: unknown): unknown[] {
  const { messages } = Object(body) as { messages?: { tool_calls?: unknown[] }[] };
  return (messages ?? []).flatMap(({ tool_calls }) => tool_calls ?? []);
}

function includes(call: unknown, wanted: object | undefined): boolean {
  const sent = new Map<string, unknown>(Object.entries(Object(call)));
  return Object.entries(wanted ?? {}).every(
    ([field, value]) => JSON.stringify(sent.get(field)) === JSON.stringify(value),
  );
}
