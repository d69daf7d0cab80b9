import { PawlError } from "@pawl/core";
import { checkNames, type Engine, type EngineWorker } from "@pawl/core/store";
import { reporter } from "@pawl/core/tools";
import type { VirtualObjectDefinition } from "@restatedev/restate-sdk";
import { newCalls } from "./calls.ts";
import { makeEndpoint } from "./endpoint.ts";
import type { WakeMessage } from "./objects.ts";
import { checkEngine, type RestateEngineOptions } from "./options.ts";
import { requestsTo } from "./requests.ts";
import { makeSessions } from "./sessions.ts";
import { makeWakes } from "./wakes.ts";

/** An engine over Restate. */
export interface RestateEngine extends Engine {
  readonly isExclusive: true;
  /**
   * The virtual objects of the engine, for an endpoint of your own if there is no `port`, e.g.
   * `createEndpointHandler({ services: [...engine.services, myService] })`.
   */
  readonly services: VirtualObjectDefinition<string, unknown>[];
  /** Stops the workers, waits for their calls and closes the port. Drain the runtime first. */
  close(): Promise<void>;
}

/**
 * Makes an engine that runs sessions in any process, by Restate. If a process dies, another one continues its
 * sessions within a second. Each session is a virtual object, so one process at a time works on it.
 *
 * @throws PawlError `config` for options that do not fit. `wake()` and `cancel()` reject with
 * `store_unavailable` if Restate cannot be reached, with `config` if no worker has been registered or a
 * `transaction` is given, and with `forbidden` if Restate refuses `authToken`. `work()` rejects alike.
 * @example
 * ```ts
 * import { restateEngine } from "@pawl/restate";
 *
 * const engine = restateEngine({ ingress: "http://localhost:8080", port: 9080 });
 * console.log(engine.services.map(({ name }) => name).join(", ")); // pawl-wakes, pawl-sessions
 * await engine.close();
 * ```
 */
export function restateEngine(options: RestateEngineOptions): RestateEngine {
  checkEngine(options);
  const { name = "pawl", port, admin } = options;
  const { onError = (error) => console.error(`pawl: ${PawlError.describe(error)}`) } = options;
  const names = { wakes: `${name}-wakes`, sessions: `${name}-sessions` };
  const calls = newCalls();
  const services = [makeWakes(names), makeSessions(names, calls)];
  const endpoint =
    port === undefined
      ? undefined
      : makeEndpoint(services, { ...options, port, onError: reporter("onError", onError) });
  const ingress = requestsTo(options.ingress, options);
  const workers = new Set<EngineWorker>();
  /** The registration of this process. Restate refuses wakes before the first one of any. */
  let serving: Promise<void> | undefined;
  const send = async (sessionId: string, handler: string, body: WakeMessage | null) => {
    await serving?.catch(() => undefined);
    await ingress.post(`/${names.wakes}/${encodeURIComponent(sessionId)}/${handler}/send`, body);
  };
  const serve = async () => {
    const uri = (await endpoint?.open()) ?? "";
    if (admin === undefined) return;
    await requestsTo(admin, options).post("/deployments", { uri: options.uri ?? uri, force: true });
  };
  const stop = async (worker: EngineWorker, own: EngineWorker) => {
    workers.delete(own);
    await worker.stop();
    if (workers.size === 0) await endpoint?.close();
  };
  return {
    isExclusive: true,
    services,
    wake: async (sessionId, { afterMs = 0, transaction } = {}) => {
      checkWake(sessionId, afterMs, transaction);
      const later = afterMs > 0 && { afterMs: Math.ceil(afterMs) };
      await send(sessionId, "wake", { sentAt: Date.now(), ...later });
    },
    cancel: async (sessionId) => {
      checkNames(sessionId);
      await send(sessionId, "forget", null);
    },
    work: async (handler, { concurrency }) => {
      const worker = calls.add(handler, concurrency);
      const own: EngineWorker = { stop: () => stop(worker, own) };
      workers.add(own);
      try {
        serving = serve();
        await serving;
      } catch (error) {
        await own.stop();
        throw error;
      }
      return own;
    },
    close: async () => {
      await Promise.all([...workers].map((worker) => worker.stop()));
      await endpoint?.close();
    },
  };
}

function checkWake(sessionId: string, afterMs: unknown, transaction: unknown): void {
  checkNames(sessionId);
  if (!Number.isFinite(afterMs)) {
    throw new PawlError("invalid_input", "`afterMs` of wake() must be a number of milliseconds.");
  }
  if (transaction !== undefined) {
    throw new PawlError(
      "config",
      "restateEngine() has no `transaction`, because Restate is not in your database. Wake the session once it is committed.",
    );
  }
}
