import { invalidInput } from "../../base/invalid-input.ts";
import type { CallState } from "../../session/state.ts";
import type { ToolContext } from "../../tools/tool.ts";
import type { Leg } from "../leg/leg.ts";
import { type CallRecord, checkOpen } from "./call-record.ts";

/** Returns the methods by which a running tool asks the user, or waits for a time. */
export function midway(leg: Leg, call: CallState, record: CallRecord): Pick<ToolContext, "ask" | "wait"> {
  const { toolName: name } = call;
  const check = (what: string) => {
    checkOpen(call, record);
    if (leg.run.agent.tools.get(name)?.suspends !== undefined)
      throw invalidInput(`A tool with \`suspends\` asks before it runs, and cannot ${what} while it runs.`);
  };
  return {
    ask: (question) => {
      check("also ask");
      record.asked = leg.parts.question(question);
      throw new Error(`"${name}" asks the user, so this run of its \`execute\` is over.`);
    },
    wait: (moment) => {
      check("wait");
      record.asked = leg.parts.wait(moment);
      throw new Error(`"${name}" waits for a time, so this run of its \`execute\` is over.`);
    },
  };
}

/** Returns the answer to the question that the tool asked while it ran; `undefined` without one. */
export function answeredBy({ question, answer, questions }: CallState): ToolContext["answered"] {
  // The question of an agent has the answer to the tool's own question before it.
  if (question?.child !== undefined) return question.state as ToolContext["answered"];
  if (!question?.midway || answer === undefined) return undefined;
  const { value, expired } = answer;
  return { value, state: question.state ?? null, questions, ...(expired && { expired }) };
}
