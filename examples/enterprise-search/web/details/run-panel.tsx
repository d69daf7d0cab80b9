import type { ReactNode } from "react";
import { clipped, counted } from "../base/words.ts";
import { SourceView } from "../sources/source-view.tsx";
import { useSearching } from "../state/searching.ts";
import { CallsTable } from "./calls-table.tsx";
import { ContextTree } from "./context-tree.tsx";
import { Reviews } from "./reviews.tsx";
import { ToolDocs } from "./tool-docs.tsx";

/** The panel beside the conversation: an opened source, or how an answer was made. */
export function RunPanel() {
  const { sources, shown, isOpening } = useSearching();
  if (sources.current !== undefined) return <SourceView key={sources.current.id} source={sources.current} />;
  if (isOpening) return null;
  if (shown === undefined) {
    return (
      <p className="es-empty" data-testid="es-no-run">
        Ask something: here you will see what was searched, what it cost, and why.
      </p>
    );
  }
  const { record } = shown;
  return (
    <div className="es-panel" data-testid="es-panel">
      <p className="es-panel-about">“{clipped(record.messages.at(-1)?.text ?? "", 160)}”</p>
      <h3>Calls</h3>
      <CallsTable run={shown} />
      <Fold title="Review" facts={counted(record.reviews.length, "note", "notes")} name="reviews" open>
        <Reviews run={shown} />
      </Fold>
      <Fold title="Tool descriptions" facts="chosen and left out" name="docs">
        <ToolDocs run={shown} />
      </Fold>
      <Fold title="Run context" facts={`up to event ${record.lastSeq}`} name="context">
        <ContextTree run={shown} />
      </Fold>
    </div>
  );
}

interface FoldProps {
  title: string;
  facts: string;
  name: string;
  open?: boolean;
  children: ReactNode;
}

function Fold({ title, facts, name, open = false, children }: FoldProps) {
  return (
    <details className="es-fold" open={open} data-testid={`es-fold-${name}`}>
      <summary>
        <h3>{title}</h3> <span className="es-soft">{facts}</span>
      </summary>
      {children}
    </details>
  );
}
