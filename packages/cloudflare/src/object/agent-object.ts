import {
  checkOptions,
  PawlError,
  type Runtime,
  type RuntimeOptions,
  type RuntimeSettings,
  runtime,
} from "@pawl/core";
import { type DurableStorage, durableObject, sqliteStore } from "@pawl/sqlite";
import { type HandlerOptions, handler } from "@pawl/sse";
import { type AlarmStorage, wakingStore } from "../alarms/waking-store.ts";

/** The part of the context of a Durable Object that Pawl uses: `this.ctx` in its class. */
export interface ObjectContext {
  readonly id: { readonly name?: string | undefined };
  readonly storage: DurableStorage & AlarmStorage;
  waitUntil(work: Promise<unknown>): void;
}

/** Options of the object's HTTP handler, see `handler()` of `@pawl/sse`. */
export interface ObjectHttp<Name extends string = string>
  extends Omit<HandlerOptions<Name>, "runtime" | "agent" | "authorize">,
    Partial<Pick<HandlerOptions<Name>, "agent" | "authorize">> {}

/** All options of {@link agentObject}. `Name` are the names of the agents. */
export interface AgentObjectSettings<Deps, Name extends string = string>
  extends Omit<RuntimeSettings<Deps, Name>, "store" | "waitUntil"> {
  /**
   * How the object is served. Default of `agent`: the only one of `agents`. Default of `authorize`: the user
   * is the object's name, so the Worker must name the object by the user that it has authenticated.
   */
  http?: ObjectHttp<Name>;
}

/** Options of {@link agentObject}. `deps` is optional if no agent needs it. */
export type AgentObjectOptions<Deps, Name extends string = string> = undefined extends Deps
  ? Omit<AgentObjectSettings<Deps, Name>, "deps"> & Partial<Pick<AgentObjectSettings<Deps, Name>, "deps">>
  : AgentObjectSettings<Deps, Name>;

/** What a Durable Object does: its methods `fetch` and `alarm` pass their calls on. */
export interface AgentObject<Name extends string = string> {
  /** The object's runtime, e.g. for other routes and for methods that the Worker calls. */
  readonly runtime: Runtime<Name>;
  /** Serves the routes of `handler()` of `@pawl/sse`. */
  fetch(request: Request): Promise<Response>;
  /** Resumes the runs that need it, and sets the next alarm. */
  alarm(): Promise<void>;
}

/**
 * Runs agents in a Durable Object, one for each user. The log is in the object's storage. Runs continue
 * without a client. If the object is moved or restarted in the middle of a run, its alarm continues the run
 * after the lease has expired (`times.leaseTtlMs`, 10 seconds). The alarm also rings at the time for which a
 * run waits. The object cannot use its alarm for anything else.
 *
 * @throws PawlError `config` for options that `runtime()` or `handler()` refuse
 *
 * @example
 * ```ts compile
 * import { DurableObject } from "cloudflare:workers";
 * import { claude } from "@pawl/anthropic";
 * import { agentObject } from "@pawl/cloudflare";
 * import { agent } from "@pawl/core";
 *
 * interface Env {
 *   ANTHROPIC_API_KEY: string;
 * }
 *
 * const coach = ({ ANTHROPIC_API_KEY: apiKey }: Env) =>
 *   agent({ name: "coach", model: claude("claude-sonnet-5-5", { apiKey }), instructions: "Be kind." });
 *
 * export class Sessions extends DurableObject<Env> {
 *   #pawl = agentObject(this.ctx, { agents: [coach(this.env)] });
 *
 *   fetch(request: Request) {
 *     return this.#pawl.fetch(request);
 *   }
 *   alarm() {
 *     return this.#pawl.alarm();
 *   }
 * }
 * ```
 */
export function agentObject<Deps, Name extends string = string>(
  ctx: ObjectContext,
  options: AgentObjectOptions<Deps, Name>,
): AgentObject<Name> {
  checkObject(ctx, options);
  const { http = {}, ...settings } = options as AgentObjectSettings<Deps, Name>;
  const { store, rung } = wakingStore(sqliteStore(durableObject(ctx.storage)), ctx.storage, {
    agents: () => [...pawl.agents.keys()],
    leaseTtlMs: settings.times?.leaseTtlMs ?? 10_000,
  });
  const waitUntil = (work: Promise<unknown>) => ctx.waitUntil(work);
  const all: RuntimeSettings<Deps, Name> = { ...settings, store, waitUntil };
  const pawl = runtime(all as RuntimeOptions<Deps, Name>);
  const [only, ...others] = settings.agents;
  const agent = others.length === 0 ? only?.name : undefined;
  const authorize = () => ({ userId: nameOf(ctx) });
  return {
    runtime: pawl,
    // Without an agent, `handler()` says that it needs one.
    fetch: handler<Name>({ agent: agent as Name, authorize, ...http, runtime: pawl }),
    alarm: () => rung(() => pawl.sweep()),
  };
}

/** Returns the object's name, which is the user's id. */
function nameOf({ id: { name } }: ObjectContext): string {
  if (name !== undefined && name !== "") return name;
  const message =
    "The Durable Object has no name. Get it by env.SESSIONS.getByName(userId), or give agentObject() the option `http.authorize`.";
  throw new PawlError("config", message);
}

const CONTEXT = {
  mustBe: "the context of a Durable Object, `this.ctx`",
  is: (ctx: unknown) => typeof Object(Object(ctx).storage).setAlarm === "function",
  required: true,
};

function checkObject(ctx: unknown, options: unknown): void {
  const { agents, http, store, waitUntil } = Object(options);
  checkOptions("agentObject()", { ctx, agents, http }, { ctx: CONTEXT, agents: "list!", http: "object" });
  if (store === undefined && waitUntil === undefined) return;
  throw new PawlError("config", "agentObject() has its own `store` and `waitUntil`. Leave them out.");
}
