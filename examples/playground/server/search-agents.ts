import type { AgentError, AgentStore, Caller } from "@pawl/example-enterprise-search";
import type { Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";

interface AgentServing {
  /** Below what the routes are, e.g. `/api/search`. */
  path: string;
  agents: AgentStore;
  callerOf(request: Request): Caller;
  /** Throws if the client has sent too many requests. */
  limit(c: Context): Promise<void>;
}

/** An agent's texts have 8,600 characters at most, and it is shared with 50 addresses of 200 at most. */
const MAX_BODY = 100_000;

/**
 * Adds the routes with which people keep agents:
 *
 * - `GET …/agents`: those that the person may use; `POST` makes one
 * - `PUT …/agents/:id`: changes an agent of the person; `DELETE` deletes it
 */
export function searchAgentRoutes(app: Hono, { path, agents, callerOf, limit }: AgentServing): void {
  const tooLarge = (c: Context) =>
    refused(c, { code: "too_large", message: `The body may have at most ${MAX_BODY} bytes.` }, 413);
  const limited = bodyLimit({ maxSize: MAX_BODY, onError: tooLarge });
  const draftOf = async (c: Context) => (await c.req.json().catch(() => undefined)) as never;
  app.get(`${path}/agents`, async (c) => fresh(c, { agents: await agents.list(callerOf(c.req.raw)) }));
  app.post(`${path}/agents`, limited, async (c) => {
    await limit(c);
    return answered(c, await agents.create(callerOf(c.req.raw), await draftOf(c)), 201);
  });
  app.put(`${path}/agents/:id`, limited, async (c) => {
    await limit(c);
    return answered(c, await agents.update(callerOf(c.req.raw), c.req.param("id"), await draftOf(c)));
  });
  app.delete(`${path}/agents/:id`, async (c) => {
    await limit(c);
    return answered(c, await agents.remove(callerOf(c.req.raw), c.req.param("id")));
  });
}

type Outcome = { status: "ok"; agent: object } | { status: "error"; error: AgentError };

function answered(c: Context, outcome: Outcome, made: 200 | 201 = 200): Response {
  if (outcome.status === "ok") return fresh(c, { agent: outcome.agent }, made);
  return refused(c, outcome.error, outcome.error.code === "not_found" ? 404 : 400);
}

function refused(c: Context, error: object, status: 400 | 404 | 413): Response {
  return fresh(c, { error }, status);
}

function fresh(c: Context, body: object, status: 200 | 201 | 400 | 404 | 413 = 200): Response {
  c.header("cache-control", "no-store");
  return c.json(body, status);
}
