import { newView, reduceView } from "@pawl/core/view";
import { type Conversation, failOlder, update, updateView } from "../state/conversation.ts";

/** The requests in flight. A conversation that was closed and opened again has another `life`. */
const loading = new WeakMap<AbortController, Promise<boolean>>();

/**
 * Loads the messages before the first one that is shown, unless they are being loaded: then returns that
 * request's promise. Resolves to whether they were loaded.
 */
export function loadOlder(talk: Conversation): Promise<boolean> {
  const { life } = talk;
  const known = loading.get(life);
  if (known !== undefined) return known;
  const { sessionId, before, error, olderError } = talk.facts;
  if (life.signal.aborted || sessionId === undefined || before === null) return Promise.resolve(false);
  const request = load(talk, life.signal, sessionId, before).finally(() => {
    loading.delete(life);
    update(talk, { loadingOlder: loading.has(talk.life) });
  });
  loading.set(life, request);
  update(talk, { loadingOlder: true, ...(error === olderError && { error: undefined }) });
  return request;
}

async function load(
  talk: Conversation,
  signal: AbortSignal,
  sessionId: string,
  from: number,
): Promise<boolean> {
  try {
    const { messages, before, cursor } = await talk.wire.snapshot(sessionId, signal, talk.pageSize, from);
    if (signal.aborted) return false;
    // Applies what was redacted since the server has read these messages.
    const older = talk.redactions.reduce(reduceView, { ...newView(), messages, cursor }).messages;
    const { view } = talk.facts;
    const shown = new Set(view.messages.map(({ id }) => id));
    talk.facts = { ...talk.facts, before };
    updateView(
      talk,
      { ...view, messages: [...older.filter(({ id }) => !shown.has(id)), ...view.messages] },
      "now",
    );
    return true;
  } catch (error) {
    if (!signal.aborted) failOlder(talk, error);
    return false;
  }
}
