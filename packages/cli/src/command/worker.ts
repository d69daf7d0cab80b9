import { health } from "@pawl/sse";
import { loadApp, type WorkerModule } from "../worker/load-app.ts";
import { prometheusMetrics } from "../worker/prometheus.ts";
import { pathsOf, serveHealth } from "../worker/serve.ts";
import type { WorkerArguments } from "./options.ts";

/** The exit codes of a process that a signal ends at once: 128 and the number of the signal. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

/** Loads the app, and works on its runs until a signal. Resolves once everything is closed. */
export async function work(args: WorkerArguments): Promise<void> {
  const { path, drainMs, concurrency } = args;
  // Before the app asks for a meter.
  const serveMetrics = prometheusMetrics();
  const signals = { isWorking: false };
  const signal = firstSignal(signals);
  const { pawl, close } = await loadApp(path);
  const server = await serveHealth(pawl, serveMetrics, args);
  signals.isWorking = true;
  pawl.start({ concurrency });
  console.log(`pawl worker: ${namesOf(pawl)}; port ${server.port} (${pathsOf(serveMetrics).join(", ")})`);
  console.log(
    `pawl worker: ${await signal}. Runs finish their turn, for up to ${drainMs / 1_000} s. Another signal ends the process at once.`,
  );
  await pawl.drain({ timeoutMs: drainMs });
  await close?.();
  await server.close();
  console.log("pawl worker: drained");
}

/** Loads the app and asks its store, without working. Rejects if the store does not answer. */
export async function check({ path }: WorkerArguments): Promise<void> {
  prometheusMetrics();
  const { pawl, close } = await loadApp(path);
  const { status } = await health({ runtime: pawl })(new Request("http://localhost/readyz"));
  // Nothing is closed first: that might wait for the store, too.
  if (status !== 200) throw new Error(`The store of ${path} did not answer.`);
  await pawl.drain();
  await close?.();
  console.log(`pawl worker: ${namesOf(pawl)}; the store answers`);
}

function namesOf({ agents }: WorkerModule["pawl"]): string {
  const names = [...agents.keys()];
  return names.length === 0 ? "no agents" : `agents ${names.join(", ")}`;
}

/**
 * Resolves to the first signal that asks the process to end. A second one ends the process, and so does one
 * before it works: then there is nothing to drain.
 */
function firstSignal(signals: { readonly isWorking: boolean }): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let isLeaving = false;
  for (const [name, code] of Object.entries(SIGNALS)) {
    process.on(name, () => {
      if (isLeaving || !signals.isWorking) process.exit(code);
      isLeaving = true;
      resolve(name);
    });
  }
  return promise;
}
