import { useMemo } from "react";
import type { OpenedDocument } from "../base/server.ts";
import { counted } from "../base/words.ts";
import { piecesOf } from "../runs/marks.ts";

interface DocumentTextProps {
  document: OpenedDocument;
  words: readonly string[];
  loading: boolean;
  onMore: () => void;
}

/** The text of a document, as text: nothing in it is HTML. The found words are marked. */
export function DocumentText({ document, words, loading, onMore }: DocumentTextProps) {
  const { text, start, length } = document;
  const pieces = useMemo(() => piecesOf(text, words), [text, words]);
  const marked = pieces.filter(({ found }) => found).length;
  const left = length - start - text.length;
  return (
    <>
      <p className="es-view-text" data-testid="es-view-text">
        {pieces.map(({ text: piece, found, at }) => (found ? <mark key={at}>{piece}</mark> : piece))}
        {text === "" && <span className="es-soft">This document has no text.</span>}
      </p>
      <p className="unseen" role="status">
        {marked === 0
          ? "No words are marked."
          : `${counted(marked, "found word is", "found words are")} marked.`}
      </p>
      {left > 0 && (
        <button
          type="button"
          className="es-more"
          disabled={loading}
          onClick={onMore}
          data-testid="es-view-more"
        >
          Show the next part ({counted(left, "character", "characters")} left)
        </button>
      )}
    </>
  );
}
