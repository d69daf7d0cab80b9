import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { messagesApi, type Reply } from "@pawl/testing";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { settled } from "../../../test/support/settled.ts";
import type { Dispatcher } from "../src/dispatcher.ts";
import { nodeFetch } from "../src/node-fetch.ts";
import { client, read } from "./support.ts";

const SHARED = Symbol.for("undici.globalDispatcher.1");
const global: { [at: symbol]: Dispatcher | undefined } = globalThis as never;
const CALLS = 30;
let reply: Reply = {};
const api = await messagesApi({ rules: () => reply });
afterAll(() => api.close());

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

type Keep = (...parts: object[]) => void;

/** Ways to send, each with a `keep` for a request and for what holds its answer. */
const ways: [string, (keep: Keep) => Parameters<typeof client>[1]][] = [
  [
    "by the SDK",
    (keep) => {
      const send = nodeFetch();
      return {
        fetch: async (url, init) => {
          const response = await send(url, init);
          keep(init?.body as object, response);
          return response;
        },
      };
    },
  ],
  [
    "past the SDK",
    (keep) => {
      const own = global[SHARED] as Dispatcher;
      global[SHARED] = {
        dispatch(options, handler) {
          keep(options.body, handler);
          return own.dispatch(options, handler);
        },
      };
      onTestFinished(() => {
        global[SHARED] = own;
      });
      return {};
    },
  ],
];

describe.each(ways)("sent %s", (_, options) =>
  it.each([
    ["it was read to its end", { text: "Hi." }, "reads"],
    ["it was cut off", { text: "Hello there.", fault: { cut: 4 } }, "reads"],
    ["it was refused", { fault: { status: 400, type: "invalid_request_error" } }, "reads"],
    ["it was left", { text: "Hello there." }, "leaves"],
    ["it was stopped", { text: "Hello there." }, "stops"],
  ] satisfies [string, Reply, string][])(
    "nothing is kept of a request and its answer once %s",
    async (_, script, how) => {
      reply = script;
      const kept: WeakRef<object>[] = [];
      await fetch("data:,");
      const model = client(
        api,
        options((...parts) => kept.push(...parts.map((part) => new WeakRef(part)))),
      );
      for (let call = 0; call < CALLS; call += 1) {
        const request = {
          system: [],
          tools: [],
          messages: [{ role: "user" as const, content: [{ type: "text" as const, text: `Call ${call}` }] }],
          maxTokens: 100,
        };
        const control = new AbortController();
        const { signal } = control;
        const stream = async () => {
          for await (const _ of model.stream(request, { signal })) {
            if (how === "leaves") break;
            control.abort(new Error("Enough."));
          }
        };
        if (how === "reads") await read(model, signal, request);
        else await stream().catch(() => undefined);
      }
      expect(kept).toHaveLength(2 * CALLS);
      const left = () => kept.filter((one) => one.deref() !== undefined).length;
      // The machine's own slots may hold on to the last one.
      for (let tries = 0; tries < 50 && left() > 4; tries += 1) {
        await settled();
        collect();
      }
      expect(left()).toBeLessThanOrEqual(4);
    },
  ),
);
