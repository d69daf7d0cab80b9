import {
  agent,
  answering,
  type EventStore,
  type Hook,
  PawlError,
  type RunContext,
  runtime,
} from "@pawl/core";
import { createOnce } from "@pawl/core/store";
import { type ChatMessage, textOf } from "../base/chat-message.ts";
import { COACH } from "../base/reservation-id.ts";
import { instructions } from "../prompt/instructions.ts";

/** A session that the backend has and the log does not. */
export interface EarlierSession {
  userId: string;
  sessionId: string;
  messages: readonly ChatMessage[];
}

/** One message of the user with its answer. */
interface Exchange {
  said: string;
  answered: string;
}

const UNKNOWN = {
  said: "(The beginning of this conversation was not kept.)",
  answered: "(No answer was kept.)",
};

/** Returns the answer of a run that copies an exchange; `undefined` for any other run. */
export function importedAnswer({ params }: RunContext["run"]): string | undefined {
  return typeof params.imported === "string" ? params.imported : undefined;
}

/** Answers runs that copy an exchange, also those that a process has left and another one recovers. */
export const importedAnswers: Hook = {
  name: "imported-answers",
  beforeTurn: (_plan, { run }) => {
    const answer = importedAnswer(run);
    return answer === undefined ? undefined : { model: answering(answer) };
  },
};

/**
 * Copies a session into the log: each exchange becomes a run whose answer is already known, at no cost. Of
 * messages with blocks it takes the text only: thinking is signed for the conversation that it was part of.
 * The session's metadata says how many exchanges were copied, so that {@link isImported} can tell a copy that
 * broke off. It is completed when this function is called again.
 *
 * @throws PawlError `not_found` if the log has a session of another user with this id
 */
export async function importSession(store: EventStore, session: EarlierSession): Promise<void> {
  const { userId, sessionId, messages } = session;
  const exchanges = exchangesOf(messages);
  const metadata = { imported: exchanges.length };
  const stored = await createOnce(store, { id: sessionId, userId, agent: COACH, metadata });
  if (stored.userId !== userId) throw new PawlError("not_found", "You have no such session.");
  const past = agent({ name: COACH, instructions, model: answering(""), hooks: [importedAnswers] });
  const pawl = runtime({ agents: [past], store });
  for (const [at, { said, answered }] of exchanges.slice(0, Number(stored.metadata.imported)).entries()) {
    // An exchange that was copied before counts once.
    const clientMessageId = `import:${at}`;
    const params = { imported: answered };
    await pawl.run(COACH, { userId, sessionId, input: said, clientMessageId, params }).result;
  }
}

/** Returns whether the log has all of a session. */
export async function isImported(store: EventStore, sessionId: string): Promise<boolean> {
  const session = await store.sessions.get(sessionId);
  if (session === undefined) return false;
  const { imported } = session.metadata;
  if (typeof imported !== "number") return true;
  const ends = await Array.fromAsync(store.read(sessionId, { types: ["run_ended"], limit: imported }));
  return ends.length >= imported;
}

/** Pairs messages with their answers. Messages of one role in a row become one. */
function exchangesOf(messages: readonly ChatMessage[]): Exchange[] {
  const exchanges: { said: string[]; answered: string[] }[] = [];
  for (const { role, content_blocks, content_text } of messages) {
    const text = (content_text ?? textOf(content_blocks)).trim();
    if (text === "") continue;
    const last = exchanges.at(-1);
    if (role === "assistant" && last !== undefined) last.answered.push(text);
    else if (role === "assistant") exchanges.push({ said: [], answered: [text] });
    else if (last !== undefined && last.answered.length === 0) last.said.push(text);
    else exchanges.push({ said: [text], answered: [] });
  }
  return exchanges.map(({ said, answered }) => ({
    said: said.join("\n\n") || UNKNOWN.said,
    answered: answered.join("\n\n") || UNKNOWN.answered,
  }));
}
