import { agent, memoryStore, runtime, tool } from "@pawl/core";
import { handler } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import * as z from "zod";
import { type Attack, brokenIf } from "../frame/attack.ts";

const STOPS = 300;

export const attack: Attack = {
  id: "attacks-11",
  title: "Each request to stop an open run stores an event, without a limit",
  state: "held",
  guard: {
    file: "packages/core/test/runtime/repeated-stop.test.ts",
    title: "stores one request to stop a run",
  },
  async attempt() {
    const stopped = Promise.withResolvers<string>();
    const slow = tool({
      name: "slow",
      description: "Ignores its abort signal.",
      input: z.object({}),
      execute: async () => await stopped.promise,
    });
    const model = scriptedModel([{ tools: [{ name: "slow", input: {} }] }, { text: "Ok." }]);
    const store = memoryStore();
    const agents = [agent({ name: "a", instructions: "i", model, tools: [slow] })];
    const pawl = runtime({ agents, store });
    const serve = handler({ runtime: pawl, agent: "a", authorize: () => ({ userId: "u" }) });
    const { sessionId } = await pawl.run("a", { userId: "u", input: "Go" }).started;
    const stop = () => serve(new Request(`http://app/sessions/${sessionId}/stop`, { method: "POST" }));
    await Promise.all(Array.from({ length: STOPS }, stop));
    stopped.resolve("done");
    const stored = await Array.fromAsync(store.read(sessionId, { types: ["stop_requested"] }));
    if (stored.length === 0) throw new Error("No stop was stored.");
    return brokenIf(stored.length > 20, `${stored.length} events for ${STOPS} requests`);
  },
};
