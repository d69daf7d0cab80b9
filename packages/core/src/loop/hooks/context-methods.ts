import { invalidInput } from "../../base/invalid-input.ts";
import type { RunContext } from "../../hooks/hook.ts";
import type { AppendableEvent } from "../../log/event.ts";
import type { EmittedPart } from "../../log/event-parts.ts";
import { givenWithData } from "../../tools/tool-outcome.ts";
import type { Leg } from "../leg/leg.ts";
import type { Asker } from "../leg/part-types.ts";
import type { TaskGiver } from "../leg/task-types.ts";

/** Stores or shows a part of a hook. A hook that does not await it must not end the process if it fails. */
export function emitInHook(leg: Leg, name: string, part: EmittedPart): Promise<void> {
  const emitted = emitCopy(leg, name, part);
  emitted.catch(() => undefined);
  return emitted;
}

async function emitCopy(leg: Leg, name: string, part: EmittedPart): Promise<void> {
  const copy = givenWithData(part);
  await (await leg.parts.load()).emitPart(leg, { name }, ...copy);
}

/** Stores an event of a hook. */
export async function appendInHook(leg: Leg, event: AppendableEvent): Promise<boolean> {
  const copy = givenWithData(event);
  return await (await leg.parts.load()).appendEvent(leg, "hook", ...copy);
}

/**
 * Makes the method `askModel` of a hook's or tool's context. Its code is loaded with the first call: most
 * agents never ask another model.
 */
export function askInRun(leg: Leg, asker: Asker): RunContext["askModel"] {
  const askModel = async (...args: Parameters<RunContext["askModel"]>) => {
    const { askModelInRun } = await leg.parts.load();
    return await askModelInRun(leg, asker)(...args);
  };
  return askModel as RunContext["askModel"];
}

/** Makes the method `runAgent` of a hook's or tool's context. Its code is loaded with the first call. */
export function agentInRun(leg: Leg, giver: TaskGiver): RunContext["runAgent"] {
  return async (...args) => await (await leg.parts.load()).runAgentInRun(leg, giver)(...args);
}

/** Makes the method `runAgent` of a hook's context. */
export function agentInHook(leg: Leg, name: string): RunContext["runAgent"] {
  const { hooks } = leg.once;
  const signal = () => leg.life.signal;
  return agentInRun(leg, {
    ...{ by: name, scope: name, call: undefined, tasks: new Set(), signal, check: () => undefined },
    ask: (question) => {
      if (hooks.asking === undefined)
        throw invalidInput("An agent asks the user. A hook can pass that on in beforeRun and beforeTurn.");
      hooks.asking.question ??= question;
      throw new Error(`"${name}" asks the user, so this call of the hook is over.`);
    },
    leave: () => {
      leg.life.abandon();
      throw new Error("This process leaves the run.");
    },
  });
}
