import { readFileSync } from "node:fs";
import { onTestFinished } from "vitest";
import { bundled, installed } from "./program.ts";

interface Miniflare {
  ready: Promise<URL>;
  dispose(): Promise<void>;
}

/**
 * Starts a program with a class `Sessions` of Durable Objects on workerd. `stop` kills it; with
 * `durableObjectsPersist`, a server that is started after it has the same objects.
 */
export async function objectServer(program: string, options: object = {}) {
  const { Miniflare } = installed<{ Miniflare: new (options: object) => Miniflare }>("miniflare");
  const server = new Miniflare({
    modules: true,
    script: readFileSync(await bundled(program, "browser"), "utf8"),
    compatibilityDate: "2026-07-01",
    // Otherwise it looks for a host on the net.
    cf: false,
    durableObjects: { SESSIONS: { className: "Sessions", useSQLite: true } },
    ...options,
  });
  let isOver = false;
  const stop = async () => {
    if (!isOver) await server.dispose();
    isOver = true;
  };
  onTestFinished(stop);
  return { url: (await server.ready).href.replace(/\/$/, ""), stop };
}
