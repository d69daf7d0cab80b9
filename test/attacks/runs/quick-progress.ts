import { setImmediate } from "node:timers/promises";
import { agent, jsonSchema, memoryStore, runtime, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { type Attack, brokenIf } from "../frame/attack.ts";

const REPORTS = 2_000;

export const attack: Attack = {
  id: "quick-progress",
  title: "Each report of a tool's progress reaches each reader",
  state: "held",
  guard: {
    file: "packages/core/test/loop/tools/progress-rate.test.ts",
    title: "reaches a reader at once, then ten times a second",
  },
  async attempt() {
    const quick = tool({
      name: "quick",
      description: "Reports.",
      input: jsonSchema({ type: "object" }),
      execute: async (_, { progress }) => {
        for (let n = 1; n <= REPORTS; n += 1) {
          progress(n);
          await setImmediate();
        }
      },
    });
    const model = scriptedModel([{ tools: [{ name: "quick", input: {} }] }, { text: "Ok." }]);
    const reporter = agent({ name: "a", instructions: "i", model, tools: [quick] });
    const pawl = runtime({ agents: [reporter], store: memoryStore() });
    const begun = performance.now();
    let shown = 0;
    let last: unknown;
    for await (const { type, data } of pawl.run("a", { userId: "ada", input: "Go" }))
      if (type === "tool_progress") {
        shown += 1;
        last = data.data;
      }
    const seconds = (performance.now() - begun) / 1_000;
    const most = 20 * seconds + 5;
    const seen = `${shown} of ${REPORTS} reports in ${seconds.toFixed(1)} s, the last one was ${last}`;
    return brokenIf(shown > most || last !== REPORTS, seen);
  },
};
