import { PawlError, type PawlErrorCode } from "@pawl/core";
import { checkHeaders, safeText } from "../base/safe-error.ts";

/**
 * The used part of a supabase-js client: calls of functions in the database. The parameters are `never`, so
 * that any `SupabaseClient<Database>` fits, whatever its generated types.
 */
export interface RpcClient {
  rpc(name: never, args: never): PromiseLike<RpcAnswer>;
}

/** The result of such a call. */
export interface RpcAnswer {
  data: unknown;
  error: { message: string; code?: string } | null;
  /** The HTTP status; 0 if there was no answer. */
  status: number;
}

/** The object that every function of the schema returns. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * The field that each function's answer always has. An answer without it comes from elsewhere, e.g. from a
 * proxy.
 */
const ANSWERS = {
  pawl_rpc_append: "base",
  pawl_rpc_explain: "session",
  pawl_rpc_events: "events",
  pawl_rpc_create_session: "session",
  pawl_rpc_session: "session",
  pawl_rpc_sessions: "sessions",
  pawl_rpc_recoverable: "sessions",
  pawl_rpc_acquire: "known",
  pawl_rpc_renew: "renewed",
  pawl_rpc_release: "released",
  pawl_rpc_put_blob: "known",
  pawl_rpc_get_blob: "data",
  pawl_rpc_send_message: "seq",
  pawl_rpc_answer: "seq",
} as const;

/** Error codes by SQLSTATE. PostgREST makes an HTTP status of the last three digits of `PT…`. */
const CODES: Readonly<Record<string, PawlErrorCode>> = {
  "42501": "forbidden",
  PT404: "not_found",
  PT409: "conflict",
  PT422: "invalid_input",
};

/**
 * Calls a function of the schema, in one request.
 *
 * @throws PawlError `config` for a key that no header can carry, `forbidden`, `not_found`, `conflict`,
 * `invalid_input`, or `store_unavailable` for everything else, with a cause that has the SQLSTATE as its
 * `code` and the HTTP `status`. Neither contains a key or a token.
 */
export async function call(
  client: RpcClient,
  name: keyof typeof ANSWERS,
  args: Record<string, unknown>,
): Promise<Row> {
  let answer: RpcAnswer;
  try {
    answer = await client.rpc(name as never, args as never);
  } catch (thrown) {
    throw failed(thrown, 0);
  }
  const { data, error, status } = answer;
  if (error !== null) throw failed(error, status);
  // An empty answer, a list, or another object is not from the schema's functions, whatever its status.
  if (data === null || typeof data !== "object" || !Object.hasOwn(data, ANSWERS[name]))
    throw failed({ message: `the response is not an answer of ${name}` }, status);
  return data as Row;
}

/** Returns a list in a function's answer. */
export function listOf(row: Row, name: string): readonly Row[] {
  const list = Object.hasOwn(row, name) ? row[name] : undefined;
  if (!Array.isArray(list)) throw failed({ message: `the answer has no list \`${name}\`` }, 200);
  return list;
}

function failed(error: unknown, status: number): PawlError {
  if (status === 0) checkHeaders(error);
  const { code } = error as { code?: unknown };
  const said = safeText(error);
  const cause = Object.assign(new Error(said), { code, status });
  const known = typeof code === "string" && Object.hasOwn(CODES, code) ? CODES[code] : undefined;
  if (known !== undefined && known !== "forbidden") return new PawlError(known, said, { cause });
  if (known === "forbidden" || status === 401 || status === 403)
    return new PawlError("forbidden", `Supabase refuses this: ${said}`, { cause });
  return new PawlError("store_unavailable", `Supabase failed: ${said}`, { cause });
}
