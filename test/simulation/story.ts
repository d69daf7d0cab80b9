import {
  type Agent,
  agent,
  jsonSchema,
  type ModelClient,
  type Tool,
  type ToolContext,
  tool,
} from "@pawl/core";
import type { Dice } from "./dice.ts";
import { hashOf } from "./dice.ts";
import type { Machine } from "./machine.ts";
import type { Outside } from "./outside.ts";
import type { Timeline } from "./timeline.ts";

/** The most answers of the model before it ends a run. */
const MOST_TURNS = 6;

interface StoryParts {
  timeline: Timeline;
  dice: Dice;
  outside: Outside;
  seed: number;
}

/** The machine whose work is running. */
const machineOf = (timeline: Timeline) => timeline.current as Machine;

/** Makes the one agent of a fleet. Its tools and its model take time by the clock of their machine. */
export function clerk(parts: StoryParts): Agent<unknown, "clerk"> {
  return agent<unknown, "clerk">({
    name: "clerk",
    model: clerkModel(parts),
    instructions: "You do what the seed says.",
    tools: clerkTools(parts),
    limits: { turns: 60, wallClockMs: 3_600_000, toolCalls: 500 },
  });
}

/** A model whose answer depends on the seed, the conversation's first words, and its number alone. */
function clerkModel({ timeline, dice, seed }: StoryParts): ModelClient {
  return {
    id: "clerk-model",
    async *stream({ messages }, { signal }) {
      const machine = machineOf(timeline);
      const turn = messages.filter(({ role }) => role === "assistant").length;
      const first = JSON.stringify(messages[0]);
      const since = messages.length - 1 - messages.findLastIndex(isFromUser);
      const names = since / 2 >= MOST_TURNS ? [] : toolsFor(hashOf(`${seed}/${first}/${turn}`));
      await machine.sleep(dice.chance(0.05) ? dice.between(5_000, 25_000) : dice.between(200, 3_000), signal);
      yield { type: "message_start", message: { id: `msg_${turn}`, model: "clerk-model", usage: USAGE } };
      const said = { type: "text", text: "" };
      yield { type: "content_block_start", index: 0, content_block: said };
      yield { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: `Turn ${turn}.` } };
      yield { type: "content_block_stop", index: 0 };
      await machine.sleep(dice.between(1, 400), signal);
      for (const [at, name] of names.entries()) {
        const id = `toolu_${turn}_${at}_${crypto.randomUUID()}`;
        const call = { type: "tool_use", id, name, input: {} };
        yield { type: "content_block_start", index: at + 1, content_block: call };
        const delta = { type: "input_json_delta", partial_json: `{"value":"${turn}.${at}"}` };
        yield { type: "content_block_delta", index: at + 1, delta };
        yield { type: "content_block_stop", index: at + 1 };
      }
      const stop_reason = names.length > 0 ? "tool_use" : "end_turn";
      yield { type: "message_delta", delta: { stop_reason }, usage: USAGE };
      yield { type: "message_stop" };
    },
  };
}

const USAGE = { input_tokens: 10, output_tokens: 10 };

const isFromUser = ({ role, content }: { role: string; content: string | readonly { type: string }[] }) =>
  role === "user" && (typeof content === "string" || content.every(({ type }) => type === "text"));

/** The tools of one answer. */
function toolsFor(number: number): string[] {
  const kind = number % 16;
  if (kind < 4) return [];
  if (kind < 7) return ["charge"];
  if (kind < 9) return ["save"];
  if (kind < 11) return ["charge", "save", "charge"];
  if (kind < 12) return ["ask"];
  if (kind < 13) return ["approve", "charge"];
  if (kind < 14) return ["nap", "save"];
  return kind < 15 ? ["remind"] : ["nap"];
}

const input = jsonSchema<{ value: string }>({ type: "object", properties: { value: { type: "string" } } });
const answer = jsonSchema<{ text: string }>({
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
});

function clerkTools({ timeline, dice, outside }: StoryParts): Tool<unknown>[] {
  /** Does work that takes a while, with its effect somewhere within. */
  const work = async (context: ToolContext, isIdempotent: boolean, part = 0) => {
    const { sessionId, callId, idempotencyKey, signal } = context;
    const machine = machineOf(timeline);
    // Some tools ignore their signal.
    const heard = dice.chance(0.5) ? signal : undefined;
    await machine.sleep(dice.between(1, 1_500), heard);
    await outside.act({ sessionId, callId, part, idempotencyKey, isIdempotent });
    await machine.sleep(dice.chance(0.04) ? dice.between(5_000, 30_000) : dice.between(1, 2_000), heard);
    return `done ${part}`;
  };
  const made = { description: "Does it.", input };
  return [
    tool({ ...made, name: "charge", execute: (_, context) => work(context, false) }),
    tool({ ...made, name: "save", idempotent: true, execute: (_, context) => work(context, true) }),
    tool({ ...made, name: "ask", suspends: { answer } }),
    tool({ ...made, name: "approve", suspends: { answer }, execute: (_, context) => work(context, false) }),
    tool({
      ...made,
      name: "nap",
      execute: async (_: { value: string }, context: ToolContext) => {
        if (context.answered === undefined) {
          await work(context, false);
          return context.wait({ afterMs: Math.round(dice.between(10, 40_000)) });
        }
        return await work(context, false, 1);
      },
    }),
    tool({
      ...made,
      name: "remind",
      execute: async (_: { value: string }, context: ToolContext) => {
        if (context.answered !== undefined) return await work(context, false, 1);
        const expires = { afterMs: Math.round(dice.between(500, 30_000)), default: { text: "nobody" } };
        return context.ask({ kind: "remind", payload: null, answer, expires });
      },
    }),
  ];
}
