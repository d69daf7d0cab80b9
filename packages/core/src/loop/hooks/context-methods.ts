import type { Hook, RunContext } from "../../hooks/hook.ts";
import type { AppendableEvent } from "../../log/event.ts";
import type { EmittedPart } from "../../log/event-parts.ts";
import type { RunState } from "../../session/state.ts";
import { remainingOf } from "../../stop/limits.ts";
import { givenWithData } from "../../tools/tool-outcome.ts";
import { effectiveType } from "../leg/effective-type.ts";
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
  return ((...args: Parameters<RunContext["askModel"]>) =>
    handled(askModel(...args))) as RunContext["askModel"];
}

/** Returns the context of a hook in this leg. Later calls return the same one. */
export function contextOf(leg: Leg, { name }: Pick<Hook, "name">): RunContext {
  const { contexts } = leg.once.hooks;
  const context = contexts.get(name) ?? runContext(leg, name);
  contexts.set(name, context);
  return context;
}

function runContext(leg: Leg, hook: string): RunContext {
  const {
    log,
    run: { session, agent },
  } = leg;
  return {
    sessionId: session.id,
    userId: session.userId,
    agent: agent.name,
    session,
    get runId() {
      return this.run.runId;
    },
    get type() {
      return effectiveType(leg);
    },
    get run() {
      return log.state.run as RunState;
    },
    get caller() {
      return leg.access.caller;
    },
    get credentials() {
      return leg.access.credentials;
    },
    get deps() {
      return leg.access.deps;
    },
    limits: agent.limits,
    remaining: () => remainingOf(log.state, agent, leg.life.legMs()).amounts,
    get signal() {
      return leg.life.signal;
    },
    read: (options) => leg.run.read(options),
    message: async () => await (await leg.parts.load()).runMessage(leg),
    askModel: askInRun(leg, { by: hook, scope: hook, signal: () => leg.life.signal }),
    runAgent: (...args) => {
      const { calling } = leg.once.hooks;
      return handled(leg.parts.load().then((parts) => parts.agentOfHook(leg, hook, calling)(...args)));
    },
    emit: (part) => emitInHook(leg, hook, part),
    append: (event) => appendInHook(leg, event),
    newMessages: async () => (await leg.parts.load()).newMessages(leg),
  };
}

/** Returns a promise that must not end the process if a hook or a tool does not await it. */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
