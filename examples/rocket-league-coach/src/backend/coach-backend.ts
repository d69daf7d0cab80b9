import { checkOptions, type OptionKinds, PawlError } from "@pawl/core";
import { RESERVATION_TTL_MS, type Reservations } from "@pawl/core/store";
import { type Database, migrate, postgresReservations } from "@pawl/postgres";
import { toolHandler } from "@pawl/remote/server";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { coachData } from "../data/index.ts";
import { coachTools } from "../tools/index.ts";
import { type Authenticate, identify, userOf } from "./callers.ts";
import { chatRoutes } from "./chat-routes.ts";
import type { ChatParts, TokenBudget } from "./parts.ts";

/** Options of `coachBackend()`. */
export interface CoachBackendOptions {
  /** The database: `pg`, postgres.js or a PGlite. Missing tables are created. */
  db: Database;
  /** Returns the user of a bearer token, or `null` to answer 401. */
  authenticate: Authenticate;
  /** The bearer token of the front server, which settles reservations. At least 16 characters. */
  serviceKey: string;
  /** Keeps the budgets. Default: in `db`. */
  reservations?: Reservations;
  /** Returns a user's budget. Default: 1,000,000 tokens in each calendar month (UTC). */
  budgetOf?(userId: string): TokenBudget | Promise<TokenBudget>;
  /** How many tokens a request sets aside, if the budget has them. Default: 100,000. */
  estimatedTokens?: number;
  /** How many tokens a user's first request may use if there is no budget. Default: 100,000. 0: none. */
  previewTokens?: number;
  /** How long a reservation is held without a renewal, in milliseconds. Default: 300,000 (five minutes). */
  ttlMs?: number;
  /** Returns the current time, in milliseconds since 1970. */
  now?(): number;
  /** Called with errors that are answered with 500. Default: prints their message. */
  onError?(error: unknown): void;
}

const OPTIONS: OptionKinds<CoachBackendOptions> = {
  db: "any!",
  authenticate: "function!",
  serviceKey: {
    mustBe: "a secret of at least 16 characters",
    is: (key) => typeof key === "string" && key.length >= 16,
    required: true,
  },
  reservations: "object",
  budgetOf: "function",
  estimatedTokens: "number",
  previewTokens: "number",
  ttlMs: "number",
  now: "function",
  onError: "function",
};

/** The path of all routes. */
export const BACKEND_PATH = "/api/v1/coach";

/**
 * Creates the backend: tools, budgets and stored conversations, under `/api/v1/coach`. Every route needs a
 * bearer token. Errors are `{ error: { code, message } }`.
 *
 * @throws PawlError `config` for unknown, missing and invalid options.
 *
 * @example
 * ```ts
 * import { PGlite } from "@electric-sql/pglite";
 * import { coachBackend } from "@pawl/example-rocket-league-coach";
 *
 * const db = await PGlite.create();
 * const authenticate = (token: string) => (token === "of-ada" ? "ada" : null);
 * const backend = await coachBackend({ db, authenticate, serviceKey: "0123456789abcdef" });
 * const headers = { authorization: "Bearer of-ada" };
 * const response = await backend.request("/api/v1/coach/budget", { headers });
 * console.log((await response.json()).remaining); // 1000000
 * await db.close();
 * ```
 */
export async function coachBackend(options: CoachBackendOptions): Promise<Hono> {
  checkOptions("coachBackend()", options, OPTIONS);
  const { db, authenticate, serviceKey, now = Date.now, ...given } = options;
  const { onError = (error: unknown) => console.error(`coach: ${PawlError.describe(error)}`) } = given;
  await migrate(db);
  const data = await coachData(db, { now });
  const parts: ChatParts = {
    db,
    now,
    reservations: given.reservations ?? postgresReservations(db),
    budgetOf: given.budgetOf ?? (() => ({ tokens: 1_000_000, period: monthOf(now()) })),
    estimatedTokens: given.estimatedTokens ?? 100_000,
    previewTokens: given.previewTokens ?? 100_000,
    ttlMs: given.ttlMs ?? RESERVATION_TTL_MS,
  };
  const who = identify(authenticate, serviceKey);
  const tools = toolHandler({
    tools: coachTools,
    basePath: BACKEND_PATH,
    title: "Tools of the Rocket League coach",
    authorize: async (request) => {
      try {
        return { userId: userOf(await who(request)) };
      } catch (error) {
        if (error instanceof HTTPException) return error.getResponse();
        throw error;
      }
    },
    deps: () => ({ coach: data }),
    onError,
  });
  const app = new Hono().basePath(BACKEND_PATH);
  app.onError((error) => answerTo(error, onError));
  app.notFound(({ req }) => {
    const message = `No such route: ${req.method} ${req.path}. The backend's routes are under ${BACKEND_PATH}.`;
    return Response.json({ error: { code: "not_found", message } }, { status: 404 });
  });
  app.all("/tools/*", ({ req }) => tools(req.raw));
  app.all("/openapi.json", ({ req }) => tools(req.raw));
  chatRoutes(app, parts, who);
  return app;
}

function answerTo(error: Error, onError: (error: unknown) => void): Response {
  if (error instanceof HTTPException) return error.getResponse();
  onError(error);
  const isDown = PawlError.is(error, "store_unavailable");
  const code = isDown ? "unavailable" : "internal";
  const message = isDown ? "The database cannot be reached. Try again." : "Something failed on our side.";
  return Response.json({ error: { code, message } }, { status: isDown ? 503 : 500 });
}

function monthOf(now: number): string {
  return new Date(now).toISOString().slice(0, 7);
}
