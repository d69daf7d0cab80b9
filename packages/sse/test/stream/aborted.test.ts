import { agent, memoryFiles, memoryStore, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { asp, coach, metrics, trainer } from "../../src/dialects.ts";
import { agUi, aiSdk, type Dialect, handler, native } from "../../src/index.ts";

const requests: { [dialect: string]: [Dialect, object] } = {
  native: [native(), { input: "Hi" }],
  "AI SDK": [
    aiSdk(),
    {
      id: "t",
      trigger: "submit-message",
      messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "Hi" }] }],
    },
  ],
  "AG-UI": [
    agUi(),
    {
      threadId: "t",
      runId: "r",
      state: {},
      messages: [{ id: "m1", role: "user", content: "Hi" }],
      tools: [],
      context: [],
      forwardedProps: {},
    },
  ],
  coach: [coach(), { message: "Hi" }],
  trainer: [trainer(), { message: "Hi" }],
  "ASP v2": [asp(), { message: "Hi" }],
  metrics: [metrics(), { message: "Hi" }],
};

/** An agent that takes longer than any test to answer, behind a handler without a server. */
function served(dialect: Dialect) {
  const made = agent({
    name: "slow",
    instructions: "i",
    model: scriptedModel([{ text: "Hello.", latencyMs: 60_000 }]),
  });
  const pawl = runtime({
    agents: [made],
    store: memoryStore(),
    files: memoryFiles(),
    times: { abortGraceMs: 20 },
  });
  const options = {
    runtime: pawl,
    agent: made,
    dialect,
    authorize: () => ({ userId: "u" }),
    heartbeatMs: 60_000,
  };
  const serve = handler(options);
  const ask = (path: string, signal: AbortSignal, body?: object) =>
    serve(
      new Request(`http://app${path}`, {
        signal,
        ...(body && {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
      }),
    );
  return { pawl, ask };
}

/** Reads a body to its end, after its request is aborted once the first bytes have come. */
async function readAborted(response: Response, abort: AbortController): Promise<string> {
  let bytes = 0;
  const reading = (async () => {
    for await (const chunk of response.body ?? []) bytes += chunk.byteLength;
    return "ended";
  })();
  await until(() => bytes > 0);
  abort.abort();
  return await reading;
}

it.each(Object.keys(requests))(
  "W1 a stream of %s ends for a reader in the same process, when its request is aborted",
  async (name) => {
    const [dialect, body] = requests[name] as [Dialect, object];
    const { pawl, ask } = served(dialect);
    const first = new AbortController();
    const response = await ask("/runs", first.signal, body);
    expect(response.status).toBe(200);
    expect(await readAborted(response, first)).toBe("ended");
    const sessionId = decodeURIComponent(response.headers.get("x-pawl-session") ?? "");
    for (const path of [`/sessions/${sessionId}/stream`, `/runs/${sessionId}/stream`]) {
      const abort = new AbortController();
      const again = await ask(path, abort.signal);
      if (again.status === 200)
        expect({ path, is: await readAborted(again, abort) }).toEqual({ path, is: "ended" });
      const gone = AbortSignal.abort();
      const late = await ask(path, gone).catch(() => undefined);
      // A client that has gone before its answer began gets none, or one that ends at once.
      await late?.text();
    }
    await pawl.stop(sessionId, { userId: "u" });
  },
);
