import type { RunContext } from "../../hooks/hook.ts";
import type { AppendableEvent } from "../../log/event.ts";
import type { EmittedPart } from "../../log/event-parts.ts";
import { givenWithData } from "../../tools/tool-outcome.ts";
import type { Leg } from "../leg/leg.ts";
import type { Asker } from "../leg/part-types.ts";

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
