import type { Clock, HookContext } from "@pawl/core";
import type { OnError } from "../base/failures.ts";
import type { SpokenIn } from "../log/read-log.ts";
import type { DataSource } from "../sources/data-source.ts";
import type { Ask } from "./prompt.ts";

/** The options of an initializer, with the defaults filled in. */
export interface Work<Deps> extends Ask<Deps> {
  name: string;
  byName: ReadonlyMap<string, DataSource<Deps>>;
  timeoutMs: number;
  sourceTimeoutMs: number;
  clock: Clock;
  spoken: SpokenIn | undefined;
  /** Reports an error. Never throws. */
  report: OnError;
}

/** Returns the key of an event that an initializer stores once per run. */
export function keyOf<Deps>({ name }: Work<Deps>, { runId }: HookContext, what: string): string {
  return `knowledge:${name}:${runId}:${what}`;
}
