import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Body } from "../src/body.ts";
import { bodyBytes } from "../src/body-bytes.ts";

const text = (body: Body) => new TextDecoder().decode(bodyBytes(body));
const bodyWith = (messages: readonly object[], more: object = {}): Body =>
  ({ model: "m", max_tokens: 1, stream: true, messages, ...more }) as unknown as Body;
const plainly = ({ messages, ...rest }: Body) => JSON.stringify({ messages, ...rest });

describe("the body of a request", () => {
  it("is its JSON, whatever was sent before it", () => {
    const pool = fc.array(fc.record({ text: fc.string({ unit: "binary" }), frozen: fc.boolean() }), {
      minLength: 1,
    });
    const requests = fc.array(fc.tuple(fc.array(fc.nat(), { maxLength: 8 }), fc.boolean()), {
      maxLength: 12,
    });
    const same = fc.property(pool, requests, (made, asked) => {
      const messages = made.map(({ text: content, frozen }) => {
        const message = { role: "user", content };
        return frozen ? Object.freeze(message) : message;
      });
      let history: (typeof messages)[number][] = [];
      for (const [more, goesOn] of asked) {
        const added = more.map((at) => messages[at % messages.length] as (typeof messages)[number]);
        history = goesOn ? [...history.slice(0, -1), ...added] : added;
        const body = bodyWith(history);
        expect(text(body)).toBe(plainly(body));
        // What is not frozen may change.
        for (const message of messages)
          if (!Object.isFrozen(message)) Object.assign(message, { content: `${message.content}!` });
      }
    });
    fc.assert(same, { numRuns: 2_000 });
  });

  it("copies what was sent before: a frozen message is written once", () => {
    let written = 0;
    const message = (content: string) =>
      Object.freeze({
        toJSON() {
          written += 1;
          return { role: "user", content };
        },
      });
    const [one, two, three] = [message("1"), message("2"), message("3")];
    bodyBytes(bodyWith([one, two]));
    expect(written).toBe(2);
    expect(text(bodyWith([one, two, three]))).toContain('{"role":"user","content":"3"}],');
    expect(written).toBe(3);
    expect(text(bodyWith([one, three]))).toContain(
      '[{"role":"user","content":"1"},{"role":"user","content":"3"}]',
    );
    expect(written).toBe(4);
  });

  it("has all of its other fields, of which a frozen list is written once and any other every time", () => {
    let written = 0;
    const tool = {
      toJSON() {
        written += 1;
        return { name: `tool ${written}` };
      },
    };
    const tools = Object.freeze([tool]);
    const system = [{ type: "text", text: "one" }];
    const more = { system, tools, thinking: undefined, metadata: { user_id: "u" } };
    const expected = { messages: [], model: "m", max_tokens: 1, stream: true, metadata: { user_id: "u" } };
    const sent = () => JSON.parse(text(bodyWith([], more)));
    expect(sent()).toEqual({ ...expected, system, tools: [{ name: "tool 1" }] });
    system.push({ type: "text", text: "two" });
    expect(sent()).toEqual({ ...expected, system, tools: [{ name: "tool 1" }] });
    expect(written).toBe(1);
  });

  it("is whole also where the bytes of the one before were taken over", () => {
    const first = Object.freeze({ role: "user", content: "Hi" });
    const body = bodyWith([first]);
    structuredClone(0, { transfer: [bodyBytes(body).buffer] });
    expect(text(body)).toBe(plainly(body));
  });
});
