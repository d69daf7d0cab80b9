import { useLayoutEffect } from "react";
import type { Older } from "../hooks/use-older.ts";
import { Wheel } from "../shell/wheel.tsx";

interface OlderRowProps {
  older: Older;
  loading: boolean;
  /** Called when the row goes while its button has the focus. */
  onFocusLost: () => void;
}

/**
 * Shows above the first message that there are older ones, with a button for readers who do not scroll. The
 * button keeps the focus while it loads.
 */
export function OlderRow({ older: { row, load, failed }, loading, onFocusLost }: OlderRowProps) {
  useLayoutEffect(() => {
    const element = row.current;
    // This runs before the element is removed.
    return () => {
      if (element?.contains(document.activeElement)) onFocusLost();
    };
  }, [row, onFocusLost]);
  const label = failed ? "Try again" : "Show older messages";
  return (
    <div className="older" ref={row} aria-busy={loading} data-testid="older">
      {loading && <Wheel turning />}
      {failed && !loading && <span>Older messages could not be loaded.</span>}
      <button
        type="button"
        className={loading ? "unseen" : "text-button"}
        aria-disabled={loading}
        onClick={loading ? undefined : load}
      >
        {loading ? "Loading older messages…" : label}
      </button>
      <span className="unseen" role="status">
        {loading && "Loading older messages…"}
      </span>
    </div>
  );
}
