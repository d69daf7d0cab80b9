import { counted } from "../../base/counted.ts";
import type { Host } from "../leg/host.ts";
import type { RuntimeSettings } from "./runtime-types.ts";

/** Has the process wait for work that may start a leg, when it drains and where the platform asks for it. */
export function beginning<T>(host: Host, work: Promise<T>): Promise<T> {
  host.keepAlive(work);
  return counted(host.begins, work);
}

/** Makes `keepAlive`. If the platform refuses to wait, the work continues all the same. */
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
