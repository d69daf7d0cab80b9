import { claude } from "@pawl/anthropic";
import { resilient } from "@pawl/core";
import type { Attack } from "../frame/attack.ts";
import { conversation } from "../parts/conversation.ts";
import { gateway } from "../parts/gateway.ts";
import { refuse } from "../parts/messages-server.ts";
import { mustHold } from "../parts/must-hold.ts";

export const attack: Attack = {
  id: "bugs-24",
  title: "Neither readers nor the view show that a run waits two minutes for its model",
  state: "held",
  guard: {
    file: "packages/core/test/runtime/retry-wait.test.ts",
    title: "B5 F26 the view says until when the run waits, in its process and without one",
  },
  attempt: async () => {
    const api = await gateway(({ response }) =>
      refuse(response, 429, "rate_limit_error", "Too many", { "retry-after": "120" }),
    );
    const model = resilient(claude("claude-sonnet-5-5", { baseURL: api.url, apiKey: "any" }));
    const { pawl, begin } = conversation(model);
    const run = begin("Hi");
    const { sessionId } = await run.started;
    const seen: string[] = [];
    const isReported = async () => {
      for await (const event of run) {
        seen.push(event.type);
        if (event.type === "error") return;
      }
    };
    // The log has the failure before the wait begins.
    await isReported();
    const { run: shown } = await pawl.view(sessionId, { userId: "ada" });
    await pawl.stop(sessionId, { userId: "ada" });
    await run.result;
    return mustHold(/wait|retry|until/i.test(JSON.stringify([seen, shown])), { seen, run: shown });
  },
};
