import { clipped } from "../base/words.ts";
import { useSearching } from "../state/searching.ts";
import { IndexProgress } from "./index-progress.tsx";
import { PersonChooser } from "./person-chooser.tsx";

/** Above the text field: who searches, how far the index is, and what waits for it. */
export function Attached() {
  const { queued, index } = useSearching();
  return (
    <div className="es-attached">
      {queued.text !== undefined && (
        <p className="es-queued" role="status" data-testid="es-queued">
          <span>
            {index.status === "failed" ? "Not sent yet: " : "Waits for the index: "}“
            {clipped(queued.text, 140)}”
          </span>
          <button type="button" className="es-more" onClick={queued.cancel} data-testid="es-cancel">
            Cancel
          </button>
        </p>
      )}
      <IndexProgress />
      <PersonChooser />
    </div>
  );
}
