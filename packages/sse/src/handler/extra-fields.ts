import {
  type Agent,
  checkOptions,
  type JsonObject,
  type OptionKinds,
  PawlError,
  type RunOptions,
  type Runtime,
  type Session,
} from "@pawl/core";
import { speakersOf, speakingAgent } from "@pawl/core/store";
import type { Dialect, DialectRequest } from "../dialects/base/dialect.ts";
import { readJson } from "../request/read-json.ts";
import { readThread, type ThreadBody } from "../request/read-thread.ts";
import { findSession, type SessionName } from "../session/open-session.ts";

/** Reads your own fields from the body of a request and converts them to options of the run. */
export interface ExtraFields {
  /** Names of your fields. They are removed from the body before the dialect reads it. */
  fields: readonly string[];
  /**
   * Returns options for the run. `sent` has your fields as the client sent them. Not called if the client
   * sent none of them. Validate the fields, because they come from the client. To answer 400, throw a
   * `PawlError` with the code `invalid_input`; its message is sent to the client.
   */
  read(sent: JsonObject, asked: Asking): Extra | Promise<Extra>;
}

/** The user of a request, and the session that the request names. */
export interface Asking {
  userId: string;
  /** `undefined` if the message begins a new session. */
  session: Session | undefined;
  /** The client's own name for the session, also for a new one, see {@link Wanted}. */
  threadId?: string;
}

/**
 * Options of a run that come from your own fields. `metadata` applies only if the session is new.
 * `clientTools` are tools that a page offers in a protocol without words for them; they are checked.
 */
export type Extra = Pick<RunOptions, "knowledge" | "params" | "metadata" | "clientTools">;

interface Reading {
  runtime: Runtime;
  agent: string;
  dialect: Dialect;
  maxBodyBytes: number;
  maxHistoryBytes: number;
  maxInputLength: number;
  extra?: ExtraFields | undefined;
  /** Called with a warning for each part of the request that is ignored. */
  warn(message: string): void;
}

/**
 * Parses a request, and adds the options that the application makes from its own fields. Requests without a
 * new message ignore these options.
 */
export async function readRequest(
  served: Reading,
  request: Request,
  userId: string,
): Promise<DialectRequest> {
  const { runtime, agent, extra } = served;
  const { body, earlier } = await readBody(served, request);
  const { own, sent } = parted(body, extra?.fields ?? []);
  const asked = await parsed(served, userId, own, earlier);
  for (const message of asked.unread ?? []) served.warn(message);
  if (extra === undefined || Object.keys(sent).length === 0) return asked;
  const { threadId } = asked;
  const session = await findSession(runtime, nameOf(asked, { userId, agent }));
  const asking = { userId, session, ...(threadId !== undefined && { threadId }) };
  const { knowledge, params, metadata, clientTools } = await extra.read(sent, asking);
  const added = {
    ...(knowledge && { knowledge }),
    ...(params && { params }),
    ...(metadata && { metadata }),
    ...(clientTools && { clientTools }),
  };
  return {
    ...asked,
    begin: async (view) => {
      const begin = await asked.begin(view);
      return "input" in begin ? { ...begin, ...added } : begin;
    },
  };
}

/**
 * Parses a request for the agent that has the conversation: a client's tools must not have the names of its
 * own. An agent without `clientTools` ignores them if another agent of the conversation accepts them.
 */
async function parsed(
  { runtime, agent, dialect, maxInputLength }: Reading,
  userId: string,
  own: unknown,
  earlier: ThreadBody["earlier"],
): Promise<DialectRequest> {
  const speakers = speakersOf(runtime, agent);
  const accepts = speakers.some(({ clientTools }) => clientTools);
  const parse = async (speaker: Agent | undefined) => {
    const tools = accepts && speaker && { own: new Set(speaker.tools.keys()) };
    return await dialect.parse(own, { maxInputLength, ...(tools && { tools }) }, earlier);
  };
  const [served, ...others] = speakers;
  const asked = await parse(served);
  if (!accepts || others.length === 0) return asked;
  const session = await findSession(runtime, nameOf(asked, { userId, agent }));
  const speaker = session && (await speakingAgent(runtime, session));
  return speaker === undefined || speaker === served ? asked : await parse(speaker);
}

function nameOf(
  { sessionId, threadId }: DialectRequest,
  named: { userId: string; agent: string },
): SessionName {
  return { ...named, ...(sessionId && { sessionId }), ...(threadId && { threadId }) };
}

async function readBody(served: Reading, request: Request): Promise<ThreadBody> {
  const { dialect, maxBodyBytes } = served;
  const { threadField } = dialect;
  if (threadField !== undefined) return await readThread(request, threadField, served);
  return { body: await readJson(request, maxBodyBytes), earlier: [] };
}

/** Splits a body into these fields and the rest. */
function parted(body: unknown, fields: readonly string[]): { own: unknown; sent: JsonObject } {
  const isObject = body !== null && typeof body === "object" && !Array.isArray(body);
  if (!isObject || fields.length === 0) return { own: body, sent: {} };
  const all = Object.entries(body as JsonObject);
  const isExtra = ([name]: readonly [string, unknown]) => fields.includes(name);
  return {
    own: Object.fromEntries(all.filter((entry) => !isExtra(entry))),
    sent: Object.fromEntries(all.filter(isExtra)),
  };
}

/**
 * Checks the names of the application's own fields.
 *
 * @throws PawlError `config` for a name that dialects use themselves.
 */
export function checkExtra(extra: ExtraFields | undefined): void {
  if (extra === undefined) return;
  checkOptions("`extra` of handler()", extra, EXTRA);
  const taken = extra.fields.find((field) => TAKEN.includes(field));
  if (taken !== undefined)
    throw new PawlError(
      "config",
      `\`extra.fields\` must not name "${taken}": the request has a field of that name. Choose another name.`,
    );
}

const EXTRA: OptionKinds<ExtraFields> = { fields: "list!", read: "function!" };

const TAKEN = ["input", "message", "messages", "answers", "sessionId", "clientMessageId"];
