import { claude } from "@pawl/anthropic";
import { type Hook, tool } from "@pawl/core";
import { messagesApi } from "@pawl/testing";
import * as z from "zod";
import type { Attack } from "../frame/attack.ts";
import { conversation } from "../parts/conversation.ts";
import { mustHold } from "../parts/must-hold.ts";

const look = tool({ name: "look", description: "Looks.", input: z.object({}), execute: () => "rain" });
const required: Hook = {
  name: "required",
  beforeTurn: (_, { run }) => (run.calls.length === 0 ? { toolChoice: { type: "any" } } : undefined),
};

export const attack: Attack = {
  id: "ports-11",
  title: "A hook's `toolChoice` is sent to a model that cannot be forced, and ends the run",
  state: "held",
  guard: {
    file: "packages/core/test/loop/turn/wanted-call.test.ts",
    title: "becomes `auto` and a note if the model cannot be forced",
  },
  attempt: async () => {
    const rules = (_: unknown, { turn }: { turn: number }) =>
      turn === 0 ? { tools: [{ name: "look" }] } : { text: "Rain." };
    const api = await messagesApi({ rules });
    const model = claude("claude-opus-5-5", { baseURL: api.url, apiKey: "any" });
    const { say } = conversation(model, { tools: [look], hooks: [required] });
    const { stop } = await say("?");
    await api.close();
    const cause = JSON.stringify("cause" in stop ? stop.cause : undefined);
    const isNamed = /forcedToolChoice|toolChoice/.test(cause ?? "");
    return mustHold(stop.type === "end_turn" || isNamed, `${stop.type}: ${cause}`);
  },
};
