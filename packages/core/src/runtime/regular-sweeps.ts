import { every } from "../base/clock.ts";
import { beginning } from "./begin/beginning.ts";
import type { Host } from "./leg/host.ts";

/** Recovers every run that no process is working on. Returns the number of runs that this call recovered. */
// Only servers sweep, so the code is not loaded at the start.
export function sweepOnce(host: Host): Promise<number> {
  return beginning(
    host,
    load().then(({ sweep }) => sweep(host)),
  );
}

const load = () => import("./seldom/index.ts");

/** Sweeps at once and then once per lease time. The timer does not keep the process alive. */
export function regularSweeps(host: Host): { start(): void; stop(): void } {
  let cancel: (() => void) | undefined;
  const look = () => void sweepOnce(host).catch(host.report);
  return {
    start: () => {
      host.staysAlive = true;
      if (cancel !== undefined) return;
      cancel = every(host.clock, host.leaseTtlMs, look);
      look();
    },
    stop: () => cancel?.(),
  };
}
