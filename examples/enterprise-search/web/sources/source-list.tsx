import { useState } from "react";
import { SourceIcon } from "../base/icons.tsx";
import { clipped, counted, dayOf } from "../base/words.ts";
import { useSearching } from "../state/searching.ts";
import { moveAmongCites } from "./move.ts";

/** How many sources are listed at first. */
const FIRST = 8;

/** The sources of an answer, by their numbers. */
export function SourceList({ ids }: { ids: readonly string[] }) {
  const [all, showAll] = useState(false);
  const shown = all ? ids : ids.slice(0, FIRST);
  return (
    <section className="es-sources" aria-label="Sources" data-testid="es-sources">
      <header className="es-sources-head">
        <h3>{counted(ids.length, "source", "sources")}</h3>
        <p className="es-hint">
          <span className="es-key">←</span> <span className="es-key">→</span> move,{" "}
          <span className="es-key">Enter</span> opens
        </p>
      </header>
      <ol>
        {shown.map((id, at) => (
          <Source key={id} id={id} number={at + 1} />
        ))}
      </ol>
      {ids.length > shown.length && (
        <button type="button" className="es-more" data-testid="es-all-sources" onClick={() => showAll(true)}>
          Show all {ids.length}
        </button>
      )}
    </section>
  );
}

function Source({ id, number }: { id: string; number: number }) {
  const { found, runs, sources } = useSearching();
  const one = found.get(id);
  // What a sub-agent has found is known by its id only.
  const isFound = one !== undefined || runs.some(({ record }) => record.fragments.includes(id));
  return (
    <li>
      <button
        type="button"
        className="es-source"
        data-cite={id}
        data-testid="es-source-row"
        aria-pressed={sources.current?.id === id}
        tabIndex={number === 1 ? 0 : -1}
        onKeyDown={moveAmongCites}
        onClick={({ currentTarget }) => sources.open(id, currentTarget)}
      >
        <span className="es-source-number" aria-hidden="true">
          {number}
        </span>
        <SourceIcon source={one?.source ?? id.split("-")[0] ?? ""} />
        <span className="es-source-title">{clipped(one?.title || id, 200)}</span>
        <span className="es-source-facts">
          {one === undefined
            ? isFound
              ? "found by an agent"
              : "not among the results"
            : [clipped(one.owner, 60), dayOf(one.at)].filter((part) => part !== "").join(" · ")}
        </span>
      </button>
    </li>
  );
}
