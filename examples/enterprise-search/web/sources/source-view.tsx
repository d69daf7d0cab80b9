import { type KeyboardEvent, useEffect, useRef } from "react";
import { SourceIcon } from "../base/icons.tsx";
import type { OpenedDocument } from "../base/server.ts";
import { kindName } from "../base/sources.ts";
import { clipped, timeOf } from "../base/words.ts";
import type { OpenSource } from "../state/searching.ts";
import { useSearching } from "../state/searching.ts";
import { DocumentText } from "./document-text.tsx";
import { People } from "./people.tsx";
import { RelatedList } from "./related-list.tsx";
import { useDocument } from "./use-document.ts";

/** A source beside the answer: its text with the found words marked, who wrote it, its thread and links. */
export function SourceView({ source }: { source: OpenSource }) {
  const { server, sources, me } = useSearching();
  const { state, again, more } = useDocument(server, source, me.person?.email);
  const box = useRef<HTMLElement>(null);
  useFocusOn(box, source.id);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    sources.close();
  };
  return (
    <article
      className="es-view"
      ref={box}
      tabIndex={-1}
      aria-label="Source"
      aria-busy={state.status === "loading"}
      data-testid="es-view"
      data-status={state.status}
      onKeyDown={onKeyDown}
    >
      <div className="es-view-keys">
        {sources.canGoBack && (
          <button type="button" className="es-more" onClick={sources.back} data-testid="es-back">
            ← Back
          </button>
        )}
        <button
          type="button"
          className="es-more es-view-close"
          onClick={sources.close}
          data-testid="es-close"
        >
          Close{" "}
          <span className="es-key" aria-hidden="true">
            Esc
          </span>
        </button>
      </div>
      {state.status === "loading" && <Coming source={source} />}
      {state.status === "not_found" && <NotShown />}
      {state.status === "failed" && (
        <div role="alert" className="es-view-note">
          <p>This source could not be opened just now.</p>
          <button type="button" className="es-button" onClick={again}>
            Try again
          </button>
        </div>
      )}
      {state.status === "ok" && (
        <Opened
          document={state.document}
          words={source.words}
          loading={state.loadingMore}
          onMore={() => void more()}
        />
      )}
    </article>
  );
}

/** Moves the focus to a source when it is opened, after the panel around it is shown. */
function useFocusOn(box: { current: HTMLElement | null }, id: string): void {
  useEffect(() => {
    const focus = () => box.current?.focus({ preventScroll: true });
    if (box.current?.closest("dialog:not([open])") === null) return focus();
    // The panel around it opens next.
    const timer = setTimeout(focus);
    return () => clearTimeout(timer);
  }, [box, id]);
}

/** What is known of a source before it is read. */
function Coming({ source: { id } }: { source: OpenSource }) {
  const one = useSearching().found.get(id);
  return (
    <>
      <h3 className="es-view-title">{clipped(one?.title || "Opening…", 300)}</h3>
      <p className="unseen" role="status">
        Opening the source.
      </p>
      <div className="es-view-coming" aria-hidden="true" />
    </>
  );
}

function NotShown() {
  const { person } = useSearching().me;
  return (
    <div className="es-view-note" role="status" data-testid="es-not-found">
      <h3>{person?.name ?? "This person"} cannot open this document</h3>
      <p>It is not shared with them, or it does not exist. You can search as somebody else below.</p>
    </div>
  );
}

interface OpenedProps {
  document: OpenedDocument;
  words: readonly string[];
  loading: boolean;
  onMore: () => void;
}

function Opened({ document, words, loading, onMore }: OpenedProps) {
  const { source, title, owner, at, place, participants, inThread, links } = document;
  return (
    <>
      <p className="es-view-kind">
        <SourceIcon source={source} />
        {kindName(source)}
        {place !== "" && <span className="es-soft"> · {clipped(place, 100)}</span>}
      </p>
      <h3 className="es-view-title" data-testid="es-view-title">
        {clipped(title, 300)}
      </h3>
      <People owner={owner} others={participants} time={timeOf(at)} />
      <DocumentText document={document} words={words} loading={loading} onMore={onMore} />
      <RelatedList title="In this thread" documents={inThread} />
      <RelatedList title="Refers to" documents={links} />
    </>
  );
}
