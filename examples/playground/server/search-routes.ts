import { PawlError, type Runtime } from "@pawl/core";
import { SEARCH_AGENT } from "@pawl/example-enterprise-search";
import { handler, type RateLimiter, refuseNul, type WireErrorCode, withinRate } from "@pawl/sse";
import type { Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { setCookie } from "hono/cookie";
import { parse } from "hono/utils/cookie";
import * as z from "zod";
import type { BrowserIdentity } from "./browser-identity.ts";
import { clientOf } from "./client.ts";
import type { SearchIndex } from "./search.ts";
import { searchAgentRoutes } from "./search-agents.ts";
import { type SearchPeople, userIdFor } from "./search-people.ts";

/** The parts that the search agent's routes need. */
export interface SearchServing {
  index: SearchIndex;
  people: SearchPeople;
  /** Limits the messages of each user. Default: no limit. */
  rateLimit?: RateLimiter;
}

interface Around {
  runtime: Runtime;
  identity: BrowserIdentity;
  maxMessage: number;
  trustProxy: boolean;
  expose: "public" | "all";
  onError(error: unknown): void;
}

const PATH = "/api/search";
/** The e-mail address of the person that the visitor has chosen. Any person of the company may be chosen. */
const COOKIE = "pawl_search_as";
/** The address of the person that the page shows. A page may be older than the cookie. */
const SHOWN = "x-search-as";
const YEAR_S = 365 * 24 * 3600;
const MAX_BODY = 2_000;

const NOBODY = "The body must be { email }, with the e-mail address of a person of the company.";
const BAD_DOCUMENT = "The id of a document has at most 100 characters, and `start` is a number.";

const choice = z.object({ email: z.string().max(200) });
const opened = z.object({
  id: z.string().min(1).max(100),
  start: z.coerce.number().int().min(0).max(10_000_000).default(0),
});

/**
 * Adds the search agent's routes: `/api/search` for the page, and
 *
 * - `GET /api/search/index`: the state of the index; `POST` starts building or opening it
 * - `GET /api/search/me`: the person that the visitor searches as, and others to choose; `PUT` chooses one
 * - `GET /api/search/documents/:id?start=`: a document that this person may see. The page marks words itself
 * - `/api/search/agents`: the agents that people make, see {@link searchAgentRoutes}
 *
 * Requests about conversations, documents and agents may name the person that the page shows, in the header
 * `x-search-as`. If another tab has chosen somebody else, they are refused with 409 `other_person`.
 */
export function searchRoutes(app: Hono, { index, people, rateLimit }: SearchServing, around: Around): void {
  const { runtime, identity, maxMessage, trustProxy, expose, onError } = around;
  const personOf = (request: Request) =>
    people.find(parse(request.headers.get("cookie") ?? "", COOKIE)[COOKIE] ?? "") ?? people.standard;
  const page = handler({
    runtime,
    agent: SEARCH_AGENT,
    // The person comes from the cookie, never from the message. Conversations belong to the person, so a run
    // keeps its caller even if the visitor chooses somebody else meanwhile.
    authorize: (request) => {
      const user = identity.userOf(request);
      const { caller } = personOf(request);
      return user && { userId: userIdFor(user.userId, caller), caller: { ...caller } };
    },
    basePath: PATH,
    maxInputLength: maxMessage,
    expose,
    onError,
    ...(rateLimit && { rateLimit }),
  });
  // A page that still shows somebody else must not search, read or answer as the cookie's person.
  for (const path of ["runs", "sessions", "documents", "agents"])
    app.use(`${PATH}/${path}/*`, async (c, next) => {
      const { name, email } = personOf(c.req.raw).person;
      const shown = c.req.header(SHOWN);
      if (shown === undefined || shown === encodeURIComponent(email)) return await next();
      return refused(c, "other_person", `You now search as ${name}, whom you chose in another tab.`, 409);
    });
  // A limit per user is not enough, because anybody can create users.
  const limit = (c: Context) => withinRate(rateLimit, `address:${clientOf(c, trustProxy).address}`);
  app.on("POST", [`${PATH}/runs`, `${PATH}/files`], async (c, next) => {
    await limit(c);
    return await next();
  });
  const callerOf = (request: Request) => personOf(request).caller;
  searchAgentRoutes(app, { path: PATH, agents: index.agents, callerOf, limit });
  app.get(`${PATH}/index`, (c) => fresh(c, index.status()));
  app.post(`${PATH}/index`, (c) => {
    index.start();
    return fresh(c, index.status());
  });
  app.get(`${PATH}/me`, (c) => fresh(c, { person: personOf(c.req.raw).person, people: people.offered }));
  const tooLarge = (c: Context) =>
    refused(c, "too_large", `The body may have at most ${MAX_BODY} bytes.`, 413);
  app.put(`${PATH}/me`, bodyLimit({ maxSize: MAX_BODY, onError: tooLarge }), async (c) => {
    const body: unknown = await c.req.json().catch(() => undefined);
    const chosen = people.find(choice.safeParse(body).data?.email ?? "");
    if (chosen === undefined) return refused(c, "invalid_input", NOBODY, 400);
    const { secure } = clientOf(c, trustProxy);
    const limits = { httpOnly: true, secure, sameSite: "Lax", path: PATH, maxAge: YEAR_S } as const;
    setCookie(c, COOKIE, chosen.person.email, limits);
    return fresh(c, { person: chosen.person, people: people.offered });
  });
  app.get(`${PATH}/documents/:id`, async (c) => {
    refuseNul(c.req.url);
    const asked = opened.safeParse({ ...c.req.query(), id: c.req.param("id") });
    if (!asked.success) return refused(c, "invalid_input", BAD_DOCUMENT, 400);
    const found = await index.search.open(personOf(c.req.raw).caller, asked.data).catch((cause: unknown) => {
      throw new PawlError("store_unavailable", "The search index cannot be used.", { cause });
    });
    return found === undefined
      ? fresh(c, { status: "not_found" }, 404)
      : fresh(c, { status: "ok", ...found });
  });
  app.all(`${PATH}/*`, (c) => page(c.req.raw));
}

function fresh(c: Context, body: object, status: 200 | 404 = 200): Response {
  c.header("cache-control", "no-store");
  return c.json(body, status);
}

type Code = WireErrorCode | "other_person";

function refused(c: Context, code: Code, message: string, status: 400 | 409 | 413): Response {
  c.header("cache-control", "no-store");
  return c.json({ error: { code, message } }, status);
}
