import { invalidInput } from "../base/invalid-input.ts";
import type { RunContext } from "../hooks/hook.ts";
import type { GivingRecord } from "../loop/leg/flow-parts.ts";
import type { Leg } from "../loop/leg/leg.ts";
import type { CallOfHook } from "../loop/leg/progress.ts";
import type { TaskGiver } from "../loop/leg/task-types.ts";
import { checkOpen } from "../loop/tools/call-record.ts";
import { answeredBy } from "../loop/tools/midway.ts";
import { type CallState, openRun } from "../session/state.ts";
import { passedOnQuestion } from "./questions.ts";
import { runAgentInRun } from "./run-agent.ts";

/** Returns the method `runAgent` of a tool's context. */
export function agentOfTool(
  leg: Leg,
  call: CallState,
  record: GivingRecord,
  signal: () => AbortSignal,
): RunContext["runAgent"] {
  return runAgentInRun(leg, toolAsGiver(leg, call, record, signal));
}

/** Returns the method `runAgent` of a hook's context. */
export function agentOfHook(leg: Leg, name: string, calling: CallOfHook | undefined): RunContext["runAgent"] {
  return runAgentInRun(leg, hookAsGiver(leg, name, calling));
}

/** Returns what a running tool does with the tasks that it gives to agents. */
function toolAsGiver(leg: Leg, call: CallState, record: GivingRecord, signal: () => AbortSignal): TaskGiver {
  const { callId, toolName: by } = call;
  const check = () => checkOpen(call, record);
  return {
    ...{ by, scope: `${call.assistantSeq}:${callId}`, call, signal, check },
    waitsFor: ({ depth }) => {
      record.depth = Math.max(record.depth, depth);
    },
    ask: (question) => {
      if (leg.run.agent.tools.get(by)?.suspends !== undefined)
        throw invalidInput("An agent asks the user. A tool with `suspends` cannot pass that on.");
      const answered = answeredBy(call);
      record.asked ??= { ...question, ...(answered && { state: answered }) };
      throw new Error(`"${by}" asks the user, so this run of its \`execute\` is over.`);
    },
    leave: () => {
      record.left = true;
      throw new Error("This process leaves the run.");
    },
  };
}

/** Returns what a hook does with the tasks that it gives to agents. */
function hookAsGiver(leg: Leg, name: string, calling: CallOfHook | undefined): TaskGiver {
  return {
    ...{ by: name, scope: name, call: undefined, signal: () => leg.life.signal },
    ...{ check: () => undefined, waitsFor: () => undefined },
    ask: (question) => {
      // The hook may have taken longer than its `timeoutMs`. Later calls must not get its question.
      if (calling === undefined || calling.isOver || calling.hook.name !== name)
        throw invalidInput(
          `An agent asks the user, but this call of "${name}" is over, e.g. after its \`timeoutMs\`.`,
        );
      const beforeTurn = calling.method === "beforeTurn" ? "turn" : undefined;
      const place = calling.method === "beforeRun" ? "run" : beforeTurn;
      const run = openRun(leg.log.state);
      if (place === undefined || run === undefined)
        throw invalidInput("An agent asks the user. A hook can pass that on in beforeRun and beforeTurn.");
      calling.question ??= passedOnQuestion(run, name, place, question);
      throw new Error(`"${name}" asks the user, so this call of the hook is over.`);
    },
    leave: () => {
      leg.life.abandon();
      throw new Error("This process leaves the run.");
    },
  };
}
