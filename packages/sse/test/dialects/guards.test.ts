import { type GuardrailOptions, guardrail } from "@pawl/core";
import { type Reply, strictModel } from "@pawl/testing";
import { expect, it } from "vitest";
import * as z from "zod";
import { pause } from "../../../../test/support/pause.ts";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { asp, coach, metrics, trainer } from "../../src/dialects.ts";
import { agUi, aiSdk, type Dialect, native } from "../../src/index.ts";
import { look, serve } from "../support/served.ts";

/** What no reader may get. */
const SECRET = "4711-SECRET";
const MARK = "4711-S";

const input = {
  threadId: "t1",
  runId: "r1",
  state: {},
  messages: [{ id: "m1", role: "user", content: "Hi" }],
  tools: [],
  context: [],
  forwardedProps: {},
};
const chat = { id: "t1", trigger: "submit-message" };
const ways: { name: string; dialect: Dialect; json: object }[] = [
  { name: "native", dialect: native(), json: { input: "Hi", clientMessageId: "m1" } },
  {
    name: "AI SDK",
    dialect: aiSdk(),
    json: { ...chat, messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "Hi" }] }] },
  },
  { name: "AG-UI", dialect: agUi(), json: input },
  { name: "coach", dialect: coach(), json: { message: "Hi" } },
  { name: "trainer", dialect: trainer(), json: { message: "Hi" } },
  { name: "ASP v2", dialect: asp(), json: { message: "Hi" } },
  { name: "metrics", dialect: metrics(), json: { message: "Hi" } },
];

const words = "Good words for you. ".repeat(12);
const said: Reply = { text: `${words}${SECRET} and more.` };
const called: Reply = { text: "Let me look.", tools: [{ name: "look", input: { what: SECRET } }] };
const never = () => new Promise<never>(() => undefined);

type Judge = GuardrailOptions["output"] & {};
/** Passes all that has no secret, and then does as the guard does. */
const when =
  (does: (...args: Parameters<Judge>) => unknown): Judge =>
  (part, context) =>
    (part.text.includes(MARK) ? does(part, context) : undefined) as never;

/** Guards that do what guards should not do, and some that do what they should. */
const guards: { [title: string]: Judge } = {
  blocks: when(() => ({ block: "No." })),
  "blocks late": when(async () => {
    await pause(20, "a guard that takes its time");
    return { block: "No." };
  }),
  throws: when(() => {
    throw new Error(`about ${SECRET}`);
  }),
  rejects: when(() => Promise.reject(new Error(`about ${SECRET}`))),
  "rejects with nothing": when(() => Promise.reject()),
  "throws a text": when(() => {
    throw SECRET;
  }),
  hangs: when(never),
  // biome-ignore lint/suspicious/noThenProperty: guards may return such objects
  "is thenable, and hangs": when(() => ({ then: () => undefined })),
  "is thenable, and throws": when(() => ({
    // biome-ignore lint/suspicious/noThenProperty: guards may return such objects
    then: () => {
      throw new Error("no");
    },
  })),
  "returns true": when(() => true),
  "returns a text": when(() => "blocked"),
  "returns a number": when(() => 0),
  "returns a list": when(() => [{ block: "No." }]),
  "returns a function": when(() => () => ({ block: "No." })),
  "returns an empty object": when(() => ({})),
  "returns an empty sentence": when(() => ({ block: "" })),
  "returns a wrong sentence": when(() => ({ block: 5 })),
  "returns an unknown field": when(() => ({ stop: { type: "blocked", message: "No." } })),
  "replaces by a number": when(() => ({ replace: 5 })),
  "replaces by nothing": when(() => ({ replace: undefined })),
  "replaces by a value that is no JSON": when(() => ({ replace: new Map() })),
  "replaces by a cycle": when(() => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    return { replace: cycle };
  }),
  "replaces what was shown": when(() => ({ replace: "Other words." })),
  "has a getter that throws": when(() => ({
    get replace() {
      throw new Error("no");
    },
  })),
  "changes its argument": when((part) => {
    Object.assign(part, { text: "fine", value: {} });
    return { block: "No." };
  }),
};

it.each(
  Object.entries(guards).flatMap(([title, output]) =>
    ways.flatMap((way) => [
      { title, output, way, name: way.name, what: "text", script: [said] },
      { title, output, way, name: way.name, what: "a call", script: [called] },
    ]),
  ),
)("F34 W4 a guard that $title lets no $what through ($name)", async ({ title, output, way, script }) => {
  const model = strictModel({ script: [...script, { text: "Done." }] });
  const guard = guardrail({ output, every: 15, timeoutMs: 40 });
  if (!/^(blocks|changes)/.test(title))
    expectPrinted(/^pawl: duringModel of "guardrail" \(agent "coach"\): /);
  const served = await serve(model, { dialect: way.dialect, hooks: [guard], tools: [look] });
  const live = await served.ask("/runs", { json: way.json });
  const text = await live.text();
  const session = live.headers.get("x-pawl-session");
  // This stream has no end. It is made from the log, so that one guard will do.
  const endless = title === "blocks" ? [`/sessions/${session}/stream?after=0`] : [];
  const paths = ["/sessions", `/sessions/${session}`, "/runs/t1", "/runs/t1/stream", ...endless];
  const signal = AbortSignal.timeout(title === "blocks" ? 300 : 10_000);
  const bodies = paths.map(async (path) => await (await served.ask(path, { signal })).text());
  const later = await Promise.all(bodies.map(async (body) => await body.catch(() => "")));
  const log = await Array.fromAsync(served.store.read(session ?? ""));
  const stored = log.filter(({ type }) => type !== "error");
  expect([text, ...later, JSON.stringify(stored)].filter((one) => one.includes(MARK))).toEqual([]);
  const end = log.findLast((event) => event.type === "run_ended");
  expect(end?.data.stop.type).toBe(/^(blocks|changes)/.test(title) ? "blocked" : "error");
});

it.each(ways)(
  "F34 F15 W4 text that a guard masks is the same live and later (%s)",
  async ({ dialect, json }) => {
    const mask = (text: string) => text.replaceAll(SECRET, "***");
    const guard = guardrail({
      output: ({ kind, text, value }) => {
        if (!text.includes(MARK)) return undefined;
        return { replace: kind === "text" ? mask(text) : JSON.parse(mask(JSON.stringify(value ?? null))) };
      },
      every: 15,
    });
    const model = strictModel({ script: [called, said] });
    const served = await serve(model, { dialect, hooks: [guard], tools: [look] });
    const live = await served.ask("/runs", { json });
    const session = live.headers.get("x-pawl-session") ?? "";
    const everything = `${await live.text()}${await (await served.ask(`/sessions/${session}`)).text()}`;
    expect(everything).not.toContain(MARK);
    expect(everything).toContain("***");
    expect(z.string().parse(JSON.stringify(model.requests))).not.toContain(MARK);
  },
);
