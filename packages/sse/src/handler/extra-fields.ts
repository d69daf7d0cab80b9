import { type JsonObject, PawlError, type RunOptions, type Runtime, type Session } from "@pawl/core";
import type { Dialect, DialectRequest } from "../dialects/base/dialect.ts";
import { readJson } from "../request/read-json.ts";
import { readThread, type ThreadBody } from "../request/read-thread.ts";
import { findSession } from "../session/open-session.ts";

/** Your own fields of the request's body, and how to turn them into options of the new run. */
export interface ExtraFields {
  /**
   * Names of the fields. The dialect does not see them. A dialect that refuses unknown fields still refuses
   * all others.
   */
  fields: readonly string[];
  /**
   * Called with the fields that were sent, if any. Validate them: they come from the client. Throw a
   * `PawlError` with the code `invalid_input` to answer 400 with its message.
   */
  read(sent: JsonObject, asked: Asking): Extra | Promise<Extra>;
}

/** The user of a request, and the user's session. The session is absent if the message begins a new one. */
export interface Asking {
  userId: string;
  session: Session | undefined;
}

/** See `RunOptions` of `@pawl/core`. `metadata` applies to a session that begins, e.g. its type. */
export type Extra = Pick<RunOptions, "knowledge" | "params" | "metadata">;

interface Reading {
  runtime: Runtime;
  agent: string;
  dialect: Dialect;
  maxBodyBytes: number;
  maxHistoryBytes: number;
  maxInputLength: number;
  extra?: ExtraFields | undefined;
  /** Called for each kind of request data that is not read. */
  warn(message: string): void;
}

/**
 * Parses a request, and adds what the application reads from its own fields. Ignores those fields if the
 * request has answers.
 */
export async function readRequest(
  served: Reading,
  request: Request,
  userId: string,
): Promise<DialectRequest> {
  const { runtime, agent, dialect, maxInputLength, extra } = served;
  const { body, earlier } = await readBody(served, request);
  const { own, sent } = parted(body, extra?.fields ?? []);
  const asked = await dialect.parse(own, { maxInputLength }, earlier);
  for (const message of asked.unread ?? []) served.warn(message);
  if (extra === undefined || Object.keys(sent).length === 0) return asked;
  const { sessionId, threadId } = asked;
  const name = { userId, agent, ...(sessionId && { sessionId }), ...(threadId && { threadId }) };
  const asking = { userId, session: await findSession(runtime, name) };
  const { knowledge, params, metadata } = await extra.read(sent, asking);
  const added = { ...(knowledge && { knowledge }), ...(params && { params }), ...(metadata && { metadata }) };
  return {
    ...asked,
    begin: (view) => {
      const begin = asked.begin(view);
      return "input" in begin ? { ...begin, ...added } : begin;
    },
  };
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

/** @throws PawlError `config` for a name that dialects use themselves. */
export function checkExtra(extra: ExtraFields | undefined): void {
  const taken = extra?.fields.find((field) => TAKEN.includes(field));
  if (taken !== undefined)
    throw new PawlError(
      "config",
      `\`extra.fields\` must not name "${taken}": the request has a field of that name. Choose another name.`,
    );
}

const TAKEN = ["input", "message", "messages", "answers", "sessionId", "clientMessageId"];
