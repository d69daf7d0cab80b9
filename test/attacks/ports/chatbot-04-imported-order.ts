import { agent, memoryStore, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import type { Attack } from "../frame/attack.ts";
import { mustHold } from "../parts/must-hold.ts";

const none = { prompt: 0, completion: 0, cached: 0, cache_write: 0, cache_write_1h: 0, total: 0 };
const ended = {
  stop: { type: "end_turn", message: "Done." },
  session_status: "active",
  turns: 1,
  tokens: none,
};

/** An earlier conversation, as one would write it by the documented events. */
const imported = [
  { type: "run_started", data: { run_id: "r1", agent: "helper", agent_version: "1" } },
  { type: "user_message", key: "message:m1", data: { message: "My name is Ada." } },
  {
    type: "assistant_message",
    data: {
      content: [{ type: "text", text: "Hello Ada." }],
      disposition: "kept",
      stop_reason: "end_turn",
      attempt: 2,
      complete: 1,
    },
  },
  { type: "run_ended", key: "end:r1", data: { run_id: "r1", ...ended, cost_cents: 0 } },
];

export const attack: Attack = {
  id: "ports-chatbot-04",
  title: "The model reads imported messages in another order than the view shows them",
  state: "open",
  attempt: async () => {
    const model = scriptedModel(() => ({ text: "Ada." }));
    const helper = agent({ name: "helper", model, instructions: "x" });
    const pawl = runtime({ agents: [helper], store: memoryStore() });
    await pawl.store.sessions.create({ id: "old", userId: "ada", agent: "helper" });
    try {
      await pawl.store.append("old", imported as never, { appendId: "import-1" });
    } catch (error) {
      return `refused: ${(error as Error).message}`;
    }
    await pawl.run(helper, { userId: "ada", sessionId: "old", input: "What is my name?" }).result;
    const roles = model.requests[0]?.messages.map(({ role }) => role).join();
    return mustHold(roles === "user,assistant,user", `the model reads ${roles}`);
  },
};
