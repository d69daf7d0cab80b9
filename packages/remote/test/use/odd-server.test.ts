// A valid list and valid answers of which one part is odd.
import { expect, it } from "vitest";
import { mutations } from "../../../../test/support/mutated.ts";
import { front, looks } from "../support/backend.ts";

const list = {
  tools: [
    {
      name: "look",
      description: "Looks.",
      input_schema: { type: "object", properties: { at: { type: "string" } } },
      idempotent: true,
      repeatable: false,
      timeout_ms: 1_000,
      max_result_chars: 1_000,
      depends_on: [],
      ends_run: false,
      status: { start: "Looking", done: "Looked" },
    },
  ],
};

const report = {
  cost_usd: 0.1,
  connector: "c",
  fragments: ["f"],
  sources: [{ id: "i", title: "t", url: "https://example.com/" }],
  summary: "s",
};

/** Words of errors that the runtime throws where a value has another shape than its type says. */
const BARE = /is not a function|not iterable|Cannot (read|convert)|primitive value|call stack/;

function served(schema: unknown, answer: unknown, status = 200) {
  const fetch = async (url: unknown) =>
    String(url).endsWith("/schema") ? Response.json(schema) : Response.json(answer ?? null, { status });
  const options = {
    url: "https://tools.example.com",
    fetch: fetch as never,
    retries: 0,
    onWarning: () => undefined,
  };
  return front(options, { script: looks() }).run().result;
}

it("T10 a list of which one part is odd is refused by name, or its tools are called", async () => {
  let refused = 0;
  for (const { title, value } of mutations(list)) {
    const outcome = await served(value, { result: "seen" }).catch((error: Error) => error);
    if (!(outcome instanceof Error)) continue;
    refused += 1;
    expect(outcome, title).toMatchObject({ code: "tools_failed" });
    expect(outcome.message, title).toMatch(/the list of tools is not valid: /);
    expect(outcome.message, title).not.toMatch(BARE);
  }
  expect(refused).toBeGreaterThan(100);
});

it.each([
  ["a result", 200, { result: { seen: [1] }, report }],
  ["an error of a tool", 200, { error: { code: "closed", message: "It is closed." }, report }],
  ["a refusal as FastAPI writes it", 422, { detail: [{ loc: ["body", 0], msg: "required" }] }],
])("T10 %s of which one part is odd is a result, or an error with a code", async (_, status, answer) => {
  for (const { title, value } of mutations(answer)) {
    const { stop, actions } = await served(list, value, status);
    expect({ title, stop: stop.type, actions: actions.length }).toEqual({
      title,
      stop: "end_turn",
      actions: 1,
    });
    if (actions[0]?.success === false) expect(JSON.stringify(actions[0].result), title).not.toMatch(BARE);
  }
});
