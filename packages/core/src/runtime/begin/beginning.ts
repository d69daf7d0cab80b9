import { counted } from "../../base/counted.ts";
import type { Host } from "../leg/host.ts";
import type { RuntimeSettings } from "./runtime-types.ts";

/**
 * Makes the process wait for work that may start a leg: `drain()` waits for it, and so does the platform
 * (`waitUntil`).
 */
export function beginning<T>(host: Host, work: Promise<T>): Promise<T> {
  host.keepAlive(work);
  return counted(host.begins, work);
}

/**
 * Creates `keepAlive` from the option `waitUntil`. If the platform refuses to wait, the work still continues.
 */
export function keeper(
  waitUntil: RuntimeSettings<never>["waitUntil"],
  report: (error: unknown) => void,
): Host["keepAlive"] {
  if (waitUntil === undefined) return () => undefined;
  return (work) => {
    const settled = work.then(
      () => undefined,
      () => undefined,
    );
    try {
      waitUntil(settled);
    } catch (error) {
      report(error);
    }
  };
}
