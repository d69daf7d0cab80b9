import type { Agent } from "../../agent/agent.ts";
import { kindOf } from "../../base/check-options.ts";
import { PawlError } from "../../base/errors.ts";
import { type JsonObject, toJson } from "../../base/json.ts";
import type { Session } from "../../log/session-row.ts";
import type { Begun } from "../begin/begin.ts";
import { beginWithMessage } from "../begin/begin-with-message.ts";
import { legOptionsOf } from "../begin/incoming-message.ts";
import { newSessionId } from "../begin/new-session.ts";
import type { RetryRunOptions, RunOptions } from "../begin/run-options.ts";
import { checkedKnowledge, checkRunOptions } from "../checks/check-run-options.ts";
import { type Host, type LegOptions, noSuchAgent } from "../leg/host.ts";
import { leaseSessionOf } from "../leg/lease-session.ts";
import type { LeasedSession } from "../leg/leased-session.ts";
import { isTaskSession } from "../leg/task-session.ts";

/** Starts a run with `input`, continues a run with `answers`, or retries a run with `retry`. */
export async function beginOrContinue(
  host: Host,
  agentOrName: string | Agent<never>,
  rawOptions: RunOptions | RetryRunOptions,
): Promise<Begun> {
  const agent = agentNamed(host, agentOrName);
  if (host.draining) throw new PawlError("draining", "The server is about to restart. Please try again.");
  checkRunOptions(rawOptions);
  const { caller: rawCaller } = rawOptions;
  // Converts the caller to JSON, e.g. dates to strings, as later processes read it from the log.
  const options =
    rawCaller === undefined ? rawOptions : { ...rawOptions, caller: toJson(rawCaller) as JsonObject };
  const { userId, input } = options;
  if (input === undefined)
    return await (await loadRarelyUsedParts()).continueRun(host, agent, options, openOwn);
  const isPlain = typeof input === "string" && options.clientTools === undefined && !handsOver(host);
  const { clientTools, message, files, whenBusy } = isPlain
    ? { clientTools: undefined, message: input, files: [], whenBusy: agent.whenBusy ?? options.whenBusy }
    : await (await loadRarelyUsedParts()).checkedMessage(host, agent, options);
  const knowledge = options.knowledge?.map(checkedKnowledge);
  const { clientMessageId, signal, params, caller, credentials } = options;
  const opened = await openOwn(
    host,
    agent,
    await sessionFor(host, agent, options),
    legOptionsOf({ caller, credentials, clientTools }),
  );
  const { session } = opened;
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
  const content = { message, files: references, knowledge, params, clientMessageId, clientTools };
  const incoming = {
    session,
    agent,
    ...content,
    whenBusy: whenBusy ?? "reject",
    signal,
    caller,
    credentials,
  };
  return await beginWithMessage(host, incoming, loadRarelyUsedParts, opened);
}

/** Loads the code for answers, retries, files and tools of clients. Most processes need this chunk late. */
const loadRarelyUsedParts = () => import("../later/index.ts");

/**
 * Opens the session of a request, in one call of the store. `leased` is `undefined` if the lease is taken.
 *
 * @throws PawlError `not_found` if the user has no such session of the agent, `invalid_input` if it has
 * expired
 */
async function openOwn(
  host: Host,
  agent: Agent,
  toOpen: Parameters<typeof leaseSessionOf>[1],
  from: LegOptions,
): Promise<{ session: Session; leased: LeasedSession | undefined }> {
  const opened = await leaseSessionOf(host, toOpen, agent, from);
  return {
    session: notExpired(checkOwn(host, opened?.session, toOpen.userId, agent)),
    leased: opened?.leased,
  };
}

/** Returns which session to open for a message. Without a `sessionId`, a new session is created. */
async function sessionFor(
  host: Host,
  agent: Agent,
  options: RunOptions,
): Promise<Parameters<typeof leaseSessionOf>[1]> {
  const { userId, sessionId, metadata } = options;
  if (sessionId !== undefined) return { userId, id: sessionId };
  const create = metadata === undefined ? {} : { metadata };
  return { userId, id: await newSessionId(host, agent.name, options), create };
}

/** Returns whether another agent than the session's own may have a conversation. */
function handsOver({ agents }: Host): boolean {
  return [...agents.values()].some(({ handOverTo }) => handOverTo !== undefined);
}

/**
 * Returns the runtime's agent for a name or an agent object. Refuses another object with the same name,
 * because its tools and instructions may differ from those of the runtime's agent.
 *
 * @throws PawlError `not_found`
 */
export function agentNamed(host: Host, agentOrName: string | Agent<never>): Agent {
  const name = typeof agentOrName === "string" ? agentOrName : agentOrName?.name;
  if (typeof name !== "string")
    throw new PawlError(
      "not_found",
      `Expected an agent of this runtime, or its name; got ${kindOf(agentOrName)}.`,
    );
  const agent = host.agents.get(name);
  if (agent === undefined) throw noSuchAgent(host, name);
  if (typeof agentOrName !== "string" && agentOrName !== agent)
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
 * Returns the session if it belongs to this user and agent. Otherwise throws `not_found`, as if the session
 * did not exist. If the user's session has another agent, or one that the runtime lacks, e.g. because it was
 * renamed, the error's message names that agent.
 */
export async function sessionOfUser(host: Host, id: string, userId: string, agent?: Agent): Promise<Session> {
  return checkOwn(host, await host.store.sessions.get(id), userId, agent);
}

/** Does the check of {@link sessionOfUser} for a session that has been read. */
function checkOwn(host: Host, session: Session | undefined, userId: string, agent?: Agent): Session {
  if (session?.userId === userId) {
    if (agent === undefined || session.agent === agent.name) return session;
    if (!isTaskSession(session)) throw otherAgent(host, session.agent, agent.name);
  }
  throw new PawlError("not_found", "There is no such session.");
}

/** Returns the error for the user's own session of another agent than the one that is to run. */
function otherAgent(host: Host, own: string, asked: string): PawlError {
  if (!host.agents.has(own)) return noSuchAgent(host, own);
  return new PawlError("not_found", `This session belongs to the agent "${own}", not to "${asked}".`);
}
