import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf, PawlError, type Runtime } from "@pawl/core";

/** What a module of an app exports for `pawl worker`. */
export interface WorkerModule {
  /** The runtime that works. Not started. */
  pawl: Runtime;
  /** Closes what the module has opened, e.g. the engine and the database. Called after `drain()`. */
  close?(): void | Promise<void>;
}

/** Imports an app's module. @throws PawlError `config` if it is missing, or its exports do not fit */
export async function loadApp(path: string): Promise<WorkerModule> {
  const file = resolve(path);
  if (!existsSync(file)) throw new PawlError("config", `There is no file at ${file}.`);
  const module = await imported(path, file);
  const { pawl, close } = module;
  if (!isRuntime(pawl)) {
    const names = Object.keys(module);
    const example = "e.g. export const pawl = runtime({ agents, store })";
    throw new PawlError(
      "config",
      Object.hasOwn(module, "pawl")
        ? `\`pawl\` of ${path} must be a runtime, ${example}; got ${kindOf(pawl)}.`
        : `${path} must export \`pawl\`, a runtime, ${example}; it exports ${names.join(", ") || "nothing"}.`,
    );
  }
  if (close === undefined) return { pawl };
  if (typeof close !== "function") {
    throw new PawlError("config", `\`close\` of ${path} must be a function that is called after drain().`);
  }
  return { pawl, close: close as () => void };
}

async function imported(path: string, file: string): Promise<Record<string, unknown>> {
  try {
    return await import(pathToFileURL(file).href);
  } catch (error) {
    throw new PawlError("config", `${path} failed while it was loaded: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function kindOf(value: unknown): string {
  if (value instanceof Promise) return "a promise: use top-level await";
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Recognises runtimes of other copies of core, too. */
function isRuntime(value: unknown): value is Runtime {
  const { agents, start, drain, recover } = Object(value);
  return agents instanceof Map && [start, drain, recover].every((method) => typeof method === "function");
}
