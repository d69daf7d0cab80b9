import { clipped } from "../base/words.ts";
import { useSearching } from "../state/searching.ts";
import { IndexProgress } from "./index-progress.tsx";
import { PersonChooser } from "./person-chooser.tsx";

const WHEN = {
  index: "Will be sent when the index is ready:",
  answer: "Will be sent after this answer:",
  user: "Not sent yet:",
} as const;

/** Above the text field: who searches, how far the index is, and what waits for it. */
export function Attached() {
  const { queued, index } = useSearching();
  const when = WHEN[index.status === "failed" ? "user" : queued.waitFor];
  return (
    <div className="es-attached">
      {queued.texts.map((text, at) => (
        <p key={at} className="es-queued" role="status" data-testid="es-queued">
          <span>
            {when} “{clipped(text, 140)}”
          </span>
          <button type="button" className="es-more" onClick={() => queued.cancel(at)} data-testid="es-cancel">
            Cancel
          </button>
        </p>
      ))}
      <IndexProgress />
      <PersonChooser />
    </div>
  );
}
