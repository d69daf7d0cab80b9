import type { Agent } from "../../agent/agent.ts";
import { kindOf } from "../../base/check-options.ts";
import { PawlError } from "../../base/errors.ts";
import { type JsonObject, toJson } from "../../base/json.ts";
import type { Session } from "../../log/session-row.ts";
import type { Begun } from "../begin/begin.ts";
import { beginWithMessage } from "../begin/begin-with-message.ts";
import { begunBy, senderOf } from "../begin/incoming-message.ts";
import { newSessionId } from "../begin/new-session.ts";
import type { RetryRunOptions, RunOptions } from "../begin/run-options.ts";
import { checkedKnowledge, checkRunOptions } from "../checks/check-run-options.ts";
import { type BegunBy, type Host, noSuchAgent } from "../leg/host.ts";
import { leaseSessionOf } from "../leg/lease-session.ts";
import type { LeasedSession } from "../leg/leased-session.ts";
import { isTaskSession } from "../leg/task-session.ts";

/** Begins, continues or retries a run, as the options ask. */
export async function beginOrContinue(
  host: Host,
  named: string | Agent<never>,
  given: RunOptions | RetryRunOptions,
): Promise<Begun> {
  const agent = agentNamed(host, named);
  if (host.draining) throw new PawlError("draining", "The server is about to restart. Please try again.");
  checkRunOptions(given);
  // As a later process reads it from the log, e.g. with strings for dates.
  const options =
    given.caller === undefined ? given : { ...given, caller: toJson(given.caller) as JsonObject };
  const { userId, input } = options;
  if (input === undefined) return await continueRun(host, agent, options);
  const clientTools = await toolsOf(agent, options);
  const knowledge = options.knowledge?.map(checkedKnowledge);
  const { message, files } =
    typeof input === "string"
      ? { message: input, files: [] }
      : await (await rarelyUsedParts()).readInput(host.files, agent, { userId, input });
  const { clientMessageId, signal, params, caller, credentials } = options;
  const opened = await openFor(
    host,
    agent,
    await wantedBy(host, agent, options),
    begunBy({ caller, credentials, clientTools }),
  );
  const { session } = opened;
  const whenBusy = agent.whenBusy ?? options.whenBusy ?? "reject";
  try {
    if (files.length > 0)
      await host.files?.keep(
        userId,
        session.id,
        files.map(({ kept }) => kept),
      );
  } catch (error) {
    await opened.leased?.close();
    throw error;
  }
  const references = files.map(({ reference }) => reference);
  const said = { message, files: references, knowledge, params, clientMessageId, clientTools };
  const incoming = { session, agent, ...said, signal, whenBusy, caller, credentials };
  return await beginWithMessage(host, incoming, rarelyUsedParts, opened);
}

/** Continues a run with answers, or retries one. */
async function continueRun(host: Host, agent: Agent, options: RunOptions | RetryRunOptions): Promise<Begun> {
  const { userId, sessionId: id, signal, caller, credentials } = options;
  if (id === undefined || id === "")
    throw new PawlError("invalid_input", "`answers` and `retry` need a `sessionId`.");
  const { beginRetry, beginWithAnswers } = await rarelyUsedParts();
  const asked = { agent, signal, caller, credentials };
  const wanted = { userId, id };
  if (options.retry === undefined) {
    const opened = await openFor(host, agent, wanted, { caller, credentials });
    return await beginWithAnswers(
      host,
      { ...asked, session: opened.session, answers: options.answers ?? [] },
      opened,
    );
  }
  const opened = await openFor(host, agent, wanted, senderOf(asked));
  return await beginRetry(host, { ...asked, session: opened.session, runId: options.retry }, opened);
}

/** The code for answers, retries, files and tools of clients, in a chunk that most processes load late. */
const rarelyUsedParts = () => import("../later/index.ts");

/** Opens the session of a request, in one call of the store. */
async function openFor(
  host: Host,
  agent: Agent,
  wanted: Parameters<typeof leaseSessionOf>[1],
  from: BegunBy,
): Promise<{ session: Session; leased: LeasedSession | undefined }> {
  const opened = await leaseSessionOf(host, wanted, agent, from);
  return {
    session: notExpired(checkOwn(host, opened?.session, wanted.userId, agent)),
    leased: opened?.leased,
  };
}

/** Returns the session that a message needs. Without an id, it is created. */
async function wantedBy(
  host: Host,
  agent: Agent,
  options: RunOptions,
): Promise<Parameters<typeof leaseSessionOf>[1]> {
  const { userId, sessionId, metadata } = options;
  if (sessionId !== undefined) return { userId, id: sessionId };
  const create = metadata === undefined ? {} : { metadata };
  return { userId, id: await newSessionId(host, agent.name, options), create };
}

/** Checks the tools that a client offers with its message. @throws PawlError `invalid_input` */
async function toolsOf(agent: Agent, { clientTools }: RunOptions | RetryRunOptions) {
  if (clientTools === undefined) return undefined;
  const { checkedOffer } = await rarelyUsedParts();
  return checkedOffer(agent, clientTools);
}

/**
 * Returns the agent of that name, or the given agent if the runtime has it. Refuses another object with the
 * same name, because its tools and instructions may differ from those that the caller expects.
 */
export function agentNamed(host: Host, named: string | Agent<never>): Agent {
  const name = typeof named === "string" ? named : named?.name;
  if (typeof name !== "string")
    throw new PawlError("not_found", `Expected an agent of this runtime, or its name; got ${kindOf(named)}.`);
  const agent = host.agents.get(name);
  if (agent === undefined) throw noSuchAgent(host, name);
  if (typeof named !== "string" && named !== agent)
    throw new PawlError(
      "not_found",
      `This runtime has another agent named "${name}". Pass the object that is in its \`agents\`.`,
    );
  return agent;
}

/** Returns the session. Throws `invalid_input` if it has expired. */
function notExpired(session: Session): Session {
  if (session.status === "expired") throw new PawlError("invalid_input", "This session has expired.");
  return session;
}

/**
 * Returns the session if it belongs to this user and agent. Otherwise throws `not_found`, as if it did not
 * exist. The message says so if the user's session is one of an agent that the runtime lacks, e.g. under an
 * agent's former name.
 */
export async function ownSession(host: Host, id: string, userId: string, agent?: Agent): Promise<Session> {
  return checkOwn(host, await host.store.sessions.get(id), userId, agent);
}

function checkOwn(host: Host, session: Session | undefined, userId: string, agent?: Agent): Session {
  if (session?.userId === userId) {
    if (agent === undefined || session.agent === agent.name) return session;
    if (!host.agents.has(session.agent) && !isTaskSession(session)) throw noSuchAgent(host, session.agent);
  }
  throw new PawlError("not_found", "There is no such session.");
}
