import type { ToolPartProps } from "../base/seam.ts";

/** The question of a run after a restart of the server. A page that reconnects answers it by itself. */
export const CREDENTIALS = "credentials";

/** Shows that a run is about to continue. */
export function Resuming() {
  return (
    <p className="working" role="status">
      Nitro picks up where it stopped…
    </p>
  );
}

/** Shows where a run continued. */
export function Resumed({ part }: ToolPartProps) {
  return part.phase === "waiting" ? null : (
    <p className="chip chip-done" data-testid="rl-resumed">
      <span className="chip-mark" aria-hidden="true" />
      <span className="chip-words">Picked up where it stopped</span>
    </p>
  );
}
