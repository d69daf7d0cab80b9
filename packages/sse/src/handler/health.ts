import { checkOptions, type OptionKinds, type Runtime } from "@pawl/core";
import { errorResponse } from "../request/wire-error.ts";
import { json } from "./routes.ts";

/** Options of `health()`. */
export interface HealthOptions {
  /** The runtime of this process. */
  runtime: Pick<Runtime, "recover">;
  /** The path below which the two checks are served. Default: none, they are at the root. */
  basePath?: string;
  /** How long the store may take to answer, in milliseconds. Default: 2,000. */
  storeTimeoutMs?: number;
}

const OPTIONS: OptionKinds<HealthOptions> = {
  runtime: {
    mustBe: "a runtime, made by runtime()",
    is: (value) => typeof Object(value).recover === "function",
    required: true,
  },
  basePath: "string",
  storeTimeoutMs: {
    mustBe: "a number of milliseconds from 1",
    is: (ms) => typeof ms === "number" && ms >= 1,
  },
};

/** Why a process is not ready. */
type NotReady = "draining" | "store_unavailable";

/**
 * Returns a handler of health checks, for load balancers and orchestrators. It needs no authorization and
 * shows no data. Serve it until `drain()` has resolved.
 *
 * - `GET /livez`: 200 while this process answers. Restart the process if it does not
 * - `GET /readyz`: 200 with `{ ready: true }`, or 503 with `{ ready: false, reason }`. `draining`: the
 *   process is shutting down. `store_unavailable`: the store has not answered in time. Send it no requests
 *   then
 *
 * Any other path answers 404. Checks at the same time share one read of the store.
 *
 * @throws PawlError `config` for options that do not fit.
 *
 * @example
 * ```ts
 * import { memoryStore, runtime } from "@pawl/core";
 * import { health } from "@pawl/sse";
 *
 * const pawl = runtime({ agents: [], store: memoryStore() });
 * const check = health({ runtime: pawl });
 * const ready = await check(new Request("http://localhost/readyz"));
 * console.log(ready.status, await ready.json()); // 200 { ready: true }
 * await pawl.drain();
 * const draining = await check(new Request("http://localhost/readyz"));
 * console.log(draining.status, await draining.json()); // 503 { ready: false, reason: 'draining' }
 * ```
 */
export function health(options: HealthOptions): (request: Request) => Promise<Response> {
  checkOptions("health()", options, OPTIONS);
  const { runtime, basePath = "", storeTimeoutMs = 2_000 } = options;
  let checking: Promise<NotReady | undefined> | undefined;
  const shared = () => {
    // Until it has settled: a store that hangs is not asked again by each check.
    checking ??= reasonAgainst(runtime).finally(() => {
      checking = undefined;
    });
    return within(storeTimeoutMs, checking);
  };
  return async ({ method, url }) => {
    const { pathname } = new URL(url);
    const check = CHECKS.find((name) => pathname === basePath + name);
    if (check === undefined) return errorResponse(404, "not_found", noCheck(method, pathname, basePath));
    if (method !== "GET" && method !== "HEAD") {
      const allow = "GET, HEAD";
      return errorResponse(405, "method_not_allowed", `This path accepts ${allow} only.`, { allow });
    }
    if (check === "/livez") return json({ live: true });
    const reason = await shared();
    if (reason === undefined) return json({ ready: true });
    const headers = { "cache-control": "no-store" };
    return Response.json({ ready: false, reason }, { status: 503, headers });
  };
}

const CHECKS = ["/livez", "/readyz"] as const;

const noCheck = (method: string, path: string, basePath: string) =>
  `No such check: ${method} ${path}. This handler serves ${basePath}/livez and ${basePath}/readyz.`;

/**
 * Asks the runtime to recover a session that does not exist. It refuses while it is draining, and otherwise
 * reads the session's row.
 */
async function reasonAgainst(runtime: HealthOptions["runtime"]): Promise<NotReady | undefined> {
  try {
    const { outcome } = await runtime.recover(`health-${crypto.randomUUID()}`);
    return outcome === "left" ? "draining" : undefined;
  } catch {
    // The runtime's own sweeps report what is wrong with the store.
    return "store_unavailable";
  }
}

async function within(ms: number, check: Promise<NotReady | undefined>): Promise<NotReady | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<NotReady>();
  const timer = setTimeout(() => resolve("store_unavailable"), ms);
  try {
    return await Promise.race([check, late]);
  } finally {
    clearTimeout(timer);
  }
}
