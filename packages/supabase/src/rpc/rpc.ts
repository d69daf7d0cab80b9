import { PawlError, type PawlErrorCode } from "@pawl/core";
import { checkHeaders, safeText } from "../base/safe-error.ts";

/** The part of a supabase-js client that Pawl uses: calls of functions in the database. */
// The parameters are `never`, so that a `SupabaseClient<Database>` fits with any generated types.
export interface RpcClient {
  rpc(name: never, args: never): PromiseLike<RpcAnswer>;
}

/** The result of {@link RpcClient.rpc}. */
export interface RpcAnswer {
  data: unknown;
  error: { message: string; code?: string } | null;
  /** The HTTP status; 0 if there was no response. */
  status: number;
}

/** The object that every function of Pawl's schema returns. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * The field that the result of each function always has. A result without it comes from elsewhere, e.g. a
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
  pawl_rpc_recoverable_after: "sessions",
  pawl_rpc_open_session: "opened",
  pawl_rpc_save_snapshot: "saved",
  pawl_rpc_acquire: "known",
  pawl_rpc_renew: "renewed",
  pawl_rpc_release: "released",
  pawl_rpc_put_blob: "known",
  pawl_rpc_get_blob: "data",
  pawl_rpc_send_message: "seq",
  pawl_rpc_answer: "seq",
} as const;

/** Error codes, keyed by SQLSTATE. For `PT…`, PostgREST uses the three digits as the HTTP status. */
const CODES: Readonly<Record<string, PawlErrorCode>> = {
  "42501": "forbidden",
  PT404: "not_found",
  PT409: "conflict",
  PT422: "invalid_input",
};

/** PostgREST's code for a function that does not exist. */
const MISSING = "PGRST202";
/** The version of the schema that this package needs: the number of its last migration. */
export const SCHEMA_VERSION = 18;
/** What to do if the schema lacks something. */
export const MIGRATE: string = `The project's schema is not the one of this version of @pawl/supabase, which needs version ${SCHEMA_VERSION}. If it is older, apply the migrations that \`npx pawl-supabase migrations\` writes; if it is newer, update @pawl/supabase. The table pawl_migrations has its version.`;

/**
 * Calls a function of Pawl's schema, in one request.
 *
 * @throws PawlError `config` for a key that is not a valid header value. `forbidden`, `not_found`, `conflict`
 * or `invalid_input` as reported by the function. `store_unavailable` for any other failure; its cause has
 * the SQLSTATE as `code` and the HTTP `status`. Errors never contain a key or a token.
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
  // An empty result, a list or another object does not come from Pawl's functions, whatever its status.
  if (data === null || typeof data !== "object" || !Object.hasOwn(data, ANSWERS[name]))
    throw failed({ message: `the response is not an answer of ${name}` }, status);
  return data as Row;
}

/** Returns a list in a function's result. */
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
  const advice = code === MISSING ? `${MIGRATE} ` : "";
  return new PawlError("store_unavailable", `${advice}Supabase failed: ${said}`, { cause });
}
