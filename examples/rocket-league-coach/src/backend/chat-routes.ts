import { listedProblems } from "@pawl/core/tools";
import type { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type * as z from "zod";
import { hasPreview, messagesOf, ownerOf, sessionsOfUser } from "../data/index.ts";
import { type BackendCaller, onlyService, userOf } from "./callers.ts";
import { accountOf, type ChatParts, LEAST_TOKENS } from "./parts.ts";
import { preflight } from "./preflight.ts";
import { refused } from "./refused.ts";
import { abortBody, preflightBody, recordBody, renewBody } from "./schemas.ts";
import { abort, record, renew, unsettled } from "./settle.ts";

/** The maximum size of a body, in bytes: the messages of one run with all their results. */
const MAX_BODY = 20_000_000;

/** The maximum size of a body that users may send, in bytes: a message of 10,000 characters. */
const MAX_USER_BODY = 100_000;

/** Adds the routes of budgets and conversations. */
export function chatRoutes(
  app: Hono,
  parts: ChatParts,
  who: (request: Request) => Promise<BackendCaller>,
): void {
  const { db } = parts;
  app.use("/chat/preflight", limited(MAX_USER_BODY));
  app.use("/chat/*", limited(MAX_BODY));
  app.use(async (c, next) => {
    await next();
    c.header("cache-control", "no-store");
  });
  app.post("/chat/preflight", async ({ req, json }) => {
    const caller = await who(req.raw);
    const body = await parsed(req.raw, preflightBody);
    return json(await preflight(parts, userOf(caller, body.user_id), body));
  });
  const settle = <Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    work: (parts: ChatParts, body: z.infer<Schema>) => Promise<object>,
  ) =>
    app.post(path, async ({ req, json }) => {
      onlyService(await who(req.raw));
      return json(await work(parts, await parsed(req.raw, schema)));
    });
  settle("/chat/renew", renewBody, renew);
  settle("/chat/record", recordBody, record);
  settle("/chat/abort", abortBody, abort);
  app.get("/chat/unsettled", async ({ req, json }) => {
    onlyService(await who(req.raw));
    return json(await unsettled(parts));
  });
  app.get("/budget", async ({ req, json }) => json(await budgetFor(parts, userOf(await who(req.raw)))));
  app.get("/sessions", async ({ req, json }) =>
    json({ sessions: await sessionsOfUser(db, userOf(await who(req.raw)), 50) }),
  );
  app.get("/sessions/:id/messages", async ({ req, json }) => {
    const userId = userOf(await who(req.raw));
    const sessionId = req.param("id");
    if ((await ownerOf(db, sessionId)) !== userId) throw refused("not_found", "You have no such session.");
    return json({ session_id: sessionId, messages: await messagesOf(db, sessionId) });
  });
}

function limited(maxSize: number) {
  const onError = () => {
    throw refused("invalid_request", `The body is larger than ${maxSize} bytes.`);
  };
  return bodyLimit({ maxSize, onError });
}

async function budgetFor(parts: ChatParts, userId: string) {
  const { account, limit } = await accountOf(parts, userId, false);
  const { used, held } = await parts.reservations.balance(account);
  const has_free_preview =
    parts.previewTokens > 0 &&
    limit < LEAST_TOKENS &&
    (await hasPreview(parts.db, userId, parts.now() - parts.ttlMs));
  return {
    user_id: userId,
    limit,
    used,
    held,
    remaining: Math.max(0, limit - used - held),
    has_free_preview,
  };
}

/** Parses a request's body. Throws a response 400 that names each wrong field, or 415 if it is compressed. */
async function parsed<Schema extends z.ZodType>(request: Request, schema: Schema): Promise<z.infer<Schema>> {
  const coding = request.headers.get("content-encoding") ?? "identity";
  if (coding.toLowerCase() !== "identity")
    throw refused("unsupported", "The body must be JSON without compression.");
  const body: unknown = await request.json().catch(() => {
    throw refused("invalid_request", "The body must be JSON.");
  });
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  const problems = error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join(".") || "body"}: ${message}`);
  throw refused("invalid_request", listedProblems(problems));
}
