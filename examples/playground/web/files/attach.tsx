import { useRef } from "react";
import { ACCEPTED } from "./file-words.ts";

/** A button that opens the file chooser. */
export function AttachButton({ onAdd }: { onAdd: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        className="round attach"
        data-testid="attach"
        aria-label="Add files"
        title="Add pictures, PDFs or texts"
        onClick={() => input.current?.click()}
      >
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="m20.5 11.5-8.6 8.6a5.4 5.4 0 0 1-7.7-7.7l8.9-8.9a3.6 3.6 0 0 1 5.1 5.1l-8.9 8.9a1.8 1.8 0 0 1-2.5-2.5l8-8" />
        </svg>
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={ACCEPTED}
        data-testid="file-input"
        onChange={({ target }) => {
          onAdd([...(target.files ?? [])]);
          // The same file may be chosen again.
          target.value = "";
        }}
      />
    </>
  );
}

/** Shows over the page that dragged files may be dropped. */
export function DropTarget() {
  return (
    <div className="drop-target" data-testid="drop-target">
      <p>Drop files to add them to your message</p>
    </div>
  );
}
