import type { Older } from "../hooks/use-older.ts";
import { Wheel } from "../shell/wheel.tsx";

/** Shows above the first message that there are older ones, with a button for readers who do not scroll. */
export function OlderRow({ older: { row, load, failed }, loading }: { older: Older; loading: boolean }) {
  return (
    <div className="older" ref={row} aria-busy={loading} data-testid="older">
      {loading ? (
        <>
          <Wheel turning />
          <span className="unseen" role="status">
            Loading older messages…
          </span>
        </>
      ) : (
        <button type="button" className="text-button" onClick={load}>
          {failed ? "Older messages could not be loaded. Try again" : "Show older messages"}
        </button>
      )}
    </div>
  );
}
