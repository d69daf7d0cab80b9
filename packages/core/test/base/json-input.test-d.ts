import { describe, expectTypeOf, it } from "vitest";
import {
  agent,
  type Hook,
  type ModelClient,
  memoryStore,
  runtime,
  type StoredOf,
  type ToolContext,
} from "../../src/index.ts";
import type { ModelClient as OfModelEntry } from "../../src/model.ts";
import type { ReadEvent } from "../../src/store.ts";
import type { JsonInput } from "../../src/tools.ts";

interface Prefs {
  kb: string;
  languages?: readonly string[];
}
const prefs: Prefs = { kb: "x" };
const made = agent({ name: "a", model: {} as ModelClient, instructions: "x" });
const pawl = runtime({ agents: [made], store: memoryStore() });

describe("U7 an interface is accepted as JSON", () => {
  it("in the options of a run, and in answers", () => {
    void pawl.run(made, { userId: "u", input: "Hi", params: prefs, caller: prefs, metadata: prefs });
    void pawl.run(made, { userId: "u", answers: [{ callId: "c", value: prefs }] });
    void pawl.follow("s", { caller: prefs });
  });

  it("in events, results and questions of hooks and tools", () => {
    const hook: Hook = {
      name: "h",
      beforeTool: () => ({ result: prefs }),
      afterTool: () => ({ result: [prefs] }),
      beforeRun: async ({ append }) => {
        await append({ type: "prefs.set", data: prefs });
        return undefined;
      },
    };
    const asking = ({ ask, progress, append }: ToolContext) => {
      progress(prefs);
      void append({ type: "prefs.set", data: prefs });
      ask({ kind: "k", payload: prefs, answer: {} as never, state: prefs });
    };
    void [hook, asking];
  });

  it("but nothing that JSON would lose", () => {
    // @ts-expect-error a promise
    const promise: JsonInput = Promise.resolve(prefs);
    // @ts-expect-error a map
    const map: JsonInput = new Map([["kb", "x"]]);
    // @ts-expect-error a function
    const method: JsonInput = () => prefs;
    // @ts-expect-error nothing
    const nothing: JsonInput = undefined;
    // @ts-expect-error no object
    void pawl.run(made, { userId: "u", input: "Hi", params: "x" });
    void [promise, map, method, nothing];
  });
});

describe("U7 read() of hooks and tools returns the types of events that it was asked for", () => {
  it("one type, several, an extension's, or all", async () => {
    const { read } = {} as ToolContext;
    for await (const { data } of read({ types: ["user_message"] }))
      expectTypeOf(data.message).toEqualTypeOf<StoredOf<"user_message">["data"]["message"]>();
    for await (const event of read({ types: ["note", "my.event"] })) {
      expectTypeOf(event.type).toEqualTypeOf<"note" | "my.event">();
      if (event.type === "note") expectTypeOf(event.data.text).toEqualTypeOf<string>();
    }
    for await (const event of read({ afterSeq: 3 })) if (event.type === "note") void event.data.text;
    expectTypeOf<ReadEvent<"my.event">["seq"]>().toEqualTypeOf<number>();
  });
});

describe("U7 the entry for authors of model clients", () => {
  it("has the type of a model client", () => {
    expectTypeOf<OfModelEntry>().toEqualTypeOf<ModelClient>();
  });
});
