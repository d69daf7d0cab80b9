import { clipped } from "../base/words.ts";
import { useSearching } from "../state/searching.ts";

const STAGES: ReadonlyMap<string, string> = new Map([
  ["start", "Starting the search index"],
  ["draw", "Writing the company's documents"],
  ["documents", "Storing the documents"],
  ["words", "Listing the words"],
  ["ready", "Opening the index"],
]);

/** How far the search index is, on the first visit. Nothing once it can be searched. */
export function IndexProgress() {
  const { index } = useSearching();
  const { status, stage, done, error, lost, again } = index;
  if (status === "failed") {
    return (
      <div className="es-index es-index-failed" role="alert" data-testid="es-index" data-status={status}>
        <p>
          {error === "" ? "The search index could not be built." : clipped(error, 200)} Your message is kept,
          and sent when the index is ready.
        </p>
        <button type="button" className="es-button" onClick={again} data-testid="es-index-again">
          Try again
        </button>
      </div>
    );
  }
  if (status !== "building" && status !== "none") return null;
  const percent = Math.floor(done * 100);
  const words = lost ? "Reconnecting" : (STAGES.get(stage) ?? "Preparing the search index");
  return (
    <div className="es-index" data-testid="es-index" data-status={status}>
      <p>
        <span role="status">{words}…</span> <span className="es-index-percent">{percent}%</span>
      </p>
      <progress aria-label={`${words}, only on the first visit`} max={100} value={percent} />
      <p className="es-soft">
        Only the first visit needs this. You can write your question now. It is sent when the index is ready.
      </p>
    </div>
  );
}
