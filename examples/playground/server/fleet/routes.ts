import { PawlError } from "@pawl/core";
import type { Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import * as z from "zod";
import type { BrowserIdentity } from "../browser-identity.ts";
import { ACTIONS, MOST_RUNS, MOST_WORKERS, noFleet, type ServerFleet } from "./fleet.ts";

const PATH = "/api/fleet";
const MAX_BODY = 1_000;

const workers = z.object({ count: z.int().min(1).max(MOST_WORKERS) });
const runs = z.object({ count: z.int().min(1).max(MOST_RUNS) });
const action = z.object({ action: z.enum(ACTIONS) });

/** Adds the route of a server that must not start processes. It says so. */
export function noFleetRoutes(app: Hono, message: string): void {
  app.get(PATH, (c) => c.json(noFleet(message)));
}

/**
 * Adds the fleet's routes. Each answers with the fleet as the visitor may see it.
 *
 * - `GET /api/fleet`; `DELETE` ends it
 * - `POST /api/fleet/workers` and `POST /api/fleet/runs` with `{ count }`
 * - `POST /api/fleet/workers/:name` with `{ action }`: `stop`, `kill`, `freeze` or `thaw`
 */
export function fleetRoutes(app: Hono, fleet: ServerFleet, identity: BrowserIdentity): void {
  const userOf = (c: Context) => identity.userOf(c.req.raw)?.userId ?? "";
  const shown = async (c: Context) => {
    c.header("cache-control", "no-store");
    return c.json(await fleet.view(userOf(c)));
  };
  const tooLarge = () => {
    throw new PawlError("invalid_input", `The body may have at most ${MAX_BODY} bytes.`);
  };
  app.on("POST", `${PATH}/*`, bodyLimit({ maxSize: MAX_BODY, onError: tooLarge }));
  app.get(PATH, shown);
  app.delete(PATH, async (c) => {
    await fleet.end(userOf(c));
    return await shown(c);
  });
  app.post(`${PATH}/workers`, async (c) => {
    const { count } = await bodyOf(c, workers, `{ count }, a number from 1 to ${MOST_WORKERS}`);
    fleet.start(userOf(c), count);
    return await shown(c);
  });
  app.post(`${PATH}/runs`, async (c) => {
    const { count } = await bodyOf(c, runs, `{ count }, a number from 1 to ${MOST_RUNS}`);
    await fleet.send(userOf(c), count);
    return await shown(c);
  });
  app.post(`${PATH}/workers/:name`, async (c) => {
    const asked = await bodyOf(c, action, `{ action }, one of ${ACTIONS.join(", ")}`);
    fleet.act(userOf(c), c.req.param("name"), asked.action);
    return await shown(c);
  });
}

async function bodyOf<T>(c: Context, schema: z.ZodType<T>, mustBe: string): Promise<T> {
  const body = schema.safeParse(await c.req.json().catch(() => undefined));
  if (body.success) return body.data;
  throw new PawlError("invalid_input", `The body must be ${mustBe}.`);
}
