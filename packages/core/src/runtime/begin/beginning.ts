import { trackUntilSettled } from "../../base/counted.ts";
import type { Host } from "../leg/host.ts";
import type { RuntimeSettings } from "./runtime-types.ts";

/**
 * Returns `work`, which may start a leg. Has `drain()` and the platform (option `waitUntil`) wait for it.
 */
export function trackBegin<T>(host: Host, work: Promise<T>): Promise<T> {
  host.keepAlive(work);
  return trackUntilSettled(host.begins, work);
}

/**
 * Makes `Host.keepAlive` from the option `waitUntil`. If `waitUntil` throws, the error is reported, and the
 * work continues.
 */
export function makeKeepAlive(
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
