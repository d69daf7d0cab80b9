import type { Anthropic } from "@anthropic-ai/sdk";
import { type MessagesApi, messagesApi } from "@pawl/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { assistant, type Body, long, marked, send, text, user, valid, weather } from "./support.ts";

let now = 0;
let api: MessagesApi;
beforeEach(async () => {
  now = 1_000_000;
  api = await messagesApi({ rules: () => ({ text: "Hello." }), now: () => now });
});
afterEach(() => api.close());

/** input, written for 5 minutes, written for an hour, read */
type Bill = [number, number, number, number];

async function bill(changes: Body): Promise<Bill> {
  const sent = await send(api, valid(changes));
  if (!("message" in sent)) throw new Error(String(sent.text));
  const usage = sent.message.usage as Anthropic.Usage;
  const { ephemeral_5m_input_tokens: five = 0, ephemeral_1h_input_tokens: hour = 0 } =
    usage.cache_creation ?? {};
  expect(usage.cache_creation_input_tokens).toBe(five + hour);
  return [usage.input_tokens, five, hour, usage.cache_read_input_tokens ?? 0];
}

const big = text(long(600));
const base: Body = { tools: [weather], system: [{ ...big, ...marked() }], messages: [user("Hi")] };

it("O1 bills the first request as a write and the second as a read", async () => {
  const [input, written] = await bill(base);
  expect(written).toBeGreaterThan(600);
  expect(await bill(base)).toEqual([input, 0, 0, written]);
  expect(input).toBeLessThan(20);
});

it("O1 counts without marks everything as input", async () => {
  const [input, ...rest] = await bill({ system: [big], messages: [user("Hi")] });
  expect(input).toBeGreaterThan(600);
  expect(rest).toEqual([0, 0, 0]);
});

it("C3 writes what the conversation adds and reads the rest", async () => {
  const [, first] = await bill({ ...base, messages: [user({ ...text("Hi"), ...marked() } as never)] });
  const grown = [user("Hi"), assistant("Hello."), user({ ...text(long(50)), ...marked() } as never)];
  const [input, written, hour, read] = await bill({ ...base, messages: grown });
  expect([input, hour, read]).toEqual([0, 0, first]);
  expect(written).toBeGreaterThan(50);
});

it("C3 takes the mark at the top level for the last block", async () => {
  const [input, written] = await bill({ ...base, system: [big], ...marked() });
  expect(input).toBe(0);
  expect(await bill({ ...base, system: [big], ...marked() })).toEqual([0, 0, 0, written]);
});

it("never caches a prefix below the model's minimum", async () => {
  const small = { system: [{ ...text(long(300)), ...marked() }], messages: [user("Hi")] };
  expect((await bill(small)).slice(1)).toEqual([0, 0, 0]);
  expect((await bill(small)).slice(1)).toEqual([0, 0, 0]);
  const old = { ...base, model: "claude-haiku-4-5" };
  expect((await bill(old)).slice(1)).toEqual([0, 0, 0]);
});

describe("lookback", () => {
  const blocks = (count: number): Body[] => [
    user(...Array.from({ length: count - 1 }, (_, n) => `part ${n}`), {
      ...text("last"),
      ...marked(),
    } as never),
  ];
  it("finds what was cached 19 blocks before a mark", async () => {
    const [, written] = await bill(base);
    expect((await bill({ ...base, system: [big], messages: blocks(19) }))[3]).toBe(written);
  });
  it("finds nothing 20 blocks before a mark", async () => {
    await bill(base);
    expect((await bill({ ...base, system: [big], messages: blocks(20) }))[3]).toBe(0);
  });
  it("begins at every mark", async () => {
    const [, written] = await bill(base);
    expect((await bill({ ...base, messages: blocks(30) }))[3]).toBe(written);
  });
});

describe("lifetime", () => {
  it("is five minutes from the last use", async () => {
    const [, written] = await bill(base);
    now += 299_000;
    expect((await bill(base))[3]).toBe(written);
    now += 299_000;
    expect((await bill(base))[3]).toBe(written);
    now += 300_000;
    expect((await bill(base))[3]).toBe(0);
  });
  it("is renewed by a mark further on that reads it", async () => {
    const [, written] = await bill(base);
    now += 299_000;
    await bill({ ...base, system: [big], ...marked() });
    now += 299_000;
    expect((await bill(base))[3]).toBe(written);
  });
  it("is an hour where the mark says so, and both are billed apart", async () => {
    const mixed = {
      system: [{ ...big, ...marked("1h") }],
      messages: [user({ ...text(long(100)), ...marked() } as never)],
    };
    const [input, five, hour] = await bill(mixed);
    expect(input).toBe(0);
    expect(hour).toBeGreaterThan(600);
    expect(five).toBeGreaterThan(100);
    now += 301_000;
    expect(await bill(mixed)).toEqual([0, five, 0, hour]);
  });
});

describe("invalidation", () => {
  const all: Body = {
    tools: [{ ...weather, description: long(600), ...marked() }],
    system: [{ ...text(long(600)), ...marked() }],
    messages: [user({ ...text(long(600)), ...marked() } as never)],
  };
  const levels = async (changes: Body): Promise<number> => {
    await bill(all);
    const [, , , read] = await bill({ ...all, ...changes });
    return Math.round(read / 600);
  };
  const cases: [string, Body, number][] = [
    ["nothing changed", {}, 3],
    ["max_tokens changed", { max_tokens: 50 }, 3],
    ["another message", { messages: [user({ ...text(long(600, "x ")), ...marked() } as never)] }, 2],
    ["another tool_choice", { tool_choice: { type: "none" } }, 2],
    ["another thinking mode", { thinking: { type: "disabled" } }, 2],
    ["another effort", { output_config: { effort: "low" } }, 2],
    ["another system", { system: [{ ...text(long(600, "y ")), ...marked() }] }, 1],
    ["another speed", { speed: "fast" }, 1],
    ["another tool", { tools: [{ ...weather, description: long(600, "z "), ...marked() }] }, 0],
    ["another model", { model: "claude-opus-5-5" }, 0],
  ];
  it.each(cases)("C13 %s", async (_title, changes, expected) => {
    expect(await levels(changes)).toBe(expected);
  });
  it("does not care where the marks of the last request stood", async () => {
    await bill(all);
    const moved = { ...all, tools: [{ ...weather, description: long(600) }] };
    expect(Math.round((await bill(moved))[3] / 600)).toBe(3);
  });
});

it("reads nothing that a failed request would have written", async () => {
  await api.close();
  let broken = true;
  api = await messagesApi({ rules: () => (broken ? { fault: { status: 529 } } : { text: "." }) });
  expect(await send(api, valid(base))).toMatchObject({ status: 529 });
  broken = false;
  expect((await bill(base))[3]).toBe(0);
});
