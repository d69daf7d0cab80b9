import { agent, memoryBlobs, memoryStore, runtime, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import * as z from "zod";
import { pause } from "../../support/pause.ts";
import { type Attack, brokenIf } from "../frame/attack.ts";

const UNREADABLE = 120;

export const attack: Attack = {
  id: "starved-sweep",
  title: "Open sessions that cannot be read delay the recovery of healthy ones",
  state: "held",
  guard: {
    file: "packages/core/test/runtime/unreadable-sessions.test.ts",
    title: "delay nobody while the store still tries to read them",
  },
  async attempt() {
    const store = memoryStore();
    const never = () => new Promise<never>(() => undefined);
    const boot = (model: ReturnType<typeof scriptedModel>, execute: () => unknown, more: object = {}) => {
      const it = tool({
        name: "it",
        description: "Does it.",
        input: z.object({}),
        idempotent: true,
        execute,
      });
      const agents = [agent({ name: "a", instructions: "i", model, tools: [it] })];
      return runtime({ agents, store, times: { leaseTtlMs: 200, abortGraceMs: 10 }, ...more });
    };
    const calling = () => scriptedModel(() => ({ tools: [{ name: "it", input: {} }] }));
    // The payloads of the first process are outside of the log, where the last process does not find them.
    const first = boot(calling(), never, { blobs: memoryBlobs() });
    const large = "x".repeat(300_000);
    for (let count = 0; count < UNREADABLE; count += 1)
      await first.run("a", { userId: "u", input: large }).started;
    await first.drain({ timeoutMs: 50 });
    const second = boot(calling(), never);
    const { sessionId } = await second.run("a", { userId: "u", input: "Go" }).started;
    await pause(50, "the process works on the run before it leaves");
    await second.drain({ timeoutMs: 50 });
    await pause(300, "leases of 200 ms expire by the store's clock");
    const third = boot(
      scriptedModel(() => ({ text: "Done." })),
      () => "done",
      { blobs: memoryBlobs(), onError: () => undefined },
    );
    const begun = performance.now();
    third.start();
    const isOpen = async () => (await store.sessions.get(sessionId))?.openRun !== null;
    // One after the other, with all retries, they take 37 s.
    while ((await isOpen()) && performance.now() - begun < 8_000)
      await pause(20, "between two looks, which may all find the run open");
    const seen = `a healthy run behind ${UNREADABLE}: ${Math.round(performance.now() - begun)} ms`;
    return brokenIf(await isOpen(), seen);
  },
};
