import { batch } from "../state/batch.ts";
import type { FromClient } from "../state/from-client.ts";
import { outside } from "../state/outside.ts";
import { checkArgument } from "./check-client.ts";
import { randomId } from "./random-id.ts";

/** The options of a client around a conversation, without those for reaching the server. */
interface Options<Event> {
  sessionId?: string | undefined;
  onSession?(sessionId: string | undefined): void;
  onEvent?(event: Event): void;
  silenceMs?: number;
  newId?(): string;
}

/** The conversation that a client has open, its state, and those who listen to it. */
export interface Around<Talk, State> {
  /** The conversation that is open. */
  readonly current: Talk;
  getState(): State;
  subscribe(listener: () => void): () => void;
  /** Opens another session, and returns the conversation that was open. */
  replace(sessionId: string | undefined): Talk;
}

/** Opens a session, derives the state from the facts of its conversation, and reports changes. */
export function around<Event, Facts, Talk extends { facts: Facts }, State extends { sessionId?: unknown }>(
  { sessionId, onSession, onEvent, silenceMs, newId = randomId }: Options<Event>,
  begin: (from: FromClient<Event>, sessionId: string | undefined) => Talk,
  stateOf: (facts: Facts) => State & { sessionId: string | undefined },
): Around<Talk, State> {
  const listeners = new Set<() => void>();
  const open = (id: string | undefined): Talk => {
    const talk: Talk = begin(
      {
        newId,
        silenceMs,
        onEvent: (event) => outside(() => onEvent?.(event)),
        onChange: (when) => talk === current && show[when](),
      },
      id,
    );
    return talk;
  };
  let current = open(sessionId);
  let state = stateOf(current.facts);
  let named = sessionId;
  const show = batch(() => {
    state = stateOf(current.facts);
    if (named !== state.sessionId) {
      named = state.sessionId;
      outside(() => onSession?.(named));
    }
    for (const listener of listeners) outside(listener);
  });
  return {
    get current() {
      return current;
    },
    getState: () => state,
    subscribe: (listener) => {
      checkArgument("The listener of subscribe()", listener, "function");
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    replace: (id) => {
      const left = current;
      current = open(id);
      return left;
    },
  };
}
